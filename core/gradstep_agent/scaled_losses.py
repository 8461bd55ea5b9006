"""ScaledLosses: which loss a GradScaler has scaled, to be told as the script knows it."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class ScaledLosses:
    """Knows the loss that was scaled last."""

    def __init__(self) -> None:
        self._scaled: Callable[[], Any] = object
        self._loss: Callable[[], Any] = object
        self._value: Any = None

    def note(self, scaled: Any, loss: Any) -> None:
        """Note that a loss was scaled; of neither the graph is kept alive."""
        self._scaled, self._loss = weakref.ref(scaled), weakref.ref(loss)
        self._value = loss.detach()  # such as `loss / 4`, which nothing else keeps

    def unscaled(self, tensor: Any) -> Any:
        """Return the loss that a tensor is, scaled; the tensor itself where it is no such one."""
        if self._scaled() is not tensor:
            return tensor
        loss = self._loss()
        return self._value if loss is None else loss
