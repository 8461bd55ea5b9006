"""`gradstep record` and `gradstep debug` run scripts as Python does, here without torch."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from gradstep.debugger import Debugger
from gradstep.errors import SessionError
from gradstep_gui.cli import main
from gradstep_gui.numeric_threads import VARIABLES
from tests.core.script.started_ranks import install_torchrun

SCRIPT = """
import json, sys
print(json.dumps(sys.argv[1:]))
sys.exit(int(sys.argv[-1]) if sys.argv[-1].isdecimal() else 0)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(*words):
    return main(["record", "--python", sys.executable, *words])


def test_the_script_gets_its_own_arguments_and_its_status_is_returned(folder, capfd):
    assert record("train.py", "--epochs", "3") == 3
    assert json.loads(capfd.readouterr().out) == ["--epochs", "3"]


def test_options_may_stand_after_the_script_and_what_follows_two_dashes_is_the_scripts(
    folder, capfd
):
    assert record("train.py", "--lr", "0.1", "-o", "run.gradstep", "--", "-o", "--json") == 0
    assert json.loads(capfd.readouterr().out) == ["--lr", "0.1", "-o", "--json"]
    assert len(Debugger.open(folder / "run.gradstep").events) == 0


def test_without_an_output_the_session_has_the_name_of_the_script(folder):
    assert record("train.py") == 0
    assert Debugger.open(folder / "train.gradstep").listing.code == SCRIPT


def test_a_module_is_run_as_python_does_it(folder, capfd):
    (folder / "package").mkdir()
    (folder / "package" / "train.py").write_text("print(__name__, __package__)")
    assert record("-m", "package.train", "-o", "run.gradstep") == 0
    assert capfd.readouterr().out == "__main__ package\n"


def test_an_m_after_the_script_is_the_scripts_own(folder, capfd):
    assert record("train.py", "-m", "resnet", "-o", "run.gradstep") == 0
    assert json.loads(capfd.readouterr().out) == ["-m", "resnet"]


def test_gradstep_need_not_be_installed_in_the_scripts_python(folder, capfd):
    bare = folder / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    (folder / "bare.py").write_text(
        "import importlib.util, sys\n"
        "print([n for n in ('gradstep', 'numpy', 'msgspec') if importlib.util.find_spec(n)])\n"
        "print([place for place in sys.path if 'gradstep_agent' in place])\n"
    )
    assert main(["record", "--python", str(bare), "bare.py"]) == 0
    assert capfd.readouterr().out == "[]\n[]\n"


@pytest.mark.parametrize("has_torch", [False, True])
def test_where_the_scripts_python_has_no_torch_another_is_proposed(
    folder, capfd, monkeypatch, has_torch
):
    (folder / "needs.py").write_text("import torch\n")
    bare = folder / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: sys if has_torch else None)
    assert main(["record", "--python", str(bare), "needs.py"]) == 1
    other = f"another, such as {sys.executable}," if has_torch else "another"
    assert capfd.readouterr().err.splitlines()[-1] == (
        f"gradstep: the script's Python has no PyTorch: choose {other} with --python, or use "
        "--stand-in"
    )


def test_a_script_does_not_get_our_number_of_numeric_threads(folder):
    (folder / "threads.py").write_text("import os; print(os.environ.get('OMP_NUM_THREADS'))")
    words = [sys.executable, "-m", "gradstep_gui", "record", "--python", sys.executable]
    environment = {key: text for key, text in os.environ.items() if key not in VARIABLES}
    for given in (None, "3"):
        more = {} if given is None else {"OMP_NUM_THREADS": given}
        done = subprocess.run(
            [*words, "threads.py"], env=environment | more, capture_output=True, check=True
        )
        assert done.stdout.decode() == f"{given}\n"


def test_a_traceback_is_the_scripts_own(folder, capfd):
    (folder / "wrong.py").write_text("x = 1\nx / 0\n")
    assert record("wrong.py") == 1
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].strip() == 'File "wrong.py", line 2, in <module>'
    assert "ZeroDivisionError: division by zero" in lines


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no script is named"),
        (["missing.py"], "there is no file missing.py; check the path of the script"),
        (["train.py", "-o", "train.py"], "train.py"),
        (["broken.ipynb"], "broken.ipynb is not a notebook of format 4; open it in Jupyter"),
        (["other.ipynb"], "other.ipynb is a notebook of R; choose one of Python"),
        (["train.py", "--python", "/nowhere/python"], "/nowhere/python cannot be started"),
    ],
)
def test_what_cannot_be_run_is_one_sentence(folder, capfd, words, message):
    before = (folder / "train.py").read_text()
    (folder / "broken.ipynb").write_text("import torch")
    other = {"cells": [], "metadata": {"language_info": {"name": "R"}}}
    (folder / "other.ipynb").write_text(json.dumps(other))
    assert record(*words) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err
    assert (folder / "train.py").read_text() == before


TRAINS = """
import sys, time
import torch
x = torch.ones(4, 3)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for iteration in range(int(sys.argv[1])):
    optimizer.zero_grad()
    model(x).pow(2).mean().backward()
    optimizer.step()
    if iteration == 5:
        if sys.argv[2] == "wait":
            sys.modules["gradstep_agent.attaching"]._current[0]._wire.flush()
            try:
                print("waits", flush=True)
                while True:
                    time.sleep(0.01)  # a pause that began after the signal would never end
            except KeyboardInterrupt:
                print("interrupted", flush=True)
                sys.exit(7)
"""


