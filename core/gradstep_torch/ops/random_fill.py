"""Random values that scripts write in place, and alpha dropout."""

from __future__ import annotations

import math

import numpy as np

from gradstep.autograd.ops.dropout import _KIND, _draw_in_memory_order
from gradstep.autograd.ops.fill_random import _store
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError
from gradstep.random import Generator, default_generator

__all__ = ["alpha_dropout", "bernoulli_", "random_"]


def bernoulli_(
    input: Tensor, p: float | Tensor = 0.5, *, generator: Generator | None = None
) -> Tensor:
    """Fill with 1 with probability p (a number, or one per element), else 0."""
    chance = p._array if isinstance(p, Tensor) else np.array(p, np.float64)
    if np.any((chance < 0) | (chance > 1)):
        raise TensorError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    fine = np.dtype(np.float64 if chance.dtype == np.float64 else np.float32)
    source = generator or default_generator
    return _store(input, source.uniform(input._array.shape, fine) < chance)


def random_(
    input: Tensor, from_: int = 0, to: int | None = None, *, generator: Generator | None = None
) -> Tensor:
    """Fill with integers drawn uniformly from [from_, to)."""
    low, high = (from_, to) if to is not None else (0, from_ or 1 << 24)
    return _store(input, (generator or default_generator).integers(low, high, input._array.shape))


_SELU_LIMIT = 1.7580993408473766


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = True, *, by_channel: bool = False
) -> Tensor:
    """Return `input` with elements set to the limit of SELU, preserving mean and variance.

    Args:
        input: Of any shape.
        p: Probability of setting an element.
        training: If False, return the input unchanged.
        by_channel: Set whole channels; the input is (batch, channels, ...).

    Raises:
        ArgumentError: `p` is not between 0 and 1.
        TensorError: The input has no channel dimension.

    Example:
        >>> import gradstep
        >>> alpha_dropout(gradstep.ones(2), p=0.0)
        tensor([1., 1.])

    References:
        Klambauer et al., Self-normalizing neural networks, NeurIPS 2017 (arXiv 1706.02515).
    """
    if not 0.0 <= p <= 1.0:
        raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}")
    x = input._array
    if not training or p == 0.0 or not x.size:
        return input
    if p == 1.0:
        return input * 0
    shape = x.shape
    if by_channel:
        if x.ndim < 2:  # noqa: PLR2004 - batch and channels
            raise TensorError("Feature dropout requires at least 2 dimensions in the input")
        shape = (*shape[:2], *(1,) * (x.ndim - 2))
        drawn = default_generator.uniform(shape, _KIND)
    else:
        drawn = _draw_in_memory_order(x)
    scale = 1.0 / math.sqrt((_SELU_LIMIT * _SELU_LIMIT * p + 1) * (1 - p))
    keep = (drawn < 1.0 - p).astype(x.dtype)
    shift = (keep - 1) * x.dtype.type(_SELU_LIMIT * scale) + x.dtype.type(_SELU_LIMIT * scale * p)
    out: Tensor = input * wrap(keep * x.dtype.type(scale)) + wrap(shift)
    return out
