"""Computation: one landscape, computed in slices on a second program."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.landscape.directions import principal_directions, random_direction
from gradstep.debugger.landscape.framing import bounds_around, near
from gradstep.debugger.landscape.plane import (
    DirectionPlane,
    ElementPlane,
    parse_element,
    reader,
)
from gradstep.debugger.landscape.trajectories import (
    RecordedPaths,
    box_of,
    replayed_path,
    sampled_events,
)
from gradstep.errors import OperationError
from gradstep.history.live_values import array_of
from gradstep.history.records.landscape import Landscape, LandscapeRequest, StoredLandscape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.debugger.branches import Branches
    from gradstep.debugger.landscape.plane import Plane
    from gradstep.debugger.shadow_program import ShadowProgram
    from gradstep.history.history import History
    from gradstep.history.records.landscape import BranchPath
    from gradstep.program.program import Program
    from gradstep.program.runtime.loss_probe import LossProbe

__all__ = [
    "Computation",
    "chosen_loss",
    "element_plane",
    "seconds_per_point",
    "signature_of",
    "size_of",
]

_SECONDS = 3.0
"""The number of points is chosen so that they take about this long, within these bounds."""

_SIZES = {1: (41, 201), 2: (17, 121)}
_STRIDES = (4, 2, 1)
"""The coarse picture comes first: a sixteenth of the points."""

_MOST_BYTES = 64 * 2**20
"""Memory for the states from which the principal directions are computed."""

_LEAST_STATES = 3


class Computation:
    """Computes one landscape; `steps` does a little work between its yields.

    Args:
        request: Which landscape to compute.
        branches: The branches; the current one is the one in question.
        position: The moment, an Event of that branch.
        shadow: A second program, for this computation alone.
        stored: Landscapes that are known already.

    Attributes:
        plane: The plane, once it is determined.
        recorded: The paths of the branches, where the curves have them.
        signature: The digest of all that determines the values; empty before it is known.
        loss: The name of the loss.
        landscape: What is computed so far.
    """

    def __init__(
        self,
        request: LandscapeRequest,
        branches: Branches,
        position: int,
        shadow: ShadowProgram,
        stored: Sequence[StoredLandscape] = (),
    ) -> None:
        self.request = request
        self.plane: Plane | None = None
        self.recorded: RecordedPaths | None = None
        self._branches = branches
        self._history: History = branches.current.history
        self._position = position
        self._shadow = shadow
        self._stored = stored
        self.signature = b""
        self.loss = ""
        empty = np.zeros(0)
        self.landscape = Landscape(request, "", position, (), empty, empty, empty, total=1)

    @property
    def record(self) -> StoredLandscape:
        """The complete landscape, as a session keeps it."""
        found = self.landscape
        bounds = [float(axis[at]) for axis in (found.x, found.y) if len(axis) for at in (0, -1)]
        with np.errstate(over="ignore"):
            values = found.values.astype("<f4").tobytes()
        return StoredLandscape(
            self.request, self.signature, found.event, tuple(bounds), found.values.shape, values
        )

    def steps(self) -> Iterator[None]:
        """Compute everything, a little at a time.

        Raises:
            GradStepError: The landscape cannot be computed, or a replay was stopped.
        """
        shadow = self._shadow
        shadow.go(self._history, self._position)
        yield
        self.loss, names = chosen_loss(shadow.program, self.request)
        yield from self._find_plane(names)
        program = _program_of(shadow)
        plane = self._need_plane()
        probe = program.loss_probe(self.loss, all_rows=self.request.rows == "all")
        self.signature = signature_of(program, self.loss, plane, probe)
        present = plane.project(reader(program.tensors))
        whole = sum(array_of(program.tensors[name]).size for name in names)
        notes = (*self._notes(names), *probe.notes)
        is_whole = isinstance(plane, ElementPlane) and whole == len(plane.axes)
        self.landscape = replace(
            self.landscape, loss=self.loss, axes=plane.axes, notes=notes, is_whole=is_whole
        )
        yield from self._find_paths(plane)
        shadow.go(self._history, self._position)
        paths = self.recorded.all() if self.recorded is not None else self.landscape.paths
        seconds = seconds_per_point(program.tensors, plane, probe, present)
        bounds = self.request.bounds
        if len(bounds) != 2 * len(present):
            bounds = bounds_around(program.tensors, plane, probe, present, paths)
        known = self._known(bounds, paths, len(present))
        if known is not None:
            self._adopt(known)
            return
        size = self.request.size or size_of(seconds, len(present))
        axes = [np.linspace(bounds[2 * at], bounds[2 * at + 1], size) for at in range(len(present))]
        yield from self._evaluate(program, plane, probe, axes)

    # -- the plane -----------------------------------------------------------------------------

    def _find_plane(self, names: Sequence[str]) -> Iterator[None]:
        program, kind = self._shadow.program, self.request.kind
        if kind == "elements":
            self.plane = element_plane(program.tensors, names, self.request.elements)
            if RecordedPaths.cover(self._history, self.plane):
                self.recorded = RecordedPaths(self._branches, self.plane)
        elif kind == "random":
            origin = {name: array_of(program.tensors[name]) for name in names}
            _check_finite(origin)
            free = frozenset(name for name in names if "." not in name)
            generator = np.random.default_rng(self.request.seed)
            directions = [random_direction(origin, free, generator) for _ in range(2)]
            if not any(part.any() for part in directions[0].values()):
                raise OperationError(
                    "a random direction is as long as the weights, and all weights are zero",
                    "choose two elements, or run some iterations first",
                )
            self.plane = DirectionPlane(origin, directions, ("random 1", "random 2"), extent=1.0)
        else:
            yield from self._find_principal_plane(names)

    def _find_principal_plane(self, names: Sequence[str]) -> Iterator[None]:
        shadow, history = self._shadow, self._history
        origin = {name: array_of(shadow.program.tensors[name]).copy() for name in names}
        _check_finite(origin)
        size = sum(array.size for array in origin.values())
        most = max(_LEAST_STATES, min(64, _MOST_BYTES // (8 * size)))
        states = []
        for event in sampled_events(history, most=most):
            shadow.go(history, event)
            read = reader(shadow.program.tensors)
            parts = [read(name) for name in names]
            if all(part is not None for part in parts):
                states.append(np.concatenate([part.ravel() for part in parts if part is not None]))
            yield
        found = principal_directions(states)
        if found is None:
            raise OperationError(
                "the trajectory has no directions: the parameters have not moved",
                "run some iterations first",
            )
        directions = [_split(row, origin) for row in found.directions]
        axes = tuple(
            f"principal direction {at} ({share:.0%})" for at, share in enumerate(found.shares, 1)
        )
        self.plane = DirectionPlane(origin, directions, axes)

    def _find_paths(self, plane: Plane) -> Iterator[None]:
        """Replay the branches, where no curve has their coordinates."""
        if self.recorded is not None:
            return
        branches, current = self._branches, self._branches.current
        found: list[BranchPath] = []
        others = [branch for branch in branches if branch is not current]
        shared = {**branches.shared_events(current), current.id: 0}
        for branch in (current, *others):
            for path in replayed_path(self._shadow, branch, shared[branch.id], plane):
                if path is not None:
                    found.append(path)
                yield
        self.landscape = replace(self.landscape, paths=tuple(found))

    def _need_plane(self) -> Plane:
        assert self.plane is not None, "the plane was found before"
        return self.plane

    def _notes(self, names: Sequence[str]) -> Iterator[str]:
        tensors = self._shadow.program.tensors
        count = sum(array_of(tensors[name]).size for name in names)
        axes = len(self._need_plane().axes)
        if self.request.kind == "elements" and count > axes:
            others = "parameter is" if count - axes == 1 else f"{count - axes:,} parameters are"
            yield f"The other {others} as after event {self._position:,}."
        elif self.request.kind == "random":
            yield "Each filter of a direction is as long as the weight's (Li et al., 2018)."
        elif self.request.kind == "principal":
            yield "The directions along which the trajectory varies most (Li et al., 2018)."

    # -- the values ----------------------------------------------------------------------------

    def _evaluate(
        self,
        program: Program,
        plane: Plane,
        probe: LossProbe,
        axes: Sequence[NDArray[np.float64]],
    ) -> Iterator[None]:
        values = np.full([len(axis) for axis in reversed(axes)], np.nan)
        x, y = axes[0], axes[1] if len(axes) > 1 else np.zeros(0)
        done, seen = 0, np.zeros(values.shape, np.bool_)
        self.landscape = replace(self.landscape, total=values.size)
        self._shadow.forget()
        for stride in _STRIDES:
            chosen = np.zeros(values.shape, np.bool_)
            chosen[(slice(None, None, stride),) * values.ndim] = True
            for place in zip(*np.nonzero(chosen & ~seen), strict=True):
                point = [float(axis[at]) for axis, at in zip(axes, place[::-1], strict=True)]
                plane.write(program.tensors, point)
                values[place] = probe()
                done += 1
                self.landscape = replace(self.landscape, done=done)
                yield
            seen |= chosen
            part = (slice(None, None, stride),) * values.ndim
            self.landscape = replace(
                self.landscape, x=x[::stride], y=y[::stride], values=values[part].copy()
            )
            yield

    def _known(
        self, bounds: Sequence[float], paths: Sequence[BranchPath], count: int
    ) -> StoredLandscape | None:
        """Return the same landscape, computed before, if it shows all of the paths."""
        for item in reversed(self._stored):
            same = item.request == self.request and item.signature == self.signature
            if same and len(item.bounds) == 2 * count == 2 * len(item.shape):
                lows, highs = item.bounds[::2], item.bounds[1::2]
                box = [] if self.request.bounds else box_of(near(paths, bounds), count)
                if all(
                    low <= inner[0] and inner[1] <= high
                    for inner, low, high in zip(box, lows, highs, strict=False)
                ):
                    return item
        return None

    def _adopt(self, item: StoredLandscape) -> None:
        sizes = item.shape[::-1]
        axes = [
            np.linspace(item.bounds[2 * at], item.bounds[2 * at + 1], size)
            for at, size in enumerate(sizes)
        ]
        values = np.frombuffer(item.values, "<f4").astype(np.float64).reshape(item.shape)
        y = axes[1] if len(axes) > 1 else np.zeros(0)
        self.landscape = replace(
            self.landscape,
            event=item.event,
            x=axes[0],
            y=y,
            values=values,
            done=values.size,
            total=values.size,
        )


def chosen_loss(program: Any, request: LandscapeRequest) -> tuple[str, tuple[str, ...]]:  # noqa: ANN401 - a Debuggee
    """Return the loss, and the names of the parameters on which it depends.

    Raises:
        OperationError: There is no such loss, or it depends on no parameter.
    """
    spec = program.spec
    training = [name for name, loss in spec.losses.items() if loss.rows == "training"]
    loss = request.loss or next(iter([*training, *spec.losses]), "")
    if not loss:
        raise OperationError("the program has no loss", "add one to its document")
    names = tuple(
        name
        for name in program.reaches(loss)
        if name not in program.buffers
        and program.tensors[name].requires_grad
        and array_of(program.tensors[name]).dtype.kind == "f"
    )
    if not names:
        raise OperationError(f"{loss} depends on no tensor that is trained", "choose another loss")
    return loss, names


def element_plane(
    tensors: Mapping[str, Any], names: Sequence[str], elements: Sequence[str]
) -> ElementPlane:
    """Return the plane of some elements, or of the first one or two parameters.

    Raises:
        OperationError: There is no such element, or both are the same.
    """
    if elements:
        found = [parse_element(text, tensors) for text in elements]
    else:
        every = (
            (name, tuple(map(int, index)))
            for name in names
            for index in np.ndindex(array_of(tensors[name]).shape)
        )
        found = list(islice(every, 2))
    if len(set(found)) < len(found):
        raise OperationError("both axes are the same element", "choose two elements")
    return ElementPlane(found, tuple(_label(name, index, tensors) for name, index in found))


def size_of(seconds: float, axes: int) -> int:
    """Return how many points an axis has, when one point takes so long.

    Example:
        >>> size_of(1e-4, 2), size_of(0.02, 2), size_of(1.0, 1)
        (121, 17, 41)
    """
    least, most = _SIZES[axes]
    wanted = int((_SECONDS / max(seconds, 1e-9)) ** (1 / axes))
    return (min(max(wanted, least), most) - 1) // _STRIDES[0] * _STRIDES[0] + 1


def signature_of(program: Program, loss: str, plane: Plane, probe: LossProbe) -> bytes:
    """Return the digest of all that determines a landscape at the program's present moment."""
    values = plane.signature(program.tensors, program.reaches(loss))
    return hashlib.blake2b(values + probe.signature, digest_size=16).digest()


