"""torch.random: the seeded generators, as the core has them."""

from typing import TYPE_CHECKING

from gradstep import random as core
from gradstep.random import *
from gradstep_torch.missing_names import missing_from

__all__ = core.__all__

if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)
