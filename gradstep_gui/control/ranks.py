"""RankController: the ranks of a distributed script, and which of them the window shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from gradstep_gui.worker.updates import RanksUpdate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gradstep.history.records.ranks import RankRecord
    from gradstep_gui.control.command_queue import CommandQueue
    from gradstep_gui.worker.debugger_host import DebuggerHost
    from gradstep_gui.worker.updates import Update

__all__ = ["RankController"]

_LOOK_MS = 500
"""How often it looks whether a rank has come to an Operation, or ended, while nothing runs."""


class RankController(QObject):
    """The controller's part for ranks; its commands return at once.

    Args:
        queue: Runs the commands.
        host: Holds the ranks.
        parent: Its owner.

    Attributes:
        records: Every rank; empty unless a distributed script is debugged.
        handlers: What to do with updates.
    """

    changed = Signal(object)
    """Where the ranks are, or which is shown, has changed: a tuple of `RankRecord`."""

    diverged = Signal(object)
    """The parameters of a rank have diverged from those of the first: its `RankRecord`."""

    failed = Signal(object)
    """A rank has ended with an error: its `RankRecord`."""

    def __init__(self, queue: CommandQueue, host: DebuggerHost, parent: QObject) -> None:
        super().__init__(parent)
        self._queue = queue
        self._host = host
        self.records: tuple[RankRecord, ...] = ()
        self.handlers: Mapping[type[Update], Callable[[Any], None]] = {RanksUpdate: self._take}
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._poll)

    def show(self, number: int) -> None:
        """Show another rank in all views, at the same Event."""
        self._queue.stop()
        self._queue.begin_call(
            self.tr("show rank {0}").format(number),
            "loading",
            lambda: self._host.show_rank(number),
        )

    def close(self) -> None:
        """Look no more."""
        self._look.stop()

    def _poll(self) -> None:
        if self._queue.is_idle:
            self._queue.call(self.tr("look at the ranks"), self._host.poll_ranks)

    def _take(self, update: RanksUpdate) -> None:
        before = {record.number: record for record in self.records}
        self.records = update.ranks
        alive = any(record.state != "ended" for record in self.records)
        if alive != self._look.isActive():
            (self._look.start if alive else self._look.stop)()
        self.changed.emit(self.records)
        for record in self.records:
            known = before.get(record.number)
            if record.divergence is not None and (known is None or known.divergence is None):
                self.diverged.emit(record)
            if record.is_first_failure and (known is None or not known.is_first_failure):
                self.failed.emit(record)
