"""Layers that map features to features linearly."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from gradstep.autograd import creation
from gradstep.autograd.ops.linear import linear
from gradstep.errors import ArgumentTypeError, TensorError
from gradstep.nn import init
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = ["Identity", "Linear"]


class Identity(Module):
    """Returns its input; takes and ignores any arguments.

    Example:
        >>> import gradstep
        >>> Identity(54, unused=True)(gradstep.ones(1))
        tensor([1.])
    """

    def __init__(self, *_: object, **__: object) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`."""
        return input


class Linear(Module):
    r"""An affine map of the last dimension: :math:`y = x W^T + b`.

    Weight and bias are drawn from :math:`U(-1/\sqrt{n}, 1/\sqrt{n})` with :math:`n` the number of
    input features.

    Args:
        in_features: Size of each input sample.
        out_features: Size of each output sample.
        bias: Whether to have a bias.
        device: Only the CPU.
        dtype: Of weight and bias; the default type if None.

    Attributes:
        weight: Of shape (out_features, in_features).
        bias: Of shape (out_features,), or None.

    Example:
        >>> import gradstep
        >>> layer = Linear(3, 2)
        >>> layer
        Linear(in_features=3, out_features=2, bias=True)
        >>> layer(gradstep.ones(5, 3)).shape
        gradstep.Size([5, 2])
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        for name, size in (("in_features", in_features), ("out_features", out_features)):
            if isinstance(size, bool) or not isinstance(size, int):
                raise ArgumentTypeError(
                    f"Invalid {name}: {size!r}", "give a whole number of at least 0"
                )
            if size < 0:
                raise TensorError(
                    f"Trying to create tensor with negative dimension {size}: {name}",
                    "give a whole number of at least 0",
                )
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(
            creation.empty(out_features, in_features, device=device, dtype=dtype)
        )
        if bias:
            self.bias = Parameter(creation.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values for weight and bias."""
        if self.weight.numel() == 0:
            return
        init.kaiming_uniform_(self.weight, a=sqrt(5))
        if self.bias is not None:
            bound = 1 / sqrt(self.in_features)
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` W^T + b, over the last dimension of `input`."""
        own = self._parameters
        try:
            weight, bias = own["weight"], own["bias"]
        except KeyError:  # one of them is computed, as by a parametrization
            weight, bias = self.weight, self.bias
        return linear(input, weight, bias)  # type: ignore[arg-type]  # the weight is never None

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )
