"""Multi-head attention as a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd import creation
from gradstep.errors import ArgumentError
from gradstep.nn import functional, init
from gradstep.nn.linear import Linear
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = ["MultiheadAttention"]

_BATCHED = 3


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under the name that torch prints for the output projection of attention."""


class MultiheadAttention(Module):
    """Multi-head attention: each head attends over projections of its own.

    Args:
        embed_dim: Features of queries and of the output.
        num_heads: The number of heads, which share them equally.
        dropout: The probability, in training, that an attention weight is zeroed.
        bias: Whether the projections have biases.
        add_bias_kv: Whether to append a learned key and value to every sequence.
        add_zero_attn: Whether to append a key and value of zeros to every sequence.
        kdim: Features of keys; as many as of queries if None.
        vdim: Features of values; as many as of queries if None.
        batch_first: Whether inputs are (batch, length, features), not (length, batch, features).
        device: Only the CPU.
        dtype: Of the parameters; the default type if None.

    Raises:
        ArgumentError: `embed_dim` is not divisible by `num_heads`.

    Example:
        >>> import gradstep
        >>> layer = MultiheadAttention(embed_dim=6, num_heads=2, batch_first=True)
        >>> x = gradstep.ones(4, 5, 6)
        >>> output, weights = layer(x, x, x)
        >>> output.shape, weights.shape
        (gradstep.Size([4, 5, 6]), gradstep.Size([4, 5, 5]))

    References:
        Vaswani et al., Attention is all you need, NeurIPS 2017 (arXiv 1706.03762).
    """

    in_proj_weight: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ArgumentError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        if embed_dim % num_heads:
            raise ArgumentError(
                f"embed_dim must be divisible by num_heads, got {embed_dim} and {num_heads}"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads

        def made(*shape: int) -> Parameter:
            return Parameter(creation.empty(*shape, device=device, dtype=dtype))

        if self._qkv_same_embed_dim:
            self.in_proj_weight = made(3 * embed_dim, embed_dim)
            for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
                self.register_parameter(name, None)
        else:
            self.q_proj_weight = made(embed_dim, embed_dim)
            self.k_proj_weight = made(embed_dim, self.kdim)
            self.v_proj_weight = made(embed_dim, self.vdim)
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", made(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        if add_bias_kv:
            self.bias_k = made(1, 1, embed_dim)
            self.bias_v = made(1, 1, embed_dim)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        weights = (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        for weight in weights:
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None and self.out_proj.bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for extra in (self.bias_k, self.bias_v):
            if extra is not None:
                init.xavier_normal_(extra)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return the output and the attention weights of each query over the keys.

        Args:
            query: Of shape (length, batch, embed_dim), or by `batch_first`; or without a batch.
            key: Of shape (keys, batch, kdim).
            value: Of shape (keys, batch, vdim).
            key_padding_mask: Of shape (batch, keys): True hides a key from all queries.
            need_weights: Whether to return the weights; None is returned otherwise.
            attn_mask: Of shape (length, keys) or (batch * num_heads, length, keys): True hides a
                key from a query; or floating-point numbers to add to the scores.
            average_attn_weights: Whether the weights are the mean over the heads.
            is_causal: A hint that `attn_mask` is the causal mask.
        """
        turned = self.batch_first and query.ndim == _BATCHED
        if turned:
            same = (key is query, value is key)
            query = query.transpose(1, 0)
            key = query if same[0] else key.transpose(1, 0)
            value = key if same[1] else value.transpose(1, 0)
        output, weights = functional.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return output.transpose(1, 0) if turned else output, weights
