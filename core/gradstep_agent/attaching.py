"""Lets a process be debugged that GradStep has not started: scripts, long jobs, notebooks."""

from __future__ import annotations

import atexit
import contextlib
import hmac
import os
import secrets
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradstep_agent import stand_in, waiting
from gradstep_agent.agent import Agent
from gradstep_agent.file_wire import FileWire
from gradstep_agent.import_hook import when_imported
from gradstep_agent.torch_hooks import install
from gradstep_agent.user_code import user_frame
from gradstep_agent.wire import Disconnected, Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

ADDRESS_VARIABLE = "GRADSTEP_ATTACH"
"""Names the debugger that `attach` connects to when it is given no address."""

_SECONDS_FOR_TOKEN = 10.0
_current: list[Agent] = []  # of this process: one at most
_starting = threading.Lock()
"""Once a debugger has read the first frame, `pause` and `watch` know of it, and wait until what
follows them is seen."""


class AttachError(Exception):
    """The process cannot be debugged; the message says why, and what to do."""


class Listener:
    """Where a debugger can attach itself to this process.

    Attributes:
        address: HOST:PORT.
        token: What the debugger must send first.
    """

    def __init__(self, sock: socket.socket, token: str) -> None:
        host, port = sock.getsockname()[:2]
        self.address = f"{host}:{port}"
        self.token = token
        self._socket = sock

    def close(self) -> None:
        """Stop accepting debuggers."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._socket.close()


_LONGEST_OPENING_S = 60.0
"""How long a process that attaches itself waits for the debugger's first word."""


def start_agent(
    wire: Wire,
    *,
    level: str = "full",
    share: float = 0.2,
    goes_on: bool = True,
    thread: int | None = None,
) -> Agent:
    """Begin to see what this process does.

    Args:
        wire: The connection.
        level: "events", "series" or "full".
        share: The largest share of the running time that the agent takes for itself.
        goes_on: Whether the script continues when the other side disappears; else it ends.
        thread: The thread that is watched; None for the calling one.
    """
    agent = Agent(wire, level, share, goes_on=goes_on)
    if thread is not None:
        agent.thread = thread
    with _starting:
        wire.greet()
        _current[:] = [agent]
        when_imported("torch", lambda torch: _begin(agent, torch))
        when_imported(stand_in.NAME, lambda torch: _begin(agent, stand_in.StandIn(torch)))
    return agent


def _begin(agent: Agent, torch: Any) -> None:
    if agent.torch is None:  # the first that is imported
        install(agent, torch)


def attach(
    address: str | None = None,
    *,
    token: str = "",
    level: str = "full",
    share: float = 0.2,
    goes_on: bool = True,
) -> None:
    """Connect this process to a debugger that waits for it, as `gradstep attach` does.

    What was imported from torch by name before, such as `clip_grad_norm_`, is not seen.

    Args:
        address: HOST:PORT, or the path of a Unix socket; None for what GRADSTEP_ATTACH names, or
            else the `gradstep attach` that this user has started last on this machine.
        token: What the debugger has given out; with an address of the form HOST:PORT.
        level: "full", or less for programs of your own that read the frames: "events", or "series"
            with norms.
        share: The largest share of the running time that the agent takes for itself.
        goes_on: Whether the process continues when the debugger disappears; else it ends.

    Raises:
        AttachError: Nobody waits there, or the process is being debugged already.
    """
    _check_free()
    place = address or os.environ.get(ADDRESS_VARIABLE, "")
    try:
        sock = _connect(place) if place else waiting.connect()
    except (OSError, ValueError) as error:
        raise AttachError(f"no debugger waits at {place}: {error}") from error
    if sock is None:
        raise AttachError(
            "no debugger waits: start `gradstep attach` in a terminal of this machine, and call "
            "attach() again"
        )
    wire = Wire(sock)
    try:
        if token:
            wire.send({"type": "token", "token": token})
        agent = start_agent(wire, level=level, share=share, goes_on=goes_on)
    except Disconnected as error:
        where = f"at {place}" if place else "that waits"
        raise AttachError(f"the debugger {where} does not answer: {error}") from error
    if not place:  # `gradstep attach` holds the process, or lets it go, once its window is open
        wire.has_command(within=_LONGEST_OPENING_S)
    _watch_caller(agent, _folder_of_caller())


def listen(
    port: int = 0,
    *,
    host: str = "127.0.0.1",
    token: str = "",
    level: str = "full",
    share: float = 0.2,
) -> Listener:
    """Let a debugger attach itself at any time; until then this costs nothing.

    The address and the token are printed to standard error. On a cluster, reach the port through
    an SSH tunnel: it is open on this machine only unless a host is given.

    Args:
        port: The port; 0 for any that is free.
        host: The address that is listened on.
        token: What the debugger must send first; drawn when it is not given.
        level: "full", or less for programs of your own that read the frames: "events", or "series"
            with norms.
        share: The largest share of the running time that the agent takes for itself.

    Raises:
        AttachError: The port cannot be listened on, or the process is being debugged already.
    """
    _check_free()
    try:
        sock = socket.create_server((host, port))
    except OSError as error:
        raise AttachError(f"cannot listen on {host}:{port}: {error}") from error
    listener = Listener(sock, token or secrets.token_hex(16))
    arguments = (sock, listener.token, _folder_of_caller(), threading.get_ident(), level, share)
    threading.Thread(target=_accept, args=arguments, name="gradstep", daemon=True).start()
    sys.stderr.write(f"gradstep attach {listener.address} --token {listener.token}\n")
    return listener


