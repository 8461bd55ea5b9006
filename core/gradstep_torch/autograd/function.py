"""torch.autograd.function."""

from typing import TYPE_CHECKING

from gradstep.autograd import function as core
from gradstep.autograd.function import *
from gradstep.missing_names import missing_from

__all__ = core.__all__

if not TYPE_CHECKING:  # else every name would seem to be there
    __getattr__ = missing_from(__name__)
