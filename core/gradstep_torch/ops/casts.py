"""Tensor methods named after a dtype or a device: type, float, long, cpu and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import dtypes
from gradstep.autograd.devices import require_cpu
from gradstep.autograd.ops.convert import to, to_dtype
from gradstep.errors import ArgumentError

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "as_bool",
    "as_byte",
    "as_char",
    "as_double",
    "as_float",
    "as_half",
    "as_int",
    "as_long",
    "as_short",
    "cpu",
    "cuda",
    "type_as",
    "type_of",
]


def type_of(input: Tensor, dtype: DTypeLike | str | None = None) -> Any:
    """Return torch's name of the tensor type or, given `dtype`, the converted tensor."""
    if dtype is None:
        return f"gradstep.{dtypes.scalar_name(input._array.dtype)}Tensor"
    if isinstance(dtype, str):
        kind = dtypes.dtype_of_scalar_name(dtype.rpartition(".")[2].removesuffix("Tensor"))
        if kind is None:
            raise ArgumentError(f"invalid type: {dtype!r}", "give a dtype such as gradstep.float32")
        return to_dtype(input, kind)
    return to(input, dtype)


def type_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the tensor converted to the dtype of another."""
    return to_dtype(input, other._array.dtype)


def as_float(input: Tensor, memory_format: object = None) -> Tensor:  # noqa: ARG001 - one layout
    """Return the tensor converted to float32."""
    return to_dtype(input, np.dtype(np.float32))


def as_double(input: Tensor, memory_format: object = None) -> Tensor:  # noqa: ARG001 - one layout
    """Return the tensor converted to float64."""
    return to_dtype(input, np.dtype(np.float64))


def as_half(input: Tensor, memory_format: object = None) -> Tensor:  # noqa: ARG001 - one layout
    """Return the tensor converted to float16."""
    return to_dtype(input, np.dtype(np.float16))


def as_long(input: Tensor, memory_format: object = None) -> Tensor:  # noqa: ARG001 - one layout
    """Return the tensor converted to int64."""
    return to_dtype(input, np.dtype(np.int64))


def as_int(input: Tensor, memory_format: object = None) -> Tensor:  # noqa: ARG001 - one layout
    """Return the tensor converted to int32."""
    return to_dtype(input, np.dtype(np.int32))


def as_bool(input: Tensor, memory_format: object = None) -> Tensor:  # noqa: ARG001 - one layout
    """Return the tensor converted to bool: True where an element is non-zero."""
    return to_dtype(input, np.dtype(np.bool_))


def as_byte(input: Tensor, memory_format: object = None) -> Tensor:  # noqa: ARG001 - one layout
    """Return the tensor converted to uint8."""
    return to_dtype(input, np.dtype(np.uint8))


def as_char(input: Tensor, memory_format: object = None) -> Tensor:  # noqa: ARG001 - one layout
    """Return the tensor converted to int8."""
    return to_dtype(input, np.dtype(np.int8))


def as_short(input: Tensor, memory_format: object = None) -> Tensor:  # noqa: ARG001 - one layout
    """Return the tensor converted to int16."""
    return to_dtype(input, np.dtype(np.int16))


def cpu(input: Tensor, memory_format: object = None) -> Tensor:  # noqa: ARG001 - one layout
    """Return the tensor itself, as it is on the CPU."""
    return input


def cuda(input: Tensor, device: DeviceLike = None, non_blocking: bool = False) -> Tensor:  # noqa: ARG001 - torch's name
    """Raise an error, as the CPU is the only device.

    Raises:
        DeviceError: Always, unless `device` is the CPU.
    """
    require_cpu("cuda" if device is None else device)
    return input
