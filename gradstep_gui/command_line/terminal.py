"""Runs with a progress bar that Ctrl-C interrupts, and output as tables or JSON."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError
from gradstep.program.document import codec
from gradstep.program.schema.limits import MAX_BYTES
from gradstep.session.opening import DATABASE_MAGIC, is_session
from gradstep.session.store import SavingCancelledError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.debugger import StopReason
    from gradstep.history.records.event import Event

__all__ = [
    "interruptible",
    "interruptible_progress",
    "iterate",
    "new_table",
    "open_debugger",
    "print_json",
    "print_table",
    "print_text",
    "recorded",
    "report_failure",
    "run",
    "save",
]

STANDARD_INPUT = Path("-")

_WIDE = 10_000


def print_json(value: object) -> None:
    """Print JSON, with null for NaN and infinities."""
    encoded = msgspec.json.encode(value, enc_hook=str)
    sys.stdout.write(msgspec.json.format(encoded, indent=2).decode() + "\n")


def print_text(text: str, file: TextIO | None = None) -> None:
    """Print a text as it is, on standard output by default; the terminal wraps long lines."""
    console = Console(file=file or sys.stdout, highlight=False)
    console.print(text, soft_wrap=True, markup=False)


def print_table(table: Table) -> None:
    """Print a table as wide as the terminal; when it goes to a file, each row in one line."""
    is_fitted = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(file=sys.stdout, highlight=False, width=None if is_fitted else _WIDE)
    with console.capture() as captured:
        console.print(table)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def new_table(*heads: str) -> Table:
    """Return an empty table with one column of text and then columns of numbers."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if place else "left", overflow="fold")
    return table


def open_debugger(file: Path) -> Debugger:
    """Open a session or a program; of "-", the program on standard input.

    The data files of a program on standard input are looked up in the working folder.
    """
    if file != STANDARD_INPUT:
        debugger = Debugger.open(file)
        if debugger.alteration:
            sys.stderr.write(f"gradstep: {debugger.alteration}\n")
        return debugger
    text = sys.stdin.buffer.read(MAX_BYTES + 1)
    if text.startswith(DATABASE_MAGIC):
        raise GradStepError("a session cannot be read from standard input", "name its file")
    return Debugger(codec.decode(text), Path.cwd())


def recorded(file: Path, iterations: int | None = None) -> Debugger:
    """Open a session, or open and run a program, and go to the last Event.

    Args:
        file: The session or the program.
        iterations: How many to run; None for the number in a program, and for none in a session.
    """
    debugger = open_debugger(file)
    if iterations is None:
        iterations = (
            0 if file != STANDARD_INPUT and is_session(file) else debugger.program.spec.iterations
        )
    iterate(debugger, iterations)
    debugger.seek(len(debugger.events))
    return debugger


def iterate(debugger: Debugger, count: int) -> None:
    """Run the loop with a progress bar; Ctrl-C ends the run, not the process."""
    with interruptible_progress("iterations") as (should_stop, progress):
        debugger.iterate(
            count, should_stop=should_stop, progress=lambda done: progress(done, count)
        )
        interrupted = should_stop()
    if count:
        report_failure("the run", debugger.event)
    if interrupted:
        sys.stderr.write("gradstep: interrupted; the Events up to here are kept\n")


def run(debugger: Debugger, count: int) -> StopReason:
    """Run the loop like `iterate`, but stop at breakpoints; return why it stopped."""
    with interruptible_progress("iterations") as (should_stop, progress):
        reason = debugger.run(
            count, should_stop=should_stop, progress=lambda done: progress(done, count)
        )
    if reason.kind == "failed":
        report_failure("the run", debugger.event)
    if reason.kind == "condition_error":
        sys.stderr.write(f"gradstep: the run stopped: {reason.sentence}\n")
    if reason.kind == "paused":
        sys.stderr.write("gradstep: interrupted; the Events up to here are kept\n")
    return reason


def save(debugger: Debugger, path: Path) -> None:
    """Save a session with a progress bar; Ctrl-C cancels the save, and ends the process.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; the file is as it was before.
    """
    with interruptible_progress("Events and checkpoints") as (should_stop, progress):
        try:
            debugger.save(path, progress=progress, should_stop=should_stop)
        except SavingCancelledError as error:
            sys.stderr.write(f"gradstep: {error}\n")
            raise KeyboardInterrupt from None


def report_failure(what: str, event: Event | None) -> None:
    """Report on standard error that `what` ended at an Event that failed, if it did."""
    if event is not None and not event.outcome.ok:
        why = f"{event.outcome.message}; {event.outcome.remedy}"
        sys.stderr.write(f"gradstep: {what} ended at Event {event.index:,}: {why}\n")


@contextlib.contextmanager
def interruptible_progress(
    unit: str,
) -> Iterator[tuple[Callable[[], bool], Callable[[int, int], None]]]:
    """Yield a function that is True after Ctrl-C, and a function that shows progress.

    Args:
        unit: What the progress bar counts, such as "iterations".
    """
    with interruptible() as should_stop, _progress(unit) as advance:
        yield should_stop, advance


@contextlib.contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Yield a function that is True after Ctrl-C; a second Ctrl-C interrupts as usual."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop.is_set
        return

    def note(_number: int, _frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield stop.is_set
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _progress(unit: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function of (done, total) that draws a progress bar, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    columns = (
        BarColumn(),
        TextColumn("{task.completed:,} of {task.total:,} " + unit),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task("", total=0)
        yield lambda done, total: bar.update(task, completed=done, total=total)
