"""torch.autograd: the core's engine, custom functions, gradient checks, functional forms."""

from typing import TYPE_CHECKING

from gradstep import autograd as core
from gradstep.autograd import *
from gradstep_torch.autograd import function, functional, graph
from gradstep_torch.autograd.function import Function
from gradstep_torch.autograd.gradcheck import gradcheck, gradgradcheck
from gradstep_torch.autograd.inference import inference_mode, is_inference_mode_enabled
from gradstep_torch.legacy_tensors import Variable
from gradstep_torch.missing_names import missing_from

__all__ = [
    "Function",
    "Variable",
    "function",
    "functional",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_inference_mode_enabled",
]
__all__ += core.__all__

if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)
