"""torch.nn."""

from typing import TYPE_CHECKING

from gradstep import nn as core
from gradstep.missing_names import missing_from
from gradstep.nn import *
from gradstep_torch.nn import functional, init, parameter, utils  # type: ignore[no-redef]  # with more names

__all__ = [
    "functional",
    "init",
    "parameter",
    "utils",
]
__all__ += core.__all__

if not TYPE_CHECKING:  # else every name would seem to be there
    __getattr__ = missing_from(__name__)
