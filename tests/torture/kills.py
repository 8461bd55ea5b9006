"""Kills what records and saves, and reads what is left: `make torture KIND=kills COUNT=1000`.

A case is a process that records or saves, tells the parent what its user has been shown, and is
killed at a random moment. Then every file must open, unaltered, and hold what was shown: of a
recording each branch with at least as many Events, of a saved session at least what the last save
that had ended wrote. The Events of a plain run are also compared with those of one that is not
killed.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import select
import signal
import tempfile
import time
import traceback
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError
from gradstep.program.gallery import scenarios
from gradstep.program.operation import SetHyperparameter
from gradstep.session.recorder import leftovers
from gradstep.session.store import read
from gradstep_gui.worker.autosave import RecordingsFolder
from tests.torture.sandbox import Tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.session.record import Session, SessionBranch

__all__ = ["attack_by_kills"]

MODES = ("recording", "forking", "saving", "command", "window", "recovering")
"""What the killed process does; a window takes longest to begin."""

STARTING_S = 120
"""The longest that a process may take until it has shown something, on a busy machine."""

LONGEST_S = {"window": 2.0, "recovering": 1.0}
SHORTEST_LIFE_S = 0.7

_COMPARED = 4000
"""Events that are compared with those of a run that is not killed."""


def attack_by_kills(count: int, first: int = 0) -> Tally:
    """Kill `count` processes, those of the seeds from `first` on, and check what they leave."""
    tally = Tally()
    for seed in range(first, first + count):
        mode = MODES[seed % len(MODES)]
        try:
            outcome = _case(mode, random.Random(seed))
        except Exception as error:  # noqa: BLE001 - whatever is wrong is reported with its seed
            outcome = f"{mode}: {type(error).__name__}"
            tally.wrong.append((seed, outcome, traceback.format_exc()))
        tally.counts[outcome] += 1
    return tally


def _case(mode: str, rng: random.Random) -> str:
    with tempfile.TemporaryDirectory(prefix="gradstep-kills-") as name:
        folder = Path(name)
        shown = _killed(_WORK[mode], folder, rng, LONGEST_S.get(mode, SHORTEST_LIFE_S))
        left = leftovers(folder)
        offered = RecordingsFolder(folder).found()
        if [item.path for item in offered] != list(left) or not all(
            item.name and item.size for item in offered
        ):
            raise AssertionError(f"{offered} are offered, and {left} were left")
        for path in left:
            Debugger.open(path)
        files = [*left, *folder.glob("saved*.gradstep")]
        found = {path.name: read(path) for path in files}
        altered = [path for path, session in found.items() if session.altered]
        if altered:
            raise AssertionError(f"{altered} say that they were altered")
        _check(shown, found, is_plain=mode not in {"forking", "window", "recovering"})
    return f"{mode}: kept"


def _check(shown: dict[str, dict[str, int]], found: dict[str, Session], *, is_plain: bool) -> None:
    """Compare what was shown last with what the files hold."""
    for kind, branches in shown.items():
        recorded: dict[int, SessionBranch] = {}
        for path, session in found.items():
            if path.startswith("saved") == (kind == "saved"):
                for item in session.branches:
                    if item.id not in recorded or _length(item) > _length(recorded[item.id]):
                        recorded[item.id] = item
        for branch, events in branches.items():
            item = recorded.get(int(branch))
            length = -1 if item is None else _length(item)
            if length < events:
                raise AssertionError(
                    f"{kind}: branch {branch} had been shown with {events} Events, and has {length}"
                )
        if is_plain and 0 in recorded:
            ours = list(recorded[0].events[:_COMPARED])
            if ours != _reference()[: len(ours)]:
                raise AssertionError(f"{kind}: other Events than those of the same run")


def _length(branch: SessionBranch) -> int:
    return branch.forked_at + len(branch.events)


@cache
def _reference() -> list:
    debugger = Debugger.open(scenarios()[0].path)
    debugger.run(_COMPARED)
    return list(debugger.events[:_COMPARED])


def _killed(
    work: Callable[[Path, Callable[..., None], random.Random], None],
    folder: Path,
    rng: random.Random,
    longest_s: float,
) -> dict[str, dict[str, int]]:
    """Do work in a copy of this process, kill that, and return what it had shown last."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _work(work, folder, writing, rng)
    os.close(writing)
    text = b""
    try:
        deadline, killing = time.monotonic() + STARTING_S, None
        while (now := time.monotonic()) < (killing or deadline):
            if not select.select([reading], [], [], (killing or deadline) - now)[0]:
                continue
            piece = os.read(reading, 1 << 16)
            if not piece:
                break
            text += piece
            killing = killing or time.monotonic() + rng.random() * longest_s
    finally:
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        while piece := os.read(reading, 1 << 16):
            text += piece
        os.close(reading)
    if not os.WIFSIGNALED(status) or not text:
        raise AssertionError(f"the process ended by itself ({status}): {text[-500:]!r}")
    shown: dict[str, dict[str, int]] = {}
    for line in text.split(b"\n")[:-1]:
        found = json.loads(line)
        if "error" in found:
            raise AssertionError(found["error"])
        shown.update(found)
    return shown


