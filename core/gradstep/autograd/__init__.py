"""Tensors, the graph that they record, and the one backward loop."""

from gradstep.autograd import methods as _methods  # noqa: F401 - attaches the operations
from gradstep.autograd.engine import backward, grad, visits
from gradstep.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)

__all__ = [
    "backward",
    "enable_grad",
    "grad",
    "inference_mode",
    "is_grad_enabled",
    "no_grad",
    "set_grad_enabled",
    "visits",
]
