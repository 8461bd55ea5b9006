"""What something is: a tensor or not, and the numerical limits of element types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import dtypes
from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentTypeError

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import dtype

__all__ = ["finfo", "iinfo", "is_tensor"]


class finfo:
    """The limits of a floating-point type.

    Args:
        type: Which; the default type if None.

    Attributes:
        bits: An element takes.
        eps: From 1 to the next number.
        max: The largest number.
        min: The smallest number, which is negative.
        tiny: The smallest positive number in full precision; also `smallest_normal`.
        resolution: How far two numbers near 1 are apart that differ in decimals.
        dtype: The type's name.

    Raises:
        ArgumentTypeError: It is not a floating-point type.

    Example:
        >>> import gradstep_torch as torch
        >>> finfo(torch.float32).eps
        1.1920928955078125e-07
    """

    __module__ = "gradstep"

    def __init__(self, type: dtype | None = None) -> None:
        kind = dtypes.default if type is None else dtypes.numpy_dtype(type)
        if kind.kind != "f":
            raise ArgumentTypeError(
                "gradstep.finfo() requires a floating point input type", f"use iinfo for {kind}"
            )
        found = np.finfo(kind)
        self.bits = int(found.bits)
        self.eps, self.max, self.min = float(found.eps), float(found.max), float(found.min)
        self.tiny = self.smallest_normal = float(found.tiny)
        self.resolution = float(f"1e-{found.precision}")
        self.dtype = kind.name

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        numbers = ", ".join(f"{name}={getattr(self, name):.6g}" for name in names)
        return f"finfo({numbers}, dtype={self.dtype})"


class iinfo:
    """The limits of an integer type.

    Args:
        type: Which.

    Attributes:
        bits: An element takes.
        max: The largest number.
        min: The smallest number.
        dtype: The type's name.

    Raises:
        ArgumentTypeError: It is not an integer type.

    Example:
        >>> import gradstep_torch as torch
        >>> iinfo(torch.int8)
        iinfo(min=-128, max=127, dtype=int8)
    """

    __module__ = "gradstep"

    def __init__(self, type: dtype) -> None:
        kind = dtypes.numpy_dtype(type)
        if kind.kind not in "iu":
            raise ArgumentTypeError(
                "gradstep.iinfo() requires an integer input type", f"use finfo for {kind}"
            )
        found = np.iinfo(kind)
        self.bits, self.max, self.min = int(found.bits), int(found.max), int(found.min)
        self.dtype = kind.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:.6g}, max={self.max:.6g}, dtype={self.dtype})"


def is_tensor(obj: object) -> bool:
    """Return whether an object is a tensor."""
    return isinstance(obj, Tensor)
