"""Questions why: one at a time, and none is waited for any more once something else is done."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep_gui.worker.engine_worker import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.worker.delivery import Delivery
    from gradstep_gui.worker.engine_host import EngineHost

__all__ = ["ExplainRequests"]


class ExplainRequests(QObject):
    """What can be asked about a tensor, and the answer.

    Args:
        host: Answers, on the worker thread.
        submit: Puts a task at the end of the worker's queue.
        select: Lets all views look at a tensor.
        parent: Its owner.
    """

    answered = Signal(object)
    """The answer to the last question: a `Why`."""

    wanted = Signal()
    """Somebody wants to read why the tensor looked at is as it is."""

    def __init__(
        self,
        host: EngineHost,
        submit: Callable[[Task], None],
        select: Callable[[str], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._host = host
        self._submit = submit
        self._select = select
        self._open: Task | None = None

    def ask(self, tensor: str) -> None:
        """Ask why a tensor is as it is; a later question takes this one back."""
        self.drop()
        title = self.tr("explain {0}").format(tensor)
        self._open = Task(title, partial(self._host.explain, tensor))
        self._submit(self._open)

    def raise_for(self, tensor: str) -> None:
        """Look at a tensor, and bring what explains it to the front."""
        self._select(tensor)
        self.wanted.emit()

    def drop(self) -> None:
        """Take the question back that is open, if one is."""
        if self._open is not None:
            self._open.stop.set()

    def take(self, delivery: Delivery) -> None:
        """Tell of an answer that has come."""
        if delivery.why is not None:
            self.answered.emit(delivery.why)
