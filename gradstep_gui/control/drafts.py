"""The window's side of documents that are edited: has them tried, and opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep_gui.records import Draft
from gradstep_gui.resources import resource
from gradstep_gui.worker.engine_worker import Task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gradstep_gui.worker.delivery import Delivery
    from gradstep_gui.worker.program_host import ProgramHost

__all__ = ["DraftController"]

_FIRST = "help/own_program.json"


class DraftController(QObject):
    """What can be asked about documents, and what came of it.

    Args:
        host: Does it, on the worker thread.
        submit: Puts a task at the end of the worker's queue.
        begin_long: Likewise, for one that takes long.
        parent: Its owner.
    """

    drafted = Signal(object)
    """A document is there to be edited, as was asked for: a `Draft`."""

    checked = Signal(object)
    """A document was checked: a `Checked`."""

    def __init__(
        self,
        host: ProgramHost,
        submit: Callable[[Task], None],
        begin_long: Callable[[Task], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._host = host
        self._submit = submit
        self._begin_long = begin_long

    def begin(self) -> None:
        """Begin with a small program, to be changed."""
        self.drafted.emit(Draft(resource(_FIRST).read_text(encoding="utf-8")))

    def write(self) -> None:
        """Ask for the document of the open program."""
        self._submit(Task(self.tr("edit the program"), lambda _: self._host.write()))

    def read(self, path: Path) -> None:
        """Ask for the text of a file."""
        title = self.tr("edit {name}").format(name=path.name)
        self._submit(Task(title, lambda _: self._host.read(path)))

    def check(self, draft: Draft) -> None:
        """Ask whether a document is a program."""
        self._submit(Task(self.tr("check the document"), lambda _: self._host.check(draft)))

    def open(self, draft: Draft, *, is_saved: bool) -> None:
        """Open a document; `is_saved` when its file holds this very text."""
        self._begin_long(
            Task(
                self.tr("open the document"),
                lambda _: self._host.open(draft, is_saved=is_saved),
                kind="loading",
            )
        )

    def forget(self) -> None:
        """Say that nobody edits any more, so that what was found sound need not be kept."""
        self._submit(Task(self.tr("close the document"), lambda _: self._host.forget()))

    def take(self, delivery: Delivery) -> None:
        """Take what the worker has posted."""
        if delivery.draft is not None:
            self.drafted.emit(delivery.draft)
        if delivery.checked is not None:
            self.checked.emit(delivery.checked)
