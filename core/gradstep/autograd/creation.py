"""Creation of tensors from data or sizes."""

from __future__ import annotations

import math
import warnings
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import dtypes
from gradstep.autograd.devices import DeviceLike, require_cpu
from gradstep.autograd.size import sizes_of
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gradstep.autograd.dtypes import DTypeLike, Number

__all__ = [
    "arange",
    "as_tensor",
    "empty",
    "empty_like",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "numel",
    "ones",
    "ones_like",
    "tensor",
    "zeros",
    "zeros_like",
]


def finish(array: NDArray[Any], requires_grad: bool = False, device: DeviceLike = None) -> Tensor:
    """Return a tensor around a new array, after a check of the device."""
    if device is not None:
        require_cpu(device)
    out = wrap(array)
    if requires_grad:
        out.requires_grad = True
    return out


def kind_or_default(dtype: DTypeLike | None) -> np.dtype[Any]:
    """Return the NumPy dtype of `dtype`; the default type for None."""
    return dtypes.default if dtype is None else dtypes.numpy_dtype(dtype)


def _from_data(data: object, dtype: DTypeLike | None) -> NDArray[Any]:
    if isinstance(data, Tensor):
        data = data._array
    elif isinstance(data, (list, tuple)):
        data = _plain(data)
    try:
        array = np.asarray(data)
    except ValueError:
        raise _ragged(data) from None
    if array.dtype.kind not in "biuf":
        if array.dtype.kind == "O":
            odd = next(x for x in array.ravel() if not isinstance(x, (bool, int, float)))
            raise TensorError(
                f"Could not infer dtype of {type(odd).__name__}", "give numbers or booleans"
            )
        raise ArgumentTypeError(
            f"can't make a tensor of {type(data).__name__} with elements of type {array.dtype}",
            "give numbers or booleans",
        )
    if dtype is not None:
        return array.astype(dtypes.numpy_dtype(dtype))
    if not isinstance(data, (np.ndarray, np.generic)) and array.dtype.kind == "f":
        return array.astype(_kind_of_rows(data))
    dtypes.from_numpy_dtype(array.dtype)
    return array


def _ragged(data: object) -> ArgumentError:
    """Return the error for nested sequences of unequal lengths; it names the first unequal one."""
    level: list[object] = [data]
    depth = 0
    while True:
        level = [item for row in level for item in row if isinstance(item, (list, tuple))]  # type: ignore[attr-defined]
        depth += 1
        lengths = [len(row) for row in level]  # type: ignore[arg-type]
        if not lengths or set(lengths) != {lengths[0]}:
            break
    odd = next((n for n in lengths if n != lengths[0]), 0)
    return ArgumentError(
        f"expected sequence of length {lengths[0] if lengths else 0} at dim {depth} (got {odd})",
        "every row must have the same length",
    )


def _plain(data: Sequence[object]) -> list[object]:
    """Return nested sequences with their one-element tensors replaced by arrays."""
    return [
        _plain(item)
        if isinstance(item, (list, tuple))
        else _single(item)
        if isinstance(item, Tensor)
        else item
        for item in data
    ]


def _single(item: Tensor) -> NDArray[Any]:
    if item._array.size != 1:
        raise ArgumentError(
            "only one element tensors can be converted to Python scalars, not one of shape "
            f"{list(item._array.shape)}",
            "use gradstep.stack(...) to join several tensors",
        )
    return item._array.reshape(())


def _kind_of_rows(data: object) -> np.dtype[Any]:
    """Return the type for a nested list of floats: that of its arrays, or the default type."""
    while isinstance(data, list) and data:
        data = data[0]
    return data.dtype if isinstance(data, (np.ndarray, np.generic)) else dtypes.default


def tensor(
    data: object,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a new tensor with a copy of `data`.

    Args:
        data: A number, nested sequences of numbers, an array, or a tensor.
        dtype: The element type; Python floats become the default type, integers int64.
        device: Only the CPU.
        requires_grad: Whether to record operations on it.

    Raises:
        ArgumentTypeError: The elements are not numbers.

    Example:
        >>> tensor([[1, 2], [3, 4]])
        tensor([[1, 2],
                [3, 4]])
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use .detach().clone(), or "
            ".detach().clone().requires_grad_(True), rather than gradstep.tensor(...)",
            UserWarning,
            stacklevel=2,
        )
    array = _from_data(data, dtype)
    source = data._array if isinstance(data, Tensor) else data
    return finish(array.copy() if array is source else array, requires_grad, device)


