"""Copies of a process that sleep, are woken, and end; without torch."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.gradstep_agent.client import ROOT, Connection, environment, is_alive

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fork of Linux")

SCRIPT = Path(__file__).parent / "copied_script.py"
PATHS = {"PYTHONPATH": f"{ROOT / 'core'}{os.pathsep}{ROOT}"}


class Copied(Connection):
    """The script, and the copies that it has left."""

    def __init__(self, log, mode="write"):
        ours, theirs = socket.socketpair()
        super().__init__(ours)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, SCRIPT, str(theirs.fileno()), str(log), mode],
                pass_fds=[theirs.fileno()],
                stdout=subprocess.PIPE,
                text=True,
                env=environment(PATHS),
            )

    def output(self):
        """Read what it and its copies have printed; there may be none left that could."""
        return self.process.communicate(timeout=60)[0]


@pytest.fixture
def start(tmp_path):
    """Start the script; it and its copies end with the test at the latest."""
    with ExitStack() as ending:

        def started(mode="write"):
            script = Copied(tmp_path / "log.txt", mode)
            ending.callback(script.process.wait, 60)
            ending.callback(script.process.stdout.close)
            ending.callback(script.close)
            ending.callback(script.process.kill)
            return script

        yield started


@pytest.fixture
def straight(start, tmp_path):
    """What the script prints and writes when nobody wakes a copy."""
    script = start()
    script.until("bye")
    script.close()
    return script.output(), (tmp_path / "log.txt").read_text()


def close_all(checkpoints):
    for checkpoint in checkpoints:
        close_all(checkpoint.checkpoints)
        checkpoint.close()


@pytest.mark.parametrize("mode", ["write", "append"])
def test_a_woken_copy_draws_and_writes_the_same_and_prints_what_is_new(
    start, straight, tmp_path, mode
):
    printed, written = straight
    (tmp_path / "log.txt").unlink()
    script = start(mode)
    script.until("bye")
    copy = script.checkpoints[1]
    assert copy.wake(4)["event"] == 4
    copy.send("go")
    copy.until("bye")
    assert copy.read() is None
    close_all(script.checkpoints)
    again = printed.splitlines()[4:]
    assert script.output().splitlines() == [*printed.splitlines(), *again]
    assert (tmp_path / "log.txt").read_text() == written


def test_one_can_go_back_to_the_same_moment_again_and_again(start):
    script = start()
    script.until("bye")
    copy = script.checkpoints[2]
    for _ in range(30):
        assert copy.wake(3)["event"] == 3
        following = copy.checkpoints[0]
        assert following.event == 2
        copy = following
    close_all(script.checkpoints)


def test_a_file_that_was_removed_is_read_and_written_on(start, tmp_path):
    script = start()
    script.until("bye")
    (tmp_path / "log.txt").unlink()
    copy = script.checkpoints[1]
    assert copy.wake(3)["event"] == 3


def test_a_copy_ends_with_its_connection_whether_it_sleeps_is_held_or_computes(start):
    script = start("spin")
    script.until("bye")
    asleep, held, computing = script.checkpoints[:3]
    held.wake(3)
    computing.wake(2)
    computing.send("go")
    for copy in (asleep, held, computing):
        assert is_alive(copy.pid)
        copy.close()
        assert copy.has_ended()


def test_copies_that_have_ended_leave_no_zombie(start):
    script = start()
    while len(script.checkpoints) < 2:
        script.read()
    first = script.checkpoints[0]
    first.close()
    script.until("bye")
    assert first.has_ended()
    assert script.process.wait(60) == 0


def test_no_copy_outlives_a_debugger_that_is_killed(tmp_path):
    debugger = subprocess.Popen(
        [sys.executable, "-m", "tests.gradstep_agent.test_forks", str(tmp_path / "log.txt")],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment(PATHS),
    )
    with debugger, ExitStack() as reading:
        pids = [int(debugger.stdout.readline()) for _ in range(4)]
        copies = [reading.enter_context(Process(pid)) for pid in pids]
        debugger.kill()
        assert all(copy.has_ended() for copy in copies)


class Process:
    """A process that is waited for by descriptor, which no other process takes over."""

    def __init__(self, pid):
        self._descriptor = os.pidfd_open(pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._descriptor)

    def has_ended(self):
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        return bool(poll.poll(20_000))


OBSTACLES = {
    "": "",
    "import threading as t; t.Thread(target=t.Event().wait, name='loader', daemon=True).start()": (
        "the script runs other threads: loader"
    ),
    "import subprocess; worker = subprocess.Popen(['sleep', '60'])": (
        "1 process that it started is alive, as with DataLoader(num_workers=1)"
    ),
    "import socket; ends = socket.socketpair()": "the script has a network connection open",
    "import sys; sys.platform = 'darwin'": "a process can be copied on Linux only",
    "import platform; platform.python_implementation = lambda: 'PyPy'": (
        "a process can be copied with CPython only, and this is cpython"
    ),
    "class torch:\n    class cuda:\n        is_initialized = staticmethod(lambda: True)": (
        "the script uses CUDA, whose memory cannot be copied with the process"
    ),
}


@pytest.mark.parametrize("first", list(OBSTACLES))
def test_what_cannot_be_copied_is_refused_with_a_reason(first):
    code = (
        "torch = worker = None\n"
        "from gradstep_agent.fork_safety import obstacle\n"
        f"{first}\n"
        "print(obstacle(torch, set(), ()))\n"
        "if worker is not None: worker.kill(); worker.wait()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
        env=environment(PATHS),
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == (OBSTACLES[first], "")


if __name__ == "__main__":  # a debugger, to be killed
    SCRIPT_OF_ITS_OWN = Copied(sys.argv[1], "spin")
    SCRIPT_OF_ITS_OWN.until("bye")
    SLEEPING, HELD, COMPUTING, *_ = SCRIPT_OF_ITS_OWN.checkpoints
    HELD.wake(3)
    COMPUTING.wake(2)
    COMPUTING.send("go")
    REPLACEMENT = HELD.checkpoints[0]
    for copied in (SLEEPING, HELD, COMPUTING, REPLACEMENT):
        sys.stdout.write(f"{copied.pid}\n")
    sys.stdout.flush()
    threading.Event().wait(60)
