"""What the commands without a window share: runs that can be watched and interrupted, and JSON."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.debugger import Debugger

__all__ = ["iterate", "print_json"]


def print_json(value: object) -> None:
    """Write JSON; NaN and infinities, which JSON does not know, as null."""
    encoded = msgspec.json.encode(value, enc_hook=str)
    sys.stdout.write(msgspec.json.format(encoded, indent=2).decode() + "\n")


def iterate(debugger: Debugger, count: int) -> None:
    """Run the loop with a progress bar on a terminal; Ctrl-C ends the run, not the program."""
    stop = threading.Event()
    with _interruptible(stop), _progress(count) as advance:
        debugger.iterate(count, should_stop=stop.is_set, progress=advance)
    event = debugger.event
    if count and event is not None and not event.outcome.ok:
        outcome = event.outcome
        sys.stderr.write(
            f"gradstep: the run ended at Event {event.index}: {outcome.message}; {outcome.remedy}\n"
        )
    if stop.is_set():
        sys.stderr.write("gradstep: interrupted; what was done so far is kept\n")


@contextlib.contextmanager
def _interruptible(stop: threading.Event) -> Iterator[None]:
    """Let Ctrl-C set an Event within; a second one interrupts as always."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def note(_number: int, _frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _progress(count: int) -> Iterator[Callable[[int], None] | None]:
    """Give something to tell of iterations done; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (
        BarColumn(),
        TextColumn("{task.completed:,} of {task.total:,} iterations"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task("", total=count)
        yield lambda done: bar.update(task, completed=done)
