"""The Operations of a training loop: Zero Grad, Forward, Backward and Step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.autograd.graph import AccumulateGrad, walk
from gradstep.errors import GradStepError, OperationError
from gradstep.program.operation_effect import OperationEffect
from gradstep.program.runtime.forward_record import ForwardRecord
from gradstep.program.runtime.rollback import save_for_rollback

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim import Optimizer
    from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
    from gradstep.program.operation_effect import Batch
    from gradstep.program.runtime.live_objects import LiveObjects
    from gradstep.program.runtime.loss_computation import LossComputation

__all__ = [
    "NON_HYPERPARAMETERS",
    "backward",
    "compute_forward",
    "forward",
    "hyperparameters",
    "last_computed",
    "mark_graph_freed",
    "saved_tensors",
    "state_addresses",
    "step",
    "store_forward",
    "zero_grad",
]

NON_HYPERPARAMETERS = frozenset(
    {"params", "param_names", "initial_lr", "foreach", "fused", "capturable", "differentiable"}
)
"""Entries of a parameter group that are not hyperparameters, or have no effect in GradStep."""


def zero_grad(live: LiveObjects, operation: ZeroGrad) -> OperationEffect:
    """Clear the gradients of an optimizer's parameters."""
    optimizer = live.optimizer(operation.optimizer)
    held = live.held_tensors[operation.optimizer]
    key = (operation, *[tensor._grad is None for tensor in held])
    effect: OperationEffect | None = live.effect_cache.get(key)
    if effect is None:
        present = _unique(f"{live.addresses[t]}.grad" for t in held if t._grad is not None)
        message = "" if present else "every .grad was already None"
        effect = live.effect_cache[key] = OperationEffect((), present, message=message)
    optimizer.zero_grad(set_to_none=operation.set_to_none)
    return effect


def forward(live: LiveObjects, operation: Forward) -> OperationEffect:
    """Compute a loss on the next batch or on its last one; on an error the state is unchanged."""
    value, record, effect = compute_forward(live, operation)
    store_forward(live, operation, value, record)
    return effect


def store_forward(
    live: LiveObjects, operation: Forward, value: Tensor, record: ForwardRecord
) -> None:
    """Store a loss and its record as the last computed ones."""
    live.loss_values[operation.loss] = value
    live.forward_records[operation.loss] = record


def compute_forward(
    live: LiveObjects, operation: Forward
) -> tuple[Tensor, ForwardRecord, OperationEffect]:
    """Compute a loss; the caller stores it with `store_forward`."""
    name = operation.loss
    loss = live.loss(name)
    batches, last, random = loss.batches, live.forward_records.get(name), live.draws_random[name]
    held = operation.batch == "held"
    if held and batches is not None and (last is None or last.batch is None):
        raise OperationError(
            f"{name} has not used a batch yet", "run Forward on the next batch first"
        )
    current = _current_batch(live, loss) if operation.batch == "current" else None
    stays = held or current is not None
    shuffling = batches is not None and not stays and not loss.held_out and batches.shuffles_next
    previous = None if batches is None else batches.state()
    if random or shuffling:
        live.random_stream.apply()
    undo = save_for_rollback(live.running_buffers[name])
    if live.running_buffers[name]:
        live.save_graph_values()
    try:
        batch, inputs, targets = _batch(loss, last if held else None, current)
        before = live.random_stream.default_state() if random else None
        value = live.compute(loss, inputs, targets)
    except GradStepError:
        if batches is not None and previous is not None:
            batches.restore(previous)
        undo()
        raise
    if random or shuffling:
        live.random_stream.save()
    touched = live.loss_tensors[name]
    record = ForwardRecord(
        batch,
        inputs,
        targets,
        touched,
        tuple([tensor._version for _, tensor in touched]),
        live.structure_version,
        before,
    )
    reads, writes, message = _forward_addresses(live, loss, held=stays, shuffling=shuffling)
    rows = None if batch is None else batch.rows
    parts = tuple(loss.part_values.items())
    return value, record, OperationEffect(reads, writes, value._array.item(), rows, message, parts)


