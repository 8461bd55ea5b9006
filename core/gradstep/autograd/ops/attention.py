"""Scaled dot-product attention."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.ops.activations import softmax
from gradstep.autograd.ops.dropout import dropout
from gradstep.autograd.ops.matmul import matmul
from gradstep.autograd.ops.rearrange import repeat_interleave
from gradstep.autograd.ops.select import masked_fill
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["scaled_dot_product_attention"]

_MIN_DIMS = 2


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    r"""Return softmax(Q K^T / sqrt(E) + mask) V.

    Args:
        query: Of shape (..., L, E).
        key: Of shape (..., S, E).
        value: Of shape (..., S, Ev).
        attn_mask: Broadcasts to (..., L, S). Boolean: True lets a query attend to a key.
            Floating-point: added to the scores. A fully masked query returns zeros.
        dropout_p: Probability of zeroing a weight; applied in `eval()` mode too.
        is_causal: Whether query i attends only to keys up to i.
        scale: Factor of Q K^T; 1 / sqrt(E) if None.
        enable_gqa: Whether groups of query heads share a key and value head.

    Returns:
        Of shape (..., L, Ev).

    Raises:
        TensorError: Shapes or dtypes do not match, or a mask is given with `is_causal`.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> scaled_dot_product_attention(x, x, x, is_causal=True)
        tensor([[1.0000, 0.0000],
                [0.3302, 0.6698]])

    References:
        Vaswani et al., Attention is all you need, NeurIPS 2017 (arXiv 1706.03762).
    """
    _check(query, key, value, attn_mask, is_causal=is_causal)
    if enable_gqa:
        times = query._array.shape[-3] // key._array.shape[-3]
        key, value = repeat_interleave(key, times, -3), repeat_interleave(value, times, -3)
    width = query._array.shape[-1]
    factor = scale if scale is not None else 1 / sqrt(width) if width else 0.0
    scores = matmul(query, key.transpose(-2, -1)) * factor
    masked: NDArray[Any] | None = None
    if is_causal:
        masked = ~np.tri(*scores._array.shape[-2:], dtype=np.bool_)
    elif attn_mask is not None and attn_mask._array.dtype.kind == "b":
        masked = ~attn_mask._array
    elif attn_mask is not None:
        scores = scores + attn_mask
    if masked is not None:
        scores = masked_fill(scores, wrap(masked), -np.inf)
    empty_rows = wrap((scores._array == -np.inf).all(-1, keepdims=True))
    if empty_rows._array.any():
        weights = softmax(masked_fill(scores, empty_rows, 0.0), -1)
        weights = masked_fill(weights, empty_rows, 0.0)
    else:
        weights = softmax(scores, -1)
    return matmul(dropout(weights, dropout_p), value)


def _check(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, *, is_causal: bool
) -> None:
    arrays = {"query": query._array, "key": key._array, "value": value._array}
    if len({array.dtype for array in arrays.values()}) > 1:
        kinds = ", ".join(f"{name} has {array.dtype}" for name, array in arrays.items())
        raise TensorError(
            f"Expected query, key, and value to have the same dtype, but {kinds}",
            "convert them with .to(query.dtype)",
        )
    for name, array in arrays.items():
        if array.ndim < _MIN_DIMS:
            raise TensorError(
                f"Expected query, key, and value to all be at least 2 dimensional, but {name} has "
                f"shape {list(array.shape)}"
            )
    if attn_mask is None:
        return
    if is_causal:
        raise TensorError(
            "Explicit attn_mask should not be set when is_causal=True", "pass only one of them"
        )
    if attn_mask._array.dtype.kind not in "bf":
        raise TensorError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"{attn_mask._array.dtype}",
            "convert the mask with .bool()",
        )