@pytest.fixture
def waiting(folder):
    """Start `gradstep record` of a script that waits after 24 Events, in a session of its own.

    It gets Ctrl-C as from a terminal: what a shell starts in the background ignores it, and so does
    all that comes of that.
    """
    (folder / "train.py").write_text(TRAINS)
    words = [sys.executable, "-m", "gradstep_gui", "record", "--stand-in", "-o", "run.gradstep"]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(
        [*words, "train.py", "9", "wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        signal.signal(signal.SIGINT, before)
        assert process.stdout.readline() == "waits\n"
        yield process
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.slow
def test_ctrl_c_in_the_terminal_is_the_scripts_and_the_recording_is_kept(folder, waiting):
    os.killpg(waiting.pid, signal.SIGINT)
    out, err = waiting.communicate(timeout=60)
    assert (out, waiting.returncode) == ("interrupted\n", 7)
    assert "recorded 24 Events in 6 iterations as run.gradstep" in err
    assert len(Debugger.open(folder / "run.gradstep").events) == 24
    assert [path.name for path in folder.glob("*unfinished*")] == []


@pytest.mark.slow
def test_what_a_killed_recording_has_received_can_be_opened(folder, waiting, capfd):
    frames = folder / "run.unfinished.gradstep"
    end = time.monotonic() + 60
    while len(Debugger.open(frames).events) < 24:
        assert time.monotonic() < end
    waiting.kill()
    waiting.wait(60)
    assert not (folder / "run.gradstep").exists()
    assert main(["report", "run.gradstep"]) == 2
    remedy = "its recording was not finished: open run.unfinished.gradstep"
    assert capfd.readouterr().err == f"gradstep: there is no file run.gradstep; {remedy}\n"
    assert main(["report", str(frames)]) == 0
    assert "train.py: 24 Events" in capfd.readouterr().out
    assert main(["recordings", "--folder", "."]) == 0
    assert "run.unfinished.gradstep" in capfd.readouterr().out
    assert record("--stand-in", "train.py", "2", "go", "-o", "run.gradstep") == 0
    assert "run.unfinished.gradstep is a recording that was not finished" in capfd.readouterr().err
    assert len(Debugger.open(folder / "run.gradstep").events) == 8


def test_where_nothing_can_be_written_the_script_is_not_started(folder, capfd):
    assert record("train.py", "-o", "missing/run.gradstep") == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "run.unfinished.gradstep cannot be recorded: No such file or directory" in err


def test_what_could_not_be_saved_is_in_the_file_of_frames(folder, capfd, monkeypatch):
    (folder / "train.py").write_text(TRAINS)

    def save(debugger, path):
        raise SessionError(f"{path} cannot be saved: disk full", "free space")

    monkeypatch.setattr("gradstep_gui.command_line.script_commands.save", save)
    assert record("--stand-in", "train.py", "2", "go", "-o", "run.gradstep") == 2
    err = capfd.readouterr().err
    assert "gradstep: what was recorded is in run.unfinished.gradstep: open it\n" in err
    assert len(Debugger.open(folder / "run.unfinished.gradstep").events) == 8


RANK = """
import os
import gradstep_torch as torch
model = torch.nn.Linear(2, 1)
for _ in range(2 + int(os.environ["RANK"])):
    model(torch.ones(3, 2)).sum().backward()
"""


def test_each_rank_is_in_a_file_of_its_own_until_its_session_is_saved(folder, capfd, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", install_torchrun(folder))
    (folder / "train.py").write_text(RANK)
    words = ("-o", "run.gradstep", "--", "torchrun", "2", "train.py")
    saved = []

    def save(debugger, path):
        if saved:
            raise SessionError(f"{path} cannot be saved: disk full", "free space")
        saved.append(path)

    with monkeypatch.context() as patched:
        patched.setattr("gradstep_gui.command_line.script_commands.save", save)
        assert record(*words) == 2
    left = [folder / f"run.rank{rank}.unfinished.gradstep" for rank in range(2)]
    assert sorted(folder.glob("*unfinished*")) == left
    assert [len(Debugger.open(path).events) for path in left] == [4, 6]
    err = capfd.readouterr().err
    assert "gradstep: what was recorded is in run.rank1.unfinished.gradstep: open it\n" in err
    for path in left:
        path.unlink()
    assert record(*words) == 0
    saved = sorted(path.name for path in folder.glob("*.gradstep"))
    assert saved == ["run.rank0.gradstep", "run.rank1.gradstep"]
    assert len(Debugger.open(folder / "run.rank1.gradstep").events) == 6


def test_where_no_rank_can_be_written_torchrun_is_ended(folder, capfd, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", install_torchrun(folder))
    (folder / "train.py").write_text(RANK)
    assert record("-o", "missing/run.gradstep", "--", "torchrun", "1", "train.py") == 2
    assert "run.rank0.unfinished.gradstep cannot be recorded" in capfd.readouterr().err


def test_a_script_cannot_be_debugged_without_a_display(folder, monkeypatch, capfd):
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert main(["debug", "train.py"]) == 3
    assert capfd.readouterr().err.startswith("gradstep: ")
