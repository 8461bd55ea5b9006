"""Layers of sequences as a chain needs them: one input, batches first, and the output alone."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gradstep import nn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.autograd.tensor import Tensor

__all__ = ["SEQUENCE_LAYERS"]


class RNN(nn.RNN):
    """A recurrent network with one hidden state, whose forward returns the state at each step."""

    def forward(self, input: Tensor) -> Any:  # type: ignore[override]  # noqa: ANN401 - a tensor
        """Return the last layer's hidden state at each step."""
        return super().forward(input)[0]


class LSTM(nn.LSTM):
    """A recurrent network with a hidden and a cell state; the forward returns the former."""

    def forward(self, input: Tensor) -> Any:  # type: ignore[override]  # noqa: ANN401 - a tensor
        """Return the last layer's hidden state at each step."""
        return super().forward(input)[0]


class GRU(nn.GRU):
    """A recurrent network with gates, whose forward returns the state at each step."""

    def forward(self, input: Tensor) -> Any:  # type: ignore[override]  # noqa: ANN401 - a tensor
        """Return the last layer's hidden state at each step."""
        return super().forward(input)[0]


class MultiheadAttention(nn.MultiheadAttention):
    """Self-attention: the input is query, key and value."""

    def forward(self, input: Tensor) -> Any:  # type: ignore[override]  # noqa: ANN401 - a tensor
        """Return the weighted means."""
        return super().forward(input, input, input, need_weights=False)[0]


SEQUENCE_LAYERS: Mapping[str, Callable[..., nn.Module]] = MappingProxyType(
    {layer.__name__: layer for layer in (RNN, LSTM, GRU, MultiheadAttention)}
)
"""The layers of sequences by kind."""
