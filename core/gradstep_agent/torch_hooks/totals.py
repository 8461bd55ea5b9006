"""Running totals that keep the graphs of all losses alive: `total += loss` without `item()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep_agent.user_code import variables_of_type

if TYPE_CHECKING:
    from types import FrameType

    from gradstep_agent.sites import Site

_ADDITION = "AddBackward0"
_MOST_TERMS = 10_000
_MATCHES = 2
"""How often a total must have grown by one term for each Backward before it is reported."""


class RunningTotals:
    """Watches the tensors that sum up losses, next to a Backward of each loss by itself."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, str], tuple[int, int, int]] = {}
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
        for name, value in variables_of_type(tensor_class, frame):
            kind = type(value)
            if kind is not tensor_class or value is loss:  # no sum is of a class of its own
                continue
            if value.grad_fn is None or value.numel() != 1:
                continue
            key = id(site), name
            terms = _terms(value)
            before, passes, matches = self._seen.get(key, (0, 0, 0))
            grows = terms > 1 and passes and terms - before == site.passes - passes
            matches = matches + 1 if grows else 0
            self._seen[key] = terms, site.passes, matches
            if matches >= _MATCHES and key not in self._reported:
                self._reported.add(key)
                found = found or name
        return found


def _terms(total: Any) -> int:
    """Return how many terms have been added to a tensor one after the other."""
    node, terms = total.grad_fn, 0
    while node is not None and node.name() == _ADDITION and terms < _MOST_TERMS:
        terms += 1
        following = [found for found, _ in node.next_functions if found is not None]
        node = next((one for one in following if one.name() == _ADDITION), None)
    return terms
