"""LoopRepair: adds the Operations that iterations lack, and skips steps that have no use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.diagnostics.facts.loop_order import declares_accumulation
from gradstep.history.records.snapshot import STALE
from gradstep.history.records.what_if import Edits
from gradstep.program.operation import Backward, Forward, Operation, Step, ZeroGrad

if TYPE_CHECKING:
    from gradstep.history.log.event_log import EventLog
    from gradstep.program.program import Program

__all__ = ["LoopRepair"]


class LoopRepair:
    """Edits after which each loss is followed by Backward and Step, and each gradient used once.

    It walks through the recorded Operations and notes for each optimizer whether its gradients are
    clear, unused or used. Where the next Operation would add to used gradients, use them again,
    throw unused ones away, or find none, the missing Zero Grad, Step or Backward is inserted
    before it, or a Step that has nothing to do is skipped.

    Args:
        log: What was recorded.
        program: The program.
        first: The first Event that is edited.
    """

    def __init__(self, log: EventLog, program: Program, first: int) -> None:
        self._log = log
        self._first = first
        spec = program.spec
        training = [name for name, loss in spec.losses.items() if loss.rows == "training"]
        self._holders = {loss: _holders(program, loss) for loss in training}
        self._accumulates = "gradient_accumulation" in spec.intent or declares_accumulation(
            program.written_loop
        )
        self._pending: dict[str, None] = {}
        self._unused: dict[str, int] = {}
        self._used: set[str] = set()
        self._skipped: list[int] = []
        self._inserted: list[tuple[int, Operation]] = []

    def edits(self) -> Edits | None:
        """Return the edits; None when nothing has to be edited."""
        for event in range(1, len(self._log) + 1):
            if not self._log.failed(event):
                self._visit(event, self._log.operation(event))
        if not self._skipped and not self._inserted:
            return None
        return Edits(skip=tuple(self._skipped), insert=tuple(self._inserted))

    def _visit(self, event: int, operation: Operation) -> None:
        match operation:
            case Forward(loss=loss) if loss in self._holders:
                self._forward(event, loss)
            case Backward(loss=loss) if loss in self._holders:
                self._backward(event, loss)
            case Step(optimizer=name) if not self._log.reads_writes(event).written_losses:
                self._step(event, name)
            case ZeroGrad(optimizer=name):
                self._zero_grad(event, name)
            case _:
                pass

    def _forward(self, event: int, loss: str) -> None:
        if not self._accumulates:
            for name in self._holders[loss]:
                if self._unused.get(name, self._log.iteration(event)) < self._log.iteration(event):
                    self._insert(event, Step(name))
                    self._insert(event, ZeroGrad(name))
        if self._lacks_backward(event, loss):
            self._pending[loss] = None

    def _lacks_backward(self, event: int, loss: str) -> bool:
        """Whether no Backward of a loss follows before its next Forward, though others do."""
        others = False
        for later in range(event + 1, len(self._log) + 1):
            operation = self._log.operation(later)
            if isinstance(operation, Backward) and operation.loss == loss:
                return False
            if isinstance(operation, Forward) and operation.loss == loss:
                return True
            others = others or isinstance(operation, Step | ZeroGrad)
        return others

    def _backward(self, event: int, loss: str) -> None:
        self._pending.pop(loss, None)
        for name in self._holders[loss]:
            if name in self._used:
                self._insert(event, ZeroGrad(name))
            self._unused[name] = self._log.iteration(event)
            self._used.discard(name)

    def _step(self, event: int, name: str) -> None:
        self._complete_backward(event, name)
        if name not in self._unused:
            if event >= self._first:
                self._skipped.append(event)
            return
        del self._unused[name]
        self._used.add(name)

    def _zero_grad(self, event: int, name: str) -> None:
        self._complete_backward(event, name)
        if name in self._unused and not self._accumulates:
            self._insert(event, Step(name))
        self._unused.pop(name, None)
        self._used.discard(name)

    def _complete_backward(self, event: int, name: str) -> None:
        """Insert the Backward of each loss that still lacks one, before its gradient is needed."""
        for loss in [loss for loss in self._pending if name in self._holders[loss]]:
            if event >= self._first:
                self._backward(event, loss)
                self._insert(event, Backward(loss))

    def _insert(self, event: int, operation: Operation) -> None:
        if event < self._first:
            return
        self._inserted.append((event, operation))
        if isinstance(operation, Step):
            self._unused.pop(operation.optimizer, None)
            self._used.add(operation.optimizer)
        elif isinstance(operation, ZeroGrad):
            self._used.discard(operation.optimizer)


def _holders(program: Program, loss: str) -> tuple[str, ...]:
    """Return the optimizers that hold a tensor which a loss is computed from."""
    reached = set(program.reaches(loss))
    return tuple(
        dict.fromkeys(
            item.optimizer
            for item in program.optimizer_tensors
            if item.address.removesuffix(STALE) in reached
        )
    )
