"""Which loss, which optimizer and which batch the four buttons act on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, Signal

from gradstep.program.operation import Backward, Forward, Step, ZeroGrad

if TYPE_CHECKING:
    from gradstep.program.operation import Operation
    from gradstep_gui.delivery import Document

__all__ = ["Choice", "Targets"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person has chosen to act on, as of one moment; None where the loop decides.

    Attributes:
        loss: For Forward and Backward.
        optimizer: For Zero Grad and Step.
        hold: Whether Forward uses the batch it last saw instead of the next one.
    """

    loss: str | None = None
    optimizer: str | None = None
    hold: bool = False

    def applied_to(self, operation: Operation) -> Operation:
        """Return an Operation of the loop as the person wants it.

        Example:
            >>> Choice(loss="loss_b", hold=True).applied_to(Forward("loss_a"))
            Forward(loss='loss_b', batch='held')
        """
        if isinstance(operation, Forward):
            batch = "held" if self.hold else operation.batch
            return Forward(self.loss or operation.loss, batch)
        if isinstance(operation, Backward) and self.loss:
            return msgspec.structs.replace(operation, loss=self.loss)
        if isinstance(operation, (ZeroGrad, Step)) and self.optimizer:
            return msgspec.structs.replace(operation, optimizer=self.optimizer)
        return operation


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
        self._hold = False

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
    def hold(self) -> bool:
        """Whether Forward uses the batch it last saw instead of the next one."""
        return self._hold

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

    def choose_loss(self, name: str | None) -> None:
        """Let Forward and Backward act on this loss; None for the one that the loop has next."""
        self._chosen = (name, self._chosen[1])
        self.changed.emit()

    def choose_optimizer(self, name: str | None) -> None:
        """Let Zero Grad and Step act on this optimizer; None for the one that the loop has next."""
        self._chosen = (self._chosen[0], name)
        self.changed.emit()

    def choose_hold(self, hold: bool) -> None:
        """Let Forward use the held batch, or the next one."""
        self._hold = hold
        self.changed.emit()

    def choice(self) -> Choice:
        """Return what is chosen now."""
        return Choice(*self._chosen, self._hold)

    def zero_grad(self) -> ZeroGrad:
        """Return the Operation of the Zero Grad button."""
        return ZeroGrad(self.optimizer)

    def forward(self) -> Forward:
        """Return the Operation of the Forward button."""
        return Forward(self.loss, "held" if self._hold else "next")

    def backward(self) -> Backward:
        """Return the Operation of the Backward button."""
        return Backward(self.loss)

    def step(self) -> Step:
        """Return the Operation of the Step button."""
        return Step(self.optimizer)


def _known(name: str, names: tuple[str, ...]) -> str:
    return name if name in names or not names else names[0]
