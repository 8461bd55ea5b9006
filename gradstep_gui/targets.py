"""Which loss, which optimizer and which batch the four buttons act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep.program.operation import Backward, Forward, Step, ZeroGrad

if TYPE_CHECKING:
    from gradstep_gui.delivery import Document

__all__ = ["Targets"]


class Targets(QObject):
    """The person's choice of targets; makes the Operations that the buttons apply.

    Example:
        >>> targets = Targets()
        >>> targets.choose_loss("loss_b")
        >>> targets.backward()
        Backward(loss='loss_b', retain_graph=False)
    """

    changed = Signal()
    """Another target was chosen, or there are other targets to choose from."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._losses: tuple[str, ...] = ()
        self._optimizers: tuple[str, ...] = ()
        self._loss = "loss"
        self._optimizer = "optimizer"
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
        return self._loss

    @property
    def optimizer(self) -> str:
        """The optimizer that Zero Grad and Step act on."""
        return self._optimizer

    @property
    def hold(self) -> bool:
        """Whether Forward uses the batch it last saw instead of the next one."""
        return self._hold

    def follow(self, document: Document) -> None:
        """Take over what a program has; a choice that it has too is kept."""
        self._losses, self._optimizers = document.losses, document.optimizers
        if self._losses and self._loss not in self._losses:
            self._loss = self._losses[0]
        if self._optimizers and self._optimizer not in self._optimizers:
            self._optimizer = self._optimizers[0]
        self.changed.emit()

    def choose_loss(self, name: str) -> None:
        """Let Forward and Backward act on another loss."""
        self._loss = name
        self.changed.emit()

    def choose_optimizer(self, name: str) -> None:
        """Let Zero Grad and Step act on another optimizer."""
        self._optimizer = name
        self.changed.emit()

    def choose_hold(self, hold: bool) -> None:
        """Let Forward use the held batch, or the next one."""
        self._hold = hold
        self.changed.emit()

    def zero_grad(self) -> ZeroGrad:
        """Return the Operation of the Zero Grad button."""
        return ZeroGrad(self._optimizer)

    def forward(self) -> Forward:
        """Return the Operation of the Forward button."""
        return Forward(self._loss, "held" if self._hold else "next")

    def backward(self) -> Backward:
        """Return the Operation of the Backward button."""
        return Backward(self._loss)

    def step(self) -> Step:
        """Return the Operation of the Step button."""
        return Step(self._optimizer)
