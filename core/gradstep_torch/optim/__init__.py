"""torch.optim: the optimizers and schedulers of the core, and averaged models."""

from typing import TYPE_CHECKING

from gradstep import optim as core
from gradstep.optim import *
from gradstep_torch.missing_names import missing_from
from gradstep_torch.optim import lr_scheduler, optimizer, swa_utils

__all__ = [
    "lr_scheduler",
    "optimizer",
    "swa_utils",
]
__all__ += core.__all__

if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)
