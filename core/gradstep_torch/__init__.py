"""A stand-in for PyTorch, for scripts: `import gradstep_torch as torch`.

It offers everything in `gradstep` plus the parts of torch's interface that only scripts use, built
on the same Tensor, Module and Optimizer classes.
"""

from typing import TYPE_CHECKING

from gradstep.random import Generator, default_generator
from gradstep.version import version
from gradstep_torch import (
    accelerator,
    autograd,
    backends,
    cuda,
    distributions,
    func,
    linalg,
    nn,
    optim,
    random,
    utils,
)
from gradstep_torch.argument_errors import add_tensor_errors
from gradstep_torch.functions import creation, elementwise, linear_algebra, shapes_and_reductions
from gradstep_torch.functions.creation import *
from gradstep_torch.functions.elementwise import *
from gradstep_torch.functions.linear_algebra import *
from gradstep_torch.functions.shapes_and_reductions import *
from gradstep_torch.missing_names import missing_from
from gradstep_torch.ops import methods as _methods  # noqa: F401 - installs Tensor methods
from gradstep_torch.serialization import load, save

__all__ = [
    "Generator",
    "accelerator",
    "autograd",
    "backends",
    "cuda",
    "default_generator",
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
__all__ += shapes_and_reductions.__all__
__all__ += elementwise.__all__
__all__ += creation.__all__
__all__ += linear_algebra.__all__

if not TYPE_CHECKING:  # type checkers must see the real names and signatures
    add_tensor_errors(
        globals(), (*shapes_and_reductions.__all__, *elementwise.__all__, *linear_algebra.__all__)
    )
    _raise_missing = missing_from(__name__)

    def __getattr__(name: str) -> object:
        """Return the version, which is looked up lazily; raise for any other name."""
        return version() if name == "__version__" else _raise_missing(name)
