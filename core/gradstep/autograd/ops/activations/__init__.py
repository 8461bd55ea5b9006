"""Activation functions and their gradients."""

from gradstep.autograd.ops.activations.rectifiers import (
    celu,
    elu,
    gelu,
    hardtanh,
    leaky_relu,
    mish,
    prelu,
    relu,
    relu6,
    selu,
    silu,
    softplus,
)
from gradstep.autograd.ops.activations.saturating import logsigmoid, sigmoid, tanh
from gradstep.autograd.ops.activations.softmax import log_softmax, softmax

__all__ = [
    "celu",
    "elu",
    "gelu",
    "hardtanh",
    "leaky_relu",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "tanh",
]
