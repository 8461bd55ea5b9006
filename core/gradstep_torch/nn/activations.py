"""Activations that only scripts use: thresholds, shrinkage, gates, random slopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import ArgumentError
from gradstep.nn.activations import InPlace
from gradstep.nn.module import Module
from gradstep_torch.nn import functional

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor


__all__ = [
    "GLU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "RReLU",
    "Softmax2d",
    "Softmin",
    "Softshrink",
    "Tanhshrink",
    "Threshold",
]


class Threshold(InPlace):
    """Threshold: x where it is larger than a threshold, else a fixed value.

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
    """Randomized leaky ReLU: negative elements are scaled by a slope, random in training.

    Args:
        lower: The smallest slope.
        upper: The largest slope; in evaluation the slope is the mean of both.
        inplace: Overwrite the input.
    """

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with negative elements scaled by the slope."""
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def _settings(self) -> str:
        return f"lower={self.lower}, upper={self.upper}"


class _Unprinted(InPlace):
    """An activation whose repr omits `inplace`, as in torch."""

    def extra_repr(self) -> str:
        """Return nothing."""
        return ""


class Hardsigmoid(_Unprinted):
    """x / 6 + 1/2 clipped to [0, 1].

    Args:
        inplace: Overwrite the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the hard sigmoid."""
        return functional.hardsigmoid(input, self.inplace)


class Hardswish(_Unprinted):
    """Hard swish: x times its hardsigmoid.

    Args:
        inplace: Overwrite the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return x times its hardsigmoid."""
        return functional.hardswish(input, self.inplace)


class _Shrink(Module):
    """The base of shrinkage activations."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        """Return lambda."""
        return f"{self.lambd}"


class Hardshrink(_Shrink):
    """Hard shrinkage: x where |x| is larger than `lambd`, else 0.

    Args:
        lambd: The distance.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with small elements zeroed."""
        return functional.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """Soft shrinkage: x moved towards 0 by `lambd`.

    Args:
        lambd: The distance.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input moved towards 0."""
        return functional.softshrink(input, self.lambd)


class Tanhshrink(Module):
    """Tanh shrinkage: x - tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return x - tanh(x)."""
        return functional.tanhshrink(input)


class Softmin(Module):
    """Softmin: the softmax of -x.

    Args:
        dim: The dimension along which the results sum to 1.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the probabilities."""
        return functional.softmin(input, self.dim)

    def extra_repr(self) -> str:
        """Return the dimension."""
        return f"dim={self.dim}"


class GLU(Module):
    """Gated linear unit: one half of the input times the sigmoid of the other.

    Args:
        dim: The dimension to halve.
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the first half gated by the second."""
        return functional.glu(input, self.dim)

    def extra_repr(self) -> str:
        """Return the dimension."""
        return f"dim={self.dim}"


class Softmax2d(Module):
    """Softmax over the channels at each position of images."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the probabilities, for input of shape (batch, channels, height, width).

        Raises:
            ArgumentError: The input is not an image.
        """
        if input.ndim not in {3, 4}:
            raise ArgumentError(f"Softmax2d: expected 3D or 4D input, got {input.ndim}D instead")
        return functional.softmax(input, -3)
