"""WorkerThread: a queue of tasks in, a mailbox of Updates out.

One such thread alone may touch the Debugger. Another writes session files, a third one records
scripts.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from gradstep_gui.records import Failure
from gradstep_gui.worker.updates import FailureUpdate

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.records import Work
    from gradstep_gui.worker.updates import Update

__all__ = ["Task", "WorkerThread"]

GIVE_WAY_S = 0.05
"""The longest time that an Operation of a run waits for the window to draw: a window that hangs
must not hold up a run."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Work for the worker thread.

    Args:
        name: What it does, for messages to the user.
        run: Does it; it is given the task's own `should_stop`.
        kind: What the window shows while it takes long, such as "running"; None for a short task.
        stop: Set to ask a long task to end early.
    """

    name: str
    run: Callable[[Callable[[], bool]], None]
    kind: Work | Literal["saving", "recording"] | None = None
    stop: threading.Event = field(default_factory=threading.Event)


class WorkerThread:
    """Runs tasks one after the other on one thread, and keeps the Updates they post until taken.

    Only `wait_idle` and `close` wait, and only for the time they are given.

    Args:
        wake: Called on the worker thread when a task has ended. It must return at once.
        name: Its name, for debuggers.

    Example:
        >>> from gradstep_gui.worker.updates import ProgressUpdate
        >>> worker = WorkerThread(wake=lambda: None)
        >>> worker.submit(Task("count", lambda should_stop: worker.post(ProgressUpdate(1, 2))))
        >>> worker.wait_idle(5.0)
        True
        >>> worker.take()
        (ProgressUpdate(done=1, total=2),)
        >>> worker.close(5.0)
        True
    """

    def __init__(self, wake: Callable[[], None], name: str = "gradstep-worker") -> None:
        self._wake = wake
        self._queue: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._pending: list[Task] = []
        self._changes: deque[Callable[[], None]] = deque()
        self._mail: dict[tuple[type[Update], str], Update] = {}
        self._picture_wanted = threading.Event()
        self._picture_s = 0.0
        self._may_work = threading.Event()
        self._may_work.set()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    @property
    def long_task(self) -> Task | None:
        """The first long task that has not ended, or None."""
        with self._lock:
            return next((task for task in self._pending if task.kind is not None), None)

    @property
    def idle(self) -> bool:
        """Whether every task has ended."""
        with self._lock:
            return not self._pending

    @property
    def mailbox_empty(self) -> bool:
        """Whether the window has taken everything."""
        return not self._mail

    def submit(self, task: Task) -> None:
        """Put a task at the end of the queue."""
        with self._lock:
            self._pending.append(task)
        self._queue.put(task)

    def change(self, setting: Callable[[], None]) -> None:
        """Call a function that only sets something: before the next task, or during a long one.

        A long task does it where it asks whether to stop.
        """
        self._changes.append(setting)

    def stop_long_tasks(self) -> None:
        """Ask all submitted long tasks to stop."""
        with self._lock:
            running = [task for task in self._pending if task.kind is not None]
        for task in running:
            task.stop.set()
        if running:
            self._may_work.set()

    def hold(self) -> None:
        """Make tasks pause where they ask whether to stop, while the window draws.

        Both threads need the interpreter's lock. A training loop of small arrays takes it back so
        often that drawing for 30 ms takes 300 ms beside it.
        """
        self._may_work.clear()

    def release(self) -> None:
        """Let tasks continue."""
        self._may_work.set()

    def want_picture(self) -> None:
        """Ask a run to post a picture of its moment."""
        self._picture_wanted.set()

    @property
    def is_picture_wanted(self) -> bool:
        """Whether the window can show another picture of a run."""
        return self._picture_wanted.is_set()

    def picture_posted(self, seconds: float) -> None:
        """Have the window take the picture of a run, which took so long to make."""
        self._picture_wanted.clear()
        self._picture_s += seconds
        self._wake()

    def take_cost(self) -> float:
        """Return the seconds that went into the pictures since it was last asked."""
        seconds, self._picture_s = self._picture_s, 0.0
        return seconds

    def post(self, *updates: Update) -> None:
        """Put updates in the mailbox, all at once; each is joined to a waiting one of its key."""
        with self._lock:
            for update in updates:
                waiting = self._mail.pop(update.key, None)
                self._mail[update.key] = update if waiting is None else update.joined_to(waiting)

    def take(self) -> tuple[Update, ...]:
        """Take everything out of the mailbox, in the order of posting."""
        with self._lock:
            mail, self._mail = self._mail, {}
        return tuple(mail.values())

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until every task has ended; False when that takes longer than `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        self.release()  # the thread that waits here is not drawing
        with self._idle:
            return self._idle.wait_for(
                lambda: not self._pending, max(0.0, deadline - time.monotonic())
            )

    def close(self, timeout_s: float) -> bool:
        """Stop the long tasks, finish the others, end the thread; False when it does not end."""
        self.stop_long_tasks()
        self._queue.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _should_stop(self, task: Task) -> bool:
        if not self._may_work.is_set():
            self._may_work.wait(GIVE_WAY_S)
        self._make_changes()
        return task.stop.is_set()

    def _make_changes(self) -> None:
        while self._changes:
            self._changes.popleft()()

    def _work(self) -> None:
        while (task := self._queue.get()) is not None:
            try:
                self._make_changes()
                task.run(partial(self._should_stop, task))
            except BaseException as error:  # noqa: BLE001 - the boundary: the thread must survive, the window reports it
                self.post(FailureUpdate((Failure(task.name, error),)))
            with self._idle:
                self._pending.remove(task)
                self._idle.notify_all()
            self._wake()
