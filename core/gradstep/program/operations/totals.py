"""Running totals: a free tensor to which losses are added, with their graphs or without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd.graph import AccumulateGrad, walk
from gradstep.errors import OperationError
from gradstep.pluralize import pluralize
from gradstep.program.operation_effect import OperationEffect
from gradstep.program.operations.training import last_computed
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor
    from gradstep.program.operation import AddLoss
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["add_loss", "total_of"]


def add_loss(live: LiveObjects, operation: AddLoss) -> OperationEffect:
    """Add the last value of a loss to a total.

    In a script `running_loss += loss` leaves the graph of the loss hanging at the total, with a
    node for the sum; nothing lets go of it but a new total. Here only the nodes are counted that
    would be alive: a debugger need not use up memory to show where it goes.

    Raises:
        OperationError: The loss was not computed yet, or the tensor cannot be a total.
    """
    total = total_of(live, operation)
    value, record = last_computed(live, operation.loss)
    before = total._array.item()
    total._array += value._array.item()
    total._version_counter[0] += 1
    change = f"{operation.tensor} {before:.6g} -> {total._array.item():.6g}"
    hangs = not operation.item and value.grad_fn is not None
    key = (operation, hangs)
    effect: OperationEffect | None = live.effect_cache.get(key)
    if effect is None:
        graph = (f"{operation.tensor}.graph",) if hangs else ()
        writes = (operation.tensor, *graph)
        effect = live.effect_cache[key] = OperationEffect(
            (operation.loss, operation.tensor), writes
        )
    if hangs:
        graphs, nodes = live.running_totals.get(operation.tensor, (0, 0))
        if operation.tensor not in record.added_to:
            record.added_to = (*record.added_to, operation.tensor)
            graphs += 1
            nodes += sum(not isinstance(node, AccumulateGrad) for node in walk(value.grad_fn))
        live.running_totals[operation.tensor] = graphs, nodes + 1
        change = f"{change}; {nodes + 1:,} nodes of {pluralize(graphs, 'graph')} hang at it"
    return OperationEffect(effect.reads, effect.writes, message=change)


def total_of(live: LiveObjects, operation: AddLoss) -> Tensor:
    """Return the tensor that is to be the total.

    Raises:
        OperationError: There is no such loss or free tensor, or it cannot be a total.
    """
    live.loss(operation.loss)
    name = operation.tensor
    total = live.free.get(name)
    if total is None:
        raise OperationError(f"there is no free tensor {name!r}", nearest(name, live.free))
    if total._array.size != 1 or total._array.dtype.kind != "f":
        raise OperationError(f"{name} is not one number, so it cannot be a total", "make it 0")
    if total.requires_grad:
        raise OperationError(
            f"{name} requires a gradient, so nothing can be added to it in place",
            'leave out "requires_grad"',
        )
    users = [
        loss for loss, used in live.loss_tensors.items() if any(key == name for key, _ in used)
    ]
    if users:
        raise OperationError(
            f"{name} is what {users[0]} is computed from, so it cannot be a total",
            "add to another tensor",
        )
    return total
