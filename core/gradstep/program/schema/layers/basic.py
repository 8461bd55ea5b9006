"""Linear, shape, embedding and dropout layers, and the union of all layers of a program."""

from __future__ import annotations

from math import prod
from typing import Annotated

from msgspec import Meta

from gradstep.program.schema.layers.activations import (
    CELU,
    ELU,
    GELU,
    SELU,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
)
from gradstep.program.schema.layers.base import (
    LayerSpec,
    Shape,
    ShapeError,
    Width,
    require_channels,
)
from gradstep.program.schema.layers.images import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AvgPool1d,
    AvgPool2d,
    Conv1d,
    Conv2d,
    ConvTranspose2d,
    MaxPool1d,
    MaxPool2d,
)
from gradstep.program.schema.layers.norms import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm
from gradstep.program.schema.layers.sequences import GRU, LSTM, RNN, MultiheadAttention

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GRU",
    "LSTM",
    "RNN",
    "SELU",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BatchNorm1d",
    "BatchNorm2d",
    "Conv1d",
    "Conv2d",
    "ConvTranspose2d",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "Hardtanh",
    "Identity",
    "Layer",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MaxPool1d",
    "MaxPool2d",
    "Mish",
    "MultiheadAttention",
    "PReLU",
    "ReLU",
    "ReLU6",
    "ShapeError",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
    "Unflatten",
]


class Linear(LayerSpec, frozen=True, tag=True):
    """`x @ weight.T + bias`.

    Example:
        >>> Linear(3, 2).num_elements(), Linear(3, 2).output_shape((10, 3))
        (8, (10, 2))
    """

    in_features: Width
    out_features: Width
    bias: bool = True

    def num_elements(self) -> int:
        """Return the size of the weight, and of the bias if there is one."""
        return (self.in_features + self.bias) * self.out_features

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` with its last dimension replaced."""
        if not shape or shape[-1] != self.in_features:
            given = f"{shape[-1]}" if shape else "a single number"
            raise ShapeError(f"{self.in_features} inputs", given)
        return (*shape[:-1], self.out_features)


class Flatten(LayerSpec, frozen=True, tag=True):
    """Flatten the dimensions from `start_dim` to `end_dim` into one."""

    start_dim: Annotated[int, Meta(ge=0, le=32)] = 1
    end_dim: Annotated[int, Meta(ge=-32, le=32)] = -1

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` with those dimensions flattened."""
        end = self.end_dim + len(shape) if self.end_dim < 0 else self.end_dim
        if not self.start_dim <= end < len(shape):
            raise ShapeError(
                f"dimensions {self.start_dim} to {self.end_dim}", f"{len(shape)} dimensions"
            )
        joined = prod(shape[self.start_dim : end + 1])
        return (*shape[: self.start_dim], joined, *shape[end + 1 :])


class Unflatten(LayerSpec, frozen=True, tag=True):
    """Split one dimension into several, such as a row of pixels into an image.

    Example:
        >>> Unflatten(1, (1, 8, 8)).output_shape((10, 64))
        (10, 1, 8, 8)
    """

    dim: Annotated[int, Meta(ge=1, le=32)]
    unflattened_size: Annotated[tuple[Width, ...], Meta(min_length=1, max_length=8)]

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` with that dimension split."""
        joined = prod(self.unflattened_size)
        if self.dim >= len(shape) or shape[self.dim] != joined:
            raise ShapeError(f"{joined} numbers in dimension {self.dim}", f"shape {shape}")
        return (*shape[: self.dim], *self.unflattened_size, *shape[self.dim + 1 :])


class Embedding(LayerSpec, frozen=True, tag=True):
    """A learned vector for each integer of the input; only as the first layer.

    Example:
        >>> Embedding(10, 3).output_shape((20, 4))
        (20, 4, 3)
    """

    num_embeddings: Width
    embedding_dim: Width
    padding_idx: int | None = None
    sparse: bool = False

    def num_elements(self) -> int:
        """Return the size of the table."""
        return self.num_embeddings * self.embedding_dim

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` with the vectors as the last dimension."""
        return (*shape, self.embedding_dim)


class Identity(LayerSpec, frozen=True, tag=True):
    """Return the input unchanged."""


class Dropout(LayerSpec, frozen=True, tag=True):
    """In training, set each element to zero with probability `p` and scale up the others."""

    p: Annotated[float, Meta(ge=0, le=1)] = 0.5


class Dropout1d(LayerSpec, frozen=True, tag=True):
    """In training, set each channel of a sequence to zero with probability `p`."""

    p: Annotated[float, Meta(ge=0, le=1)] = 0.5

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` if it is that of sequences."""
        return require_channels(shape, 1)


class Dropout2d(LayerSpec, frozen=True, tag=True):
    """In training, set each channel of an image to zero with probability `p`."""

    p: Annotated[float, Meta(ge=0, le=1)] = 0.5

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` if it is that of images."""
        return require_channels(shape, 2)


Layer = (
    Linear
    | Conv1d
    | Conv2d
    | ConvTranspose2d
    | MaxPool1d
    | MaxPool2d
    | AvgPool1d
    | AvgPool2d
    | AdaptiveAvgPool1d
    | AdaptiveAvgPool2d
    | BatchNorm1d
    | BatchNorm2d
    | LayerNorm
    | GroupNorm
    | Embedding
    | RNN
    | LSTM
    | GRU
    | MultiheadAttention
    | Unflatten
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
    | Dropout1d
    | Dropout2d
    | ReLU6
    | SELU
    | CELU
    | Hardtanh
    | PReLU
    | Mish
    | Softsign
    | LogSigmoid
)
