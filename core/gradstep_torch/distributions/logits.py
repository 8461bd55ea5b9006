"""Probabilities and logits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.errors import ArgumentError

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["inside", "one_of"]


def inside(probs: Tensor) -> Tensor:
    """Return probabilities kept away from 0 and 1 by the precision of their type.

    Example:
        >>> import gradstep_torch as torch
        >>> inside(torch.tensor([0.0, 0.5])).tolist()
        [1.1920928955078125e-07, 0.5]
    """
    least = float(np.finfo(probs._array.dtype).eps)
    return probs.clamp(least, 1 - least)


def one_of(probs: Tensor | float | None, logits: Tensor | float | None) -> None:
    """Raise unless exactly one of the two is given."""
    if (probs is None) == (logits is None):
        raise ArgumentError("Either `probs` or `logits` must be specified, but not both.")
