"""torch.nn.init: what the core has, two rare initializations, and the deprecated names."""

from __future__ import annotations

import functools
import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import ArgumentError
from gradstep.nn import init as core
from gradstep.nn.init import *
from gradstep.nn.init import write
from gradstep.random import default_generator
from gradstep_torch.missing_names import missing_from

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.autograd.tensor import Tensor
    from gradstep.random import Generator

__all__ = ["dirac_", "sparse_"]
__all__ += core.__all__

_DEPRECATED = (
    "uniform",
    "normal",
    "constant",
    "eye",
    "dirac",
    "xavier_uniform",
    "xavier_normal",
    "kaiming_uniform",
    "kaiming_normal",
    "orthogonal",
    "sparse",
)


def sparse_(
    tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None
) -> Tensor:
    """Fill a matrix from a normal distribution, and zero a fraction of each column.

    Args:
        tensor: The tensor to fill in place.
        sparsity: The fraction of zeros, rounded up.
        std: The standard deviation of the other elements.
        generator: The generator of the values; the zeros are drawn from the default one.

    Returns:
        The tensor itself.

    Raises:
        ArgumentError: The tensor is not a matrix.

    References:
        Martens, Deep learning via Hessian-free optimization, ICML 2010.
    """
    if tensor.ndim != 2:  # noqa: PLR2004 - a matrix
        raise ArgumentError("Only tensors with 2 dimensions are supported")
    array = tensor._array
    values = (generator or default_generator).normal(array.shape, array.dtype, 0, std)
    zeros = math.ceil(sparsity * len(array))
    for column in range(array.shape[1]):
        values[default_generator.permutation(len(array))[:zeros], column] = 0
    return write(tensor, values)


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Set the weight of a convolution so that it preserves as many input channels as possible.

    Args:
        tensor: The tensor to fill in place, of 3, 4 or 5 dimensions.
        groups: The groups of the convolution.

    Returns:
        The tensor itself.

    Raises:
        ArgumentError: The tensor is not such a weight, or `groups` does not divide its outputs.

    Example:
        >>> import gradstep_torch as torch
        >>> dirac_(torch.empty(1, 1, 3))
        tensor([[[0., 1., 0.]]])
    """
    shape = tensor._array.shape
    if len(shape) not in {3, 4, 5}:
        raise ArgumentError("Only tensors with 3, 4, or 5 dimensions are supported")
    if shape[0] % groups:
        raise ArgumentError("dim 0 must be divisible by groups", f"got {shape[0]} and {groups}")
    each = shape[0] // groups
    values = np.zeros(shape, tensor._array.dtype)
    middle = tuple(size // 2 for size in shape[2:])
    for group in range(groups):
        for channel in range(min(each, shape[1])):
            values[(group * each + channel, channel, *middle)] = 1
    return write(tensor, values)


def _deprecated(name: str, successor: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(successor)
    def called(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
            FutureWarning,
            stacklevel=2,
        )
        return successor(*args, **kwargs)

    return called


if not TYPE_CHECKING:  # type checkers must see only the real names
    globals().update({name: _deprecated(name, globals()[f"{name}_"]) for name in _DEPRECATED})
    __getattr__ = missing_from(__name__)
