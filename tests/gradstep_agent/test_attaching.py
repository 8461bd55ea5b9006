"""A process that lets itself be debugged: by a call, and in a notebook."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

import gradstep_agent
from tests.gradstep_agent.client import ROOT, Connection, environment


@pytest.fixture
def run(tmp_path):
    """Run a script of these lines with the debugger's address in its environment."""
    started = []

    def run(text, address=""):
        script = tmp_path / "script.py"
        script.write_text(text)
        process = subprocess.Popen(
            [sys.executable, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment({"PYTHONPATH": str(ROOT / "core"), "GRADSTEP_ATTACH": address}),
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def debugger(tmp_path):
    """Wait for a process; return its address and what accepts it."""
    with socket.socket(socket.AF_UNIX) as listening:
        address = str(tmp_path / "debugger")
        listening.bind(address)
        listening.listen()
        listening.settimeout(60)

        @contextmanager
        def accept():
            connection = Connection(listening.accept()[0])
            yield connection
            connection.close()

        yield address, accept


def read_to_end(connection):
    while connection.read() is not None:
        pass
    return connection.run


def test_a_script_attaches_itself_and_is_held_where_it_pauses(run, debugger):
    address, accept = debugger
    process = run(
        "import gradstep_agent\n"
        "gradstep_agent.attach()\n"
        "x = 3\n"
        "gradstep_agent.pause()\n"
        "print('end', x)\n",
        address,
    )
    with accept() as connection:
        held = connection.until("held")
        connection.send("go")
        found = read_to_end(connection)
    assert process.communicate() == ("end 3\n", "")
    assert (held["kind"], held["line"], held["frames"][0]["variables"]) == ("pause", 4, {"x": "3"})
    assert [frame["type"] for frame in found.frames] == [
        *("hello", "source", "held", "place", "rows", "bye")  # its text can be shown where it is
    ]
    assert found.frames[-1]["status"] == 0


def test_how_an_attached_process_has_ended_is_told(run, debugger):
    address, accept = debugger
    process = run("import gradstep_agent\ngradstep_agent.attach()\n1 / 0\n", address)
    with accept() as connection:
        found = read_to_end(connection)
    process.communicate()
    assert (process.returncode, found.frames[-1]["status"]) == (1, 1)
    assert found.frames[-1]["error"] == "ZeroDivisionError: division by zero"


LISTENING = (
    "import gradstep_agent\n"
    "listener = gradstep_agent.listen()\n"
    "print(listener.address, listener.token, flush=True)\n"
    "input()\n"
    "gradstep_agent.pause()\n"
    "print('end')\n"
)


def connect(address, token):
    host, port = address.split(":")
    connection = Connection(socket.create_connection((host, int(port))))
    connection.send("token", token=token)
    return connection


def test_a_process_that_listens_is_attached_to_with_its_token_only(run):
    process = run(LISTENING)
    address, token = process.stdout.readline().split()
    stranger = connect(address, "guessed")
    refused = {"type": "refused", "action": "attach", "message": "the token is wrong"}
    assert (stranger.read(), stranger.read()) == (refused, None)
    stranger.close()
    friend = connect(address, token)
    assert friend.until("hello")["pid"] == process.pid
    second = connect(address, token)
    assert second.read()["message"] == "the process is being debugged already"
    second.close()
    process.stdin.write("\n")
    process.stdin.flush()
    assert friend.until("held")["kind"] == "pause"
    friend.send("go")
    assert read_to_end(friend).frames[-1]["type"] == "bye"
    friend.close()
    out, err = process.communicate()
    assert (process.returncode, out) == (0, "end\n")
    assert err == f"gradstep attach {address} --token {token}\n"
    assert address.startswith("127.0.0.1:")


def test_a_process_that_nobody_attaches_to_runs_as_without_the_agent(run):
    process = run(LISTENING)
    assert process.communicate("\n")[0].endswith("end\n")
    assert process.returncode == 0


def test_where_nobody_waits_attaching_fails_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.delenv("GRADSTEP_ATTACH", raising=False)
    monkeypatch.setattr(gradstep_agent.attaching.waiting, "folder", lambda: tmp_path / "none")
    with pytest.raises(gradstep_agent.AttachError, match="no debugger waits"):
        gradstep_agent.attach()
    nowhere = os.fspath(tmp_path / "nowhere")
    with pytest.raises(gradstep_agent.AttachError, match=f"no debugger waits at {nowhere}"):
        gradstep_agent.attach(nowhere)


def test_attaching_waits_until_the_debugger_says_whether_it_holds(run, tmp_path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "1.socket"))
        listening.listen()
        listening.settimeout(60)
        process = run(
            "import pathlib\n"
            "import gradstep_agent.attaching\n"
            f"gradstep_agent.attaching.waiting.folder = lambda: pathlib.Path({str(tmp_path)!r})\n"
            "gradstep_agent.attach()\n"
            "print('begun', flush=True)\n"
        )
        tmp_path.chmod(0o700)
        connection = Connection(listening.accept()[0])
        connection.until("hello")
        assert not select.select([process.stdout], [], [], 0.5)[0]
        connection.send("hold")
        assert select.select([process.stdout], [], [], 60)[0]
        connection.close()
    assert process.communicate() == ("begun\n", "")


RECORDED = """\
import os, sys
import gradstep_agent
import gradstep_torch as torch
gradstep_agent.record("run.gradstep")
model = torch.nn.Linear(3, 1)
for _ in range(3):
    model(torch.ones(4, 3)).sum().backward()
    gradstep_agent.pause()
if len(sys.argv) > 1:
    os.kill(os.getpid(), 9)
gradstep_agent.detach()
model(torch.ones(4, 3)).sum().backward()
"""


def recorded(folder):
    """Return what a process has recorded itself."""
    ours, theirs = socket.socketpair()
    sending = threading.Thread(target=send_file, args=(theirs, folder / "run.gradstep"))
    sending.start()
    connection = Connection(ours)
    found = read_to_end(connection)
    sending.join()
    connection.close()
    return found


def send_file(sock, path):
    with sock:
        sock.sendall(path.read_bytes())


@pytest.mark.parametrize("arguments", [[], ["killed"]])
def test_a_process_records_itself_until_it_detaches_or_is_killed(tmp_path, arguments):
    script = tmp_path / "train.py"
    script.write_text(RECORDED)
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=tmp_path,
        env=environment({"PYTHONPATH": str(ROOT / "core")}),
        check=False,
    )
    found = recorded(tmp_path)
    assert done.returncode == (-9 if arguments else 0)
    pauses = 2 if arguments else 3  # a row waits some milliseconds for others
    assert found.counts() == {"forward": 3, "backward": 3, "pause": pauses}
    assert len(found.events[1].arrays["model.weight.grad"]) == 3 * 4
    assert len(found.of("bye")) == (not arguments)
    assert found.of("failed") == []