def record(path: str | os.PathLike[str], *, level: str = "full", share: float = 0.2) -> None:
    """Record what this process does from now on, until it ends or calls `detach()`.

    The file has what a debugger would be sent, as it happens: also a process that is killed leaves
    what it has done. GradStep opens it as a session.

    Args:
        path: The file, such as "run.gradstep"; an existing one is replaced.
        level: As in `attach`.
        share: The largest share of the running time that the agent takes for itself.

    Raises:
        AttachError: The file cannot be written, or the process is being debugged already.
    """
    _check_free()
    try:
        wire = FileWire(path)
    except OSError as error:
        raise AttachError(f"{os.fspath(path)} cannot be written: {error.strerror}") from error
    agent = start_agent(wire, level=level, share=share)
    _watch_caller(agent, _folder_of_caller())


def pause() -> None:
    """Hold this process here, if a debugger watches it; else continue."""
    with _starting:
        agents = list(_current)
    for agent in agents:
        agent.pause(user_frame(sys._getframe(1)))


@contextlib.contextmanager
def watch(*subjects: Any) -> Iterator[None]:
    """Let the debugger see what happens inside, and from now on only what happens in such blocks.

    Args:
        subjects: Modules and optimizers that are described at once; others when they are used.
    """
    with _starting:
        agents = list(_current)
    for agent in agents:
        agent.watch(subjects, user_frame(sys._getframe(2)))
    try:
        yield
    finally:
        for agent in agents:
            agent.rest()


def detach() -> None:
    """Detach from this process; it continues as without a debugger."""
    for agent in _current:
        agent.finish(0)
    _current.clear()


def load_ipython_extension(ipython: Any) -> None:
    """Let a debugger attach itself to a notebook: `%load_ext gradstep_agent`."""
    ipython.push({"gradstep_listener": listen()}, interactive=False)


def unload_ipython_extension(ipython: Any) -> None:
    """Let go of the notebook: `%unload_ext gradstep_agent`."""
    detach()
    listener = ipython.user_ns.pop("gradstep_listener", None)
    if isinstance(listener, Listener):
        listener.close()


def _is_debugged() -> bool:
    if _current and _current[0].is_left:  # which it would notice at its next Operation
        detach()
    return bool(_current) and not _current[0].has_let_go


def _check_free() -> None:
    if _is_debugged():
        raise AttachError("this process is being debugged already; call detach() first")


def _connect(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        return socket.create_connection((host, int(port)))
    if sys.platform == "win32":
        raise OSError("on Windows a debugger is reached at HOST:PORT only")
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.connect(address)
    except OSError:
        sock.close()
        raise
    return sock


def _accept(
    sock: socket.socket, token: str, folder: str, thread: int, level: str, share: float
) -> None:
    """Wait for a debugger that knows the token; then let it watch the thread."""
    while True:
        try:
            connected = sock.accept()[0]
        except OSError:
            return  # the listener was closed
        wire = Wire(connected)
        connected.settimeout(_SECONDS_FOR_TOKEN)
        try:
            command = wire.receive()
        except Disconnected:
            connected.close()
            continue
        said = str(command.get("token", "")).encode()
        if command.get("command") != "token" or not hmac.compare_digest(said, token.encode()):
            _refuse(wire, "the token is wrong")
            continue
        connected.settimeout(None)
        _start_if_free(wire, folder, thread, level, share)


def _start_if_free(wire: Wire, folder: str, thread: int, level: str, share: float) -> None:
    if _is_debugged():
        _refuse(wire, "the process is being debugged already")
        return
    try:
        agent = start_agent(wire, level=level, share=share, thread=thread)
    except Disconnected:
        wire.socket.close()
        return
    _watch_caller(agent, folder)


def _refuse(wire: Wire, message: str) -> None:
    with contextlib.suppress(Disconnected):
        wire.send({"type": "refused", "action": "attach", "message": message})
    wire.socket.close()


def _folder_of_caller() -> str:
    frame = user_frame(sys._getframe(2))
    file = "" if frame is None else frame.f_globals.get("__file__", "")
    return str(Path(file).resolve().parent if file else Path.cwd())


def _watch_caller(agent: Agent, folder: str) -> None:
    agent.watch_files_in(folder)
    atexit.register(_finish, agent)


def _finish(agent: Agent) -> None:
    """Say how the process has ended."""
    error = getattr(sys, "last_value", None)
    text = "" if error is None else f"{type(error).__name__}: {error}"
    if error is not None:
        agent.explain(error)
    agent.finish(0 if error is None else 1, text[:2000])
