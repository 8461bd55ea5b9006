"""Targets: the loss and optimizer that the four buttons act on, and their options."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, Signal

from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep.program.schema.optimizers import OPTIMIZERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gradstep.history.records.snapshot import OptimizerRecord, Snapshot
    from gradstep.program.abilities import Abilities
    from gradstep.program.operation import Operation
    from gradstep_gui.records import Document

__all__ = ["OperationOptions", "TargetChoice", "Targets"]


@dataclass(frozen=True, slots=True)
class OperationOptions:
    """Options of Operations, whatever their target; they hold for runs of the loop too.

    Attributes:
        hold: Whether Forward, and a Step that computes the loss, uses its last batch again.
        retain_graph: Whether Backward keeps the graph.
        zeros: Whether Zero Grad writes zeros instead of None.
        evaluating: The optimizers whose Step computes the loss; the user cannot choose this.
    """

    hold: bool = False
    retain_graph: bool = False
    zeros: bool = False
    evaluating: frozenset[str] = field(default=frozenset(), compare=False)

    def applied_to(self, operation: Operation) -> Operation:
        """Return an Operation with these options.

        Example:
            >>> OperationOptions(zeros=True).applied_to(ZeroGrad())
            ZeroGrad(optimizer='optimizer', set_to_none=False)
        """
        if self.hold and isinstance(operation, Forward):
            return msgspec.structs.replace(operation, batch="held")
        if self.hold and isinstance(operation, Step) and operation.optimizer in self.evaluating:
            return msgspec.structs.replace(operation, batch="held")
        if self.retain_graph and isinstance(operation, Backward):
            return msgspec.structs.replace(operation, retain_graph=True)
        if self.zeros and isinstance(operation, ZeroGrad):
            return msgspec.structs.replace(operation, set_to_none=False)
        return operation


@dataclass(frozen=True, slots=True)
class TargetChoice:
    """The user's choice of targets at one moment; None where the loop decides.

    Attributes:
        loss: For Forward and Backward.
        optimizer: For Zero Grad and Step.
        options: Their options.
    """

    loss: str | None = None
    optimizer: str | None = None
    options: OperationOptions = OperationOptions()

    def applied_to(self, operation: Operation) -> Operation:
        """Return an Operation of the loop with the chosen targets and options.

        Example:
            >>> choice = TargetChoice("loss_b", options=OperationOptions(hold=True))
            >>> choice.applied_to(Forward("loss_a"))
            Forward(loss='loss_b', batch='held')
        """
        if self.loss and isinstance(operation, (Forward, Backward)):
            operation = msgspec.structs.replace(operation, loss=self.loss)
        if self.optimizer and isinstance(operation, (ZeroGrad, Step)):
            operation = msgspec.structs.replace(operation, optimizer=self.optimizer)
        return self.options.applied_to(operation)


class Targets(QObject):
    """The chosen targets and options; makes the Operations that the buttons apply.

    Where nothing is chosen, the program's loop decides: the target of its next Operation that has
    one, or else of an earlier one.

    Example:
        >>> targets = Targets()
        >>> targets.choose_loss("loss_b")
        >>> targets.backward()
        Backward(loss='loss_b', retain_graph=False)
    """

    changed = Signal()
    """The targets, the options or the choices have changed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._losses: tuple[str, ...] = ()
        self._optimizers: tuple[str, ...] = ()
        self._expected = ("loss", "optimizer")
        self._chosen: tuple[str | None, str | None] = (None, None)
        self._options = OperationOptions()
        self._can_choose = True

    @property
    def can_choose(self) -> bool:
        """Whether there is a choice: a recorded script does what its own code says."""
        return self._can_choose

    @property
    def losses(self) -> tuple[str, ...]:
        """The losses of the program."""
        return self._losses

    @property
    def optimizers(self) -> tuple[str, ...]:
        """The optimizers of the program."""
        return self._optimizers

    @property
    def loss(self) -> str:
        """The loss that Forward and Backward act on."""
        return self.chosen[0] or self._expected[0]

    @property
    def optimizer(self) -> str:
        """The optimizer that Zero Grad and Step act on."""
        return self.chosen[1] or self._expected[1]

    @property
    def chosen(self) -> tuple[str | None, str | None]:
        """The chosen loss and optimizer; None where the loop decides."""
        return self._chosen if self._can_choose else (None, None)

    @property
    def expected(self) -> tuple[str, str]:
        """The loss and the optimizer that the loop uses next."""
        return self._expected

    @property
    def options(self) -> OperationOptions:
        """The options of Operations."""
        return self._options if self._can_choose else OperationOptions()

    def follow_document(self, document: Document) -> None:
        """Offer the targets of a program; keep a choice that it has too."""
        self._losses, self._optimizers = document.losses, document.optimizers
        loss, optimizer = self._chosen
        self._chosen = (
            loss if loss in self._losses else None,
            optimizer if optimizer in self._optimizers else None,
        )
        loss, optimizer = self._expected
        self._expected = (_known(loss, self._losses), _known(optimizer, self._optimizers))
        self.changed.emit()

    def follow_loop(self, operation: Operation | None) -> None:
        """Follow the targets of the loop's next Operation, where it has any."""
        loss, optimizer = self._expected
        expected = (
            getattr(operation, "loss", loss),
            getattr(operation, "optimizer", optimizer),
        )
        if expected != self._expected:
            self._expected = expected
            self.changed.emit()

    def follow_abilities(self, abilities: Abilities) -> None:
        """Leave no choice where only what comes next can be applied."""
        can_choose = not abilities.diverge
        if can_choose != self._can_choose:
            self._can_choose = can_choose
            self.changed.emit()

    def follow_optimizers(self, optimizers: Iterable[OptimizerRecord]) -> None:
        """Note which optimizers compute the loss themselves."""
        evaluating = frozenset(
            record.name
            for record in optimizers
            if record.kind in OPTIMIZERS and OPTIMIZERS[record.kind].needs_closure
        )
        if evaluating != self._options.evaluating:
            self._options = replace(self._options, evaluating=evaluating)
            self.changed.emit()

    def choose_loss(self, name: str | None) -> None:
        """Make Forward and Backward act on this loss; None to follow the loop."""
        self._chosen = (name, self._chosen[1])
        self.changed.emit()

    def choose_optimizer(self, name: str | None) -> None:
        """Make Zero Grad and Step act on this optimizer; None to follow the loop."""
        self._chosen = (self._chosen[0], name)
        self.changed.emit()

    def set_options(self, **changes: bool) -> None:
        """Change some fields of the options."""
        self._options = replace(self._options, **changes)  # type: ignore[arg-type]  # the choices are bools
        self.changed.emit()

    def choice(self) -> TargetChoice:
        """Return the present choice."""
        return TargetChoice(*self.chosen, self.options)

    def upcoming(self, snapshot: Snapshot) -> Operation | None:
        """Return what goes on next: at the end of what is recorded, with the present choice."""
        operation = snapshot.upcoming
        if operation is None or snapshot.inside is not None or snapshot.recorded_next is not None:
            return operation
        return self.choice().applied_to(operation)

    def of_runs(self) -> Callable[[Operation], Operation] | None:
        """Return how runs adapt the loop's Operations; None when they do not."""
        return None if self.options == OperationOptions() else self.options.applied_to

    def zero_grad(self) -> Operation:
        """Return the Operation of the Zero Grad button."""
        return self.options.applied_to(ZeroGrad(self.optimizer))

    def forward(self) -> Operation:
        """Return the Operation of the Forward button."""
        return self.options.applied_to(Forward(self.loss))

    def backward(self) -> Operation:
        """Return the Operation of the Backward button."""
        return self.options.applied_to(Backward(self.loss))

    def step(self) -> Operation:
        """Return the Operation of the Step button."""
        return self.options.applied_to(Step(self.optimizer))


def _known(name: str, names: tuple[str, ...]) -> str:
    return name if name in names or not names else names[0]
