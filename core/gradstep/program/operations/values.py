"""Operations that set values: of a tensor, a running total, or the batch size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.graph import AccumulateGrad, walk
from gradstep.errors import OperationError
from gradstep.pluralize import pluralize
from gradstep.program.operation_effect import OperationEffect
from gradstep.program.operations.training import last_computed
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.program.operation import AddLoss, SetBatchSize, SetValue
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["add_loss", "check_batch_size", "set_batch_size", "set_value"]


def set_value(live: LiveObjects, operation: SetValue) -> OperationEffect:
    """Write into a tensor in place; graphs that saved it share its memory.

    Raises:
        OperationError: If there is no such tensor or element, or it cannot hold the numbers.
    """
    name = operation.tensor
    tensor = live.tensors.get(name)
    if tensor is None:
        raise OperationError(f"there is no tensor {name!r}", nearest(name, live.tensors))
    place: Any = ... if operation.index is None else _checked_index(name, tensor, operation.index)
    numbers = _numbers_to_write(name, tensor._array[place], operation.value)
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


def add_loss(live: LiveObjects, operation: AddLoss) -> OperationEffect:
    """Add the last value of a loss to a running total.

    In a script, `running_loss += loss` makes the total keep the graph of the loss alive, with a
    node for the sum, until the total is replaced. Here these nodes are only counted: the debugger
    can show the leak without causing it.

    Raises:
        OperationError: If the loss has not been computed yet, or the tensor cannot be a running
            total.
    """
    total = live.running_total(operation)
    value, record = last_computed(live, operation.loss)
    before = total._array.item()
    total._array += value._array.item()
    total._version_counter[0] += 1
    change = f"{operation.tensor} {before:.6g} -> {total._array.item():.6g}"
    keeps_graph = not operation.item and value.grad_fn is not None
    key = (operation, keeps_graph)
    effect: OperationEffect | None = live.effect_cache.get(key)
    if effect is None:
        graph = (f"{operation.tensor}.graph",) if keeps_graph else ()
        writes = (operation.tensor, *graph)
        effect = live.effect_cache[key] = OperationEffect(
            (operation.loss, operation.tensor), writes
        )
    if keeps_graph:
        graphs, nodes = live.running_totals.get(operation.tensor, (0, 0))
        if operation.tensor not in record.added_to:
            record.added_to = (*record.added_to, operation.tensor)
            graphs += 1
            nodes += sum(not isinstance(node, AccumulateGrad) for node in walk(value.grad_fn))
        live.running_totals[operation.tensor] = graphs, nodes + 1
        change = f"{change}; keeps {pluralize(graphs, 'graph')} alive ({nodes + 1:,} nodes)"
    return OperationEffect(effect.reads, effect.writes, message=change)


def set_batch_size(live: LiveObjects, operation: SetBatchSize) -> OperationEffect:
    """Set the size of the next batches; the epoch continues at its current position."""
    batches = live.batch_iterator(operation.data)
    check_batch_size(operation)
    old = batches.batch_size
    batches.batch_size = operation.size
    address = f"data.{operation.data}"
    return OperationEffect(
        (address,), (address,), message=f"batch size {old} -> {batches.batch_size}"
    )


def check_batch_size(operation: SetBatchSize) -> None:
    """Check the size of batches.

    Raises:
        OperationError: If it is less than 1.
    """
    if operation.size is not None and operation.size < 1:
        raise OperationError(f"the batch size is {operation.size}", "use 1 or more")


def _checked_index(name: str, tensor: Tensor, index: tuple[int, ...]) -> tuple[int, ...]:
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


def _numbers_to_write(name: str, part: NDArray[Any], value: float | list[Any]) -> NDArray[Any]:
    """Return the values to write, as an array of the tensor's dtype."""
    try:
        wanted = np.array(value, np.float64)
    except (TypeError, ValueError):
        raise OperationError(f"{value!r} is not an array of numbers", "give numbers") from None
    if wanted.ndim and wanted.shape != part.shape:
        raise OperationError(
            f"the value has shape {list(wanted.shape)} and {name} has {list(part.shape)}",
            "give one number, or a list of that shape",
        )
    given = wanted.astype(part.dtype)
    if not np.isfinite(given).all():
        raise OperationError(
            f"{name} cannot hold {value!r}", f"give finite numbers in the range of {part.dtype}"
        )
    if given.dtype.kind != "f" and not np.array_equal(given, wanted):
        raise OperationError(f"{name} holds whole numbers, not {value!r}", "give whole numbers")
    return given