def backward(live: LiveObjects, operation: Backward) -> OperationEffect:
    """Backpropagate; if that fails, the gradients and the graph are unchanged."""
    name = operation.loss
    value, record = last_computed(live, name)
    key = (operation, record.structure, record.freed)
    plan: Any = live.effect_cache.get(key)
    if plan is None:
        plan = live.effect_cache[key] = _backward_plan(live, value, record)
    leaves, reads, writes = plan
    present = tuple([leaf._grad is not None for leaf in leaves])
    if record.is_intact():
        value.backward(retain_graph=operation.retain_graph)
    else:
        _backward_with_rollback(value, leaves, retain_graph=operation.retain_graph)
    mark_graph_freed(record, operation)
    effect: OperationEffect | None = live.effect_cache.get((key, present))
    if effect is None:
        before = [address for address, is_there in zip(writes, present, strict=True) if is_there]
        graph = () if operation.retain_graph else (f"{name}.graph",)
        effect = live.effect_cache[key, present] = OperationEffect(
            (f"{name}.graph", *reads, *_unique(before)), (*_unique(writes), *graph)
        )
    return effect


def mark_graph_freed(record: ForwardRecord, operation: Backward) -> None:
    """Mark the graph as freed, unless the Operation retains it."""
    if not operation.retain_graph:
        record.freed = True
        record.original_values = {}  # replaced, not cleared: captured states share it


def last_computed(live: LiveObjects, name: str) -> tuple[Tensor, ForwardRecord]:
    """Return the last value of a loss, and how it was computed.

    Raises:
        OperationError: If it has not been computed yet, or there is no such loss.
    """
    live.loss(name)
    value, record = live.loss_values[name], live.forward_records.get(name)
    if value is None or record is None:
        raise OperationError(f"{name} has not been computed yet", "apply Forward first")
    return value, record


def step(live: LiveObjects, operation: Step) -> OperationEffect:
    """Run an optimizer's step."""
    name = operation.optimizer
    optimizer = live.optimizer(name)
    held, state = live.held_tensors[name], optimizer.state
    # A step only adds state; code that replaces or clears state also clears the effect cache.
    key = (operation, sum(map(len, state.values())), *[tensor._grad is None for tensor in held])
    effect: OperationEffect | None = live.effect_cache.get(key)
    if effect is not None:
        live.save_graph_values()
        optimizer.step()
        return effect
    optimizer.check_gradients()
    live.save_graph_values()
    moving = [tensor for tensor in dict.fromkeys(held) if tensor._grad is not None]
    reads = [*hyperparameters(name, optimizer), *state_addresses(live, name, moving)]
    reads += [f"{live.addresses[tensor]}.grad" for tensor in moving]
    optimizer.step()
    skipped = len(dict.fromkeys(held)) - len(moving)
    message = ""
    if not moving:
        message = "nothing to step: every .grad is None"
    elif skipped:
        message = (
            f"{skipped} of {skipped + len(moving)} parameters had no gradient and were skipped"
        )
    effect = OperationEffect(
        tuple(reads) if moving else (), tuple(state_addresses(live, name, moving)), message=message
    )
    live.effect_cache[key] = effect
    return effect


def _current_batch(live: LiveObjects, loss: LossComputation) -> Batch | None:
    """Return the batch that a loss's data set delivered last; None for a loss that takes none.

    It is the batch of the Forward that took it, which is that loss's last one: a later Forward of
    that loss would have taken a later batch.
    """
    if loss.batches is None or loss.held_out:
        return None
    for name, record in live.forward_records.items():
        taken = record.batch
        if taken is not None and not live.losses[name].held_out and loss.batches.ended_at(taken):
            return taken
    raise OperationError(
        f"{loss.batches.name} has delivered no batch yet", "run Forward on the next batch first"
    )


def _batch(
    loss: LossComputation, held: ForwardRecord | None, current: Batch | None
) -> tuple[Batch | None, Tensor | None, Tensor | None]:
    if loss.batches is None:
        return None, None, None
    if held is not None:
        return held.batch, held.inputs, held.targets
    if current is not None:
        return current, *loss.tensors(current)
    batch = loss.evaluated_rows() if loss.held_out else loss.batches.next()
    return batch, *loss.tensors(batch)


