"""Overlays: losses of other runs, drawn behind those of the open program."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from PySide6.QtCore import QCoreApplication

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError, SessionError
from gradstep.program.document.files import InMemoryFiles
from gradstep_gui.records import Ghost
from gradstep_gui.worker.commands import curves_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gradstep_gui.records import Curves

__all__ = ["SEEDS", "Overlays"]

_SEED_RANGE = 2**32
SEEDS = 4
"""Other seeds that are run at once."""


class _StoredRun(msgspec.Struct):
    """An overlaid run in a session: iterations and values of its columns, as float64."""

    name: str
    curves: dict[str, tuple[bytes, bytes]]


class _StoredLayout(msgspec.Struct):
    """What the window keeps in a session."""

    overlays: list[_StoredRun] = []


class Overlays:
    """The losses of other runs, by ids that no branch has.

    A session keeps them whole, because the other sessions may be moved, and other seeds have none.

    Example:
        >>> Overlays().ghosts(("loss/loss",))
        {}
    """

    def __init__(self) -> None:
        self._ghosts: dict[int, Ghost] = {}
        self.version = 0

    def add(self, name: str, debugger: Debugger) -> None:
        """Draw the losses of a run's current branch; a run of the same name is replaced."""
        branch = debugger.branches.current
        columns = tuple(f"loss/{loss}" for loss in debugger.program.losses)
        known = {ghost.name: key for key, ghost in self._ghosts.items()}
        key = known.get(name, min(self._ghosts, default=0) - 1)
        self._ghosts[key] = Ghost(name, curves_of(branch, columns))
        self.version += 1

    @property
    def is_empty(self) -> bool:
        """Whether no other run was added."""
        return not self._ghosts

    @property
    def layout(self) -> bytes:
        """Everything, as a session keeps it; empty without overlays."""
        if self.is_empty:
            return b""
        runs = [
            _StoredRun(
                ghost.name,
                {name: (_to_bytes(x), _to_bytes(y)) for name, (x, y) in ghost.curves.items()},
            )
            for ghost in self._ghosts.values()
        ]
        return msgspec.msgpack.encode(_StoredLayout(runs))

    def restore(self, layout: bytes) -> None:
        """Draw the runs that a session kept.

        Raises:
            SessionError: They cannot be read; none is drawn.
        """
        if not layout:
            return
        try:
            stored = msgspec.msgpack.decode(layout, type=_StoredLayout)
            runs = [(run.name, _curves(run)) for run in stored.overlays]
        except (msgspec.DecodeError, ValueError) as error:
            raise SessionError(
                _tr("the curves of other runs in the session are damaged"),
                _tr("overlay the sessions again, or run with other seeds again"),
            ) from error
        self._ghosts = {-1 - number: Ghost(*run) for number, run in enumerate(runs)}
        self.version += 1

    def clear(self) -> None:
        """Draw no other run."""
        self._ghosts = {}
        self.version += 1

    def ghosts(self, columns: tuple[str, ...]) -> dict[int, Ghost]:
        """Return these columns of every run that has one of them."""
        chosen = {
            key: Ghost(
                ghost.name, {name: ghost.curves[name] for name in columns if name in ghost.curves}
            )
            for key, ghost in self._ghosts.items()
        }
        return {key: ghost for key, ghost in chosen.items() if ghost.curves}

    def run_seeds(
        self, debugger: Debugger, progress: Callable[[int, int], None], stop: Callable[[], bool]
    ) -> None:
        """Run the program with other seeds, for as many iterations as are complete now.

        Raises:
            GradStepError: No iteration is complete.
        """
        iterations, spec = debugger.program.iteration, debugger.program.spec
        if not iterations:
            raise GradStepError(
                _tr("no iteration is complete"),
                _tr("run some iterations first"),
            )
        for number in range(SEEDS):
            seed = (spec.seed + number + 1) % _SEED_RANGE
            other = Debugger(
                msgspec.structs.replace(spec, seed=seed),
                files=InMemoryFiles(dict(debugger.program.files)),
            )
            progress(number * iterations, SEEDS * iterations)
            other.run(iterations, should_stop=stop)
            if stop():
                return
            self.add(_tr("seed {number}").format(number=seed), other)


def _to_bytes(values: NDArray[np.float64]) -> bytes:
    return values.astype("<f8", copy=False).tobytes()


def _curves(run: _StoredRun) -> Curves:
    """Return the curves of a stored run.

    Raises:
        ValueError: They are not curves of losses.
    """
    curves = {}
    for name, parts in run.curves.items():
        x, y = (np.frombuffer(part, "<f8").astype(np.float64) for part in parts)
        if not name.startswith("loss/") or len(x) != len(y) or not (np.diff(x) >= 0).all():
            raise ValueError(name)
        curves[name] = x, y
    return MappingProxyType(curves)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Overlays", text)
