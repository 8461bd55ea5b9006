"""Layers that learn the size of their input from the first one they meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gradstep.autograd import dtypes
from gradstep.autograd.devices import require_cpu
from gradstep.autograd.tensor import wrap
from gradstep.errors import TensorError
from gradstep.nn.linear import Linear
from gradstep.nn.parameter import Parameter

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.size import Size
    from gradstep.autograd.tensor import Tensor

__all__ = ["LazyLinear", "UninitializedParameter"]


class UninitializedParameter(Parameter):
    """A parameter whose shape is not known yet; an optimizer can be given it all the same.

    Args:
        requires_grad: Whether gradients will flow to it.
        device: Only the CPU.
        dtype: Of its elements; the default type if None.
    """

    __slots__ = ()

    def __new__(  # noqa: D102 - the class says it
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
            "run the model forward once, so that it learns the size of its input",
        )

    def materialize(self, shape: tuple[int, ...]) -> None:
        """Become an ordinary parameter of a shape; its values are not set."""
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


class LazyLinear(Linear):
    """A Linear that takes `in_features` from its first input, and is a Linear from then on.

    Args:
        out_features: Size of each output sample.
        bias: Whether there is a bias.
        device: Only the CPU.
        dtype: Of weight and bias; the default type if None.

    Example:
        >>> import gradstep
        >>> layer = LazyLinear(2)
        >>> layer
        LazyLinear(in_features=0, out_features=2, bias=True)
        >>> layer(gradstep.ones(5, 3)).shape
        gradstep.Size([5, 2])
        >>> layer
        Linear(in_features=3, out_features=2, bias=True)
    """

    def __init__(
        self,
        out_features: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(0, out_features, bias=False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Wait for the first input."""

    def forward(self, input: Tensor) -> Tensor:
        """Learn the size, draw weight and bias, and go on as a Linear."""
        self.in_features = input.shape[-1] if input.ndim else 1
        for parameter, shape in (
            (self.weight, (self.out_features, self.in_features)),
            (self.bias, (self.out_features,)),
        ):
            if isinstance(parameter, UninitializedParameter):
                parameter.materialize(shape)
        self.__class__ = Linear  # type: ignore[assignment]  # what is lazy about it is over
        self.reset_parameters()
        return self.forward(input)
