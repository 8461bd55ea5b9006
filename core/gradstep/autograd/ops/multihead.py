"""Multi-head attention."""

from __future__ import annotations

import warnings
from math import sqrt

import numpy as np

from gradstep.autograd import creation
from gradstep.autograd.ops.activations import softmax
from gradstep.autograd.ops.attention import scaled_dot_product_attention
from gradstep.autograd.ops.dropout import dropout
from gradstep.autograd.ops.join import cat
from gradstep.autograd.ops.linear import linear
from gradstep.autograd.ops.matmul import bmm
from gradstep.autograd.ops.padding import pad
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

__all__ = ["additive_mask", "multi_head_attention_forward"]

_BATCHED = 3


def additive_mask(
    mask: Tensor | None, name: str, like: Tensor, beside: tuple[str, Tensor | None] | None = None
) -> Tensor | None:
    """Return a mask to add to the scores: -inf where it was True, 0 elsewhere.

    Args:
        mask: Boolean, True for positions to hide; or floating-point, returned as is.
        name: Name of the mask in messages.
        like: Tensor with the dtype of the result.
        beside: Name and value of another mask that should have the same dtype.

    Raises:
        TensorError: The mask is neither boolean nor floating-point.

    Example:
        >>> import gradstep
        >>> additive_mask(gradstep.tensor([False, True]), "mask", gradstep.ones(1))
        tensor([0., -inf])
    """
    if mask is None:
        return None
    kind = mask._array.dtype.kind
    if kind not in "bf":
        raise TensorError(
            f"only bool and floating types of {name} are supported, not {mask.dtype}",
            "convert the mask with .bool(); True hides a position",
        )
    if beside is not None and beside[1] is not None and beside[1].dtype != mask.dtype:
        warnings.warn(
            f"Support for mismatched {name} and {beside[0]} is deprecated. Use same type for both "
            "instead.",
            stacklevel=4,
        )
    if kind == "f":
        return mask
    number = like._array.dtype.type
    return wrap(np.where(mask._array, number(-np.inf), number(0)))


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Return the output of multi-head attention, and its attention weights.

    Args:
        query: Of shape (L, N, E), or (L, E) without a batch.
        key: Of shape (S, N, Ek).
        value: Of shape (S, N, Ev).
        embed_dim_to_check: Expected E.
        num_heads: Number of heads; it must divide E.
        in_proj_weight: Of shape (3 E, E): the weights of queries, keys and values, concatenated.
        in_proj_bias: Of shape (3 E,).
        bias_k: A key of shape (1, 1, E) appended to every sequence.
        bias_v: The value of that key.
        add_zero_attn: Whether to append a key and a value of zeros to every sequence.
        dropout_p: Probability of zeroing an attention weight in training.
        out_proj_weight: Of shape (E, E).
        out_proj_bias: Of shape (E,).
        training: Whether to apply dropout.
        key_padding_mask: Of shape (N, S): True hides a key from all queries.
        need_weights: Whether to return the attention weights.
        attn_mask: Of shape (L, S) or (N num_heads, L, S): True hides a key from a query;
            or floating-point numbers to add to the scores.
        use_separate_proj_weight: Whether to use the three separate weights below.
        q_proj_weight: Of shape (E, E).
        k_proj_weight: Of shape (E, Ek).
        v_proj_weight: Of shape (E, Ev).
        static_k: Projected keys to use instead, of shape (N num_heads, S, E / num_heads).
        static_v: Projected values to use instead, of the same shape.
        average_attn_weights: Whether to average the returned weights over the heads.
        is_causal: A hint that `attn_mask` is causal.

    Returns:
        The output, of shape (L, N, E), and the weights, of shape (N, L, S) or (N, num_heads, L, S);
        None instead of the weights unless `need_weights`.

    Raises:
        TensorError: Shapes or dtypes do not match.

    References:
        Vaswani et al., Attention is all you need, NeurIPS 2017 (arXiv 1706.03762), 3.2.2.
    """
    batched = _check_shapes(query, key, value, key_padding_mask, attn_mask)
    if not batched:
        same = (key is query, value is key)
        query = query.unsqueeze(1)
        key = query if same[0] else key.unsqueeze(1)
        value = key if same[1] else value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    if width != embed_dim_to_check or width % num_heads:
        raise TensorError(
            f"was expecting embedding dimension of {embed_dim_to_check}, for {num_heads} heads, "
            f"but got {width}"
        )
    if is_causal and attn_mask is None:
        raise TensorError(
            "Need attn_mask if specifying the is_causal hint",
            "make one with nn.Transformer.generate_square_subsequent_mask(size)",
        )
    padding = additive_mask(key_padding_mask, "key_padding_mask", query, ("attn_mask", attn_mask))
    only_causal = is_causal and padding is None and not need_weights
    mask = None if only_causal else additive_mask(attn_mask, "attn_mask", query)
    weights = (
        (q_proj_weight, k_proj_weight, v_proj_weight)
        if use_separate_proj_weight
        else in_proj_weight
    )
    q, k, v = _project(query, key, value, weights, in_proj_bias)
    mask = _expand_attn_mask(mask, (length, key.shape[0]), batch * num_heads)
    if bias_k is not None and bias_v is not None:
        k = cat([k, bias_k.repeat(1, batch, 1)])
        v = cat([v, bias_v.repeat(1, batch, 1)])
        mask, padding = _pad_mask(mask), _pad_mask(padding)
    q = _split_heads(q, num_heads)
    k = _split_heads(k, num_heads) if static_k is None else static_k
    v = _split_heads(v, num_heads) if static_v is None else static_v
    if add_zero_attn:
        zeros = creation.zeros(batch * num_heads, 1, width // num_heads, dtype=k.dtype)
        k, v = cat([k, zeros], 1), cat([v, zeros], 1)
        mask, padding = _pad_mask(mask), _pad_mask(padding)
    mask = _merge_masks(mask, padding, (batch, num_heads, k.shape[1]))
    probability = dropout_p if training else 0.0
    if need_weights:
        scores = bmm(q * sqrt(1.0 / q.shape[-1]), k.transpose(-2, -1))
        seen = dropout(softmax(scores if mask is None else scores + mask, -1), probability)
        mixed = bmm(seen, v).transpose(0, 1).reshape(length, batch, width)
    else:
        by_head = (batch, num_heads)
        shaped = None
        if mask is not None:
            shaped = mask.unsqueeze(0) if len(mask) == 1 else mask.unflatten(0, by_head)
        q, k, v = (x.unflatten(0, by_head) for x in (q, k, v))
        mixed = scaled_dot_product_attention(q, k, v, shaped, probability, is_causal=only_causal)
        mixed = mixed.permute(2, 0, 1, 3).reshape(length, batch, width)
    out = linear(mixed, out_proj_weight, out_proj_bias)
    if not need_weights:
        return (out if batched else out.squeeze(1)), None
    seen = seen.unflatten(0, (batch, num_heads))
    seen = seen.mean(1) if average_attn_weights else seen
    return (out, seen) if batched else (out.squeeze(1), seen.squeeze(0))


def _check_shapes(
    query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None, mask: Tensor | None
) -> bool:
    """Return whether the input is batched, after checking that all shapes match."""
    rank = query._array.ndim
    if rank not in {2, _BATCHED}:
        raise TensorError(
            f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor"
        )
    ranks: tuple[tuple[str, Tensor | None, set[int]], ...] = (
        ("key", key, {rank}),
        ("value", value, {rank}),
        ("key_padding_mask", padding, {rank - 1}),
        ("attn_mask", mask, {2, 3}),
    )
    for name, tensor, allowed in ranks:
        if tensor is not None and tensor._array.ndim not in allowed:
            wanted = " or ".join(f"{number}-D" for number in sorted(allowed))
            raise TensorError(
                f"For {'' if rank == _BATCHED else 'un'}batched ({rank}-D) query, expected {name} "
                f"to be {wanted} but found a {tensor._array.ndim}-D tensor"
            )
    if key.shape[:-1] != value.shape[:-1]:
        raise TensorError(
            f"key's sequence and batch dims {list(key.shape[:-1])} do not match value's "
            f"{list(value.shape[:-1])}"
        )
    if rank == _BATCHED and key.shape[1] != query.shape[1]:
        raise TensorError(
            f"the batch of query has {query.shape[1]} sequences, that of key {key.shape[1]}",
            "dimension 0 is the length and dimension 1 the batch, unless batch_first=True",
        )
    return rank == _BATCHED


def _project(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    weights: Tensor | tuple[Tensor | None, ...] | None,
    bias: Tensor | None,
) -> tuple[Tensor, ...]:
    """Return the projected queries, keys and values."""
    if isinstance(weights, Tensor):
        if query is key and key is value:
            return tuple(linear(query, weights, bias).chunk(3, -1))
        weights = tuple(weights.chunk(3))
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    projected = []
    for input, weight, shift in zip((query, key, value), weights or (None,), biases, strict=False):
        if weight is None:
            raise TensorError(
                "the projection weights are missing",
                "pass in_proj_weight, or q_, k_ and v_proj_weight with "
                "use_separate_proj_weight=True",
            )
        projected.append(linear(input, weight, shift))
    return tuple(projected)


def _expand_attn_mask(mask: Tensor | None, shape: tuple[int, int], heads: int) -> Tensor | None:
    """Return the mask with a dimension for batch and heads, after checking its shape."""
    if mask is None:
        return None
    wanted = shape if mask._array.ndim == 2 else (heads, *shape)  # noqa: PLR2004 - without heads
    if mask._array.shape != wanted:
        raise TensorError(
            f"The shape of the {mask.ndim}D attn_mask is {list(mask.shape)}, but should be "
            f"{list(wanted)}."
        )
    return mask.unsqueeze(0) if mask.ndim == 2 else mask  # noqa: PLR2004


def _pad_mask(mask: Tensor | None) -> Tensor | None:
    """Return a mask extended by one visible key."""
    return None if mask is None else pad(mask, (0, 1))


def _split_heads(x: Tensor, heads: int) -> Tensor:
    """Reshape (length, batch, width) to (batch * heads, length, width / heads)."""
    length, batch, width = x.shape
    return x.reshape(length, batch * heads, width // heads).transpose(0, 1)


def _merge_masks(
    mask: Tensor | None, padding: Tensor | None, sizes: tuple[int, int, int]
) -> Tensor | None:
    """Return the sum of both masks, which broadcasts to (batch * heads, queries, keys)."""
    batch, heads, keys = sizes
    if padding is None:
        return mask
    if padding._array.shape != (batch, keys):
        raise TensorError(
            f"Expected key_padding_mask to be of shape {[batch, keys]} (batch, keys), but got "
            f"{list(padding._array.shape)}",
            "dimension 0 of the mask is the batch, with any batch_first",
        )
    spread = padding.reshape(batch, 1, 1, keys).expand(-1, heads, -1, -1)
    spread = spread.reshape(batch * heads, 1, keys)
    return spread if mask is None else mask + spread
