"""torch.autograd."""

from typing import TYPE_CHECKING

from gradstep import autograd as core
from gradstep.autograd import *
from gradstep.autograd import graph
from gradstep.missing_names import missing_from
from gradstep_torch.autograd import function, functional

__all__ = [
    "function",
    "functional",
    "graph",
]
__all__ += core.__all__

if not TYPE_CHECKING:  # else every name would seem to be there
    __getattr__ = missing_from(__name__)
