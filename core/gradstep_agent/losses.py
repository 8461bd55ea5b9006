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
        self._scaled: Callable[[], Any] = object
        self._loss: Callable[[], Any] = object
        self._value: Any = None

    def is_new(self, graph: dict[str, Any]) -> bool:
        """Return whether the last graph of the loss was another one, and note this one.

        Args:
            graph: The frame that describes it.
        """
        name = graph["loss"]
        is_known = self._graphs.get(name) == graph
        self._graphs[name] = graph
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