def _forward_addresses(
    live: LiveObjects, loss: LossComputation, *, held: bool, shuffling: bool
) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    key = ("forward", loss.name, held, shuffling)
    found: tuple[tuple[str, ...], tuple[str, ...], str] | None = live.effect_cache.get(key)
    if found is not None:
        return found
    random = ("generator",) if shuffling or live.draws_random[loss.name] else ()
    data = () if loss.batches is None else (f"data.{loss.batches.name}",)
    moved = () if held or loss.held_out else data
    touched = tuple(live.addresses[tensor] for _, tensor in live.loss_tensors[loss.name])
    followed = tuple(live.addresses[tensor] for tensor in live.running_buffers[loss.name])
    graph = () if loss.held_out else (f"{loss.name}.graph",)
    found = live.effect_cache[key] = (
        (*touched, *data, *random),
        (loss.name, *graph, *moved, *random, *followed),
        loss.warning,
    )
    return found


def _backward_plan(
    live: LiveObjects, value: Tensor, record: ForwardRecord
) -> tuple[list[Tensor], tuple[str, ...], list[str]]:
    """Return the leaves that a Backward reaches, and the addresses that it reads and writes."""
    nodes = list(walk(value.grad_fn))
    leaves = [
        node.variable
        for node in nodes
        if isinstance(node, AccumulateGrad) and node.variable.requires_grad
    ]
    reads = _saved(live, record, nodes)
    return leaves, reads, [f"{live.addresses[leaf]}.grad" for leaf in leaves]


def saved_tensors(live: LiveObjects, loss: str) -> tuple[str, ...]:
    """Return the addresses of the tensors that the graph of a loss has saved."""
    value, record = live.loss_values.get(loss), live.forward_records.get(loss)
    if value is None or record is None or value.grad_fn is None:
        return ()
    return _saved(live, record, list(walk(value.grad_fn)))


def _saved(live: LiveObjects, record: ForwardRecord, nodes: Sequence[Any]) -> tuple[str, ...]:
    saved = {id(array) for node in nodes if not node.freed for array in _arrays(node.saved)}
    return _unique(
        live.addresses[tensor]
        for _, tensor in record.tensors
        if id(tensor._array) in saved and tensor in live.addresses
    )


def _arrays(saved: Sequence[Any]) -> Iterable[Any]:
    """Yield the arrays that a node has saved, and the base arrays of views."""
    for value in saved:
        yield value
        base = getattr(value, "base", None)
        if base is not None:
            yield base


def _backward_with_rollback(value: Tensor, leaves: list[Tensor], *, retain_graph: bool) -> None:
    """Backpropagate through a graph that may raise; undo all changes if it does."""
    gradients = [(leaf, leaf._grad) for leaf in leaves]
    undo = save_for_rollback(grad for _, grad in gradients if grad is not None)
    try:
        value.backward(retain_graph=True)
    except GradStepError:
        undo()
        for leaf, grad in gradients:
            leaf._grad = grad
        raise
    if not retain_graph:
        for node in walk(value.grad_fn):
            node.release()


def state_addresses(live: LiveObjects, name: str, moving: Sequence[Tensor]) -> list[str]:
    """Return the addresses of tensors, each with those of its optimizer state."""
    state = live.optimizers[name].state
    found = []
    for tensor in moving:
        address = live.addresses[tensor]
        found.append(address)
        found += [f"{name}/{address}/{entry}" for entry in state.get(tensor, ())]
    return found


def hyperparameters(name: str, optimizer: Optimizer) -> tuple[str, ...]:
    """Return the addresses of the hyperparameters that have an effect, in their class's order.

    The order in a group is the order of creation, which is lost when a state is restored.
    """
    return tuple(
        f"{name}/{option}"
        for option in optimizer.defaults
        if option == "lr"
        or (
            option not in NON_HYPERPARAMETERS
            and any(group[option] for group in optimizer.param_groups)
        )
    )


def _unique(addresses: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(addresses))
