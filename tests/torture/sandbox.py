"""Runs attacks in processes of their own, each with a limit of time and of memory."""

from __future__ import annotations

import faulthandler
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING

from gradstep.errors import GradStepError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["KINDS", "EscapeError", "Tally", "attack", "guard", "outcome"]

KINDS = ("sessions", "programs", "lessons", "expressions", "arithmetic")
"""What is attacked; the module of the same name has `prepare(folder)`, which returns the attack."""

SECONDS = 5
"""A case that computes for longer has hung."""

WAITING_S = 60
"""Likewise one that takes so long on a machine that may be busy."""

MEMORY_BYTES = 2**30
"""What a case may take beyond what the process has before the first one."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FORBIDDEN = (
    *("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn"),
    *("socket.__new__", "socket.connect", "socket.bind", "ctypes.dlopen", "webbrowser.open"),
)


class EscapeError(BaseException):
    """What was opened did something that no program, session or expression may do."""


@dataclass
class Tally:
    """What came of many cases.

    Attributes:
        counts: How many cases had each outcome: "opened", "refused", "told", and what is wrong.
        wrong: For each case with a wrong outcome its seed, the outcome and what is known of it.
    """

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[int, str, str]] = field(default_factory=list)


def attack(kind: str, count: int, first: int = 0) -> Tally:
    """Try `count` cases of a kind, from seed `first` on; each seed is always the same case."""
    tally = Tally()
    seed, last = first, first + count
    while seed < last:
        reached = seed
        for number, result, text in _batch(kind, seed, last - seed):
            reached = number
            tally.counts[result] += 1
            if result not in {"opened", "refused", "told"}:
                tally.wrong.append((number, result, text))
        seed = reached + 1
    return tally


def _batch(kind: str, first: int, count: int) -> Iterator[tuple[int, str, str]]:
    """Try cases in one process, until all are done or one of them ends it."""
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        command = [sys.executable, "-m", "tests.torture.sandbox", kind, str(first), str(count)]
        root = Path(__file__).parents[2]
        environment = {**os.environ, "PYTHONPATH": f"{root / 'core'}:{root}", "TMPDIR": folder}
        with (
            (Path(folder) / "stderr").open("w+") as errors,
            subprocess.Popen(
                [*command, folder],
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
                cwd=root,
                text=True,
            ) as process,
        ):
            assert process.stdout is not None
            done = first - 1
            for line in process.stdout:
                done, result, text = json.loads(line)
                yield done, result, text
            status = process.wait()
            if done < first + count - 1:
                errors.seek(0)
                text = errors.read()[-3000:]
                hung = status == -signal.SIGPROF or "Timeout" in text
                yield done + 1, "hung" if hung else f"ended with {status}", text


def _main() -> None:
    kind, first, count, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    case = import_module(f"tests.torture.{kind}").prepare(folder)
    results = sys.stdout
    sys.stdout = sys.stderr
    _limit_memory()
    sys.addaudithook(guard(folder))
    faulthandler.register(signal.SIGPROF, chain=True)  # the traceback, and then the end
    for seed in range(first, first + count):
        faulthandler.dump_traceback_later(WAITING_S, exit=True)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        result, text = outcome(case, random.Random(f"{kind} {seed}"))
        _write(results, seed, result, text)
    signal.setitimer(signal.ITIMER_PROF, 0)
    faulthandler.cancel_dump_traceback_later()


def outcome(case: Callable[[random.Random], str], draw: random.Random) -> tuple[str, str]:
    """Return what came of a case: what it returned, or what it raised, with the traceback."""
    try:
        return case(draw), ""
    except GradStepError:
        return "refused", ""
    except MemoryError:
        return "memory", traceback.format_exc()
    except BaseException as error:  # noqa: BLE001 - whatever comes is what is looked for
        return type(error).__name__, traceback.format_exc()


def _write(results: IO[str], *values: object) -> None:
    results.write(f"{json.dumps(values)}\n")
    results.flush()


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def guard(folder: Path) -> Callable[[str, tuple[object, ...]], None]:
    """Return an audit hook that lets nothing be written outside of a folder, and nothing be run."""

    def check(event: str, arguments: tuple[object, ...]) -> None:
        if event in _FORBIDDEN:
            raise EscapeError(f"{event} {arguments}")
        if event == "open":
            path, mode, flags = arguments
            writes = any(letter in str(mode) for letter in "wax+") or int(str(flags)) & _WRITING
            if writes and not os.fspath(str(path)).startswith(str(folder)):
                raise EscapeError(f"writes {path}")

    return check


if __name__ == "__main__":
    _main()
