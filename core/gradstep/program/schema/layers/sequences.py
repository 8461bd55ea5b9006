"""Layers of sequences, of shape (rows, steps, features): recurrent networks and self-attention."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from gradstep.program.schema.layers.base import LayerSpec, Shape, ShapeError, Width

__all__ = ["GRU", "LSTM", "RNN", "MultiheadAttention"]


class _Recurrent(LayerSpec, frozen=True):
    gates: ClassVar[int]

    input_size: Width
    hidden_size: Width
    num_layers: Annotated[int, Meta(ge=1, le=100)] = 1
    bias: bool = True
    bidirectional: bool = False
    batch_first: bool = True

    def __post_init__(self) -> None:
        """Reject another order of the dimensions."""
        _check_batch_first(self.batch_first)

    def num_elements(self) -> int:
        """Return the size of the weights and biases of every layer and direction."""
        directions = 1 + self.bidirectional
        widths = [self.input_size] + [self.hidden_size * directions] * (self.num_layers - 1)
        rows = self.gates * self.hidden_size
        return directions * sum(
            rows * (width + self.hidden_size + 2 * self.bias) for width in widths
        )

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` with the hidden state of each step, of both directions, as features."""
        rows, steps = _sequence(shape, self.input_size)
        return rows, steps, self.hidden_size * (1 + self.bidirectional)

    def workspace_elements(self, shape: Shape) -> int:
        """Return the size of the gates of all steps, layers and directions."""
        rows, steps = _sequence(shape, self.input_size)
        per_step = self.gates * self.hidden_size * self.num_layers * (1 + self.bidirectional)
        return rows * steps * per_step


class RNN(_Recurrent, frozen=True, tag=True):
    """A recurrent network with one hidden state; its output is the state at every step.

    Example:
        >>> RNN(3, 5).num_elements(), RNN(3, 5).output_shape((10, 7, 3))
        (50, (10, 7, 5))
    """

    gates: ClassVar[int] = 1

    nonlinearity: Literal["tanh", "relu"] = "tanh"


class LSTM(_Recurrent, frozen=True, tag=True):
    """A recurrent network with a hidden and a cell state, and gates between them."""

    gates: ClassVar[int] = 4


class GRU(_Recurrent, frozen=True, tag=True):
    """A recurrent network whose gates decide how much of its hidden state is kept."""

    gates: ClassVar[int] = 3


class MultiheadAttention(LayerSpec, frozen=True, tag=True):
    """Self-attention: each step becomes a weighted mean of all steps of its sequence.

    Example:
        >>> MultiheadAttention(4, 2).num_elements()
        80
    """

    embed_dim: Width
    num_heads: Annotated[int, Meta(ge=1, le=1000)]
    bias: bool = True
    batch_first: bool = True

    def __post_init__(self) -> None:
        """Reject another order of the dimensions."""
        _check_batch_first(self.batch_first)

    def num_elements(self) -> int:
        """Return the size of the four projections."""
        return 4 * self.embed_dim * (self.embed_dim + self.bias)

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape`."""
        _sequence(shape, self.embed_dim)
        return shape

    def workspace_elements(self, shape: Shape) -> int:
        """Return the size of the projections and of the weights of all heads."""
        rows, steps = _sequence(shape, self.embed_dim)
        return rows * steps * max(4 * self.embed_dim, self.num_heads * steps)


def _check_batch_first(batch_first: bool) -> None:
    if not batch_first:
        # msgspec reports it with the place in the document.
        message = "batch_first is always true: rows of data are the first dimension"
        raise ValueError(message)


def _sequence(shape: Shape, features: int) -> tuple[int, int]:
    """Return the number of rows and of steps of sequences."""
    if len(shape) != 3:  # noqa: PLR2004 - rows, steps, features
        raise ShapeError("rows x steps x features (Unflatten makes them)", f"shape {shape}")
    if shape[-1] != features:
        raise ShapeError(f"{features} features", f"{shape[-1]}")
    return shape[0], shape[1]
