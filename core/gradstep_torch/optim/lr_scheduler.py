"""torch.optim.lr_scheduler."""

from typing import TYPE_CHECKING

from gradstep.optim import lr_scheduler as core
from gradstep.optim.lr_scheduler import *
from gradstep_torch.missing_names import missing_from

__all__ = core.__all__

if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)
