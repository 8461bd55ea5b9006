"""Initial values of parameters, drawn from the seeded generator as torch draws them."""

from __future__ import annotations

import math
import warnings
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import ArgumentError, TensorError
from gradstep.fused_multiply_add import fused_multiply_add
from gradstep.random import default_generator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.random import Generator

__all__ = [
    "calculate_gain",
    "constant_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]


def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill a tensor from the uniform distribution on [a, b).

    Args:
        tensor: The tensor to fill in place.
        a: The lower bound.
        b: The upper bound.
        generator: The generator to draw from; the default one if None.

    Returns:
        The tensor itself.

    Example:
        >>> import gradstep
        >>> _ = gradstep.manual_seed(0)
        >>> uniform_(gradstep.empty(2), -1, 1)
        tensor([-0.0075,  0.5364])
    """
    if b < a:
        raise TensorError(f"uniform_ expects a <= b, but got a={a} and b={b}")
    array = tensor._array
    kind = array.dtype.type
    drawn = (generator or default_generator).uniform(array.shape, array.dtype)
    return write(tensor, fused_multiply_add(drawn, float(kind(b) - kind(a)), float(kind(a))))


def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill a tensor from the normal distribution.

    Args:
        tensor: The tensor to fill in place.
        mean: The mean.
        std: The standard deviation.
        generator: The generator to draw from; the default one if None.

    Returns:
        The tensor itself.
    """
    if std < 0:
        raise TensorError(f"normal_ expects std >= 0.0, but found std {std}")
    array, source = tensor._array, generator or default_generator
    return write(tensor, source.normal(array.shape, array.dtype, mean, std))


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill a tensor with one value, in place, and return it."""
    return write(tensor, val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill a tensor, in place, with ones, and return it."""
    return write(tensor, 1)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill a tensor, in place, with zeros, and return it."""
    return write(tensor, 0)


def eye_(tensor: Tensor) -> Tensor:
    """Set a matrix to the identity, in place, and return it."""
    if tensor.ndim != 2:  # noqa: PLR2004 - a matrix
        raise ArgumentError("Only tensors with 2 dimensions are supported")
    return write(tensor, np.eye(*tensor._array.shape))


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    r"""Fill from :math:`U(-a, a)` with :math:`a = g \sqrt{6 / (n_{in} + n_{out})}`.

    References:
        Glorot & Bengio, Understanding the difficulty of training deep feedforward neural
        networks, AISTATS 2010.
    """
    fan_in, fan_out = _fans(tensor)
    bound = sqrt(3.0) * (gain * sqrt(2.0 / float(fan_in + fan_out)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    r"""Fill from a normal distribution of deviation :math:`g \sqrt{2 / (n_{in} + n_{out})}`."""
    fan_in, fan_out = _fans(tensor)
    return normal_(tensor, 0.0, gain * sqrt(2.0 / float(fan_in + fan_out)), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    r"""Fill from :math:`U(-b, b)` with :math:`b = g \sqrt{3 / n}`.

    Args:
        tensor: The tensor to fill in place; its first dimension counts outputs, its second inputs.
        a: The negative slope of "leaky_relu".
        mode: Whether n is "fan_in" or "fan_out".
        nonlinearity: The activation after the layer; it determines the gain g.
        generator: The generator to draw from; the default one if None.

    Returns:
        The tensor itself.

    References:
        He et al., Delving deep into rectifiers, ICCV 2015.
    """
    bound = sqrt(3.0) * (calculate_gain(nonlinearity, a) / sqrt(_fan(tensor, mode)))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    r"""Fill from a normal distribution of deviation :math:`g / \sqrt{n}`."""
    std = calculate_gain(nonlinearity, a) / sqrt(_fan(tensor, mode))
    return normal_(tensor, 0.0, std, generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill with orthogonal rows or columns of length `gain` (Saxe et al. 2013, 1312.6120).

    Args:
        tensor: The tensor to fill in place; dimensions after the first are flattened.
        gain: The length.
        generator: The generator to draw from; the default one if None.

    Returns:
        The tensor itself.

    Raises:
        ArgumentError: The tensor has fewer than 2 dimensions.

    Example:
        >>> import gradstep
        >>> square = orthogonal_(gradstep.empty(2, 2))
        >>> gradstep.allclose(square @ square.T, gradstep.eye(2), atol=1e-6)
        True
    """
    array, source = tensor._array, generator or default_generator
    if array.ndim < 2:  # noqa: PLR2004 - a matrix or more
        raise ArgumentError(
            "Only tensors with 2 or more dimensions are supported, "
            f"not of shape {list(array.shape)}",
            "initialise it with normal_",
        )
    if not array.size:
        return tensor
    drawn = source.normal((len(array), array[0].size), array.dtype)
    wide = len(drawn) < drawn.shape[1]
    directions, lengths = np.linalg.qr(drawn.T if wide else drawn)
    directions *= np.sign(np.diagonal(lengths))  # so that all directions are equally likely
    return write(tensor, (directions.T if wide else directions).reshape(array.shape) * gain)


_ENOUGH = 0.3
"""Above this fraction of draws within the bounds, redrawing the others is faster."""


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill a tensor from a normal distribution truncated to [a, b].

    Args:
        tensor: The tensor to fill in place.
        mean: The mean before truncation.
        std: The standard deviation before truncation.
        a: The lower bound, in absolute terms.
        b: The upper bound.
        generator: The generator to draw from; the default one if None.

    Returns:
        The tensor itself.

    Example:
        >>> import gradstep
        >>> weight = trunc_normal_(gradstep.empty(100), std=3.0)
        >>> bool((weight.abs() <= 2).all())
        True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            "values may be incorrect.",
            stacklevel=2,
        )
    source = generator or default_generator
    shape, kind = tensor._array.shape, tensor._array.dtype
    if _below((b - mean) / std) - _below((a - mean) / std) > _ENOUGH:
        values = source.normal(shape, kind, mean, std)
        low, high = kind.type(a), kind.type(b)
        while (outside := (values < low) | (values > high)).any():
            values = np.where(outside, source.normal(shape, kind, mean, std), values)
        return write(tensor, values)
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def drawn() -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Draw uniformly within the bounds, and mark the draws to reject."""
        span, low = float(kind.type(b) - kind.type(a)), float(kind.type(a))
        even = fused_multiply_add(source.uniform(shape, kind), span, low).astype(kind)
        density = ((even - kind.type(mean)) / kind.type(std)) ** 2 * kind.type(-0.5)
        return even, np.log(source.uniform(shape, kind)) > density - kind.type(peak)

    values, pending = drawn()
    while pending.any():
        others, again = drawn()
        values = np.where(pending, others, values)
        pending &= again
    return write(tensor, values)


_GAINS = {
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv3d": 1.0,
    "conv_transpose1d": 1.0,
    "conv_transpose2d": 1.0,
    "conv_transpose3d": 1.0,
    "sigmoid": 1.0,
    "tanh": 5.0 / 3,
    "relu": sqrt(2.0),
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the gain that preserves the scale of activations after a nonlinearity.

    Args:
        nonlinearity: Its name, such as "relu", "leaky_relu" or "tanh".
        param: The negative slope of "leaky_relu"; 0.01 if None.

    Raises:
        ArgumentError: The name is unknown.

    Example:
        >>> calculate_gain("tanh")
        1.6666666666666667
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ArgumentError(f"negative_slope {param} not a valid number")
        return sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        raise ArgumentError(
            f"Unsupported nonlinearity {nonlinearity}",
            f"use one of {', '.join([*_GAINS, 'leaky_relu'])}",
        )
    return _GAINS[nonlinearity]


def _fan(tensor: Tensor, mode: str) -> int:
    if mode not in ("fan_in", "fan_out"):
        raise ArgumentError(f"Mode {mode} not supported", "please use fan_in or fan_out")
    return _fans(tensor)[mode == "fan_out"]


def _fans(tensor: Tensor) -> tuple[int, int]:
    shape = tensor._array.shape
    if len(shape) < 2:  # noqa: PLR2004 - a matrix or more
        raise ArgumentError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
            "initialise it with uniform_ or zeros_",
        )
    field = int(np.prod(shape[2:], dtype=np.int64))
    return shape[1] * field, shape[0] * field


def _below(x: float) -> float:
    """Return the probability of a standard normal number to be below x."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def write(tensor: Tensor, values: NDArray[Any] | float) -> Tensor:
    """Set the elements of a tensor without recording it, and return the tensor."""
    tensor._array[...] = values
    tensor._version_counter[0] += 1
    return tensor
