"""Legacy tensor types: FloatTensor, its relatives, and Variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gradstep.autograd import dtypes
from gradstep.autograd.creation import tensor
from gradstep.autograd.size import sizes_of
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentTypeError

__all__ = [
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "TensorType",
    "Variable",
    "set_default_tensor_type",
]


@dataclass(frozen=True, slots=True, repr=False)
class TensorType:
    """A constructor of tensors of one element type, from data or from sizes.

    Args:
        name: What it is called.
        kind: The element type's name.

    Example:
        >>> LongTensor([1, 2])
        tensor([1, 2])
        >>> isinstance(LongTensor(2), FloatTensor)
        False
    """

    name: str
    kind: str

    def __call__(self, *data: Any) -> Tensor:
        """Return a tensor of the given data, or zeros of the given sizes."""
        if not data:
            return wrap(np.zeros(0, self.kind))
        if all(isinstance(size, int) for size in data):
            return wrap(np.zeros(sizes_of(data), self.kind))
        if len(data) > 1:
            raise ArgumentTypeError(
                f"{self.name}() takes sizes, or one sequence of numbers, got {len(data)} arguments",
                "use gradstep.tensor(...)",
            )
        if isinstance(data[0], tuple) and not data[0]:
            return wrap(np.zeros((), self.kind))
        return tensor(data[0], dtype=self.kind)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance._array.dtype == np.dtype(self.kind)

    def __repr__(self) -> str:
        return f"<class 'gradstep.{self.name}'>"

    @property
    def dtype(self) -> dtypes.dtype:
        """The element type of the tensors it creates."""
        return dtypes.from_numpy_dtype(np.dtype(self.kind))


BoolTensor = TensorType("BoolTensor", "bool")
ByteTensor = TensorType("ByteTensor", "uint8")
CharTensor = TensorType("CharTensor", "int8")
ShortTensor = TensorType("ShortTensor", "int16")
IntTensor = TensorType("IntTensor", "int32")
LongTensor = TensorType("LongTensor", "int64")
HalfTensor = TensorType("HalfTensor", "float16")
FloatTensor = TensorType("FloatTensor", "float32")
DoubleTensor = TensorType("DoubleTensor", "float64")


class _VariableType:
    """Variable, which has been another name for a tensor since torch 0.4.

    Example:
        >>> import gradstep_torch as torch
        >>> Variable(torch.ones(2), requires_grad=True).requires_grad
        True
    """

    __slots__ = ()

    def __call__(self, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Tensor:
        """Return a tensor that shares the memory of `data`."""
        del volatile  # of no effect since torch 0.4
        if not isinstance(data, Tensor):
            raise ArgumentTypeError(
                f"Variable data has to be a tensor, but got {type(data).__name__}",
                "convert it with gradstep.tensor(...)",
            )
        out = data.detach()
        out.requires_grad = requires_grad
        return out

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, Tensor)


Variable = _VariableType()


def set_default_tensor_type(kind: object) -> None:
    """Set the floating-point type of new tensors by the name of a tensor type.

    Example:
        >>> set_default_tensor_type("torch.FloatTensor")
    """
    name = str(kind).rpartition(".")[2].removesuffix("'>")
    known = {"FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16"}
    if name not in known:
        raise ArgumentTypeError(
            f"only floating-point types are supported as the default type, got {kind}",
            f"use one of {', '.join(known)}",
        )
    dtypes.set_default_dtype(known[name])
