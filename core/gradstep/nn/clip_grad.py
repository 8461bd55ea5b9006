"""Clipping of gradients, by norm and by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import dtypes
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clipping_by_norm",
    "clipping_by_value",
    "get_total_norm",
    "with_gradient",
]


def get_total_norm(
    tensors: Iterable[Tensor] | Tensor,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the norm of all elements of all tensors together.

    Args:
        tensors: Any number of tensors; the norm of none is 0.
        norm_type: The exponent; `inf` for the largest absolute value.
        error_if_nonfinite: Whether to raise if the norm is NaN or infinite.
        foreach: Ignored; for compatibility with torch.

    Raises:
        TensorError: The norm is not finite, and `error_if_nonfinite` is set.

    Example:
        >>> import gradstep
        >>> get_total_norm([gradstep.tensor([3.0]), gradstep.tensor([4.0])])
        tensor(5.)
    """
    del foreach
    arrays = [tensor._array for tensor in _listed(tensors)]
    if not arrays:
        return wrap(np.zeros((), dtypes.default))
    exponent = float(norm_type)
    norms = np.array([np.linalg.norm(array.reshape(-1), exponent) for array in arrays])
    total = np.asarray(np.linalg.norm(norms, exponent), np.result_type(*arrays))
    if error_if_nonfinite and not np.isfinite(total):
        raise TensorError(
            f"The total norm of order {exponent} for gradients from `parameters` is non-finite, "
            "so it cannot be clipped",
            "look for the first NaN or Inf in the forward pass, or set error_if_nonfinite=False",
        )
    return wrap(total)


def clip_grad_norm_(
    parameters: Iterable[Tensor] | Tensor,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients, in place, so that their total norm is at most `max_norm`.

    Each is multiplied by min(1, max_norm / (total + 1e-6)), even if that is 1.

    Args:
        parameters: Tensors; those whose `.grad` is None do not count.
        max_norm: The largest total norm allowed.
        norm_type: The exponent; `inf` for the largest absolute value.
        error_if_nonfinite: Whether to raise when the total is NaN or infinite.
        foreach: Ignored; for compatibility with torch.

    Returns:
        The total norm before clipping.

    Raises:
        TensorError: The norm is not finite, and `error_if_nonfinite` is set.

    Example:
        >>> import gradstep
        >>> x = gradstep.zeros(2, requires_grad=True)
        >>> x.grad = gradstep.tensor([3.0, 4.0])
        >>> clip_grad_norm_([x], max_norm=1.0)
        tensor(5.)
        >>> x.grad
        tensor([0.6000, 0.8000])

    References:
        Pascanu et al., On the difficulty of training recurrent neural networks, ICML 2013.
    """
    held = with_gradient(parameters)
    total = get_total_norm([grad for _, grad in held], norm_type, error_if_nonfinite, foreach)
    for _ in clipping_by_norm(held, max_norm, total):
        pass
    return total


def clipping_by_norm(
    held: Iterable[tuple[Tensor, Tensor]], max_norm: float, total: Tensor
) -> Iterator[tuple[Tensor, NDArray[Any]]]:
    """Scale gradients, in place, one after the other.

    Args:
        held: Parameters with their gradients.
        max_norm: The largest total norm allowed.
        total: Their current total norm.

    Yields:
        Each parameter whose gradient was scaled, and the factor.
    """
    kind = total._array.dtype.type
    inverse = kind(1) / (total._array + kind(1e-6))  # torch rounds here, before it multiplies
    factor = np.minimum(kind(1), kind(max_norm) * inverse)
    for parameter, grad in held:
        grad._array *= factor.astype(grad._array.dtype)
        grad._version_counter[0] += 1
        yield parameter, factor


def clip_grad_value_(
    parameters: Iterable[Tensor] | Tensor, clip_value: float, foreach: bool | None = None
) -> None:
    """Clamp every element of every gradient, in place, to +-`clip_value`; NaN stays NaN.

    Args:
        parameters: Tensors; those whose `.grad` is None do not count.
        clip_value: The largest absolute value allowed.
        foreach: Ignored; for compatibility with torch.
    """
    del foreach
    if float(clip_value) < 0:
        raise ArgumentError(f"Invalid clip_value: {clip_value}", "give a value of at least 0")
    for _ in clipping_by_value(with_gradient(parameters), clip_value):
        pass


def clipping_by_value(held: Iterable[tuple[Tensor, Tensor]], clip_value: float) -> Iterator[Tensor]:
    """Clamp gradients, in place, one after the other.

    Args:
        held: Parameters with their gradients.
        clip_value: The largest absolute value allowed.

    Yields:
        Each parameter whose gradient was clamped.
    """
    bound = float(clip_value)
    for parameter, grad in held:
        np.clip(grad._array, -bound, bound, out=grad._array)
        grad._version_counter[0] += 1
        yield parameter


def _listed(tensors: Iterable[Tensor] | Tensor) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def with_gradient(parameters: Iterable[Tensor] | Tensor) -> list[tuple[Tensor, Tensor]]:
    """Return the parameters that have a gradient, each with its gradient."""
    return [(p, p._grad) for p in _listed(parameters) if p._grad is not None]
