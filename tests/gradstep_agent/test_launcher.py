"""The launcher runs a script as Python itself does. None of these needs torch."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.gradstep_agent.client import ROOT, Script, plain, record

LAUNCHER = str(ROOT / "core" / "gradstep_agent" / "launcher.py")


@pytest.fixture
def write(tmp_path):
    def write(text, name="script.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    "text",
    [
        "import sys; print(sys.argv[1:], sys.path[0], __name__, __file__, __doc__)",
        "'''About.'''\nprint(__doc__, __spec__, sorted(globals()))",
        "import sys; sys.exit(7)",
        "import sys; sys.exit('no data')",
        "raise SystemExit",
        "def f():\n    return 1 / 0\nf()\n",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('outer') from e\n",
        "try:\n    {}['a']\nexcept KeyError:\n    int('x')\n",
        "def f(:\n",
        "import sys; sys.excepthook = lambda *a: print('mine', a[1]); 1 / 0",
        "import atexit; atexit.register(print, 'at exit'); print('end')",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: 'int' = 1\nprint(A())",
        "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)",
        "raise ExceptionGroup('two', [ValueError(1), KeyError(2)])",
    ],
)
def test_a_script_behaves_as_without_the_agent(write, text):
    script = write(text)
    alone, run = plain(script, "--one", "two words"), record(script, "--one", "two words")
    assert run.out == alone.out
    assert run.status == alone.status
    assert run.err == alone.err


def test_the_error_that_ended_a_script_is_told_with_the_users_line(write):
    script = write("import json\n\ndef f():\n    return json.loads('{')\n\nf()\n")
    (bye,) = record(script).of("bye")
    assert bye["error"].startswith("JSONDecodeError: ")
    assert bye["error"].endswith(" (script.py:4)")


def test_a_python_that_is_too_old_is_told_in_a_sentence():
    code = (
        "import runpy, sys; sys.version_info = (3, 8, 1);"
        f"runpy.run_path({LAUNCHER!r}, {{}}, '__main__')"
    )
    words = [sys.executable, "-c", code]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stderr == f"gradstep: {sys.executable} is Python 3.8.1: choose one from 3.9 on\n"


def test_a_missing_script_is_reported_as_python_does(tmp_path):
    run = record(tmp_path / "missing.py")
    assert run.status == 2
    assert "can't open file" in run.err
    assert "No such file or directory" in run.err


@pytest.fixture
def package(write):
    """Write a package of modules that say how they are run; return its folder."""
    write("import sys; print('package', sys.argv)", "package/__init__.py")
    write("print('main', __name__, __package__)", "package/__main__.py")
    write("VALUE = 5", "package/values.py")
    write("def f():\n    1 / 0\nf()", "package/wrong.py")
    return write(
        "from package.values import VALUE; import sys\n"
        "print(VALUE, sys.argv, sys.path[0], __name__, __package__, __spec__.name, __file__)\n"
        "print(sorted(globals()))\n",
        "package/train.py",
    ).parents[1]


@pytest.mark.parametrize("name", ["package.train", "package", "package.wrong", "package.absent"])
def test_a_module_runs_as_after_minus_m(package, name):
    alone = plain("-m", name, "x", cwd=package)
    run = record(name, "x", module=True, cwd=package)
    assert (run.out, run.status) == (alone.out, alone.status)
    assert run.err == alone.err


def test_processes_that_a_script_starts_are_left_alone(write):
    script = write(
        "import multiprocessing, os\n"
        "def work(q): q.put(6 * 7)\n"
        "if __name__ == '__main__':\n"
        "    for how in ('fork', 'spawn'):\n"
        "        context = multiprocessing.get_context(how)\n"
        "        queue = context.Queue()\n"
        "        process = context.Process(target=work, args=(queue,))\n"
        "        process.start(); print(how, queue.get(), flush=True); process.join()\n"
    )
    run = record(script)
    assert (run.status, run.out, run.err) == (0, "fork 42\nspawn 42\n", "")
    assert [frame["type"] for frame in run.frames] == ["hello", "bye"]


def test_an_interrupted_script_ends_by_the_signal(write):
    script = write(
        "import os, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "print('not reached')\n"
    )
    alone, run = plain(script), record(script)
    assert run.status == alone.status == -signal.SIGINT
    assert run.out == ""
    assert run.err == alone.err


def test_the_first_frame_names_the_protocol_and_the_last_the_status(write):
    run = record(write("import sys; sys.exit(4)"))
    assert run.frames[0]["type"] == "hello"
    assert run.frames[0]["protocol"] == 1
    assert run.frames[-1]["type"] == "bye"
    assert run.frames[-1]["status"] == 4


def test_the_agent_is_imported_without_leaving_a_trace_on_the_path(write):
    script = write("import sys; print([p for p in sys.path if 'gradstep_agent' in p])")
    assert record(script).out == "[]\n"


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "until", "event": "soon"},
        {"name": "arrays"},
        {"name": "freed", "position": 3},
        {"name": "fly"},
    ],
)
def test_a_command_that_does_not_fit_ends_the_connection_and_not_the_script(write, wrong):
    with Script(write("print('goes on')")) as running:
        running.send(**wrong)
        run = running.finish()
    assert (run.status, run.out, run.err) == (0, "goes on\n", "")
    assert [frame["type"] for frame in run.frames] == ["hello"]


@pytest.mark.parametrize(
    "frame", [b"\xff\xff\xff\x7f\0\0\0\0", b"\2\0\0\0\0\0\0\0[]", b"\1\0\0\0\0\0\0\0x"]
)
def test_a_command_that_is_none_ends_the_connection_and_not_the_script(write, frame):
    with Script(write("print('goes on')")) as running:
        running.socket.sendall(frame)
        run = running.finish()
    assert (run.status, run.out, run.err) == (0, "goes on\n", "")
