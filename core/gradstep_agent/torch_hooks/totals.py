"""Running totals and lists that keep the graphs of all losses alive, as `total += loss` does."""

from __future__ import annotations

import weakref
from itertools import chain
from typing import TYPE_CHECKING, Any

from gradstep_agent.user_code import held_in_variables, variables_of_type

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from gradstep_agent.sites import Site

_ADDITION = "AddBackward0"
_MOST_TERMS = 10_000
_MATCHES = 2
"""How often a total must have grown by one term for each Backward before it is reported."""


class RunningTotals:
    """Watches what sums up losses or lists them, next to a Backward of each loss by itself."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, str], tuple[int, int, int, Callable[[], Any]]] = {}
        self._reported: set[tuple[int, str]] = set()

    def look(self, tensor_class: type, loss: Any, site: Site, frame: FrameType | None) -> str:
        """Return the name of a variable that keeps one more graph since the last look; "" for none.

        Args:
            tensor_class: The script's class of tensors.
            loss: What is differentiated now.
            site: Where that happens; its `passes` count this Backward.
            frame: The user's frame.
        """
        found = ""
        looked_at: set[str] = set()
        variables = chain(
            variables_of_type(tensor_class, frame),
            variables_of_type(list, frame),
            held_in_variables(list, frame),
        )
        for name, value in variables:
            if name in looked_at:
                continue  # an outer frame's, such as that of another method of `self`
            looked_at.add(name)
            terms = 0 if value is loss else _graphs_in(value, tensor_class)
            if not terms:
                continue
            key = id(site), name
            before, passes, matches, first = self._seen.get(key, (0, 0, 0, object))
            grows = terms > 1 and passes and terms - before == site.passes - passes
            if type(value) is list and first() is not value[0]:
                grows = False  # it was emptied, or made again
            matches = matches + 1 if grows else 0
            first = weakref.ref(value[0]) if type(value) is list else object
            self._seen[key] = terms, site.passes, matches, first
            if matches >= _MATCHES and key not in self._reported:
                self._reported.add(key)
                found = found or name
        return found


def _graphs_in(value: Any, tensor_class: type) -> int:
    """Return how many graphs of losses a sum or a list of them keeps alive."""
    if type(value) is list:
        is_kept = bool(value) and all(
            [_is_sum(item, tensor_class) for item in (value[0], value[-1])]  # noqa: C419 - quicker
        )
        return len(value) if is_kept else 0
    return _terms(value) if _is_sum(value, tensor_class) else 0


def _is_sum(value: Any, tensor_class: Any) -> bool:
    """Return whether something is one number with a graph; none is of a class of its own."""
    return type(value) is tensor_class and value.grad_fn is not None and value.numel() == 1


def _terms(total: Any) -> int:
    """Return how many terms have been added to a tensor one after the other."""
    node, terms = total.grad_fn, 0
    while node is not None and node.name() == _ADDITION and terms < _MOST_TERMS:
        terms += 1
        following = [found for found, _ in node.next_functions if found is not None]
        node = next((one for one in following if one.name() == _ADDITION), None)
    return terms
