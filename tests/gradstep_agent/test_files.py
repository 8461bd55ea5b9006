"""What a copy of a process that repeats something prints and reads: nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gradstep_agent

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from gradstep_agent.files import Mute
mute = Mute()
for _time in range(2):
    print("heard", sys.stdin.readline().strip(), flush=True)
    mute.begin()
    print("unheard", repr(sys.stdin.readline()), mute.is_on)
    mute.end()
"""


def run(*, closed=""):
    core = str(Path(gradstep_agent.__file__).parents[1])
    words = [sys.executable, "-c", closed + SCRIPT, core]
    # each line is a write of its own, so that none waits in a buffer of the script
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write("one\n")
    process.stdin.flush()
    first = process.stdout.readline()
    process.stdin.write("two\n")
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return first + rest


def test_nothing_is_printed_twice_and_nothing_typed_is_lost():
    assert run() == "heard one\nheard two\n"


def test_a_stream_that_the_script_has_closed_stays_closed():
    assert run(closed="import os; os.close(2)\n") == "heard one\nheard two\n"