def _work(
    work: Callable[[Path, Callable[..., None], random.Random], None],
    folder: Path,
    writing: int,
    rng: random.Random,
) -> None:
    """Do work until the process is killed; never returns."""

    def show(**found: object) -> None:
        os.write(writing, json.dumps(found).encode() + b"\n")

    try:
        work(folder, show, rng)
    except BaseException:  # noqa: BLE001 - the parent reports it
        show(error=traceback.format_exc())
    os._exit(1)


def _extent(debugger: Debugger) -> dict[int, int]:
    return {branch.id: len(branch.history.events) for branch in debugger.branches}


def _recording(folder: Path, show: Callable[..., None], rng: random.Random) -> None:
    debugger = Debugger.open(scenarios()[0].path)
    debugger.record_to(folder / "recording.gradstep")
    while True:
        debugger.run(rng.randrange(1, 400), progress=lambda _: _flushed(debugger, show, rng))
        show(recorded=_extent(debugger))


def _flushed(debugger: Debugger, show: Callable[..., None], rng: random.Random) -> None:
    """Flush now and then during a run, as a window does before each picture."""
    if rng.random() < 0.02:
        debugger.flush_recording()
        show(recorded=_extent(debugger))


def _forking(folder: Path, show: Callable[..., None], rng: random.Random) -> None:
    debugger = Debugger.open(scenarios()[0].path)
    debugger.record_to(folder / "recording.gradstep")
    debugger.run(20)
    while True:
        debugger.seek(rng.randrange(len(debugger.events)))
        debugger.apply(SetHyperparameter("lr", rng.random() / 10))
        debugger.run(rng.randrange(1, 60))
        show(recorded=_extent(debugger))
        others = [item for item in debugger.branches if item is not debugger.branches.current]
        chosen = rng.choice(others)
        if rng.random() < 0.3 and chosen.id:
            if all(item.parent != chosen.id for item in debugger.branches):
                # What is removed was not lost.
                show(recorded={key: n for key, n in _extent(debugger).items() if key != chosen.id})
                debugger.branches.remove(chosen.id)
        elif rng.random() < 0.5:
            debugger.checkout(chosen.id)


def _saving(folder: Path, show: Callable[..., None], rng: random.Random) -> None:
    debugger = Debugger.open(scenarios()[0].path)
    while True:
        debugger.run(rng.randrange(1, 60))
        debugger.save(folder / "saved.gradstep")
        show(saved=_extent(debugger))


def _command(folder: Path, show: Callable[..., None], rng: random.Random) -> None:
    from gradstep_gui.cli import main

    iterations = 0
    while True:
        iterations += rng.randrange(1, 60)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            path, out = str(scenarios()[0].path), str(folder / "saved.gradstep")
            main(["run", path, "--iterations", str(iterations), "--save", out])
        show(saved={0: 4 * iterations})


def _recovering(folder: Path, show: Callable[..., None], rng: random.Random) -> None:
    """Recover in a window what another process left behind, and go on with it."""
    debugger = Debugger.open(scenarios()[0].path)
    debugger.run(rng.randrange(1, 2000))
    child = os.fork()
    if not child:
        debugger.record_to(folder / "killed.gradstep")
        os._exit(0)
    os.waitpid(child, 0)
    _window(folder, show, rng, recorded=_extent(debugger))


def _window(
    folder: Path,
    show: Callable[..., None],
    rng: random.Random,
    recorded: dict[int, int] | None = None,
) -> None:
    """Run, pause, fork and save in a window, as a person does, and tell what it shows.

    Args:
        folder: Where the window records and saves.
        show: Tells what is shown.
        rng: Chooses.
        recorded: How long the branches of a recording are that is recovered; None for none.
    """
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtCore import QTimer

    from gradstep_gui.app import build
    from gradstep_gui.settings import Settings

    settings = Settings(folder / "settings.ini")
    files = [] if recorded else [str(scenarios()[0].path)]
    application, window = build(["gradstep", *files], settings, folder)
    controller = window.controller
    window.resize(1280, 800)
    window.show()
    if recorded:
        show(recorded=recorded)  # from here on it is killed
        window.documents.ask_recover()
    if not controller.wait_idle(STARTING_S):
        raise GradStepError("nothing was opened")

    def tell() -> None:
        # What the branches dock lists, and the count beside the event log.
        records = {record.id: record.events for record in controller.branches.records}
        current = next(item.id for item in controller.branches.records if item.is_current)
        show(recorded=records | {current: controller.events_count()})

    def press() -> None:
        choice = rng.random()
        if choice < 0.4:
            controller.iterate(rng.randrange(1, 5000))
        elif choice < 0.6:
            controller.pause()
        elif choice < 0.7:
            controller.seek(rng.randrange(controller.events_count() + 1))
        elif choice < 0.8:
            controller.apply(SetHyperparameter("lr", rng.random() / 10))
        else:
            controller.save(folder / "saved.gradstep")

    controller.snapshot_changed.connect(lambda _: tell())
    timer = QTimer(interval=60)
    timer.timeout.connect(press)
    controller.iterate(10**6)
    timer.start()
    application.exec()


_WORK = {
    "recording": _recording,
    "forking": _forking,
    "saving": _saving,
    "command": _command,
    "window": _window,
    "recovering": _recovering,
}
