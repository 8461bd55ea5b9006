"""The bilinear layer."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from gradstep.autograd import creation
from gradstep.errors import ArgumentError
from gradstep.nn import init
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter
from gradstep_torch.ops.bilinear import bilinear

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = ["Bilinear"]


class Bilinear(Module):
    r"""The bilinear layer: x A y + b for two inputs x and y, with a matrix A per output.

    Weight and bias are drawn from :math:`U(-1/\sqrt{n}, 1/\sqrt{n})` with n the first input size.

    Args:
        in1_features: Size of each sample of the first input.
        in2_features: Size of each sample of the second input.
        out_features: Size of each output sample.
        bias: Whether to have a bias.
        device: Only the CPU.
        dtype: Of weight and bias; the default type if None.

    Example:
        >>> import gradstep_torch as torch
        >>> Bilinear(2, 3, 4)(torch.ones(5, 2), torch.ones(5, 3)).shape
        gradstep.Size([5, 4])
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ArgumentError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        sizes = (out_features, in1_features, in2_features)
        self.weight = Parameter(creation.empty(*sizes, device=device, dtype=dtype))
        made = Parameter(creation.empty(out_features, device=device, dtype=dtype)) if bias else None
        self.register_parameter("bias", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values for weight and bias."""
        bound = 1 / sqrt(self.weight._array.shape[1])
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Return x A y + b over the last dimension."""
        return bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
