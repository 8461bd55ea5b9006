"""Tensors, the graph that they record, and the one backward loop."""

from typing import TYPE_CHECKING

from gradstep.autograd import functional as functional
from gradstep.autograd import graph as graph
from gradstep.autograd import methods as _methods  # noqa: F401 - installs the operations
from gradstep.autograd import script_methods as _script_methods  # noqa: F401 - likewise
from gradstep.autograd.anomaly import detect_anomaly, set_detect_anomaly
from gradstep.autograd.engine import backward, grad, visits
from gradstep.autograd.function import Function
from gradstep.autograd.grad_mode import (
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from gradstep.autograd.gradcheck import gradcheck, gradgradcheck
from gradstep.autograd.inference import inference_mode, is_inference_mode_enabled
from gradstep.autograd.legacy import Variable
from gradstep.missing_names import missing_from

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "visits",
]

if not TYPE_CHECKING:  # else every name would seem to be there
    __getattr__ = missing_from(__name__)
