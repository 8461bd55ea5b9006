"""The layers a program may be made of: what each takes, and the shape it makes of a shape."""

from __future__ import annotations

from math import prod
from typing import Annotated

import msgspec
from msgspec import Meta

from gradstep.program.limits import MAX_WIDTH

__all__ = [
    "ELU",
    "GELU",
    "Dropout",
    "Flatten",
    "Identity",
    "Layer",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "ReLU",
    "ShapeError",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
]

Width = Annotated[int, Meta(ge=1, le=MAX_WIDTH)]
Shape = tuple[int, ...]


class ShapeError(Exception):
    """A shape that a layer cannot take: `wanted` by the layer, against what it is `given`."""

    def __init__(self, wanted: str, given: str) -> None:
        super().__init__(wanted, given)
        self.wanted = wanted
        self.given = given


class _Layer(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind"
):
    """What layers share: no elements of their own, and a shape that they leave as it is."""

    def elements(self) -> int:
        """Return how many parameter elements the layer will hold."""
        return 0

    def output_shape(self, shape: Shape) -> Shape:
        """Return the shape that the layer makes of `shape`, batch dimension included."""
        return shape


class Linear(_Layer, frozen=True, tag=True):
    """`x @ weight.T + bias`.

    Example:
        >>> Linear(3, 2).elements(), Linear(3, 2).output_shape((10, 3))
        (8, (10, 2))
    """

    in_features: Width
    out_features: Width
    bias: bool = True

    def elements(self) -> int:
        """Return the size of the weight, and of the bias if there is one."""
        return (self.in_features + self.bias) * self.out_features

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` with its last dimension replaced."""
        if not shape or shape[-1] != self.in_features:
            given = f"{shape[-1]}" if shape else "a single number"
            raise ShapeError(f"{self.in_features} inputs", given)
        return (*shape[:-1], self.out_features)


class Flatten(_Layer, frozen=True, tag=True):
    """Join the dimensions from `start_dim` to `end_dim` into one."""

    start_dim: Annotated[int, Meta(ge=0, le=32)] = 1
    end_dim: Annotated[int, Meta(ge=-32, le=32)] = -1

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` with the named dimensions joined."""
        end = self.end_dim + len(shape) if self.end_dim < 0 else self.end_dim
        if not self.start_dim <= end < len(shape):
            raise ShapeError(
                f"dimensions {self.start_dim} to {self.end_dim}", f"{len(shape)} dimensions"
            )
        joined = prod(shape[self.start_dim : end + 1])
        return (*shape[: self.start_dim], joined, *shape[end + 1 :])


class Identity(_Layer, frozen=True, tag=True):
    """Pass the input on."""


class ReLU(_Layer, frozen=True, tag=True):
    """`max(x, 0)`."""


class LeakyReLU(_Layer, frozen=True, tag=True):
    """`x` where positive, `negative_slope * x` elsewhere."""

    negative_slope: float = 0.01


class ELU(_Layer, frozen=True, tag=True):
    """`x` where positive, `alpha * (exp(x) - 1)` elsewhere."""

    alpha: float = 1.0


class GELU(_Layer, frozen=True, tag=True):
    """`x` times the normal distribution function of `x`."""


class SiLU(_Layer, frozen=True, tag=True):
    """`x * sigmoid(x)`."""


class Softplus(_Layer, frozen=True, tag=True):
    """`log(1 + exp(beta * x)) / beta`."""

    beta: Annotated[float, Meta(gt=0)] = 1.0
    threshold: float = 20.0


class Tanh(_Layer, frozen=True, tag=True):
    """The hyperbolic tangent."""


class Sigmoid(_Layer, frozen=True, tag=True):
    """`1 / (1 + exp(-x))`."""


class _OverDimension(_Layer, frozen=True):
    """What Softmax and LogSoftmax share: the dimension that they normalise over."""

    dim: Annotated[int, Meta(ge=-32, le=32)] = -1

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape`, when it has the dimension."""
        if not -len(shape) <= self.dim < len(shape):
            raise ShapeError(f"dimension {self.dim}", f"{len(shape)} dimensions")
        return shape


class Softmax(_OverDimension, frozen=True, tag=True):
    """`exp(x)`, scaled to a sum of 1 over `dim`."""


class LogSoftmax(_OverDimension, frozen=True, tag=True):
    """The logarithm of softmax over `dim`."""


class Dropout(_Layer, frozen=True, tag=True):
    """In training, put each element to zero with probability `p`, and scale up the others."""

    p: Annotated[float, Meta(ge=0, le=1)] = 0.5


Layer = (
    Linear
    | Flatten
    | Identity
    | ReLU
    | LeakyReLU
    | ELU
    | GELU
    | SiLU
    | Softplus
    | Tanh
    | Sigmoid
    | Softmax
    | LogSoftmax
    | Dropout
)
