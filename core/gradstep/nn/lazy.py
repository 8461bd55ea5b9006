"""Layers that learn the size of their input from the first one they meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.nn.linear import Linear
from gradstep.nn.parameter import UninitializedParameter

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = ["LazyLinear"]


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
        """Learn the size, draw weight and bias, and go on as a Linear.

        What a state dict has given a size and values before keeps them.
        """
        wanted: dict[str, tuple[int, ...]] = {
            "weight": (self.out_features, input.shape[-1] if input.ndim else 1)
        }
        if self.bias is not None:
            wanted["bias"] = (self.out_features,)
        lacking = {
            name: shape
            for name, shape in wanted.items()
            if isinstance(getattr(self, name), UninitializedParameter)
        }
        for name, shape in lacking.items():
            getattr(self, name).materialize(shape)
        self.in_features = self.weight.shape[-1]
        self.__class__ = Linear  # type: ignore[assignment]  # what is lazy about it is over
        if lacking:
            self.reset_parameters()
        return self.forward(input)
