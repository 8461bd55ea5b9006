"""Comparison of two branches, or two recordings, Event by Event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.comparing.alignment import aligned, is_same, is_same_operation
from gradstep.debugger.comparing.comparison_text import notes, pair_text
from gradstep.debugger.comparing.contrast import contrast, place_name
from gradstep.debugger.comparing.difference_search import DifferenceSearch
from gradstep.debugger.comparing.parameters import parameter_notes
from gradstep.history.records.comparison import Comparison, ComparisonRow, Pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.debugger.comparing.compared_branch import ComparedBranch

__all__ = ["MAX_ROWS", "compare"]

MAX_ROWS = 12
"""Iterations at which two branches are compared, by default."""


def compare(a: ComparedBranch, b: ComparedBranch, rows: int = MAX_ROWS) -> Comparison:
    """Return where two branches diverge, and how far they drift apart.

    Args:
        a: One branch.
        b: The other.
        rows: The most iterations at which to compare values.

    Raises:
        ReplayError: A moment cannot be reproduced on this machine.
    """
    shared = a.shared_event(b)
    logs = a.history.log, b.history.log
    pairs = [Pair(shared, shared), *aligned(*logs, shared)]
    differing = [at for at, pair in enumerate(pairs) if at and not is_same(*logs, pair)]
    diverging = [at for at in differing if _diverges(a, b, pairs[at])]
    first_diverging = pairs[diverging[0]] if diverging else None
    last = max(at for at, pair in enumerate(pairs) if None not in pair)
    search = DifferenceSearch(a, b, pairs)
    # Branches of one recording start equal; two programs may differ from the start.
    found = search.first(differing if a.is_related(b) else [0, *differing])
    place, what = (None, None) if found is None else found
    events = None if place is None else pairs[place]
    texts = [*notes(a, b, first_diverging)]
    if _are_scripts(a, b) and what is not None:
        texts += parameter_notes(a, b, pairs, search)
    return Comparison(
        names=(a.name, b.name),
        lengths=(len(logs[0]), len(logs[1])),
        events=events,
        iteration=None if events is None else _iteration(a, b, events),
        operation="" if events is None else pair_text(a, b, events),
        place="" if events is None else place_name(a, b, events),
        is_beyond=place is not None and place > last,
        contrast=contrast(a, b, [pairs[at] for at in diverging if at <= last]),
        iterations=(_iterations(a), _iterations(b)),
        difference=what,
        first_diverging=first_diverging,
        notes=tuple(texts),
        rows=tuple(_rows(a, b, search, rows)),
        unrecorded=sum(
            not search.is_known(pair, search.written(pair)) for pair in pairs if pair.a and pair.b
        ),
    )


def _are_scripts(a: ComparedBranch, b: ComparedBranch) -> bool:
    """Whether both are recordings of scripts, whose processes may have had other data."""
    return not a.is_related(b) and all(side.program.abilities.diverge for side in (a, b))


def _diverges(a: ComparedBranch, b: ComparedBranch, pair: Pair) -> bool:
    if pair.a is None or pair.b is None:
        return True
    one, two = a.history.log, b.history.log
    same = is_same_operation(one.operation(pair.a), two.operation(pair.b))
    return not same or one.failed(pair.a) != two.failed(pair.b)


def _iteration(a: ComparedBranch, b: ComparedBranch, pair: Pair) -> int:
    """Return how many iterations were complete before a pair of Events."""
    branch, event = (b, pair.b) if pair.a is None else (a, pair.a)
    return branch.history.log.iteration(event) if event else 0


def _iterations(branch: ComparedBranch) -> int:
    """Return how many iterations a branch has completed, as its curves have them."""
    iterations, _ = branch.history.series.column("event")
    return int(iterations[-1]) if len(iterations) else 0


def _rows(
    a: ComparedBranch, b: ComparedBranch, search: DifferenceSearch, most: int
) -> Iterator[ComparisonRow]:
    """Yield the values of both at iterations that both have, evenly spread."""
    series = a.history.series, b.history.series
    columns = [name for name in series[0].names if name in series[1].names]
    columns = [name for name in columns if name.startswith(("loss/", "norm/"))]
    moments = [branch_series.column("event") for branch_series in series]
    common = np.intersect1d(moments[0][0], moments[1][0])
    if not len(common):
        return
    chosen = common[np.unique(np.linspace(0, len(common) - 1, min(most, len(common))).astype(int))]
    places = [np.searchsorted(iterations, chosen) for iterations, _ in moments]
    values = {
        name: [
            branch_series.column(name)[1][place]
            for branch_series, place in zip(series, places, strict=True)
        ]
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
            _distance(a, *search.values(*events))
            if search.is_known(Pair(*events), a.program.tensors)
            else float("nan"),
        )


def _distance(
    branch: ComparedBranch,
    a: Mapping[str, NDArray[Any] | None],
    b: Mapping[str, NDArray[Any] | None],
) -> float:
    total = 0.0
    for name in branch.program.tensors:
        one, two = a.get(name), b.get(name)
        if one is not None and two is not None and one.shape == two.shape:
            total += float(np.sum(np.square(one.astype(np.float64) - two)))
    return float(np.sqrt(total))
