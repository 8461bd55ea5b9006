"""Compare: two branches, or two sessions, Event by Event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.comparing.alignment import aligned, is_same
from gradstep.debugger.comparing.comparison_text import deed, notes
from gradstep.debugger.comparing.difference_search import DifferenceSearch
from gradstep.history.records.comparison import Comparison, ComparisonRow, Pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.debugger.comparing.compared_branch import ComparedBranch

__all__ = ["MAX_ROWS", "compare"]

MAX_ROWS = 12
"""Iterations at which two lines are put side by side, unless asked for more."""


def compare(a: ComparedBranch, b: ComparedBranch, rows: int = MAX_ROWS) -> Comparison:
    """Return where two lines part, and how far they drift.

    Args:
        a: One line.
        b: The other.
        rows: At how many iterations to put them side by side, at most.

    Raises:
        ReplayError: A moment to look at cannot be gone back to, on this machine.
    """
    shared = a.shared_event(b)
    logs = a.history.log, b.history.log
    pairs = [Pair(shared, shared), *aligned(*logs, shared)]
    differing = [at for at, pair in enumerate(pairs) if at and not is_same(*logs, pair)]
    parted = next((pairs[at] for at in differing if _did_else(a, b, pairs[at])), None)
    search = DifferenceSearch(a, b, pairs)
    # Branches of one program are the same up to where they part; two programs may begin otherwise.
    found = search.first(differing if a.is_related(b) else [0, *differing])
    place, what = (None, None) if found is None else found
    events = None if place is None else pairs[place]
    return Comparison(
        names=(a.name, b.name),
        lengths=(len(logs[0]), len(logs[1])),
        events=events,
        iteration=None if events is None else _iteration(a, b, events),
        operation="" if events is None else deed(a, b, events),
        difference=what,
        parted=parted,
        notes=tuple(notes(a, b, parted)),
        rows=tuple(_rows(a, b, search, rows)),
    )


def _did_else(a: ComparedBranch, b: ComparedBranch, pair: Pair) -> bool:
    if pair.a is None or pair.b is None:
        return True
    one, two = a.history.log, b.history.log
    same = one.operation(pair.a) == two.operation(pair.b)
    return not same or one.failed(pair.a) != two.failed(pair.b)


def _iteration(a: ComparedBranch, b: ComparedBranch, pair: Pair) -> int:
    """Return how many iterations were complete before a pair of Events."""
    line, event = (b, pair.b) if pair.a is None else (a, pair.a)
    return line.history.log.iteration(event) if event else 0


def _rows(
    a: ComparedBranch, b: ComparedBranch, search: DifferenceSearch, most: int
) -> Iterator[ComparisonRow]:
    """Put the two side by side at iterations that both have, evenly spread."""
    series = a.history.series, b.history.series
    columns = [name for name in series[0].names if name in series[1].names]
    columns = [name for name in columns if name.startswith(("loss/", "norm/"))]
    moments = [line.column("event") for line in series]
    common = np.intersect1d(moments[0][0], moments[1][0])
    if not len(common):
        return
    chosen = common[np.unique(np.linspace(0, len(common) - 1, min(most, len(common))).astype(int))]
    places = [np.searchsorted(iterations, chosen) for iterations, _ in moments]
    values = {
        name: [line.column(name)[1][place] for line, place in zip(series, places, strict=True)]
        for name in columns
    }
    for row, iteration in enumerate(chosen):
        events = tuple(
            int(moment[1][place[row]]) for moment, place in zip(moments, places, strict=True)
        )
        yield ComparisonRow(
            int(iteration),
            (events[0], events[1]),
            {name: (float(both[0][row]), float(both[1][row])) for name, both in values.items()},
            _distance(a, *search.values(*events)),
        )


def _distance(
    line: ComparedBranch, a: Mapping[str, NDArray[Any] | None], b: Mapping[str, NDArray[Any] | None]
) -> float:
    total = 0.0
    for name in line.program.tensors:
        one, two = a.get(name), b.get(name)
        if one is not None and two is not None and one.shape == two.shape:
            total += float(np.sum(np.square(one.astype(np.float64) - two)))
    return float(np.sqrt(total))
