"""Activations as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd import creation
from gradstep.errors import RejectedArgumentError
from gradstep.nn import functional
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor


__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "SELU",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
]


class InPlace(Module):
    """An activation that can overwrite its input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Return the settings, with `inplace=True` if it is set."""
        return ", ".join(filter(None, (self._settings(), "inplace=True" if self.inplace else "")))

    def _settings(self) -> str:
        """Return the settings besides `inplace`."""
        return ""


class ReLU(InPlace):
    """max(x, 0), element by element.

    Args:
        inplace: Overwrite the input.

    Example:
        >>> import gradstep
        >>> ReLU()(gradstep.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return max(`input`, 0)."""
        return functional.relu(input, self.inplace)


class LeakyReLU(InPlace):
    """x where it is positive, else `negative_slope` times x.

    Args:
        negative_slope: The slope below 0.
        inplace: Overwrite the input.
    """

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        """Return the leaky maximum."""
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    def _settings(self) -> str:
        return f"negative_slope={self.negative_slope}"


class _WithAlpha(InPlace):
    """An activation with a factor `alpha`."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def _settings(self) -> str:
        return f"alpha={self.alpha}"


class ELU(_WithAlpha):
    """x where it is positive, else `alpha * (exp(x) - 1)`.

    Args:
        alpha: Minus the limit far below 0.
        inplace: Overwrite the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the exponential linear unit."""
        return functional.elu(input, self.alpha, self.inplace)


class SiLU(InPlace):
    """x * sigmoid(x).

    Args:
        inplace: Overwrite the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return x * sigmoid(x)."""
        return functional.silu(input, self.inplace)


class GELU(Module):
    """x times the normal distribution function of x.

    Args:
        approximate: "none", or "tanh" for an approximation by tanh.
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Return the Gaussian error linear unit."""
        return functional.gelu(input, self.approximate)

    def extra_repr(self) -> str:
        """Return the approximation."""
        return f"approximate={self.approximate!r}"


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta, and x itself where `beta * x` exceeds the threshold.

    Args:
        beta: The sharpness of the bend.
        threshold: Above it the function is linear.
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Return the soft maximum of x and 0."""
        return functional.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Return beta and the threshold."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        """Return tanh(`input`)."""
        return functional.tanh(input)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input: Tensor) -> Tensor:
        """Return sigmoid(`input`)."""
        return functional.sigmoid(input)


class _AlongDim(Module):
    """An activation along one dimension."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        """Return the dimension."""
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """exp(x) divided by its sum along a dimension.

    Args:
        dim: The dimension along which the results sum to 1.

    Example:
        >>> import gradstep
        >>> Softmax(dim=0)(gradstep.zeros(4))
        tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the probabilities."""
        return functional.softmax(input, self.dim)


class LogSoftmax(_AlongDim):
    """The logarithm of Softmax, computed without overflow.

    Args:
        dim: The dimension along which the exponentials sum to 1.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the log-probabilities."""
        return functional.log_softmax(input, self.dim)


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
            raise RejectedArgumentError(
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


class SELU(InPlace):
    """ELU scaled so that mean 0 and variance 1 are kept.

    Args:
        inplace: Overwrite the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the scaled exponential linear unit."""
        return functional.selu(input, self.inplace)


class CELU(_WithAlpha):
    """x where it is positive, else `alpha * (exp(x / alpha) - 1)`.

    Args:
        alpha: Minus the limit far below 0.
        inplace: Overwrite the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the exponential linear unit."""
        return functional.celu(input, self.alpha, self.inplace)


class Mish(InPlace):
    """x tanh(softplus(x)).

    Args:
        inplace: Overwrite the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return x tanh(softplus(x))."""
        return functional.mish(input, self.inplace)


class LogSigmoid(Module):
    """The logarithm of the sigmoid, computed without overflow."""

    def forward(self, input: Tensor) -> Tensor:
        """Return log(sigmoid(`input`))."""
        return functional.logsigmoid(input)


class Softsign(Module):
    """x / (1 + |x|)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return x / (1 + |x|)."""
        return functional.softsign(input)


class PReLU(Module):
    """x where it is positive, else a trained slope times x.

    Args:
        num_parameters: One slope for all, or as many as there are channels.
        init: The initial value of the slopes.
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
        """Reset the slopes to their initial value."""
        self.weight._array[...] = self.init
        self.weight._version_counter[0] += 1

    def forward(self, input: Tensor) -> Tensor:
        """Return the leaky maximum."""
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return the number of slopes."""
        return f"num_parameters={self.num_parameters}"
