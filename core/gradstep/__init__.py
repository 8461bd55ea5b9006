"""Tensors, modules and optimizers on NumPy with torch's interface, and the debugger around them.

Each name is imported when it is first used: a window shows its first picture without any of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradstep import autograd as autograd
    from gradstep import nn as nn
    from gradstep import optim as optim
    from gradstep.autograd.creation import (
        arange,
        as_tensor,
        empty,
        empty_like,
        eye,
        from_numpy,
        full,
        full_like,
        ones,
        ones_like,
        tensor,
        zeros,
        zeros_like,
    )
    from gradstep.autograd.devices import device
    from gradstep.autograd.dtypes import dtype, get_default_dtype, set_default_dtype
    from gradstep.autograd.element_types import (
        bool,
        double,
        float,
        float16,
        float32,
        float64,
        half,
        int,
        int8,
        int16,
        int32,
        int64,
        long,
        short,
        uint8,
    )
    from gradstep.autograd.grad_mode import (
        enable_grad,
        is_grad_enabled,
        no_grad,
        set_grad_enabled,
    )
    from gradstep.autograd.ops.activations import relu, sigmoid, tanh
    from gradstep.autograd.ops.compare import allclose
    from gradstep.autograd.ops.join import cat, stack
    from gradstep.autograd.ops.matmul import dot, matmul
    from gradstep.autograd.ops.pointwise import abs, exp, log, sqrt
    from gradstep.autograd.ops.reduce import mean, sum
    from gradstep.autograd.ops.select import maximum, minimum
    from gradstep.autograd.sampling import rand, randn
    from gradstep.autograd.size import Size
    from gradstep.autograd.tensor import Tensor
    from gradstep.random import Generator, default_generator, manual_seed

__all__ = [
    "Generator",
    "Size",
    "Tensor",
    "abs",
    "allclose",
    "arange",
    "as_tensor",
    "bool",
    "cat",
    "default_generator",
    "device",
    "dot",
    "double",
    "dtype",
    "empty",
    "empty_like",
    "enable_grad",
    "exp",
    "eye",
    "float",
    "float16",
    "float32",
    "float64",
    "from_numpy",
    "full",
    "full_like",
    "get_default_dtype",
    "half",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_grad_enabled",
    "log",
    "long",
    "manual_seed",
    "matmul",
    "maximum",
    "mean",
    "minimum",
    "no_grad",
    "ones",
    "ones_like",
    "rand",
    "randn",
    "relu",
    "set_default_dtype",
    "set_grad_enabled",
    "short",
    "sigmoid",
    "sqrt",
    "stack",
    "sum",
    "tanh",
    "tensor",
    "uint8",
    "zeros",
    "zeros_like",
]

_PACKAGES = ("autograd", "nn", "optim")
_HOMES = {
    "gradstep.autograd.creation": (
        "arange",
        "as_tensor",
        "empty",
        "empty_like",
        "eye",
        "from_numpy",
        "full",
        "full_like",
        "ones",
        "ones_like",
        "tensor",
        "zeros",
        "zeros_like",
    ),
    "gradstep.autograd.devices": ("device",),
    "gradstep.autograd.dtypes": (
        "dtype",
        "get_default_dtype",
        "set_default_dtype",
    ),
    "gradstep.autograd.element_types": (
        "bool",
        "double",
        "float",
        "float16",
        "float32",
        "float64",
        "half",
        "int",
        "int8",
        "int16",
        "int32",
        "int64",
        "long",
        "short",
        "uint8",
    ),
    "gradstep.autograd.grad_mode": (
        "enable_grad",
        "is_grad_enabled",
        "no_grad",
        "set_grad_enabled",
    ),
    "gradstep.autograd.ops.activations": (
        "relu",
        "sigmoid",
        "tanh",
    ),
    "gradstep.autograd.ops.compare": ("allclose",),
    "gradstep.autograd.ops.join": (
        "cat",
        "stack",
    ),
    "gradstep.autograd.ops.matmul": (
        "dot",
        "matmul",
    ),
    "gradstep.autograd.ops.pointwise": (
        "abs",
        "exp",
        "log",
        "sqrt",
    ),
    "gradstep.autograd.ops.reduce": (
        "mean",
        "sum",
    ),
    "gradstep.autograd.ops.select": (
        "maximum",
        "minimum",
    ),
    "gradstep.autograd.sampling": (
        "rand",
        "randn",
    ),
    "gradstep.autograd.size": ("Size",),
    "gradstep.autograd.tensor": ("Tensor",),
    "gradstep.random": (
        "Generator",
        "default_generator",
        "manual_seed",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:  # type checkers must see only the real names

    def __getattr__(name: str) -> object:
        """Import what is used, and find out the version, which takes a while."""
        if name == "__version__":
            return import_module("gradstep.version").version()
        if name in _PACKAGES:
            return import_module(f"gradstep.{name}")
        if name in _HOME_OF:
            found = getattr(import_module(_HOME_OF[name]), name)
            globals()[name] = found
            return found
        raise AttributeError(f"module 'gradstep' has no attribute '{name}'")

    def __dir__() -> list[str]:
        """Return every name, imported or not."""
        return sorted({*globals(), *_PACKAGES, *__all__})
