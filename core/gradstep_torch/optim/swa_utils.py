"""torch.optim.swa_utils."""

from typing import TYPE_CHECKING

from gradstep.missing_names import missing_from
from gradstep.optim import swa_utils as core
from gradstep.optim.swa_utils import *

__all__ = core.__all__

if not TYPE_CHECKING:  # else every name would seem to be there
    __getattr__ = missing_from(__name__)
