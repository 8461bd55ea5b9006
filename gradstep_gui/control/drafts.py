"""DraftController: program documents being edited, which are read, checked and opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep_gui.records import Draft
from gradstep_gui.resources import resource
from gradstep_gui.worker.drafts import draft_of, read_draft
from gradstep_gui.worker.updates import DraftCheckUpdate, DraftUpdate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Any

    from gradstep_gui.control.command_queue import CommandQueue
    from gradstep_gui.worker.debugger_host import DebuggerHost
    from gradstep_gui.worker.updates import Update

__all__ = ["DraftController"]

_TEMPLATE = "help/own_program.json"


class DraftController(QObject):
    """The controller's part for drafts; its commands return at once.

    Args:
        queue: Runs the commands.
        host: Checks drafts, and opens them.
        parent: Its owner.

    Attributes:
        handlers: What to do with updates about drafts.
    """

    drafted = Signal(object)
    """A document is ready to be edited: a `Draft`."""

    checked = Signal(object)
    """A draft was checked: a `DraftCheck`."""

    def __init__(self, queue: CommandQueue, host: DebuggerHost, parent: QObject) -> None:
        super().__init__(parent)
        self._queue = queue
        self._host = host
        self.handlers: Mapping[type[Update], Callable[[Any], None]] = {
            DraftUpdate: lambda update: self.drafted.emit(update.draft),
            DraftCheckUpdate: lambda update: self.checked.emit(update.check),
        }

    def edit_template(self) -> None:
        """Edit a small program, as the start of a new one."""
        self.drafted.emit(Draft(resource(_TEMPLATE).read_text(encoding="utf-8")))

    def edit_program(self) -> None:
        """Edit the document of the open program."""
        self._queue.query(
            self.tr("edit the program"), lambda debugger, _: draft_of(debugger, self._host.path)
        )

    def edit_file(self, path: Path) -> None:
        """Edit a file, valid or not."""
        title = self.tr("edit {name}").format(name=path.name)
        self._queue.call(title, lambda: read_draft(path))

    def check(self, draft: Draft) -> None:
        """Check whether a draft is a valid program."""
        self._queue.call(self.tr("check the document"), lambda: self._host.drafts.check(draft))

    def open(self, draft: Draft, *, is_saved: bool) -> None:
        """Open a draft; `is_saved` when its file holds this very text."""
        self._queue.begin_call(
            self.tr("open the document"),
            "loading",
            lambda: self._host.open_draft(draft, is_saved=is_saved),
        )

    def forget(self) -> None:
        """Free what was kept of the last check: the editor is closed."""
        self._queue.call(self.tr("close the document"), self._host.drafts.forget)
