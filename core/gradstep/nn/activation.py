"""Activations as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import ArgumentError
from gradstep.nn import functional
from gradstep.nn.module import Module

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "ELU",
    "GELU",
    "LeakyReLU",
    "LogSoftmax",
    "ReLU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softplus",
    "Tanh",
]


class InPlace(Module):
    """An activation that can overwrite its input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Return the settings, and `inplace=True` where it is so."""
        return ", ".join(filter(None, (self._settings(), "inplace=True" if self.inplace else "")))

    def _settings(self) -> str:
        """Return what else there is to tell of it."""
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


class ELU(InPlace):
    """x where it is positive, else `alpha * (exp(x) - 1)`.

    Args:
        alpha: Minus the limit far below 0.
        inplace: Overwrite the input.
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """Return the exponential linear unit."""
        return functional.elu(input, self.alpha, self.inplace)

    def _settings(self) -> str:
        return f"alpha={self.alpha}"


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
        beta: How sharply it bends.
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
    """A normalisation along one dimension."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        """Return the dimension."""
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """exp(x) divided by its sum along a dimension.

    Args:
        dim: The dimension along which the results add up to 1.

    Example:
        >>> import gradstep
        >>> Softmax(dim=0)(gradstep.zeros(4))
        tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the shares."""
        return functional.softmax(input, self.dim)


class LogSoftmax(_AlongDim):
    """The logarithm of Softmax, computed without its overflow.

    Args:
        dim: The dimension along which the exponentials add up to 1.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the logarithms of the shares."""
        return functional.log_softmax(input, self.dim)


class Softmax2d(Module):
    """The softmax over the channels at each place of images."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the shares, for input of shape (batch, channels, height, width).

        Raises:
            ArgumentError: The input is no image.
        """
        if input.ndim not in {3, 4}:
            raise ArgumentError(f"Softmax2d: expected 3D or 4D input, got {input.ndim}D instead")
        return functional.softmax(input, -3)