def as_tensor(data: object, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Tensor:
    """Return `data` as a tensor, sharing the memory of an array where possible."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    return finish(_from_data(data, dtype), device=device)


def from_numpy(array: NDArray[Any]) -> Tensor:
    """Return a tensor that shares the memory of an array.

    Example:
        >>> from_numpy(np.zeros(2))
        tensor([0., 0.], dtype=gradstep.float64)
    """
    if not isinstance(array, np.ndarray):
        raise ArgumentTypeError(f"expected np.ndarray (got {type(array).__name__})")
    dtypes.from_numpy_dtype(array.dtype)
    return wrap(array)


def shape_of(size: tuple[int | Sequence[int], ...]) -> tuple[int, ...]:
    """Return a checked shape from sizes given as arguments or as one sequence."""
    if not size:
        raise ArgumentTypeError(
            'missing 1 required positional arguments: "size"', "pass () for a 0-d tensor"
        )
    try:
        shape = tuple(map(index, sizes_of(size)))
    except TypeError:
        raise ArgumentTypeError(
            f"argument 'size' must be tuple of ints, got {size[0] if len(size) == 1 else size!r}"
        ) from None
    if any(n < 0 for n in shape):
        raise TensorError(f"Trying to create tensor with negative dimension: {list(shape)}")
    return shape


def zeros(
    *size: int | Sequence[int],
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor of zeros.

    Example:
        >>> zeros(2, 3)
        tensor([[0., 0., 0.],
                [0., 0., 0.]])
    """
    return finish(np.zeros(shape_of(size), kind_or_default(dtype)), requires_grad, device)


def ones(
    *size: int | Sequence[int],
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor of ones."""
    return finish(np.ones(shape_of(size), kind_or_default(dtype)), requires_grad, device)


def empty(
    *size: int | Sequence[int],
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor to be filled; it holds zeros, so that runs are reproducible."""
    return finish(np.zeros(shape_of(size), kind_or_default(dtype)), requires_grad, device)


def full(
    size: int | Sequence[int],
    fill_value: Number,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor filled with one value, by default of the value's type.

    Example:
        >>> full((2,), 7)
        tensor([7, 7])
    """
    if not isinstance(fill_value, (int, float, np.generic, Tensor)):
        raise ArgumentTypeError(
            f"full(): argument 'fill_value' must be Number, not {type(fill_value).__name__}"
        )
    kind = dtypes.number_dtype(fill_value) if dtype is None else kind_or_default(dtype)
    return finish(np.full(shape_of((size,)), fill_value, kind), requires_grad, device)


def _like(input: Tensor, dtype: DTypeLike | None) -> np.dtype[Any]:
    return input._array.dtype if dtype is None else dtypes.numpy_dtype(dtype)


def zeros_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return zeros in the shape and type of `input`."""
    return finish(np.zeros(input._array.shape, _like(input, dtype)), requires_grad, device)


def ones_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return ones in the shape and type of `input`."""
    return finish(np.ones(input._array.shape, _like(input, dtype)), requires_grad, device)


def empty_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor to be filled, in the shape and type of `input`; it holds zeros."""
    return zeros_like(input, dtype=dtype, device=device, requires_grad=requires_grad)


def full_like(
    input: Tensor,
    fill_value: Number,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor filled with one value, in the shape and type of `input`."""
    array = np.full(input._array.shape, fill_value, _like(input, dtype))
    return finish(array, requires_grad, device)


def numel(input: Tensor) -> int:
    """Return the number of elements."""
    return input._array.size


def arange(
    start: Number,
    end: Number | None = None,
    step: Number = 1,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return start, start + step, ... up to but excluding end.

    Example:
        >>> arange(3)
        tensor([0, 1, 2])
    """
    first, last = (0, start) if end is None else (start, end)
    if not all(map(math.isfinite, (first, last, step))):
        raise TensorError(f"unsupported range: {first} -> {last}")
    if step == 0:
        raise TensorError("step must be nonzero")
    if (last - first) / step < 0:
        raise TensorError(f"arange({first}, {last}, {step}) would never end", "check step's sign")
    whole = all(isinstance(bound, (int, np.integer)) for bound in (first, last, step))
    kind = np.dtype(np.int64) if whole and dtype is None else kind_or_default(dtype)
    count = int(np.ceil((last - first) / step))
    made: NDArray[Any] = np.arange(count, dtype=np.int64 if whole else np.float64)
    made = made * step + first
    return finish(made.astype(kind), requires_grad, device)


def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a matrix with ones on the diagonal."""
    for name, size in (("n", n), ("m", m)):
        if size is not None and size < 0:
            raise TensorError(f"{name} must be greater or equal to 0, got {size}")
    return finish(np.eye(n, m, dtype=kind_or_default(dtype)), requires_grad, device)
