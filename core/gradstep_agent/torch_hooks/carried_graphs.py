"""Variables that bring the graph of an earlier Backward into the next, as a hidden state does."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from gradstep_agent.graphs import LARGEST_GRAPH
from gradstep_agent.user_code import held_in_attributes, held_in_variables, variables_of_type

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from gradstep_agent.sites import Site


class _Backward(NamedTuple):
    """A Backward at one site, and the variables that had a graph then.

    PyTorch numbers the nodes of its graphs as they are made.

    Attributes:
        passes: How many there were before at this site.
        last: The number of the loss's own node, above those of its graph.
        variables: Their names, by the numbers of their nodes.
    """

    passes: int
    last: int
    variables: dict[int, str]


class CarriedGraphs:
    """Looks, at each Backward, for variables whose graph the one before has passed."""

    def __init__(self) -> None:
        self._before: dict[int, _Backward] = {}

    def look(
        self, tensor_class: Any, loss: Any, site: Site, frame: FrameType | None
    ) -> dict[str, str]:
        """Return the variables that brought an earlier graph into that of a loss, and how.

        "carried" is what each iteration computes from its value in the one before, and "kept" what
        is computed once for several.

        Args:
            tensor_class: The script's class of tensors.
            loss: What is differentiated now.
            site: Where that happens; its `passes` count this Backward.
            frame: The user's frame.
        """
        number = _number_of(loss.grad_fn)
        if number < 0:
            return {}
        variables = {
            _number_of(value.grad_fn): name
            for name, value in chain(
                held_in_attributes(tensor_class, frame),
                held_in_variables(tensor_class, frame),
                variables_of_type(tensor_class, frame),
            )
            if type(value) is tensor_class and value.grad_fn is not None
        }
        before = self._before.get(id(site))
        self._before[id(site)] = _Backward(site.passes, number, variables)
        if before is None or site.passes != before.passes + 1:
            return {}
        return {
            before.variables[found]: "kept" if found in variables else "carried"
            for found in _older_nodes(loss, before.last)
            if found in before.variables
        }


def _older_nodes(loss: Any, last: int) -> Iterator[int]:
    """Yield the numbers of the nodes where a graph meets one that was made before."""
    waiting = [loss.grad_fn]
    seen = set(waiting)
    for node in waiting:
        number = _number_of(node)
        if number <= last:
            yield number
            continue
        following = {found for found, _ in node.next_functions if found is not None} - seen
        if len(seen) < LARGEST_GRAPH:
            seen |= following
            waiting += following


def _number_of(node: Any) -> int:
    """Return when a node was made; -1 where the library does not count that."""
    count = getattr(node, "_sequence_nr", None)
    return -1 if count is None else int(count())
