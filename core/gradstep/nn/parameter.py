"""Parameter: a tensor that belongs to a module and that optimizers update.

UninitializedParameter is a parameter whose shape is not known yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from gradstep.autograd import dtypes
from gradstep.autograd.devices import require_cpu
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from typing import Any

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.size import Size

__all__ = ["Parameter", "UninitializedParameter"]


class Parameter(Tensor):
    """A leaf tensor that becomes a module's parameter when it is assigned to an attribute.

    Args:
        data: The values; their memory is shared, not copied. None gives an empty parameter.
        requires_grad: Whether gradients flow to it.

    Example:
        >>> import gradstep
        >>> Parameter(gradstep.ones(2))
        Parameter containing:
        tensor([1., 1.], requires_grad=True)
    """

    __slots__ = ()

    def __new__(  # noqa: D102 - documented on the class
        cls,
        data: Tensor | None = None,
        requires_grad: bool = True,
    ) -> Self:
        if data is None:
            data = wrap(np.empty(0, dtypes.default))
        if not isinstance(data, Tensor):
            raise ArgumentTypeError(
                f"Parameter() needs a Tensor, got {type(data).__name__}",
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


class UninitializedParameter(Parameter):
    """A parameter whose shape is not known yet; optimizers accept it.

    Args:
        requires_grad: Whether gradients will flow to it.
        device: Only the CPU.
        dtype: Of its elements; the default type if None.
    """

    __slots__ = ()

    def __new__(  # noqa: D102 - documented on the class
        cls,
        requires_grad: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> Self:
        require_cpu(device)
        kind = dtypes.default if dtype is None else dtypes.numpy_dtype(dtype)
        return super().__new__(cls, wrap(np.empty(0, kind)), requires_grad)

    @property
    def shape(self) -> Size:
        """Not known yet.

        Raises:
            TensorError: Always.
        """
        raise TensorError(
            "Can't access the shape of an uninitialized parameter or buffer",
            "run the model forward once to infer the shape",
        )

    def materialize(self, shape: tuple[int, ...]) -> None:
        """Become an ordinary parameter of the given shape, with arbitrary values."""
        self._array = np.empty(shape, self._array.dtype)
        self._version_counter[0] += 1
        self.__class__ = Parameter  # type: ignore[assignment]  # the layout is the same

    def __repr__(self) -> str:
        return "<UninitializedParameter>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        copied = memo.get(id(self))
        if copied is None:
            kind = self._array.dtype
            copied = memo[id(self)] = type(self)(self.requires_grad, dtype=kind)
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.requires_grad, None, self._array.dtype))
