"""Where branches went in a plane: from the columns of their Series, or by replaying them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.debugger.landscape.plane import reader
from gradstep.history.records.landscape import BranchPath
from gradstep.program.operation import SetValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gradstep.debugger.branches import Branches
    from gradstep.debugger.landscape.plane import ElementPlane, Plane
    from gradstep.debugger.shadow_program import ShadowProgram
    from gradstep.history.history import Branch, History
    from gradstep.program.operation import Operation

__all__ = ["RecordedPaths", "box_of", "replayed_path", "sampled_events"]

_MOST_POINTS = 4000
"""More points of a path cannot be distinguished on a screen."""

_MOST_STATES = 64
"""States of a branch that are replayed: half a second for a run of some seconds."""

_MOST_JUMPS = 200


class RecordedPaths:
    """The paths of branches in a plane whose coordinates are columns of their Series.

    Args:
        branches: The branches.
        plane: The plane of the elements that have columns.
    """

    def __init__(self, branches: Branches, plane: ElementPlane) -> None:
        self._branches = branches
        self._plane = plane
        self._known: dict[int, tuple[object, BranchPath]] = {}

    @staticmethod
    def cover(history: History, plane: Plane) -> bool:
        """Whether the coordinates of a plane are columns of a branch's Series."""
        return bool(plane.columns) and set(plane.columns) <= set(history.series.names)

    def all(self) -> tuple[BranchPath, ...]:
        """Return the path of every branch, the current one first; others from their forks on."""
        current = self._branches.current
        others = [branch for branch in self._branches if branch is not current]
        shared = {**self._branches.shared_events(current), current.id: 0}
        return tuple(self._path(branch, shared[branch.id]) for branch in (current, *others))

    def _path(self, branch: Branch, shared: int) -> BranchPath:
        history = branch.history
        key = (history, len(history), len(history.series), branch.name, shared)
        known = self._known.get(branch.id)
        if known is None or known[0] != key:
            known = self._known[branch.id] = key, self._read(branch, shared)
        return known[1]

    def _read(self, branch: Branch, shared: int) -> BranchPath:
        history, series = branch.history, branch.history.series
        if not RecordedPaths.cover(history, self._plane):
            empty = np.zeros(0)
            return BranchPath(branch.id, branch.name, empty, empty, empty)
        start = max(0, series.rows_up_to(shared) - 1) if shared else 0
        iterations, events = series.column("event", start)
        rows = np.stack([series.column(name, start)[1] for name in self._plane.columns])
        step = -(-len(events) // _MOST_POINTS) or 1
        kept = np.unique(np.append(np.arange(0, len(events), step), max(len(events) - 1, 0)))
        iterations, events, rows = iterations[kept], events[kept], rows[:, kept]
        iterations, rows = _with_jumps(history, self._plane, iterations, events, rows)
        y = rows[1] if len(rows) > 1 else np.zeros(len(iterations))
        return BranchPath(branch.id, branch.name, iterations, rows[0], y)


def _with_jumps(
    history: History,
    plane: ElementPlane,
    iterations: NDArray[np.float64],
    events: NDArray[np.float64],
    rows: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Interrupt a path where values were set by hand, and begin it again at those values."""
    if not len(events):
        return iterations, rows
    first, log = int(events[0]), history.log

    def sets(operation: Operation) -> bool:
        return isinstance(operation, SetValue) and operation.tensor in plane.names

    jumps = [int(at) for at in log.find(first, len(log), operation=sets)[:_MOST_JUMPS]]
    places: list[tuple[int, tuple[float, ...]]] = []
    before = -1
    for event in jumps:
        row = int(np.searchsorted(events, event)) - 1  # the last row before it
        operation = log.operation(event)
        if log.failed(event) or not isinstance(operation, SetValue) or row < 0:
            continue
        point = places[-1][1] if row == before else tuple(rows[:, row].tolist())
        if row == before:
            places.pop()
        places.append((row, plane.after(operation, point)))
        before = row
    if not places:
        return iterations, rows
    gap = np.full((len(rows), 1), np.nan)
    parts, times, start = [], [], 0
    for row, point in places:
        parts += [rows[:, start : row + 1], gap, np.array(point)[:, None]]
        times += [iterations[start : row + 1], iterations[[row]], iterations[[row]]]
        start = row + 1
    parts.append(rows[:, start:])
    times.append(iterations[start:])
    return np.concatenate(times), np.concatenate(parts, axis=1)


def sampled_events(history: History, since: int = 0, most: int = _MOST_STATES) -> list[int]:
    """Return Events that completed iterations, spread evenly from the start to the end.

    Args:
        history: The branch.
        since: The first Event that counts.
        most: How many at most.
    """
    _, found = history.series.column("event")
    events = [int(event) for event in found if event >= since]
    if not events or events[0] != since:
        events.insert(0, since)
    if len(events) <= most:
        return events
    places = np.unique(np.linspace(0, len(events) - 1, most).round().astype(int))
    return [events[place] for place in places]


def replayed_path(
    shadow: ShadowProgram, branch: Branch, shared: int, plane: Plane
) -> Iterator[BranchPath | None]:
    """Replay a branch, and yield its path at the end, and None after each state before.

    Args:
        shadow: Replays it.
        branch: The branch.
        shared: The Event from which on it counts.
        plane: The plane.
    """
    history = branch.history
    points: list[tuple[float, ...]] = []
    iterations: list[float] = []
    for event in sampled_events(history, shared):
        shadow.go(history, event)
        points.append(plane.project(reader(shadow.program.tensors)))
        iterations.append(float(shadow.program.iteration))
        yield None
    columns = np.array(points, np.float64).T
    y = columns[1] if len(columns) > 1 else np.zeros(len(iterations))
    yield BranchPath(branch.id, branch.name, np.array(iterations), columns[0], y)


def box_of(paths: Sequence[BranchPath], count: int) -> list[tuple[float, float]]:
    """Return the lowest and the highest coordinate of paths, for each axis; empty without any."""
    found = []
    for values in (
        np.concatenate([np.zeros(0), *(path.x for path in paths)]),
        np.concatenate([np.zeros(0), *(path.y for path in paths)]),
    )[:count]:
        finite = values[np.isfinite(values)]
        if not len(finite):
            return []
        found.append((float(finite.min()), float(finite.max())))
    return found
