"""Parameter: a tensor that a module counts as its own and an optimizer is meant to update."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from gradstep.autograd import dtypes
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentTypeError

if TYPE_CHECKING:
    from typing import Any

__all__ = ["Parameter"]


class Parameter(Tensor):
    """A leaf tensor that becomes a module's parameter when it is assigned to an attribute.

    Args:
        data: The values; their memory is shared, not copied. Nothing gives an empty parameter.
        requires_grad: Whether gradients flow to it.

    Example:
        >>> import gradstep
        >>> Parameter(gradstep.ones(2))
        Parameter containing:
        tensor([1., 1.], requires_grad=True)
    """

    __slots__ = ()

    def __new__(  # noqa: D102 - the class says it
        cls,
        data: Tensor | None = None,
        requires_grad: bool = True,
    ) -> Self:
        if data is None:
            data = wrap(np.empty(0, dtypes.default))
        if not isinstance(data, Tensor):
            raise ArgumentTypeError(
                f"a Parameter is made of a Tensor, got {type(data).__name__}",
                "wrap it with gradstep.tensor(...)",
            )
        made = super().__new__(cls, data)
        made._version_counter = data._version_counter
        made.requires_grad = requires_grad
        return made

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        copied = memo.get(id(self))
        if copied is None:
            copied = memo[id(self)] = type(self)(
                wrap(self._array.copy(order="K")), self.requires_grad
            )
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (wrap(self._array), self.requires_grad))
