"""Landscapes: the loss around the present moment, computed beside the live program."""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from gradstep.debugger.cursor import quiet
from gradstep.debugger.landscape.arrows import find_arrows
from gradstep.debugger.landscape.computation import (
    Computation,
    chosen_loss,
    element_plane,
    seconds_per_point,
    signature_of,
    size_of,
)
from gradstep.debugger.landscape.plane import DirectionPlane, reader
from gradstep.debugger.shadow_program import ShadowProgram
from gradstep.errors import GradStepError, OperationError, UnsupportedError
from gradstep.history.live_values import array_of
from gradstep.history.records.landscape import (
    Landscape,
    LandscapeArrows,
    LandscapeMoment,
    LandscapePlan,
    LandscapeRequest,
)
from gradstep.history.records.what_if import Edits
from gradstep.random import default_generator
from gradstep.short_number import short_number
from gradstep.stopping import never

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gradstep.debugger.cursor import Cursor
    from gradstep.debugger.landscape.plane import Plane
    from gradstep.history.records.landscape import StoredLandscape

__all__ = ["MOST_STORED", "Landscapes"]

MOST_STORED = 4
"""The number of landscapes that a session keeps: about 30 KB each."""


class Landscapes:
    """Computes landscapes on programs of its own; the live program is only looked at.

    Args:
        cursor: The live program's place in time.
        stored: Landscapes that a session has kept.

    Example:
        >>> from gradstep.debugger import Debugger
        >>> from gradstep.program.document.codec import decode
        >>> dbg = Debugger(decode(b'''{"gradstep": 1, "dtype": "float64",
        ...     "tensors": {"x": {"value": [3, 1], "requires_grad": true}},
        ...     "losses": {"loss": {"expression": "x[0] ** 2 + 10 * x[1] ** 2"}},
        ...     "optimizers": {"sgd": {"kind": "SGD", "params": ["x"], "lr": 0.01}}}'''))
        >>> found = dbg.landscapes.compute(size=3, bounds=(-1, 1, -2, 2))
        >>> found.axes, found.values.tolist()
        (('x[0]', 'x[1]'), [[41.0, 40.0, 41.0], [1.0, 0.0, 1.0], [41.0, 40.0, 41.0]])
        >>> len(dbg.events)
        0
    """

    def __init__(self, cursor: Cursor, stored: Sequence[StoredLandscape] = ()) -> None:
        self._cursor = cursor
        self._stored = list(stored)
        self._probed: ShadowProgram | None = None
        self._replayed: ShadowProgram | None = None
        self._computation: Computation | None = None
        self._work: Iterator[None] | None = None

    @property
    def stored(self) -> tuple[StoredLandscape, ...]:
        """The latest complete landscapes, which a session keeps."""
        return tuple(self._stored)

    @quiet
    def compute(
        self,
        *,
        should_stop: Callable[[], bool] | None = None,
        **wanted: object,
    ) -> Landscape:
        """Return the landscape around the present moment.

        Args:
            should_stop: Asked now and then; True ends with what is computed so far.
            **wanted: The fields of a `LandscapeRequest`.

        Raises:
            GradStepError: It cannot be computed.
        """
        self.begin(LandscapeRequest(**wanted))  # type: ignore[arg-type]
        while not self.advance(1.0, should_stop) and not (should_stop and should_stop()):
            pass
        return self.current

    @property
    def current(self) -> Landscape:
        """What is computed so far of the landscape that was begun last.

        Raises:
            OperationError: None was begun.
        """
        if self._computation is None:
            raise OperationError("no landscape was begun", "begin one")
        return self._computation.landscape

    def begin(self, request: LandscapeRequest) -> None:
        """Begin a landscape around the present moment; `advance` computes it.

        Raises:
            UnsupportedError: It is a script.
        """
        self._check()
        cursor = self._cursor
        with _generator_kept():
            self._probed = self._probed or ShadowProgram(cursor.program)
        self._computation = Computation(
            request, cursor.branches, cursor.position, self._probed, self._stored
        )
        self._work = self._computation.steps()

    @quiet
    def advance(self, seconds: float, should_stop: Callable[[], bool] | None = None) -> bool:
        """Compute a slice of the landscape that was begun.

        Args:
            seconds: How long it may take, about.
            should_stop: Asked at every point; True ends the slice, or a replay.

        Returns:
            Whether the landscape is complete.

        Raises:
            GradStepError: It cannot be computed.
        """
        computation, work = self._computation, self._work
        if computation is None or work is None:
            return True
        stop = should_stop or never
        assert self._probed is not None, "begin has made it"
        self._probed.should_stop = stop
        deadline = monotonic() + seconds
        try:
            with _generator_kept():
                for _ in work:
                    if stop() or monotonic() > deadline:
                        return False
        except GradStepError:
            self._work = None
            raise
        finally:
            self._probed.should_stop = never
        self._work = None
        self._keep(computation)
        return True

    @quiet
    def plan(
        self, request: LandscapeRequest, should_stop: Callable[[], bool] | None = None
    ) -> LandscapePlan:
        """Return what a landscape would take, after computing the loss twice.

        Raises:
            UnsupportedError: It is a script.
            OperationError: There is no such loss or element.
        """
        self._check()
        cursor = self._cursor
        program = cursor.document_program
        loss, names = chosen_loss(program, request)
        plane: Plane
        if request.kind == "elements":
            plane = element_plane(program.tensors, names, request.elements)
        else:  # any directions take as long to write
            origin = {name: array_of(program.tensors[name]) for name in names}
            plane = DirectionPlane(origin, (origin, origin), ("", ""))
        count = len(plane.axes)
        with _generator_kept(), self._replaying(should_stop) as shadow:
            shadow.go(cursor.history, cursor.position)
            probe = shadow.program.loss_probe(loss, all_rows=request.rows == "all")  # type: ignore[attr-defined]
            shadow.forget()
            seconds = seconds_per_point(shadow.program.tensors, plane, probe, (0.0,) * count)
        size = request.size or size_of(seconds, count)
        replayed = 0.0
        if request.kind != "elements":
            works = [branch.history.checkpoints.last.work_s for branch in cursor.branches]
            replayed = sum(works) + (works[0] if request.kind == "principal" else 0.0)
        return LandscapePlan(request, plane.axes, size, seconds * size**count + replayed)

    @quiet
    def moment(self) -> LandscapeMoment | None:
        """Return where the live program is in the landscape; None before there is one."""
        found = self._computation
        if found is None or found.plane is None:
            return None
        cursor = self._cursor
        coordinates = found.plane.project(reader(cursor.program.tensors))
        point = None
        if np.isfinite(coordinates).all():
            point = coordinates[0], coordinates[1] if len(coordinates) > 1 else 0.0
        return LandscapeMoment(
            found.request,
            cursor.position,
            cursor.program.iteration,
            point,
            () if found.recorded is None else found.recorded.all(),
        )

    @quiet
    def arrows(self, should_stop: Callable[[], bool] | None = None) -> LandscapeArrows | None:
        """Return the last gradient and the last Step; None before there is a landscape.

        Raises:
            StoppedError: It was cancelled.
            ReplayError: A replay did not reproduce what was recorded.
        """
        found, cursor = self._computation, self._cursor
        if found is None or found.plane is None or not found.signature:
            return None
        plane, history, position = found.plane, cursor.history, cursor.position
        with _generator_kept(), self._replaying(should_stop) as shadow:
            gradient, step = find_arrows(shadow, history, position, plane)
            shadow.go(history, position)
            program = shadow.program
            probe = program.loss_probe(found.loss, all_rows=found.request.rows == "all")  # type: ignore[attr-defined]
            now = signature_of(program, found.loss, plane, probe)  # type: ignore[arg-type]
        return LandscapeArrows(found.request, position, gradient, step, now != found.signature)

    def edits(self, point: Sequence[float], *, now: bool = False) -> Edits:
        """Return the edits of a what-if that begins at a point of the landscape.

        Args:
            point: The coordinates.
            now: Move there after the present Event, instead of before the first.

        Raises:
            OperationError: There is no landscape, or a point of it is too many numbers.
        """
        plane = None if self._computation is None else self._computation.plane
        if plane is None:
            raise OperationError("there is no landscape", "compute one first")
        point = tuple(point)[: len(plane.axes)]
        cursor = self._cursor
        written = plane.operations(cursor.program.tensors, point)
        place = ", ".join(
            f"{axis} = {short_number(value)}" for axis, value in zip(plane.axes, point, strict=True)
        )
        before = cursor.position + 1 if now else 1
        name = f"moved to {place}" if now else f"began at {place}"
        return Edits(insert=tuple((before, operation) for operation in written), name=name)

    # -- inside --------------------------------------------------------------------------------

    def _check(self) -> None:
        why = self._cursor.program.abilities.landscape
        if why:
            raise UnsupportedError(why, "open a program")

    def _keep(self, computation: Computation) -> None:
        if not computation.signature or computation.request.bounds:  # a part of another one
            return
        record = computation.record
        self._stored = [
            item
            for item in self._stored
            if (item.request, item.signature) != (record.request, record.signature)
        ]
        self._stored = [*self._stored, record][-MOST_STORED:]

    @contextmanager
    def _replaying(self, should_stop: Callable[[], bool] | None) -> Iterator[ShadowProgram]:
        """Give the program on which past moments are replayed."""
        self._replayed = self._replayed or ShadowProgram(self._cursor.program)
        self._replayed.should_stop = should_stop or never
        try:
            yield self._replayed
        finally:
            self._replayed.should_stop = never


@contextmanager
def _generator_kept() -> Iterator[None]:
    """Leave the default generator as it is."""
    drawn = default_generator.get_state()
    try:
        yield
    finally:
        default_generator.set_state(drawn)
