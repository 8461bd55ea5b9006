"""What-if: asks for the edits of a what-if, and runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    ClipGradValue,
    Forward,
    Step,
    ZeroGrad,
)
from gradstep.program.schema.optimizers import OPTIMIZERS
from gradstep_gui.messages import MessageKind
from gradstep_gui.views.labels import event_text, operation_text, operation_title
from gradstep_gui.widgets.dialogs.what_if_dialog import WhatIfDialog
from gradstep_gui.widgets.dialogs.what_if_pages import Choices
from gradstep_gui.widgets.number_format import value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PySide6.QtWidgets import QWidget

    from gradstep.history.records.what_if import Edits
    from gradstep.program.operation import Operation
    from gradstep_gui.controller import Controller
    from gradstep_gui.messages import Message, Messages

__all__ = ["WhatIfDialogController"]


class WhatIfDialogController(QObject):
    """Offers what can be edited in the open program, and replays it with the chosen edits.

    Args:
        window: The parent of the dialog.
        controller: Replays.
        messages: Reports errors, which bring the dialog back.
    """

    def __init__(self, window: QWidget, controller: Controller, messages: Messages) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self._is_waiting = False
        self.dialog: WhatIfDialog | None = None
        messages.posted.connect(self._follow_messages)
        controller.branches.compared.connect(self._drop)

    def ask(self, event: int = 0) -> None:
        """Ask for edits of the recorded Events.

        Args:
            event: The first Event to edit; 0 for the present one, or for Event 1 when the present
                one is the last, from which there is almost nothing to replay.
        """
        snapshot = self._controller.snapshot
        if snapshot is None or not snapshot.event_count:
            return
        self._drop()
        values = dict(self._values())
        choices = Choices(
            snapshot.event_count,
            self._describe,
            self._find,
            self._kinds(),
            [(operation_text(operation), operation) for operation in self._operations()],
            {place: "" if value is None else value_text(value) for place, value in values.items()},
            dict(self._offers(values)),
        )
        is_at_end = snapshot.event_index == snapshot.event_count
        here = 1 if is_at_end else snapshot.event_index
        self.dialog = WhatIfDialog(event or here, choices, self._window)
        self.dialog.asked.connect(self._replay)
        self.dialog.rejected.connect(self._drop)
        self.dialog.open()

    def _replay(self, edits: Edits) -> None:
        self._is_waiting = True
        self._controller.branches.what_if(edits)

    def _follow_messages(self, message: Message) -> None:
        """Show the dialog again when the what-if failed."""
        if self._is_waiting and self.dialog is not None and message.kind is MessageKind.ERROR:
            self._is_waiting = False
            self.dialog.show_problem("\n".join(filter(None, (message.text, message.remedy))))

    def _drop(self) -> None:
        self._is_waiting = False
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None

    def _describe(self, index: int) -> str:
        found = self._controller.events_slice(index - 1, index)
        return event_text(found[0]) if found else ""

    def _find(self, first: int, last: int, kind: str) -> tuple[int, ...]:
        """Return the Events of a kind in a range; of all kinds when `kind` is empty."""
        columns = self._controller.events_columns(first - 1, last)
        if columns is None or not kind:
            return tuple(range(first, last + 1))
        wanted = np.array([operation_title(operation) == kind for operation in columns.known])
        found = np.flatnonzero(wanted[columns.operations]) + first
        return tuple(found.tolist())

    def _kinds(self) -> tuple[str, ...]:
        """Return the titles of the recorded kinds of Operation, each once."""
        return tuple(dict.fromkeys(operation_title(operation) for operation in self._known()))

    def _known(self) -> Sequence[Operation]:
        """Return the recorded Operations, each once."""
        columns = self._controller.events_columns(0, self._controller.events_count())
        return () if columns is None else columns.known

    def _operations(self) -> Iterator[Operation]:
        """Yield every Operation that can be inserted."""
        document, listing = self._controller.document, self._controller.listing
        if document is not None:
            yield from (ZeroGrad(name) for name in document.optimizers)
            yield from (Forward(name) for name in document.losses)
            yield from (Forward(name, "held") for name in document.losses if document.data)
            yield from (Backward(name) for name in document.losses)
            yield from (Step(name) for name in document.optimizers)
        if listing is not None:
            yield from listing.others

    def _values(self) -> Iterator[tuple[str, object]]:
        """Yield everything that can be set and its current value; None where that is unknown."""
        snapshot, document = self._controller.snapshot, self._controller.document
        if snapshot is None or document is None:
            return
        for name, optimizer in snapshot.optimizers.items():
            several = len(optimizer.groups) > 1
            for number, group in enumerate(optimizer.groups):
                place = f"{name}[{number}]" if several else name
                for option, value in group.hyperparameters.items():
                    if isinstance(value, (int, float, tuple)):
                        yield f"{place}.{option}", value
            yield f"{name}.kind", optimizer.kind
        for name in document.data:
            yield f"{name}.batch_size", None
        for operation in self._known():
            if isinstance(operation, ClipGradNorm):
                yield f"{operation.optimizer}.max_norm", operation.max_norm
            elif isinstance(operation, ClipGradValue):
                yield f"{operation.optimizer}.clip_value", operation.clip_value

    def _offers(self, values: dict[str, object]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the places that take one of a few values, with these values."""
        for place, value in values.items():
            if isinstance(value, bool):
                yield place, ("True", "False")
            elif place.endswith(".kind"):
                yield place, tuple(OPTIMIZERS)
            elif place.endswith(".batch_size"):
                yield place, ("None",)