def test_a_recording_that_cannot_be_written_says_why(tmp_path):
    with pytest.raises(gradstep_agent.AttachError, match="cannot be written: No such file"):
        gradstep_agent.record(tmp_path / "nowhere" / "run.gradstep")


def test_without_a_debugger_pausing_and_watching_do_nothing():
    gradstep_agent.pause()
    with gradstep_agent.watch("anything"):
        gradstep_agent.pause()


def test_a_notebook_loads_the_agent_and_unloads_it(capsys):
    class Notebook:
        def __init__(self):
            self.user_ns = {}

        def push(self, names, interactive):
            self.user_ns.update(names)

    notebook = Notebook()
    gradstep_agent.load_ipython_extension(notebook)
    listener = notebook.user_ns["gradstep_listener"]
    assert capsys.readouterr().err == (
        f"gradstep attach {listener.address} --token {listener.token}\n"
    )
    gradstep_agent.unload_ipython_extension(notebook)
    assert notebook.user_ns == {}
    host, port = listener.address.split(":")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))


IN_A_NOTEBOOK = """\
import linecache
import gradstep_agent
cell = "gradstep_agent.pause()"
name = "<ipython-input-3-0123>"
linecache.cache[name] = (len(cell), None, [cell], name)  # as Jupyter does for tracebacks
gradstep_agent.attach()
exec(compile(cell, name, "exec"))
"""


def test_the_cell_of_a_notebook_in_jupyter_is_sent(run, debugger):
    address, accept = debugger
    process = run(IN_A_NOTEBOOK, address)
    with accept() as connection:
        held = connection.until("held")
        connection.send("go")
        found = read_to_end(connection)
    assert process.communicate() == ("", "")
    assert (held["file"], held["line"]) == ("<ipython-input-3-0123>", 1)
    assert [(source["file"], source["size"]) for source in found.of("source")] == [
        ("<ipython-input-3-0123>", 22)
    ]


IN_JUPYTER = """\
import linecache, sys
from types import ModuleType, SimpleNamespace
import gradstep_agent
cell = "import gradstep_agent\\ngradstep_agent.pause()"
name = "/tmp/ipykernel_12/3456.py"
linecache.cache[name] = (len(cell), None, cell.splitlines(True), name)
names = {name: ("Cell", "In[3]")}
compiler = SimpleNamespace(format_code_name=names.get)
sys.modules["IPython"] = ModuleType("IPython")
sys.modules["IPython"].get_ipython = lambda: SimpleNamespace(compile=compiler)
gradstep_agent.attach()
exec(compile(cell, name, "exec"))
"""


def test_the_cell_of_a_notebook_in_jupyter_is_named_by_its_number(run, debugger):
    address, accept = debugger
    process = run(IN_JUPYTER, address)
    with accept() as connection:
        held = connection.until("held")
        connection.send("go")
        found = read_to_end(connection)
    assert process.communicate() == ("", "")
    assert (held["file"], held["line"]) == ("<cell In[3]>", 2)
    assert held["frames"][0]["file"] == "<cell In[3]>"
    assert [(source["file"], source["size"]) for source in found.of("source")] == [
        ("<cell In[3]>", 44)
    ]


TRAINING = """\
import torch
import gradstep_agent
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters())
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
x = torch.randn(4, 3)
def train(times):
    for _ in range(times):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
        scheduler.step()
train(1)
gradstep_agent.attach()
train(2)
with gradstep_agent.watch(model, optimizer):
    train(3)
train(4)
print(scheduler.last_epoch)
"""


@pytest.mark.torch
@pytest.mark.slow
def test_what_was_made_before_attaching_is_seen_and_later_only_what_is_watched(run, debugger):
    address, accept = debugger
    process = run(TRAINING, address)
    with accept() as connection:
        found = read_to_end(connection)
    assert process.communicate() == ("10\n", "")
    kinds = ("zero_grad", "forward", "backward", "step", "scheduler_step")
    assert found.counts() == dict.fromkeys(kinds, 5)
    assert {event.place["target"] for event in found.events if event.kind == "step"} == {
        "optimizer"
    }
    assert found.of("failed") == []
