"""Activations as functions, those that can overwrite their input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd.ops import activation, rectifiers, shrink
from gradstep.autograd.ops.inplace import in_place

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "celu",
    "celu_",
    "elu",
    "elu_",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "mish",
    "relu",
    "relu6",
    "relu_",
    "selu",
    "selu_",
    "silu",
    "threshold",
    "threshold_",
]

relu_ = in_place(activation.relu)
leaky_relu_ = in_place(rectifiers.leaky_relu)
elu_ = in_place(rectifiers.elu)
celu_ = in_place(rectifiers.celu)
selu_ = in_place(rectifiers.selu)
hardtanh_ = in_place(shrink.hardtanh)
threshold_ = in_place(shrink.threshold)
_silu_ = in_place(rectifiers.silu)
_mish_ = in_place(rectifiers.mish)
_relu6_ = in_place(shrink.relu6)
_hardsigmoid_ = in_place(shrink.hardsigmoid)
_hardswish_ = in_place(shrink.hardswish)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(input, 0), element by element.

    Args:
        input: Of any shape.
        inplace: Overwrite the input.
    """
    return relu_(input) if inplace else activation.relu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return `input` where it is positive, else `negative_slope` times it.

    Args:
        input: Of any shape.
        negative_slope: The slope below 0.
        inplace: Overwrite the input.
    """
    function = leaky_relu_ if inplace else rectifiers.leaky_relu
    return function(input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return `input` where it is positive, else `alpha * (exp(input) - 1)`.

    Args:
        input: Of any shape.
        alpha: Minus the limit far below 0.
        inplace: Overwrite the input.
    """
    return (elu_ if inplace else rectifiers.elu)(input, alpha)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input * sigmoid(input).

    Args:
        input: Of any shape.
        inplace: Overwrite the input.
    """
    return (_silu_ if inplace else rectifiers.silu)(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return `input` where it is positive, else `alpha * (exp(input / alpha) - 1)`.

    Args:
        input: Of any shape.
        alpha: Minus the limit far below 0.
        inplace: Overwrite the input.
    """
    return (celu_ if inplace else rectifiers.celu)(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return elu, scaled so that mean 0 and variance 1 are kept."""
    return (selu_ if inplace else rectifiers.selu)(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input * tanh(softplus(input))."""
    return (_mish_ if inplace else rectifiers.mish)(input)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Return `input` clipped to [min_val, max_val]."""
    return (hardtanh_ if inplace else shrink.hardtanh)(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return `input` clipped to [0, 6]."""
    return (_relu6_ if inplace else shrink.relu6)(input)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return `input` where it is larger than `threshold`, else `value`."""
    return (threshold_ if inplace else shrink.threshold)(input, threshold, value)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input / 6 + 1/2 clipped to [0, 1]."""
    return (_hardsigmoid_ if inplace else shrink.hardsigmoid)(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return `input` times its hardsigmoid."""
    return (_hardswish_ if inplace else shrink.hardswish)(input)
