"""Which loss, which optimizer and which batch the four buttons act on, and in which manner."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, Signal

from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep.program.schema.optimizers import OPTIMIZERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gradstep.history.records.snapshot import OptimizerRecord
    from gradstep.program.operation import Operation
    from gradstep_gui.records import Document

__all__ = ["Choice", "Manner", "Targets"]


@dataclass(frozen=True, slots=True)
class Manner:
    """How Operations are done, whatever they act on; runs of the loop do them so too.

    Attributes:
        hold: Whether Forward uses the batch it last saw instead of the next one, and so does a
            Step that computes the loss.
        retain_graph: Whether Backward keeps what it would free.
        zeros: Whether Zero Grad writes zeros instead of None.
        evaluating: The optimizers whose Step computes the loss; that is no choice of a person's.
    """

    hold: bool = False
    retain_graph: bool = False
    zeros: bool = False
    evaluating: frozenset[str] = field(default=frozenset(), compare=False)

    def applied_to(self, operation: Operation) -> Operation:
        """Return an Operation done in this manner.

        Example:
            >>> Manner(zeros=True).applied_to(ZeroGrad())
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
class Choice:
    """What a person has chosen to act on, as of one moment; None where the loop decides.

    Attributes:
        loss: For Forward and Backward.
        optimizer: For Zero Grad and Step.
        manner: How they are done.
    """

    loss: str | None = None
    optimizer: str | None = None
    manner: Manner = Manner()

    def applied_to(self, operation: Operation) -> Operation:
        """Return an Operation of the loop as the person wants it.

        Example:
            >>> Choice("loss_b", manner=Manner(hold=True)).applied_to(Forward("loss_a"))
            Forward(loss='loss_b', batch='held')
        """
        if self.loss and isinstance(operation, (Forward, Backward)):
            operation = msgspec.structs.replace(operation, loss=self.loss)
        if self.optimizer and isinstance(operation, (ZeroGrad, Step)):
            operation = msgspec.structs.replace(operation, optimizer=self.optimizer)
        return self.manner.applied_to(operation)


class Targets(QObject):
    """The person's choice of targets; makes the Operations that the buttons apply.

    Where nothing is chosen, the program's loop decides: the target of its next Operation, or else
    the one it had before.

    Example:
        >>> targets = Targets()
        >>> targets.choose_loss("loss_b")
        >>> targets.backward()
        Backward(loss='loss_b', retain_graph=False)
    """

    changed = Signal()
    """The targets are others, or there are others to choose from."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._losses: tuple[str, ...] = ()
        self._optimizers: tuple[str, ...] = ()
        self._expected = ("loss", "optimizer")
        self._chosen: tuple[str | None, str | None] = (None, None)
        self._manner = Manner()

    @property
    def losses(self) -> tuple[str, ...]:
        """The losses there are."""
        return self._losses

    @property
    def optimizers(self) -> tuple[str, ...]:
        """The optimizers there are."""
        return self._optimizers

    @property
    def loss(self) -> str:
        """The loss that Forward and Backward act on."""
        return self._chosen[0] or self._expected[0]

    @property
    def optimizer(self) -> str:
        """The optimizer that Zero Grad and Step act on."""
        return self._chosen[1] or self._expected[1]

    @property
    def chosen(self) -> tuple[str | None, str | None]:
        """The loss and the optimizer that were chosen; None where the loop decides."""
        return self._chosen

    @property
    def expected(self) -> tuple[str, str]:
        """The loss and the optimizer that the loop has next."""
        return self._expected

    @property
    def manner(self) -> Manner:
        """How Operations are done."""
        return self._manner

    def follow_document(self, document: Document) -> None:
        """Take over what a program has; a choice that it has too is kept."""
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
        """Take over the targets of the Operation that the loop has next, where it has any."""
        loss, optimizer = self._expected
        expected = (
            getattr(operation, "loss", loss),
            getattr(operation, "optimizer", optimizer),
        )
        if expected != self._expected:
            self._expected = expected
            self.changed.emit()

    def follow_optimizers(self, optimizers: Iterable[OptimizerRecord]) -> None:
        """Take over which optimizers evaluate the loss themselves."""
        evaluating = frozenset(
            record.name for record in optimizers if OPTIMIZERS[record.kind].needs_closure
        )
        if evaluating != self._manner.evaluating:
            self._manner = replace(self._manner, evaluating=evaluating)
            self.changed.emit()

    def choose_loss(self, name: str | None) -> None:
        """Let Forward and Backward act on this loss; None for the one that the loop has next."""
        self._chosen = (name, self._chosen[1])
        self.changed.emit()

    def choose_optimizer(self, name: str | None) -> None:
        """Let Zero Grad and Step act on this optimizer; None for the one that the loop has next."""
        self._chosen = (self._chosen[0], name)
        self.changed.emit()

    def choose_manner(self, **changes: bool) -> None:
        """Let Operations be done in another manner: the fields of `Manner` that change."""
        self._manner = replace(self._manner, **changes)  # type: ignore[arg-type]  # the choices are bools
        self.changed.emit()

    def choice(self) -> Choice:
        """Return what is chosen now."""
        return Choice(*self._chosen, self._manner)

    def of_runs(self) -> Callable[[Operation], Operation] | None:
        """Return what runs make of the loop's Operations; None for the loop as it is."""
        return None if self._manner == Manner() else self._manner.applied_to

    def zero_grad(self) -> Operation:
        """Return the Operation of the Zero Grad button."""
        return self._manner.applied_to(ZeroGrad(self.optimizer))

    def forward(self) -> Operation:
        """Return the Operation of the Forward button."""
        return self._manner.applied_to(Forward(self.loss))

    def backward(self) -> Operation:
        """Return the Operation of the Backward button."""
        return self._manner.applied_to(Backward(self.loss))

    def step(self) -> Operation:
        """Return the Operation of the Step button."""
        return self._manner.applied_to(Step(self.optimizer))


def _known(name: str, names: tuple[str, ...]) -> str:
    return name if name in names or not names else names[0]
