"""Tensors, the graph they record, and backward passes through it."""

from gradstep.autograd import graph as graph
from gradstep.autograd import methods as _methods  # noqa: F401 - installs the operations
from gradstep.autograd.anomaly import detect_anomaly, set_detect_anomaly
from gradstep.autograd.engine import backward, grad, visits
from gradstep.autograd.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled

__all__ = [
    "backward",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "is_grad_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "visits",
]