def _program_of(shadow: ShadowProgram) -> Program:
    program: Any = shadow.program
    return program  # type: ignore[no-any-return]  # the abilities of a script rule it out


def _label(name: str, index: tuple[int, ...], tensors: Mapping[str, Any]) -> str:
    single = array_of(tensors[name]).size == 1
    return name if single else f"{name}[{', '.join(map(str, index))}]"


def _check_finite(origin: Mapping[str, NDArray[Any]]) -> None:
    """Check that directions can begin at these parameters.

    Raises:
        OperationError: One of them is NaN or infinite.
    """
    for name, array in origin.items():
        if not np.isfinite(array).all():
            raise OperationError(
                f"{name} is NaN or infinite, so no direction begins there",
                "go back to before that, or choose two elements",
            )


def _split(
    row: NDArray[np.float64], like: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[np.float64]]:
    """Return a vector as one array per tensor."""
    found, start = {}, 0
    for name, array in like.items():
        found[name] = row[start : start + array.size].reshape(array.shape)
        start += array.size
    return found


def seconds_per_point(
    tensors: Mapping[str, Tensor], plane: Plane, probe: LossProbe, present: Sequence[float]
) -> float:
    """Return how long a point takes: the shorter of two, as the first one warms up."""
    found = []
    for _ in range(2):
        start = perf_counter()
        plane.write(tensors, present)
        probe()
        found.append(perf_counter() - start)
    return min(found)
