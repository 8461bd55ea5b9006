"""Tensors, modules and optimizers on NumPy with torch's interface, and the debugger around them."""

from typing import TYPE_CHECKING

from gradstep import autograd as autograd
from gradstep import nn as nn
from gradstep import optim as optim
from gradstep.argument_errors import refuse_in
from gradstep.autograd.names import arrangement, elements, making, matrices
from gradstep.autograd.names.arrangement import *  # noqa: F403 - each has its list
from gradstep.autograd.names.elements import *  # noqa: F403
from gradstep.autograd.names.making import *  # noqa: F403
from gradstep.autograd.names.matrices import *  # noqa: F403
from gradstep.missing_names import missing_from
from gradstep.random import Generator, default_generator
from gradstep.version import version

__all__ = ["Generator", "default_generator"]
__all__ += arrangement.__all__
__all__ += elements.__all__
__all__ += making.__all__
__all__ += matrices.__all__


if not TYPE_CHECKING:  # else every name would seem to be there, and take anything
    refuse_in(globals(), (*arrangement.__all__, *elements.__all__, *matrices.__all__))
    _refuse = missing_from(__name__)

    def __getattr__(name: str) -> object:
        """Return the version, which takes a while to be found out; refuse any other name."""
        return version() if name == "__version__" else _refuse(name)
