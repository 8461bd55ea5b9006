"""Helpers on parameters, as in torch.nn.utils."""

from typing import TYPE_CHECKING

from gradstep.missing import missing_from
from gradstep.nn.utils import rnn
from gradstep.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_, get_total_norm
from gradstep.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "get_total_norm",
    "parameters_to_vector",
    "rnn",
    "vector_to_parameters",
]

if not TYPE_CHECKING:  # else every name would seem to be there
    __getattr__ = missing_from(__name__)
