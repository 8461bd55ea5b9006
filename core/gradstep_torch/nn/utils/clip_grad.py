"""torch.nn.utils.clip_grad: what the core has, and two rare functions."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from gradstep.nn.clip_grad import (
    clip_grad_norm_,
    clip_grad_value_,
    clipping_by_norm,
    get_total_norm,
    with_gradient,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gradstep.autograd.tensor import Tensor

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
]


def clip_grad_norm(
    parameters: Iterable[Tensor] | Tensor,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Call `clip_grad_norm_`, with a deprecation warning."""
    warnings.warn(
        "`nn.utils.clip_grad_norm` is now deprecated in favor of `nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grads_with_norm_(
    parameters: Iterable[Tensor] | Tensor,
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,
) -> None:
    """Scale all gradients, in place, by min(1, max_norm / (total_norm + 1e-6)).

    Args:
        parameters: Tensors; those whose `.grad` is None do not count.
        max_norm: The largest total norm allowed.
        total_norm: The current total norm, from `get_total_norm`.
        foreach: Ignored; for compatibility with torch.
    """
    del foreach
    for _ in clipping_by_norm(with_gradient(parameters), max_norm, total_norm):
        pass
