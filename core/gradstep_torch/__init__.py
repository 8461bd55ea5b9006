"""A stand-in for PyTorch, for scripts: `import gradstep_torch as torch`.

It offers everything in `gradstep` plus the parts of torch's interface that only scripts use, built
on the same Tensor, Module and Optimizer classes.
"""

from typing import TYPE_CHECKING

import gradstep
from gradstep import *
from gradstep.missing_names import missing_from
from gradstep.version import version
from gradstep_torch import (
    accelerator,
    backends,
    cuda,
    distributions,
    func,
    linalg,
    random,
    utils,
)
from gradstep_torch.serialization import load, save

# isort: split
# `from gradstep_torch import nn` would find the core's nn, which the star import has named
from gradstep_torch import autograd, nn, optim

__all__ = [
    "accelerator",
    "autograd",
    "backends",
    "cuda",
    "distributions",
    "func",
    "linalg",
    "load",
    "nn",
    "optim",
    "random",
    "save",
    "utils",
]
__all__ += gradstep.__all__

if not TYPE_CHECKING:  # else every name would seem to be there
    _refuse = missing_from(__name__)

    def __getattr__(name: str) -> object:
        """Return the version, which takes a while to be found out; refuse any other name."""
        return version() if name == "__version__" else _refuse(name)
