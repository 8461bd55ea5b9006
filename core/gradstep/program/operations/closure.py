"""A Step whose optimizer evaluates the loss: it calls a closure made of Operations."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gradstep.errors import GradStepError, OperationError
from gradstep.pluralize import pluralize
from gradstep.program.operation import Backward, Forward, ZeroGrad
from gradstep.program.operation_effect import OperationEffect
from gradstep.program.operations import training
from gradstep.program.state.capture import capture
from gradstep.program.state.program_state import unpack
from gradstep.program.state.restore import restore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim import Optimizer
    from gradstep.program.operation import Operation, Step
    from gradstep.program.runtime.forward_record import ForwardRecord
    from gradstep.program.runtime.live_objects import LiveObjects
    from gradstep.program.state.program_state import ProgramState

__all__ = ["LossClosure", "step"]


def step(live: LiveObjects, operation: Step) -> OperationEffect:
    """Run an optimizer's step, with a closure if the optimizer evaluates the loss itself."""
    if not live.optimizer(operation.optimizer).needs_closure:
        return training.step(live, operation)
    before = capture(live)
    try:
        return _step_with_closure(live, operation, before)
    except GradStepError:
        restore(live, before)
        raise


class LossClosure:
    """The closure of a Step: Zero Grad, then Forward and Backward of each loss.

    The losses are the training losses that depend on the tensors of the optimizer. The first call
    uses the batch of the last Forward, or the next batch if a Step has already used that one. Later
    calls use the same batch.

    Args:
        live: The program.
        operation: The Step.
        gradient: Returns the gradient of all held tensors as one vector, to split it by loss in
            `parts`; None to leave `parts` empty.

    Attributes:
        losses: The names of the losses that it computes.
        count: The number of calls.
        effects: The effects of the Operations of all calls, in order.
        returned: The result of the first call; None before it.
        parts: The contribution of each loss to the gradient in the last call, by name.

    Raises:
        OperationError: If no training loss depends on the tensors of the optimizer.
    """

    def __init__(
        self, live: LiveObjects, operation: Step, gradient: Callable[[], NDArray[Any]] | None = None
    ) -> None:
        self._live = live
        self._operation = operation
        self._gradient = gradient
        self._first: dict[str, tuple[Tensor, ForwardRecord]] = {}
        self.losses = live.stepped_losses(operation.optimizer)
        self.count = 0
        self.effects: list[OperationEffect] = []
        self.returned: float | None = None
        self.parts: dict[str, NDArray[Any]] = {}
        if not self.losses:
            raise OperationError(
                f"{operation.optimizer} evaluates a loss in its step, but no training loss depends "
                "on the tensors that it holds",
                "add tensors that a loss uses to its params",
            )

    def __call__(self) -> Tensor:
        """Clear the gradients, compute and backpropagate the losses; return their sum."""
        for operation in self.operations():
            self.effects.append(_ACTIONS[type(operation)](self._live, operation))
        return self.total()

    def operations(self) -> Iterator[ZeroGrad | Forward | Backward]:
        """Yield the Operations of one call; apply each before requesting the next."""
        self.count += 1
        yield ZeroGrad(self._operation.optimizer)
        before: Any = 0.0
        for name in self.losses:
            yield Forward(name, self._batch(name))
            yield Backward(name)
            if self._gradient is not None:
                now = self._gradient()
                self.parts[name], before = now - before, now

    def total(self) -> Tensor:
        """Return the sum of the losses just computed; keep those of the first call."""
        live = self._live
        if self.count == 1:
            self._first = {name: training.last_computed(live, name) for name in self.losses}
        first, *others = (training.last_computed(live, name)[0].detach() for name in self.losses)
        total: Tensor = sum(others, first)
        if self.count == 1:
            self.returned = total.item()
        return total

    def restore_first_losses(self) -> None:
        """Restore the losses of the first call, whose sum `step` returns."""
        for name, (value, record) in self._first.items():
            record.stepped = True
            self._live.loss_values[name] = value
            self._live.forward_records[name] = record

    def _batch(self, loss: str) -> Literal["next", "held"]:
        if self.count > 1 or self._operation.batch == "held":
            return "held"
        last = self._live.forward_records.get(loss)
        return "next" if last is None or last.stepped else "held"


_ACTIONS: Mapping[type[Operation], Callable[[LiveObjects, Any], OperationEffect]] = (
    MappingProxyType(
        {ZeroGrad: training.zero_grad, Forward: training.forward, Backward: training.backward}
    )
)


def _step_with_closure(live: LiveObjects, operation: Step, before: ProgramState) -> OperationEffect:
    name = operation.optimizer
    optimizer = live.optimizers[name]
    closure, held = LossClosure(live, operation), tuple(dict.fromkeys(live.held_tensors[name]))
    reads = [
        *training.hyperparameters(name, optimizer),
        *training.state_addresses(live, name, held),
    ]
    iterations = _iterations(optimizer)
    live.save_graph_values()
    optimizer.step(closure)
    closure.restore_first_losses()
    writes: dict[str, None] = {}
    for done in {(id(item.reads), id(item.writes)): item for item in closure.effects}.values():
        # An address that the step itself wrote before, such as a graph, is not an outside read.
        reads += [address for address in done.reads if address not in writes]
        writes |= dict.fromkeys(done.writes)
    moved = [
        tensor
        for tensor in held
        if tensor._grad is not None
        or not np.array_equal(unpack(before.tensors[live.key_of[tensor]][0]), tensor._array)
    ]
    writes |= dict.fromkeys(live.addresses[tensor] for tensor in moved)
    kept = training.state_addresses(live, name, held)
    writes |= dict.fromkeys(address for address in kept if "/" in address)
    rows = [effect.rows for effect in closure.effects if effect.rows is not None]
    iterations = _iterations(optimizer) - iterations
    reads_writes = tuple(dict.fromkeys(reads)), tuple(writes)
    read, written = live.effect_cache.setdefault(("step", *reads_writes), reads_writes)
    return OperationEffect(
        read,
        written,
        closure.returned,
        rows[0] if rows else None,
        f"{pluralize(iterations, 'iteration')}, "
        f"{pluralize(closure.count, 'evaluation')} of the loss",
    )


def _iterations(optimizer: Optimizer) -> int:
    return sum(int(entries.get("n_iter", 0)) for entries in optimizer.state.values())
