"""Encoder and decoder layers of transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import ArgumentError
from gradstep.nn.attention import MultiheadAttention
from gradstep.nn.dropout import Dropout
from gradstep.nn.linear import Linear
from gradstep.nn.module import Module
from gradstep.nn.normalization import LayerNorm
from gradstep_torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = ["TransformerDecoderLayer", "TransformerEncoderLayer"]


def _activation(given: str | Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    if not isinstance(given, str):
        return given
    if given not in {"relu", "gelu"}:
        raise ArgumentError(
            f"activation should be relu/gelu, not {given}", "or give the function itself"
        )
    found: Callable[[Tensor], Tensor] = getattr(functional, given)
    return found


class _Layer(Module):
    """The base of transformer layers: a feed-forward network, norms and dropouts."""

    dropout: Dropout
    linear1: Linear
    linear2: Linear
    norm_first: bool
    activation: Callable[[Tensor], Tensor]

    def _make(
        self,
        attentions: tuple[str, ...],
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float,
        layer_norm_eps: float,
        batch_first: bool,
        norm_first: bool,
        bias: bool,
        device: DeviceLike,
        dtype: DTypeLike | None,
    ) -> None:
        for name in attentions:
            attention = MultiheadAttention(
                d_model,
                nhead,
                dropout,
                bias,
                batch_first=batch_first,
                device=device,
                dtype=dtype,
            )
            self.add_module(name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, device, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, device, dtype)
        self.norm_first = norm_first
        parts = range(1, len(attentions) + 2)
        for number in parts:
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
            self.add_module(f"norm{number}", norm)
        for number in parts:
            self.add_module(f"dropout{number}", Dropout(dropout))

    def _attended(
        self,
        attention: Module,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None,
        padding: Tensor | None,
        is_causal: bool,
    ) -> Tensor:
        output, _ = attention(
            x,
            memory,
            memory,
            key_padding_mask=padding,
            need_weights=False,
            attn_mask=mask,
            is_causal=is_causal,
        )
        attended: Tensor = output
        return attended

    def _fed_forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return out

    def _around(self, number: int, x: Tensor, block: Callable[[Tensor], Tensor]) -> Tensor:
        """Return x plus the output of a block, with the norm before the block or at the end."""
        norm, dropout = self._modules[f"norm{number}"], self._modules[f"dropout{number}"]
        if norm is None or dropout is None:  # removed by the user
            raise ArgumentError(f"norm{number} and dropout{number} must be modules, not None")
        inner: Tensor = dropout(block(norm(x) if self.norm_first else x))
        outer: Tensor = x + inner if self.norm_first else norm(x + inner)
        return outer


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward network, each with a residual connection.

    Args:
        d_model: The number of features of input and output.
        nhead: The number of heads.
        dim_feedforward: The hidden features of the feed-forward network.
        dropout: The dropout probability of attention, network, and their outputs.
        activation: The network's activation: "relu", "gelu" or a function.
        layer_norm_eps: Added to the variances of the norms.
        batch_first: Whether inputs are (batch, length, features), not (length, batch, features).
        norm_first: Whether a norm comes before attention and network, not after the sums.
        bias: Whether Linears and norms have biases.
        device: Only the CPU.
        dtype: Of the parameters; the default type if None.

    Example:
        >>> import gradstep_torch as torch
        >>> layer = TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> layer(torch.ones(5, 3, 8)).shape
        gradstep.Size([5, 3, 8])

    References:
        Vaswani et al., Attention is all you need, NeurIPS 2017 (arXiv 1706.03762);
        `norm_first`: Xiong et al., On layer normalization in the transformer architecture, 2020
        (arXiv 2002.04745).
    """

    self_attn: MultiheadAttention
    norm1: LayerNorm
    norm2: LayerNorm

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self._make(
            ("self_attn",),
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
            device,
            dtype,
        )
        self.activation = _activation(activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Return the encoded sequences.

        Args:
            src: Of shape (length, batch, d_model), or by `batch_first`.
            src_mask: Of shape (length, length): True hides a position from another.
            src_key_padding_mask: Of shape (batch, length): True hides a position from all.
            is_causal: A hint that `src_mask` is the causal mask.
        """

        def attend(x: Tensor) -> Tensor:
            return self._attended(self.self_attn, x, x, src_mask, src_key_padding_mask, is_causal)

        return self._around(2, self._around(1, src, attend), self._fed_forward)


class TransformerDecoderLayer(_Layer):
    """Self-attention, cross-attention to the encoder's output, and a feed-forward network.

    Args:
        d_model: The number of features of input and output.
        nhead: The number of heads of both attentions.
        dim_feedforward: The hidden features of the feed-forward network.
        dropout: The dropout probability of attentions, network, and their outputs.
        activation: The network's activation: "relu", "gelu" or a function.
        layer_norm_eps: Added to the variances of the norms.
        batch_first: Whether inputs are (batch, length, features), not (length, batch, features).
        norm_first: Whether a norm comes before each part, not after the sums.
        bias: Whether Linears and norms have biases.
        device: Only the CPU.
        dtype: Of the parameters; the default type if None.

    References:
        Vaswani et al., Attention is all you need, NeurIPS 2017 (arXiv 1706.03762).
    """

    self_attn: MultiheadAttention
    multihead_attn: MultiheadAttention

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self._make(
            ("self_attn", "multihead_attn"),
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
            device,
            dtype,
        )
        self.activation = _activation(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the decoded sequences.

        Args:
            tgt: Of shape (length, batch, d_model), or by `batch_first`.
            memory: The encoder's output, of shape (keys, batch, d_model).
            tgt_mask: Of shape (length, length): True hides a position from another.
            memory_mask: Of shape (length, keys): True hides a key from a position.
            tgt_key_padding_mask: Of shape (batch, length): True hides a position from all.
            memory_key_padding_mask: Of shape (batch, keys): likewise.
            tgt_is_causal: A hint that `tgt_mask` is the causal mask.
            memory_is_causal: A hint that `memory_mask` is.
        """

        def attend(x: Tensor) -> Tensor:
            padding = tgt_key_padding_mask
            return self._attended(self.self_attn, x, x, tgt_mask, padding, tgt_is_causal)

        def look(x: Tensor) -> Tensor:
            padding = memory_key_padding_mask
            return self._attended(
                self.multihead_attn, x, memory, memory_mask, padding, memory_is_causal
            )

        x = self._around(2, self._around(1, tgt, attend), look)
        return self._around(3, x, self._fed_forward)
