"""ArrayHolder: the part of a tensor that only concerns its array, not gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import dtypes
from gradstep.autograd.devices import CPU, device
from gradstep.autograd.size import Size
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.dtypes import dtype

__all__ = ["ArrayHolder"]


class ArrayHolder:
    """A wrapper of one array: its shape, element type, memory layout and conversions to Python."""

    __slots__ = ("_array",)

    _array: NDArray[Any]

    @property
    def shape(self) -> Size:
        """The size of each dimension."""
        return Size(self._array.shape)

    def size(self, dim: int | None = None) -> Any:  # noqa: ANN401 - a Size, or an int for one dim
        """Return the shape, or the size of one dimension."""
        return Size(self._array.shape) if dim is None else self._array.shape[dim]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    def dim(self) -> int:
        """Return the number of dimensions."""
        return self._array.ndim

    def numel(self) -> int:
        """Return the number of elements."""
        return self._array.size

    nelement = numel

    @property
    def itemsize(self) -> int:
        """The size of an element in bytes."""
        return self._array.itemsize

    def stride(self, dim: int | None = None) -> Any:  # noqa: ANN401 - a tuple, or an int for one dim
        """Return the step between neighbours along each dimension, in elements."""
        steps = tuple(step // self._array.itemsize for step in self._array.strides)
        return steps if dim is None else steps[dim]

    def storage_offset(self) -> int:
        """Return the offset of the first element in the underlying memory, in elements."""
        whole = self._array
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        return (self.data_ptr() - whole.ctypes.data) // self._array.itemsize

    def element_size(self) -> int:
        """Return the size of an element in bytes."""
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        """The size of all elements in bytes."""
        return self._array.nbytes

    @property
    def is_cuda(self) -> bool:
        """Whether it is on a CUDA device: always False."""
        return False

    def is_contiguous(self, memory_format: object = None) -> bool:  # noqa: ARG002 - only one is supported
        """Return whether the elements are in row-major order without gaps."""
        return self._array.flags.c_contiguous

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return self._array.ctypes.data

    @property
    def dtype(self) -> dtype:
        """The element type."""
        return dtypes.from_numpy_dtype(self._array.dtype)

    def is_floating_point(self) -> bool:
        """Return whether the elements are floating-point numbers."""
        return self._array.dtype.kind == "f"

    @property
    def device(self) -> device:
        """The device of its memory: the CPU."""
        return CPU

    def item(self) -> Any:  # noqa: ANN401 - a Python number
        """Return the only element as a Python number."""
        if self._array.size != 1:
            raise TensorError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar",
                "use .tolist(), or reduce it first",
            )
        return self._array.item()

    def tolist(self) -> Any:  # noqa: ANN401 - lists of any depth, or a number
        """Return the elements as nested lists."""
        return self._array.tolist()

    def __len__(self) -> int:
        if not self._array.ndim:
            raise ArgumentTypeError("len() of a 0-d tensor", "use .numel()")
        return len(self._array)

    def __bool__(self) -> bool:
        if self._array.size != 1:
            counted = "more than one value" if self._array.size else "no values"
            raise TensorError(
                f"Boolean value of Tensor with {counted} is ambiguous",
                "use .any() or .all()",
            )
        return bool(self._array.item())

    def __float__(self) -> float:
        return float(self._one())

    def __int__(self) -> int:
        return int(self._one())

    def _one(self) -> Any:  # noqa: ANN401 - a Python number
        if self._array.size != 1:
            raise ArgumentError(
                "only one element tensors can be converted to Python scalars, "
                f"not one of {self._array.size}",
                "use .tolist(), or reduce it first",
            )
        return self._array.item()

    def __index__(self) -> int:
        value = self.item()
        if not isinstance(value, int):
            raise ArgumentTypeError(
                f"only integer tensors of a single element can be an index, got {self.dtype}"
            )
        return value
