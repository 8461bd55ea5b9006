"""torch.nn.utils: clipping, pruning, parametrization, packing."""

from typing import TYPE_CHECKING

from gradstep_torch.missing_names import missing_from
from gradstep_torch.nn.utils import parametrizations, parametrize, prune, rnn
from gradstep_torch.nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from gradstep_torch.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from gradstep_torch.nn.utils.skip_init import skip_init
from gradstep_torch.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from gradstep_torch.nn.utils.weight_norm import remove_weight_norm, weight_norm

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "prune",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]

if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)
