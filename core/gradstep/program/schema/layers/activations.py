"""The activations that a program may use."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from gradstep.program.schema.layers.base import LayerSpec, Shape, ShapeError, Width

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


class ReLU(LayerSpec, frozen=True, tag=True):
    """`max(x, 0)`."""


class LeakyReLU(LayerSpec, frozen=True, tag=True):
    """`x` where positive, `negative_slope * x` elsewhere."""

    negative_slope: float = 0.01


class ELU(LayerSpec, frozen=True, tag=True):
    """`x` where positive, `alpha * (exp(x) - 1)` elsewhere."""

    alpha: float = 1.0


class GELU(LayerSpec, frozen=True, tag=True):
    """`x` times the cumulative normal distribution function of `x`."""


class SELU(LayerSpec, frozen=True, tag=True):
    """`elu(x)`, scaled so that mean 0 and variance 1 are preserved."""


class CELU(LayerSpec, frozen=True, tag=True):
    """`x` where positive, `alpha * (exp(x / alpha) - 1)` elsewhere."""

    alpha: Annotated[float, Meta(gt=0)] = 1.0


class ReLU6(LayerSpec, frozen=True, tag=True):
    """`x` clamped to the range from 0 to 6."""


class Hardtanh(LayerSpec, frozen=True, tag=True):
    """`x` clamped to the range from `min_val` to `max_val`."""

    min_val: float = -1.0
    max_val: float = 1.0


class PReLU(LayerSpec, frozen=True, tag=True):
    """`x` where positive, a learned slope times `x` elsewhere: one slope, or one per channel."""

    num_parameters: Width = 1
    init: float = 0.25

    def num_elements(self) -> int:
        """Return the number of slopes."""
        return self.num_parameters

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` if it has a channel for each slope."""
        if self.num_parameters != 1 and (len(shape) < 2 or shape[1] != self.num_parameters):  # noqa: PLR2004 - channels come second
            raise ShapeError(f"{self.num_parameters} channels", f"shape {shape}")
        return shape


class Mish(LayerSpec, frozen=True, tag=True):
    """`x * tanh(softplus(x))`."""


class Softsign(LayerSpec, frozen=True, tag=True):
    """`x / (1 + |x|)`."""


class LogSigmoid(LayerSpec, frozen=True, tag=True):
    """The logarithm of the sigmoid."""


class SiLU(LayerSpec, frozen=True, tag=True):
    """`x * sigmoid(x)`."""


class Softplus(LayerSpec, frozen=True, tag=True):
    """`log(1 + exp(beta * x)) / beta`."""

    beta: Annotated[float, Meta(gt=0)] = 1.0
    threshold: float = 20.0


class Tanh(LayerSpec, frozen=True, tag=True):
    """The hyperbolic tangent."""


class Sigmoid(LayerSpec, frozen=True, tag=True):
    """`1 / (1 + exp(-x))`."""


class _SoftmaxBase(LayerSpec, frozen=True):
    """Base of Softmax and LogSoftmax: the dimension over which they normalize."""

    dim: Annotated[int, Meta(ge=-32, le=32)] = -1

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` if it has the dimension."""
        if not -len(shape) <= self.dim < len(shape):
            raise ShapeError(f"dimension {self.dim}", f"{len(shape)} dimensions")
        return shape


class Softmax(_SoftmaxBase, frozen=True, tag=True):
    """`exp(x)`, scaled to a sum of 1 over `dim`."""


class LogSoftmax(_SoftmaxBase, frozen=True, tag=True):
    """The logarithm of softmax over `dim`."""
