"""Arrows of a landscape: the gradient that the last Backward found, and the last Step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.debugger.landscape.plane import gradient_reader, reader
from gradstep.history.records.landscape import Arrow
from gradstep.program.operation import Backward, LoadState, RebuildModule, SetValue, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gradstep.debugger.landscape.plane import Plane
    from gradstep.debugger.shadow_program import ShadowProgram
    from gradstep.history.history import History
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.program.operation import Operation

__all__ = ["find_arrows"]

_MOVES = (Step, SetValue, LoadState, RebuildModule)


def find_arrows(
    shadow: ShadowProgram, history: History, position: int, plane: Plane
) -> tuple[Arrow | None, Arrow | None]:
    """Return `-x.grad` and the change of the last Step, as of an Event.

    The gradient that the last Step used begins where the Step begins, so that both can be compared;
    a newer one begins at the point of its Backward.

    Args:
        shadow: Replays the moments in question.
        history: The branch.
        position: The Event.
        plane: The plane.
    """
    log, names = history.log, frozenset(plane.names)
    gradients = frozenset(f"{name}.grad" for name in names)

    def moves(operation: Operation, done: ReadsWrites) -> bool:
        return isinstance(operation, _MOVES) and not names.isdisjoint(done.writes)

    def finds(operation: Operation, done: ReadsWrites) -> bool:
        return isinstance(operation, Backward) and not gradients.isdisjoint(done.writes)

    moved, found = log.last(position, moves), log.last(position, finds)
    step, gradient = None, None
    if moved is not None and isinstance(log.operation(moved), Step):
        shadow.go(history, moved - 1)
        tensors = shadow.program.tensors
        before = _copies(plane, reader(tensors))
        start = _finite(plane.project(before))
        if found is not None and found < moved:
            gradient = _arrow(plane, start, _copies(plane, gradient_reader(tensors)))
        shadow.go(history, moved)
        after = reader(shadow.program.tensors)

        def change(name: str) -> NDArray[np.float64] | None:
            one, other = before(name), after(name)
            return None if one is None or other is None else other.astype(np.float64) - one

        step = _arrow(plane, start, change)
    if found is not None and (moved is None or found > moved):
        shadow.go(history, found)
        tensors = shadow.program.tensors
        start = _finite(plane.project(reader(tensors)))
        gradient = _arrow(plane, start, gradient_reader(tensors))
    return gradient, step


def _copies(
    plane: Plane, read: Callable[[str], NDArray[np.float64] | None]
) -> Callable[[str], NDArray[np.float64] | None]:
    kept = {name: None if (array := read(name)) is None else array.copy() for name in plane.names}
    return kept.get


def _arrow(
    plane: Plane,
    start: tuple[float, float] | None,
    read: Callable[[str], NDArray[np.float64] | None],
) -> Arrow | None:
    change = _finite(plane.project_change(read))
    if start is None or change is None:
        return None
    parts = [read(name) for name in plane.names]
    squares = [
        float(np.sum(np.square(part, dtype=np.float64))) for part in parts if part is not None
    ]
    return Arrow(start, change, float(np.sqrt(sum(squares))))


def _finite(point: Sequence[float]) -> tuple[float, float] | None:
    """Return a point with two coordinates; None where one is no number."""
    if not np.isfinite(point).all():
        return None
    return point[0], point[1] if len(point) > 1 else 0.0
