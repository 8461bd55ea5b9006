"""WhatIfDesk: asks a person what a what-if shall do otherwise, and has it done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradstep.program.operation import Backward, ClipGradNorm, Forward, Step, ZeroGrad
from gradstep_gui.views.words import event_words, operation_words
from gradstep_gui.widgets.edits_dialog import EditsDialog
from gradstep_gui.widgets.number_format import value_text

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gradstep.program.operation import Operation
    from gradstep_gui.controller import Controller

__all__ = ["WhatIfDesk"]

_CLIPPED_TO = 1.0


class WhatIfDesk(QObject):
    """Knows what can be edited in the program on show.

    Args:
        window: Where the question stands.
        controller: What is on show, and who replays.
    """

    def __init__(self, window: QWidget, controller: Controller) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self.dialog: EditsDialog | None = None

    def ask(self, event: int = 0) -> None:
        """Ask what to do otherwise, from an Event on; from the one on show when it is 0."""
        snapshot = self._controller.snapshot
        if snapshot is None or not snapshot.event_count:
            return
        self.dialog = EditsDialog(
            event or snapshot.event_index,
            snapshot.event_count,
            describe=self._describe,
            operations=[
                (operation_words(operation), operation) for operation in self._operations()
            ],
            values=self._values(),
            parent=self._window,
        )
        self.dialog.asked.connect(self._controller.branching.what_if)
        self.dialog.open()

    def _describe(self, index: int) -> str:
        found = self._controller.events_slice(index - 1, index)
        return event_words(found[0]) if found else ""

    def _operations(self) -> list[Operation]:
        document = self._controller.document
        if document is None:
            return []
        made: list[Operation] = [ZeroGrad(name) for name in document.optimizers]
        made += [Forward(name) for name in document.losses]
        made += [Backward(name) for name in document.losses]
        made += [ClipGradNorm(_CLIPPED_TO, name) for name in document.optimizers]
        return made + [Step(name) for name in document.optimizers]

    def _values(self) -> dict[str, str]:
        """Return what can be set, with what it is at the moment on show."""
        snapshot, document = self._controller.snapshot, self._controller.document
        values: dict[str, str] = {}
        if snapshot is None or document is None:
            return values
        for name, optimizer in snapshot.optimizers.items():
            for option, value in optimizer.groups[0].hyperparameters.items():
                if isinstance(value, (int, float, tuple)) and not isinstance(value, bool):
                    values[f"{name}.{option}"] = value_text(value)
            values[f"{name}.kind"] = optimizer.kind
        for name in document.data:
            values[f"{name}.batch_size"] = ""
        return values
