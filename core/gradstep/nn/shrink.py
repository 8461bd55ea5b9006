"""Activations that clip, shrink or gate, as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd import creation
from gradstep.errors import RefusedArgumentError
from gradstep.nn import functional
from gradstep.nn.activation import InPlace
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "CELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LogSigmoid",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU6",
    "Softmin",
    "Softshrink",
    "Softsign",
    "Tanhshrink",
    "Threshold",
]


class Hardtanh(InPlace):
    """x clipped to an interval.

    Args:
        min_val: Where it begins.
        max_val: Where it ends.
        inplace: Overwrite the input.

    Example:
        >>> import gradstep
        >>> Hardtanh()(gradstep.tensor([-2.0, 0.5]))
        tensor([-1.0000,  0.5000])
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        if max_val <= min_val:
            raise RefusedArgumentError(
                f"max_val ({max_val}) must be greater than min_val ({min_val})"
            )
        self.min_val = min_val
        self.max_val = max_val

    def forward(self, input: Tensor) -> Tensor:
        """Return the clipped input."""
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def _settings(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}"


class ReLU6(Hardtanh):
    """x clipped to [0, 6].

    Args:
        inplace: Overwrite the input.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def _settings(self) -> str:
        return ""


class Threshold(InPlace):
    """x where it is larger than a threshold, else a value.

    Args:
        threshold: What x is compared with.
        value: What replaces it.
        inplace: Overwrite the input.
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with small elements replaced."""
        return functional.threshold(input, self.threshold, self.value, self.inplace)

    def _settings(self) -> str:
        return f"threshold={self.threshold}, value={self.value}"


class RReLU(InPlace):
    """x where it is positive, else times a slope that is drawn for each element in training.

    Args:
        lower: The least slope.
        upper: The greatest; in evaluation the slope is half-way.
        inplace: Overwrite the input.
    """

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper

    def forward(self, input: Tensor) -> Tensor:
        """Return the leaky maximum."""
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def _settings(self) -> str:
        return f"lower={self.lower}, upper={self.upper}"


class SELU(InPlace):
    """ELU scaled so that mean 0 and variance 1 are kept.

    Args:
        inplace: Overwrite the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the scaled exponential linear unit."""
        return functional.selu(input, self.inplace)


class CELU(InPlace):
    """x where it is positive, else `alpha * (exp(x / alpha) - 1)`.

    Args:
        alpha: Minus the limit far below 0.
        inplace: Overwrite the input.
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """Return the exponential linear unit."""
        return functional.celu(input, self.alpha, self.inplace)

    def _settings(self) -> str:
        return f"alpha={self.alpha}"


class Mish(InPlace):
    """x tanh(softplus(x)).

    Args:
        inplace: Overwrite the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return x tanh(softplus(x))."""
        return functional.mish(input, self.inplace)


class _Unprinted(InPlace):
    """An activation whose repr does not tell `inplace`, as in torch."""

    def extra_repr(self) -> str:
        """Return nothing."""
        return ""


class Hardsigmoid(_Unprinted):
    """x / 6 + 1/2 clipped to [0, 1].

    Args:
        inplace: Overwrite the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the clipped line."""
        return functional.hardsigmoid(input, self.inplace)


class Hardswish(_Unprinted):
    """x times its hardsigmoid.

    Args:
        inplace: Overwrite the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return x times its hardsigmoid."""
        return functional.hardswish(input, self.inplace)


class _Shrink(Module):
    """An activation that takes away what is near 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        """Return lambda."""
        return f"{self.lambd}"


class Hardshrink(_Shrink):
    """x where it is farther from 0 than `lambd`, else 0.

    Args:
        lambd: The distance.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with small elements zeroed."""
        return functional.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """x moved towards 0 by `lambd`.

    Args:
        lambd: The distance.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input moved towards 0."""
        return functional.softshrink(input, self.lambd)


class LogSigmoid(Module):
    """The logarithm of the sigmoid, computed without its overflow."""

    def forward(self, input: Tensor) -> Tensor:
        """Return log(sigmoid(`input`))."""
        return functional.logsigmoid(input)


class Softsign(Module):
    """x / (1 + |x|)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return x / (1 + |x|)."""
        return functional.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return x - tanh(x)."""
        return functional.tanhshrink(input)


class Softmin(Module):
    """The softmax of -x.

    Args:
        dim: The dimension along which the results add up to 1.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the shares."""
        return functional.softmin(input, self.dim)

    def extra_repr(self) -> str:
        """Return the dimension."""
        return f"dim={self.dim}"


class GLU(Module):
    """One half of the input times the sigmoid of the other.

    Args:
        dim: The dimension that is halved.
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the gated half."""
        return functional.glu(input, self.dim)

    def extra_repr(self) -> str:
        """Return the dimension."""
        return f"dim={self.dim}"


class PReLU(Module):
    """x where it is positive, else a trained slope times x.

    Args:
        num_parameters: One slope for all, or as many as there are channels.
        init: The first value of the slopes.
        device: Only the CPU.
        dtype: Of the slopes; the default type if None.

    Attributes:
        weight: The slopes, of shape (num_parameters,).
    """

    weight: Parameter

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(creation.full((num_parameters,), init, device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Set the slopes to their first value."""
        self.weight._array[...] = self.init
        self.weight._version_counter[0] += 1

    def forward(self, input: Tensor) -> Tensor:
        """Return the leaky maximum."""
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return how many slopes there are."""
        return f"num_parameters={self.num_parameters}"
