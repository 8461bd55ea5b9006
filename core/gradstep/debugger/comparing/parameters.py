"""Where the parameters of two recorded scripts diverge, whatever else differs before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.change_names import long_name
from gradstep.debugger.comparing.difference import difference, first_difference
from gradstep.history.records.comparison import Pair
from gradstep.program.operation import Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gradstep.debugger.comparing.compared_branch import ComparedBranch
    from gradstep.debugger.comparing.difference_search import DifferenceSearch
    from gradstep.history.records.comparison import Difference

__all__ = ["parameter_notes"]


def parameter_notes(
    a: ComparedBranch, b: ComparedBranch, pairs: Sequence[Pair], search: DifferenceSearch
) -> Iterator[str]:
    """Yield where the parameters of two scripts diverge, and what differed before that Step.

    The ranks of a job have other data, so other losses and, until these are averaged, other
    gradients; their parameters are meant to be the same after each Step. The Steps are bisected.

    Args:
        a: One recording.
        b: The other.
        pairs: Their Events in pairs, the start first.
        search: Gives their values.
    """
    shards = {notice.name for notice in a.program.notices if notice.what == "shard"}
    if shards:
        yield "The parameters are divided among the ranks, and are not compared."
    names = [
        name
        for name, tensor in a.program.tensors.items()
        if tensor.requires_grad and name in b.program.tensors and name not in shards
    ]
    log = a.history.log
    steps = [
        pair for pair in pairs if pair.a and pair.b and isinstance(log.operation(pair.a), Step)
    ]
    recorded = [pair for pair in steps if search.is_known(pair, names)]
    if not names or not recorded:
        return
    last_step = "the last Step" if recorded[-1] == steps[-1] else "the last Step that was recorded"
    steps = recorded

    def difference_after(pair: Pair) -> Difference | None:
        one, two = search.values(pair.a or 0, pair.b or 0)
        return first_difference(
            {name: one.get(name) for name in names}, {name: two.get(name) for name in names}, names
        )

    last = difference_after(steps[-1])
    if last is None:
        yield f"The parameters are equal after {last_step}."
        return
    equal, differs, found = -1, len(steps) - 1, last
    while differs - equal > 1:
        middle = (equal + differs) // 2
        what = difference_after(steps[middle])
        if what is None:
            equal = middle
        else:
            differs, found = middle, what
    before = difference_after(pairs[0]) if not differs else None
    if before is not None:
        yield (
            f"The parameters differ from the start: {before.place} is {before.a} in '{a.name}' and "
            f"{before.b} in '{b.name}'."
        )
        return
    pair = steps[differs]
    yield (
        f"The parameters diverge at Event {pair.a:,} ({long_name(log.operation(pair.a or 0))}): "
        f"{found.place} is {found.a} in '{a.name}' and {found.b} in '{b.name}'."
        f"{_of_gradient(found.address, pair, search)}"
    )


def _of_gradient(parameter: str, step: Pair, search: DifferenceSearch) -> str:
    """Return how the gradients that two Steps used differed, as a sentence; empty if not known."""
    address = f"{parameter}.grad"
    before = Pair((step.a or 0) - 1, (step.b or 0) - 1)
    if not search.is_known(before, (address,)):
        return ""
    one, two = (found.get(address) for found in search.values(before.a or 0, before.b or 0))
    if one is None and two is None:
        return ""
    found = difference(address, one, two)
    if found is None:
        return f" Before it, {address} was equal: the optimizer's state or options differ."
    return f" Before it, {found.place} was {found.a} and {found.b}."
