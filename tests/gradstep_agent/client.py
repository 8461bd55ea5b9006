"""Runs scripts under the agent, and reads what it sends, as simply as that can be done."""

from __future__ import annotations

import contextlib
import json
import math
import mmap
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from gradstep_agent.wire import LENGTHS, ROW

ROOT = Path(__file__).parents[2]
LAUNCHER = ROOT / "core" / "gradstep_agent" / "launcher.py"
SIZES = {"float32": 4, "float64": 8, "int64": 8, "bfloat16": 2, "bool": 1, "complex64": 8}


@dataclass
class Event:
    """A row, with the place that it points to."""

    number: int
    place: dict
    depth: int
    iteration: int
    epoch: int
    loss: float | None
    arrays: dict

    @property
    def kind(self):
        return self.place["kind"]


@dataclass
class Run:
    """What came of a script: its output, its status, and all frames."""

    status: int
    out: str
    err: str
    events: list = field(default_factory=list)
    frames: list = field(default_factory=list)

    def of(self, kind):
        return [header for header in self.frames if header["type"] == kind]

    def counts(self):
        return dict(Counter(event.kind for event in self.events))

    @property
    def iterations(self):
        return 1 + max((event.iteration for event in self.events), default=-1)

    @property
    def epochs(self):
        return 1 + max((event.epoch for event in self.events), default=-1)


def command(name, body=b"", **more):
    text = json.dumps({"command": name, **more}).encode()
    return LENGTHS.pack(len(text), len(body)) + text + body


def plain(script, *arguments, env=None, cwd=None, given=""):
    """Run a script without the agent."""
    done = subprocess.run(
        [sys.executable, script, *arguments],
        capture_output=True,
        text=True,
        env=environment(env),
        cwd=cwd,
        input=given,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr)


def environment(more=None):
    return {**os.environ, "OMP_NUM_THREADS": "1", **(more or {})}


class Connection:
    """The debugger's end of a connection with an agent."""

    def __init__(self, sock):
        self.socket = sock
        self.run = Run(-1, "", "")
        self.memory = self.descriptor = None
        self.frees = True
        self._received = bytearray()
        self._descriptors = []
        self._places = {}
        self.checkpoints = []

    def close(self):
        self.socket.close()
        for checkpoint in self.checkpoints:
            checkpoint.close()
        if self.descriptor is not None:
            os.close(self.descriptor)

    def send(self, name, **more):
        self.socket.sendall(command(name, **more))

    def ask(self, name, kind, **more):
        """Send a command and read to its answer."""
        self.send(name, **more)
        return self.until(kind)

    def step_to(self, kind):
        """Step to the next Operation of a kind that is in no other one; return where it is held."""
        self.send("step")
        while (held := self.until("held"))["kind"] != kind or held["depth"]:
            self.send("step")
        return held

    def read(self):
        """Read one frame; None at the end."""
        start = self._read_exactly(LENGTHS.size)
        if len(start) < LENGTHS.size:
            return None
        header_size, body_size = LENGTHS.unpack(start)
        header = json.loads(self._read_exactly(header_size))
        body = self._read_exactly(body_size)
        if header["type"] == "ring":
            self.descriptor = self._descriptors.pop(0)
            self.memory = mmap.mmap(self.descriptor, header["size"], prot=mmap.PROT_READ)
        elif "ring" in header:
            position, size = header["ring"]
            at = position % len(self.memory)
            body = self.memory[at : at + size]
            if self.frees:
                with contextlib.suppress(BrokenPipeError):
                    self.send("freed", position=position + size)
        if header["type"] == "checkpoint":
            self.checkpoints.append(self._checkpoint(header))
        self._take(header, body)
        if header["type"] in {"arrays", "micro"}:
            header["values"] = dict(_arrays(header["arrays"], body))
        return header

    def _checkpoint(self, header):
        channel, lifeline = (socket.socket(fileno=self._descriptors.pop(0)) for _ in range(2))
        return Checkpoint(header, channel, lifeline, self._places)

    def _read_exactly(self, size):
        while len(self._received) < size:
            try:
                found, descriptors, _, _ = socket.recv_fds(self.socket, 1 << 16, 8)
            except ConnectionResetError:  # it ended before it had read all commands
                return b""
            self._descriptors += descriptors
            if not found:
                return b""
            self._received += found
        data = bytes(self._received[:size])
        del self._received[:size]
        return data

    def until(self, kind):
        """Read frames until one of a kind has come; None if the script ends before."""
        while True:
            header = self.read()
            if header is None or header["type"] == kind:
                return header
            assert header["type"] != "refused", header["message"]

    def _take(self, header, body):
        self.run.frames.append(header)
        if header["type"] == "place":
            self._places[header["id"]] = header
        elif header["type"] == "rows":
            at = 0
            for _ in range(header["count"]):
                at = self._take_row(body, at)
            assert at == len(body)

    def _take_row(self, body, at):
        number, place, depth, iteration, epoch, loss, _ = ROW.unpack_from(body, at)
        at += ROW.size
        place = self._places[place]
        size = sum(math.prod(shape) * SIZES[dtype] for _, dtype, shape in place["arrays"])
        arrays = dict(_arrays(place["arrays"], body[at : at + size]))
        at += size
        at += 8 * 3 * len(place["norms"])
        loss = None if math.isnan(loss) else loss
        self.run.events.append(Event(number, place, depth, iteration, epoch, loss, arrays))
        return at


class Script(Connection):
    """A script that runs under the agent, and the other end of its connection."""

    def __init__(
        self, script, *arguments, cwd=None, threads=1, given="", launcher=LAUNCHER, **options
    ):
        ours, theirs = socket.socketpair()
        settings = json.dumps({"socket": theirs.fileno(), "share": 0, **options})
        super().__init__(ours)
        self.process = subprocess.Popen(
            [sys.executable, str(launcher), settings, str(script), *arguments],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment({"OMP_NUM_THREADS": str(threads)}),
            cwd=cwd,
        )
        theirs.close()
        self._output = threading.Thread(target=self._read_output, args=[given], daemon=True)
        self._output.start()

    def _read_output(self, given):
        self.run.out, self.run.err = self.process.communicate(given)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.close()
        self._output.join()

    def output(self):
        """End all, and return what it and its copies have printed."""
        self.close()
        self._output.join()
        return self.run.out

    def finish(self):
        """Read to the end; of its output too, so no checkpoint may be left."""
        while self.read() is not None:
            pass
        self.run.status = self.process.wait(timeout=60)
        self._output.join()
        return self.run


class Checkpoint(Connection):
    """A copy of a script that sleeps; `wake` lets it repeat what came then, up to an event."""

    def __init__(self, header, sock, lifeline, places):
        super().__init__(sock)
        self.event, self.pid = header["event"], header["pid"]
        self._lifeline = lifeline
        self._places = dict(places)

    def wake(self, event):
        self.send("wake", event=event)
        return self.until("held")

    def close(self):
        self._lifeline.close()  # first: without a debugger, a script goes on
        super().close()

    def has_ended(self):
        """Wait for the end of its process."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if not is_alive(self.pid):
                return True
            time.sleep(0.01)
        return False


def is_alive(pid):
    """Return whether a process runs; one that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _arrays(layouts, body):
    at = 0
    for address, dtype, shape in layouts:
        size = math.prod(shape) * SIZES[dtype]
        yield address, body[at : at + size]
        at += size
    assert at == len(body)


def record(script, *arguments, **options):
    """Run a script to its end under the agent."""
    with Script(script, *arguments, **options) as running:
        running.send("go")
        return running.finish()
