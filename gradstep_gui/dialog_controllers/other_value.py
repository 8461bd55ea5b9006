"""Other values: asks for the limit of a clipping or for a batch size, and applies it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject

from gradstep.errors import GradStepError, OperationError
from gradstep.program.operation import ClipGradNorm, ClipGradValue, SetBatchSize
from gradstep.program.operations.clipping import check_limits
from gradstep.program.operations.values import check_batch_size
from gradstep_gui.views.labels import operation_title
from gradstep_gui.widgets.dialogs.value_dialog import ValueDialog

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gradstep.program.operation import Operation
    from gradstep_gui.controller import Controller

__all__ = ["OtherValueDialogController", "with_value"]

_MAX_DIGITS = 12
"""Digits of a batch size; there are no data sets with as many rows."""


def with_value(operation: Operation, text: str) -> Operation:
    """Return an Operation with another limit or size, as the user types it.

    Args:
        operation: A clipping, or a change of a batch size.
        text: The number; for a batch size also "all".

    Raises:
        OperationError: It is not a number, or the Operation does not accept it.

    Example:
        >>> with_value(ClipGradNorm(1.0), "2.5e-1")
        ClipGradNorm(max_norm=0.25, optimizer='optimizer', norm_type=2.0)
    """
    text = text.strip()
    if isinstance(operation, SetBatchSize):
        if text.lower() == "all":
            return msgspec.structs.replace(operation, size=None)
        if not (text.isdecimal() and text.isascii()) or len(text) > _MAX_DIGITS:
            message = f"the batch size cannot be {text!r}"
            raise OperationError(message, 'use a whole number from 1, or "all"')
        sized = msgspec.structs.replace(operation, size=int(text))
        check_batch_size(sized)
        return sized
    assert isinstance(operation, (ClipGradNorm, ClipGradValue))
    field = "max_norm" if isinstance(operation, ClipGradNorm) else "clip_value"
    try:
        limit = float(text)
    except ValueError:
        raise OperationError(f"{field} cannot be {text!r}", "use a number, such as 0.5") from None
    clip = msgspec.structs.replace(operation, **{field: limit})
    check_limits(clip)
    return clip


class OtherValueDialogController(QObject):
    """Asks for a value that no menu offers; its dialog does not block the window.

    Args:
        window: The parent of the dialog.
        controller: Applies the Operation.
    """

    def __init__(self, window: QWidget, controller: Controller) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self.dialog: ValueDialog | None = None
        controller.listing_changed.connect(self._close)

    def ask(self, operation: Operation) -> None:
        """Ask for another value of an Operation, and apply it.

        Args:
            operation: A clipping, or a change of a batch size, with the proposed value.
        """
        self._close()
        if isinstance(operation, SetBatchSize):
            label = self.tr('&Batch size of {0}, or "all":').format(operation.data)
            proposed = "" if operation.size is None else str(operation.size)
        elif isinstance(operation, ClipGradNorm):
            label = self.tr("&Maximum norm of the gradients of {0}:").format(operation.optimizer)
            proposed = f"{operation.max_norm:.12g}"
        else:
            assert isinstance(operation, ClipGradValue)
            label = self.tr("&Maximum absolute value in the gradients of {0}:")
            label = label.format(operation.optimizer)
            proposed = f"{operation.clip_value:.12g}"
        title = operation_title(operation)
        dialog = ValueDialog(
            title, label, proposed, lambda text: _problem(operation, text), self._window
        )
        dialog.accepted.connect(
            lambda: self._controller.apply(with_value(operation, dialog.field.text()))
        )
        dialog.finished.connect(self._forget)
        self.dialog = dialog
        dialog.open()

    def _close(self) -> None:
        if self.dialog is not None:
            self.dialog.reject()

    def _forget(self) -> None:
        self.dialog = None


def _problem(operation: Operation, text: str) -> str:
    """Return what is wrong with a value; empty if nothing is."""
    try:
        with_value(operation, text)
    except GradStepError as error:
        return str(error)
    return ""
