"""Inference mode: nothing is recorded, and its tensors can never be saved for backward."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from gradstep.autograd import grad_mode, graph, tensor
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from gradstep.autograd.graph import Node
    from gradstep.autograd.tensor import Tensor

__all__ = ["inference_mode", "is_inference_mode_enabled"]


def _raise_on_inference_tensor(node: Node, _: Tensor) -> None:
    """Raise if a new node saved a tensor created in inference mode."""
    if any(counter[0] < 0 for counter in node.counters):
        raise TensorError(
            "Inference tensors cannot be saved for backward: "
            f"{node.name()} needs one that was created in inference_mode()",
            "clone() it outside inference_mode(), or use no_grad() instead",
        )


class inference_mode:
    """Stop recording; tensors created inside can never be saved for backward.

    Args:
        mode: False for a block that records as usual; or the decorated function.

    Example:
        >>> import gradstep_torch as torch
        >>> with inference_mode():
        ...     z = torch.ones(2)
        >>> z.is_inference()
        True
    """

    __slots__ = ("_mode", "_previous")

    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:  # noqa: D102 - itself, or a function
        made = super().__new__(cls)
        if isinstance(mode, bool):
            return made
        made.__init__()  # type: ignore[misc]
        return made(mode)

    def __init__(self, mode: bool | Callable[..., Any] = True) -> None:
        self._mode = mode is not False
        self._previous: list[tuple[bool, int]] = []

    def __enter__(self) -> Self:
        self._previous.append((grad_mode.current.enabled, tensor.first_version))
        grad_mode.current.enabled = not self._mode
        tensor.first_version = tensor.UNTRACKED if self._mode else 0
        if self._mode and _raise_on_inference_tensor not in graph.watchers:
            graph.watchers.append(
                _raise_on_inference_tensor
            )  # never removed: inference tensors may outlive the block
        return self

    def __exit__(self, *_: object) -> None:
        grad_mode.current.enabled, tensor.first_version = self._previous.pop()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function` wrapped so that it runs in this mode."""

        @wraps(function)
        def in_mode(*args: object, **kwargs: object) -> object:
            with type(self)(self._mode):
                return function(*args, **kwargs)

        return in_mode


def is_inference_mode_enabled() -> bool:
    """Return whether inference mode is on."""
    return tensor.first_version < 0
