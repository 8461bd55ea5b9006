"""Losses: what was sent of the losses of a script, and which one a GradScaler has scaled."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Losses:
    """Knows the graphs that were sent, and the loss that was scaled last."""

    def __init__(self) -> None:
        self._graphs: dict[str, dict[str, Any]] = {}
        self._leaves: set[tuple[str, tuple[str, ...]]] = set()
        self._scaled: Callable[[], Any] = object
        self._loss: Callable[[], Any] = object
        self._value: Any = None

    def is_new(self, graph: dict[str, Any], *, again: bool = False) -> bool:
        """Return whether the last graph of the loss was another one, and note this one.

        Args:
            graph: The frame that describes it.
            again: Whether any graph with the same leaves will do, because they come by turns.
        """
        name, leaves = graph["loss"], (graph["loss"], leaves_of(graph))
        is_known = leaves in self._leaves if again else self._graphs.get(name) == graph
        self._graphs[name] = graph
        self._leaves.add(leaves)
        return not is_known

    def note_scaled(self, scaled: Any, loss: Any) -> None:
        """Note that a loss was scaled; of neither the graph is kept alive."""
        self._scaled, self._loss = weakref.ref(scaled), weakref.ref(loss)
        self._value = loss.detach()  # such as `loss / 4`, which nothing else keeps

    def unscaled(self, tensor: Any) -> Any:
        """Return the loss that a tensor is, scaled; the tensor itself where it is no such one."""
        if self._scaled() is not tensor:
            return tensor
        loss = self._loss()
        return self._value if loss is None else loss


def leaves_of(graph: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the leaves of a described graph."""
    return tuple(sorted({leaf for _, _, _, leaf in graph["nodes"] if leaf}))
