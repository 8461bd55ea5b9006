"""Initial values of parameters, drawn from the seeded generator as torch draws them."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from gradstep.errors import ArgumentError
from gradstep.missing_names import missing_from
from gradstep.nn.filling import constant_, normal_, ones_, uniform_, write, zeros_
from gradstep.nn.former_init import former_names
from gradstep.nn.restricted_init import dirac_, sparse_, trunc_normal_
from gradstep.random import default_generator

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor
    from gradstep.random import Generator

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

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
    """Return the factor that keeps activations at one scale after a nonlinearity.

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


def eye_(tensor: Tensor) -> Tensor:
    """Make a matrix, in place, the identity, and return it."""
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
        tensor: What to fill, in place; its first dimension counts outputs, its second inputs.
        a: The negative slope of "leaky_relu".
        mode: Whether n is "fan_in" or "fan_out".
        nonlinearity: What follows the layer; it sets the gain g.
        generator: Where to draw from; the default one if None.

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
    """Fill with rows, or columns, of length `gain` at right angles (Saxe et al. 2013, 1312.6120).

    Args:
        tensor: What to fill, in place: at least two dimensions; those after the first are one.
        gain: The length.
        generator: Where to draw from; the default one if None.

    Returns:
        The tensor itself.

    Raises:
        ArgumentError: It has fewer than 2 dimensions.

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
    directions *= np.sign(np.diagonal(lengths))  # so that all directions are as likely
    return write(tensor, (directions.T if wide else directions).reshape(array.shape) * gain)


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


if not TYPE_CHECKING:  # else every name would seem to be there
    globals().update(former_names(globals()))
    __getattr__ = missing_from(__name__)
