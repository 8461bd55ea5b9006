"""The one thread that may touch the Debugger: a queue of tasks in, a mailbox of Deliveries out."""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from gradstep_gui.records import Failure
from gradstep_gui.worker.delivery import Delivery

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.records import Work

__all__ = ["EngineWorker", "Task"]

GIVE_WAY_S = 0.05
"""The longest that an Operation of a run waits for the window to have drawn: a window that hangs
must not hold up a run."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Something to be done on the worker thread.

    Args:
        name: What it is, in the words of a person, for messages.
        run: Does it. It is given the task's own `should_stop`.
        kind: What to call it in the window when it takes long: "running", "loading", "saving";
            None for one that takes a moment.
        stop: Set to ask a long task to end early.
    """

    name: str
    run: Callable[[Callable[[], bool]], None]
    kind: Work | None = None
    stop: threading.Event = field(default_factory=threading.Event)


class EngineWorker:
    """Runs tasks one after the other on one thread, and keeps what they post until it is taken.

    Nothing here waits for the window and the window waits for nothing here, but in `wait_idle` and
    `close`, which say how long.

    Args:
        wake: Called on the worker thread when a task has ended. It must return at once.

    Example:
        >>> worker = EngineWorker(wake=lambda: None)
        >>> worker.submit(Task("say hello", lambda should_stop: worker.post(Delivery())))
        >>> worker.wait_idle(5.0)
        True
        >>> worker.take()
        Delivery(snapshot=None, ...)
        >>> worker.close(5.0)
        True
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._queue: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._pending: list[Task] = []
        self._mail: Delivery | None = None
        self._free = threading.Event()
        self._free.set()
        self._thread = threading.Thread(target=self._work, name="gradstep-engine", daemon=True)
        self._thread.start()

    @property
    def long_task(self) -> Task | None:
        """The first long task that has not ended, or None."""
        with self._lock:
            return next((task for task in self._pending if task.kind is not None), None)

    @property
    def idle(self) -> bool:
        """True when every task has ended."""
        with self._lock:
            return not self._pending

    @property
    def mailbox_empty(self) -> bool:
        """True when the window has taken everything; the moment to post a picture of a run."""
        return self._mail is None

    def submit(self, task: Task) -> None:
        """Put a task at the end of the queue."""
        with self._lock:
            self._pending.append(task)
        self._queue.put(task)

    def stop_long_tasks(self) -> None:
        """Ask the long tasks that have been submitted so far to stop."""
        with self._lock:
            running = [task for task in self._pending if task.kind is not None]
        for task in running:
            task.stop.set()
        if running:
            self._free.set()

    def hold(self) -> None:
        """Let tasks give way where they ask whether to stop: the window is drawing.

        Both threads need the interpreter's lock. A training loop of small arrays takes it back so
        often that a picture which takes 30 ms alone takes 300 ms beside it.
        """
        self._free.clear()

    def release(self) -> None:
        """Let tasks go on."""
        self._free.set()

    def post(self, delivery: Delivery) -> None:
        """Put something in the mailbox; it is joined to what has not been taken yet."""
        with self._lock:
            self._mail = delivery if self._mail is None else self._mail.followed_by(delivery)

    def take(self) -> Delivery | None:
        """Take what is in the mailbox."""
        with self._lock:
            mail, self._mail = self._mail, None
        return mail

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until every task has ended; False when that takes longer than `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        self.release()  # whoever waits here is not drawing
        with self._idle:
            return self._idle.wait_for(
                lambda: not self._pending, max(0.0, deadline - time.monotonic())
            )

    def close(self, timeout_s: float) -> bool:
        """Stop the long tasks, let the others end, end the thread; False when it does not end."""
        self.stop_long_tasks()
        self._queue.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _should_stop(self, task: Task) -> bool:
        if not self._free.is_set():
            self._free.wait(GIVE_WAY_S)
        return task.stop.is_set()

    def _work(self) -> None:
        while (task := self._queue.get()) is not None:
            try:
                task.run(partial(self._should_stop, task))
            except BaseException as error:  # noqa: BLE001 - the boundary: the thread must survive, the window reports it
                self.post(Delivery(failures=(Failure(task.name, error),)))
            with self._idle:
                self._pending.remove(task)
                self._idle.notify_all()
            self._wake()
