"""Writing numbers into a tensor by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import OperationError
from gradstep.program.operation_effect import OperationEffect
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.program.operation import SetValue
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["set_value"]


def set_value(live: LiveObjects, operation: SetValue) -> OperationEffect:
    """Write into a tensor, in place; graphs that have saved it keep its very memory.

    Raises:
        OperationError: There is no such tensor or element, or the numbers do not fit.
    """
    name = operation.tensor
    tensor = live.tensors.get(name)
    if tensor is None:
        raise OperationError(f"there is no tensor {name!r}", nearest(name, live.tensors))
    place: Any = ... if operation.index is None else _checked(name, tensor, operation.index)
    numbers = _numbers(name, tensor._array[place], operation.value)
    live.save_graph_values()
    before = tensor._array[place].copy()
    tensor._array[place] = numbers
    if not operation.through_data:
        tensor._version_counter[0] += 1
    how = " through .data" if operation.through_data else ""
    if before.size == 1:
        spot = "" if operation.index is None else f"[{', '.join(map(str, operation.index))}]"
        change = f"{before.item():.6g} -> {tensor._array[place].item():.6g}"
        return OperationEffect((), (name,), message=f"{name}{spot} {change}{how}")
    return OperationEffect((), (name,), message=f"{before.size:,} numbers written{how}")


def _checked(name: str, tensor: Tensor, index: tuple[int, ...]) -> tuple[int, ...]:
    shape = tensor._array.shape
    fits = len(index) == len(shape) and all(
        0 <= at < size for at, size in zip(index, shape, strict=True)
    )
    if not fits:
        raise OperationError(
            f"{name} has no element {list(index)}",
            f"its shape is {list(shape)}, and indices count from 0",
        )
    return index


def _numbers(name: str, part: NDArray[Any], value: float | list[Any]) -> NDArray[Any]:
    """Return what is to be written as an array of the tensor's own kind."""
    try:
        wanted = np.array(value, np.float64)
    except (TypeError, ValueError):
        raise OperationError(f"{value!r} is not an array of numbers", "give numbers") from None
    if wanted.ndim and wanted.shape != part.shape:
        raise OperationError(
            f"the value has shape {list(wanted.shape)} and {name} has {list(part.shape)}",
            "give one number, or as many as there are",
        )
    given = wanted.astype(part.dtype)
    if not np.isfinite(given).all():
        raise OperationError(f"{name} cannot hold {value!r}", "give finite numbers in its range")
    if given.dtype.kind != "f" and not np.array_equal(given, wanted):
        raise OperationError(f"{name} holds whole numbers, not {value!r}", "give whole numbers")
    return given
