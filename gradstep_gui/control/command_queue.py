"""CommandQueue: commands waiting for the worker thread, and which ones they supersede."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from gradstep_gui.worker.worker_thread import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.records import Work
    from gradstep_gui.worker.commands import Command, LongCommand
    from gradstep_gui.worker.debugger_host import DebuggerHost
    from gradstep_gui.worker.worker_thread import WorkerThread

__all__ = ["CommandQueue"]


class CommandQueue(QObject):
    """Submits commands to the worker; every method returns at once.

    A command is a function of the Debugger. Its title completes the sentence "Could not ...".

    Args:
        worker: The thread that runs the commands.
        host: Gives them the Debugger, and posts what they led to.
        parent: Its owner.
    """

    began = Signal()
    """A long command was submitted."""

    def __init__(self, worker: WorkerThread, host: DebuggerHost, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._host = host
        self._requests: dict[str, Task] = {}
        self._seek: Task | None = None

    @property
    def is_idle(self) -> bool:
        """Whether every command has been carried out."""
        return self._worker.idle

    def submit(self, title: str, command: Command) -> None:
        """Run a short command, and show the moment it led to."""
        self._supersede()
        self._worker.submit(Task(title, lambda _: self._host.run(command)))

    def begin(self, title: str, kind: Work, command: LongCommand) -> None:
        """Run a long command, which can be stopped, and show the moment it led to."""
        self._begin(Task(title, lambda stop: self._host.run(lambda dbg: command(dbg, stop)), kind))

    def begin_call(
        self, title: str, kind: Work | Literal["saving"], function: Callable[[], object]
    ) -> None:
        """Call a long function of the host, such as one that opens a file."""
        self._begin(Task(title, lambda _: self._host.post(function()), kind))

    def call(self, title: str, function: Callable[[], object]) -> None:
        """Call a short function that needs no Debugger."""
        self._worker.submit(Task(title, lambda _: self._host.post(function())))

    def want(self, title: str, change: Callable[[], None]) -> None:
        """Change what Snapshots and curves hold; a run shows it while it goes on."""
        self._worker.change(change)
        self.call(title, self._host.publish_if_open)

    def query(self, title: str, query: LongCommand) -> Task:
        """Run a command that changes nothing, and take its answer."""
        task = Task(title, lambda stop: self._host.query(query, stop))
        self._worker.submit(task)
        return task

    def request(self, title: str, query: LongCommand, subject: str = "") -> None:
        """Run a query that is dropped as soon as a command is submitted.

        Args:
            title: Its title.
            query: The query.
            subject: What it is about; it drops the request before about the same.
        """
        if subject in self._requests:
            self._requests[subject].stop.set()
        self._requests[subject] = self.query(title, query)

    def drop_requests(self) -> None:
        """Drop the open requests."""
        for task in self._requests.values():
            task.stop.set()
        self._requests.clear()

    def seek(self, title: str, command: LongCommand) -> None:
        """Go elsewhere; of several seeks in a row, only the last has to arrive."""
        self.stop()
        if self._seek is not None:
            self._seek.stop.set()
        self._supersede()
        self._seek = Task(title, lambda stop: self._host.run(lambda dbg: command(dbg, stop)))
        self._worker.submit(self._seek)

    def stop(self) -> None:
        """Ask the long commands submitted so far to stop."""
        self._worker.stop_long_tasks()

    def _begin(self, task: Task) -> None:
        self._supersede()
        self._worker.submit(task)
        self.began.emit()

    def _supersede(self) -> None:
        """Drop the open requests, and let the next seek leave those before in place."""
        self.drop_requests()
        self._seek = None
