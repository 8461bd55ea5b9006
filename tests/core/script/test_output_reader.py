"""A script that is started from the window has a terminal of its own, which a thread reads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gradstep.errors import ScriptError
from gradstep.script import output_reader
from gradstep.script.command import ScriptCommand
from gradstep.script.output_log import OutputLog
from gradstep.script.output_reader import OutputReader
from gradstep.script.process import ScriptProcess

TIMEOUT_S = 60.0


class Session:
    """A script, what it has printed, and whether it waits for input."""

    def __init__(self, reader, process, awaited):
        self.reader = reader
        self.process = process
        self.awaited = awaited

    @property
    def lines(self):
        """What it has printed."""
        return [(line.stream, line.text) for line in self.reader.log.lines]

    def finish(self):
        """Let it run to its end, and read all of it."""
        self.process.run()
        assert self.reader.join(TIMEOUT_S)


@pytest.fixture
def begin(tmp_path):
    """Start scripts whose output is read; end them afterwards."""
    begun = []

    def start(text, *, stand_in=False):
        script = tmp_path / "train.py"
        script.write_text(text)
        awaited = threading.Event()
        reader = OutputReader(OutputLog(), awaited.set)
        command = ScriptCommand(str(script), (), sys.executable, is_stand_in=stand_in)
        process = ScriptProcess(command, share=0, goes_on=False, output=reader)
        begun.append(Session(reader, process, awaited))
        return begun[-1]

    yield start
    for session in begun:
        session.process.end()
        session.reader.close()
        assert session.reader.join(TIMEOUT_S)


def test_both_streams_arrive_with_the_status_at_the_end(begin):
    session = begin("import sys\nprint('one')\nprint('two', file=sys.stderr)\nsys.exit(3)\n")
    session.finish()
    assert sorted(session.lines[:2]) == [("err", "two"), ("out", "one")]
    assert session.lines[2:] == [("note", "The script has ended with status 3.")]


def test_the_script_sees_a_terminal(begin):
    session = begin(
        "import os, sys\n"
        "print([stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)])\n"
        "print(os.get_terminal_size().columns, os.environ['TERM'] != '')\n"
    )
    session.finish()
    assert [text for _, text in session.lines[:2]] == ["[True, True, True]", "100 True"]


def test_a_traceback_and_a_signal_are_shown(begin):
    session = begin("import os, signal\nprint('now')\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    session.finish()
    assert session.lines == [
        ("out", "now"),
        ("note", "The script was ended by signal 11 (SIGSEGV)."),
    ]
    session = begin("raise ValueError('wrong')\n")
    session.finish()
    assert [text for stream, text in session.lines if stream == "err"][-1] == "ValueError: wrong"
    assert session.lines[-1] == ("note", "The script has ended with status 1.")


def test_no_text_is_lost_at_the_end_and_much_of_it_does_not_block(begin):
    session = begin("import os\nfor i in range(60_000):\n    print(i)\nos._exit(0)\n")
    session.finish()
    assert session.lines[-2:] == [
        ("out", "59999"),
        ("note", "The script has ended with status 0."),
    ]
    assert len(session.lines) == 10_000


def test_an_input_is_noticed_and_typed(begin):
    session = begin("name = input('Name: ')\nprint('hello', name)\nprint(repr(input()))\n")
    run = threading.Thread(target=session.process.run)
    run.start()
    if Path("/proc/self/syscall").exists():
        assert session.awaited.wait(TIMEOUT_S)
    session.reader.type_line("Ada")
    session.reader.type_line("")
    run.join(TIMEOUT_S)
    assert session.reader.join(TIMEOUT_S)
    assert not session.reader.is_awaited
    assert [text for stream, text in session.lines if stream == "out"] == ["hello Ada", "''"] or [
        text for _, text in session.lines
    ][-3:] == ["hello Ada", "''", "The script has ended with status 0."]


def test_the_end_of_the_input_is_an_error_of_the_script(begin):
    session = begin("import sys\nprint(sys.stdin.read().split())\ninput()\n")
    session.reader.type_line("one two")
    session.reader.end_input()
    session.reader.end_input()
    session.finish()
    texts = [text for _, text in session.lines]
    assert "['one', 'two']" in texts
    assert texts[-2:] == ["EOFError", "The script has ended with status 1."]


def test_processes_that_live_on_do_not_keep_the_end_back(begin):
    child = "import time; time.sleep(600)"
    session = begin(
        f"import subprocess, sys\nprint(subprocess.Popen([sys.executable, '-c', {child!r}]).pid)\n"
    )
    session.process.run()
    deadline = threading.Event()
    while len(session.lines) < 2 and not deadline.wait(0.01):
        pass
    assert session.lines[1:] == [("note", "The script has ended with status 0.")]
    os.kill(int(session.lines[0][1]), 9)


def test_without_pseudo_terminals_there_are_pipes(begin, monkeypatch):
    monkeypatch.setattr(output_reader, "pty", None)
    session = begin("import sys\nprint(sys.stdout.isatty(), input())\nprint(sys.stdin.read())\n")
    session.reader.type_line("typed")
    session.reader.end_input()
    session.finish()
    assert [text for _, text in session.lines] == [
        "typed",
        "False typed",
        "",
        "The script has ended with status 0.",
    ]


def test_a_python_that_does_not_exist_leaves_nothing_open(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("")
    reader = OutputReader(OutputLog())
    before = len(list(Path("/dev/fd").iterdir()))
    with pytest.raises(ScriptError, match="cannot be started"):
        ScriptProcess(ScriptCommand(str(script), (), "/nowhere/python"), output=reader)
    reader.cancel()
    assert len(list(Path("/dev/fd").iterdir())) < before
    reader.type_line("nobody reads this")
    reader.close()


def test_of_a_process_that_has_closed_its_streams_the_end_is_told():
    log = OutputLog()
    reader = OutputReader(log)
    streams = reader.streams
    process = subprocess.Popen(
        [sys.executable, "-c", "import os; os.close(1); os.close(2); os.close(0)"],
        stdin=streams.stdin,
        stdout=streams.stdout,
        stderr=streams.stderr,
    )
    reader.begin(process)
    assert reader.join(TIMEOUT_S)
    assert [line.text for line in log.lines] == ["The script has ended with status 0."]
