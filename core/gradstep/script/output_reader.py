"""OutputReader: reads what a script prints, as a terminal does, and types its input."""

from __future__ import annotations

import codecs
import os
import selectors
import signal
import struct
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal

try:
    import fcntl
    import pty
    import termios
except ImportError:  # not on Windows
    pty = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from gradstep.script.output_log import OutputLog

__all__ = ["OutputReader", "Streams"]

_ROWS: Final = 40
_COLUMNS: Final = 100
"""The size of the terminal that the script sees; progress bars are as wide."""

_CHUNK: Final = 1 << 16
_POLL_S: Final = 0.2
_LAST_S: Final = 1.0
"""How long after the script's end what other processes print is waited for."""
_MAX_TYPED: Final = 1 << 16
_END_OF_INPUT: Final = b"\x04"
_READ_CALLS: Final = frozenset(("0", "63"))
"""The numbers of the system call `read` on x86-64 and on 64-bit ARM."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The descriptors that a script gets as its standard streams.

    Attributes:
        stdin: Where it reads what is typed.
        stdout: Its standard output.
        stderr: Its standard error.
    """

    stdin: int
    stdout: int
    stderr: int

    def close(self) -> None:
        """Close them here; the script has its own."""
        for descriptor in {self.stdin, self.stdout, self.stderr}:
            os.close(descriptor)


class OutputReader:
    """Gives a script a terminal of its own, and writes what it prints to a log.

    Standard error has a second terminal, so that the two can be told apart; where the system has no
    pseudo-terminals, both are pipes. A thread reads them, so that the script never waits for the
    window. Copies of the script's process that sleep keep the terminals open, and print on them
    when they are woken: so the end of the script is not that of its streams.

    Args:
        log: Where the text goes.
        awaited: Called on the reader's thread when the script begins or stops to wait for input.

    Attributes:
        log: Where the text goes.
        streams: What the script is started with.
        is_awaited: Whether the script waits for a line of input, as far as the system tells.
    """

    def __init__(self, log: OutputLog, awaited: Callable[[], None] | None = None) -> None:
        self.log = log
        self.is_awaited = False
        self._awaited = awaited
        self._process: subprocess.Popen[bytes] | None = None
        self._typed = bytearray()
        self._ends_input = False
        self._lock = threading.Lock()
        self._wake_reader, self._wake_writer = os.pipe()
        _never_wait_for(self._wake_reader, self._wake_writer)
        self._is_open = True
        self._has_noted = False
        self._known: set[int] = set()  # the processes of the script
        self._thread: threading.Thread | None = None
        (out, stdout), (err, stderr) = _two_ends(), _two_ends()
        self._echoes = pty is not None  # a terminal shows what is typed in it
        stdin, self._input = (stdout, out) if self._echoes else os.pipe()
        self._outputs: dict[int, Literal["out", "err"]] = {out: "out", err: "err"}
        _never_wait_for(self._input, out, err)
        self.streams = Streams(stdin, stdout, stderr)

    @property
    def has_begun(self) -> bool:
        """Whether the script has been started."""
        return self._process is not None

    @property
    def has_ended(self) -> bool:
        """Whether the script has ended; copies of its process may go on."""
        return self._has_noted or not self._is_open

    def begin(self, process: subprocess.Popen[bytes]) -> None:
        """Read what a process prints, which was started with `streams`."""
        self._process = process
        self.streams.close()
        self.log.clear()  # which announces that there is something to look at
        self._thread = threading.Thread(target=self._run, name="gradstep-output", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Close everything: the script could not be started."""
        if self._is_open:
            self.streams.close()
            self._close()

    def type_line(self, text: str) -> None:
        """Type a line, for the script to read."""
        with self._lock:
            if self._is_open and len(self._typed) < _MAX_TYPED:
                self._typed += text.encode() + b"\n"
        if not self._echoes:
            self.log.write("out", f"{text}\n")
        self._wake()

    def end_input(self) -> None:
        """Tell the script that there is no more input, as Ctrl+D does in a terminal."""
        with self._lock:
            if self._echoes:
                self._typed += _END_OF_INPUT
            else:
                self._ends_input = True
        self._wake()

    def close(self) -> None:
        """Stop reading; the script, if it goes on, gets errors when it prints."""
        if self._thread is None:
            self.cancel()
            return
        with self._lock:
            self._is_open = False
        self._wake()

    def join(self, timeout_s: float) -> bool:
        """Wait until everything is read; return whether it is."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return self._thread is None or not self._thread.is_alive()

    def _wake(self) -> None:
        with self._lock, suppress(OSError):  # it is awake, or has ended
            os.write(self._wake_writer, b"\0")

    # -- on the reader's thread ----------------------------------------------------------------

    def _run(self) -> None:
        decoders = {
            descriptor: codecs.getincrementaldecoder("utf-8")("replace")
            for descriptor in self._outputs
        }
        has_ended, deadline = False, 0.0
        with selectors.DefaultSelector() as selector:
            for descriptor in (self._wake_reader, *self._outputs):
                selector.register(descriptor, selectors.EVENT_READ)
            while self._is_open and (self._outputs or not has_ended or deadline):
                if not has_ended and self._has_ended():
                    has_ended, deadline = True, monotonic() + _LAST_S
                wait = None if has_ended and not self._known else _POLL_S
                wait = 0.0 if deadline else wait
                found = {key.fd for key, _ in selector.select(wait)}
                if self._wake_reader in found:
                    self._drain_wakes()
                    found.discard(self._wake_reader)
                for descriptor in [one for one in self._outputs if one in found]:
                    if not self._read(descriptor, decoders[descriptor]):
                        selector.unregister(descriptor)
                        self._close_output(descriptor)
                self._send_typed()
                if deadline and (not found or monotonic() > deadline):
                    deadline = 0.0
                    self._note_end()
                else:
                    self._look_whether_awaited(is_quiet=not found)
        self._close()

    def _has_ended(self) -> bool:
        assert self._process is not None, "it has begun"
        return self._process.poll() is not None

    def _close_output(self, descriptor: int) -> None:
        with self._lock:
            del self._outputs[descriptor]
            if descriptor == self._input:
                self._input = -1
            os.close(descriptor)

    def _read(self, descriptor: int, decoder: codecs.IncrementalDecoder) -> bool:
        """Read what has come; return whether there may be more."""
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return True
        except OSError:  # Linux says so when no process has a terminal open any more
            data = b""
        if data:
            self.log.write(self._outputs[descriptor], decoder.decode(data))
        return bool(data)

    def _drain_wakes(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._wake_reader, _CHUNK):
                pass

    def _send_typed(self) -> None:
        """Type what there is room for; the rest is typed a little later."""
        with self._lock:
            if self._input < 0:
                return
            with suppress(OSError):
                while self._typed:
                    del self._typed[: os.write(self._input, self._typed[:_CHUNK])]
                if self._ends_input:
                    os.close(self._input)
                    self._input = -1

    def _look_whether_awaited(self, *, is_quiet: bool) -> None:
        """Find out whether the script waits for a line, where the system tells."""
        self._set_awaited(is_quiet and any(map(_is_reading, self._processes())))

    def _set_awaited(self, value: bool) -> None:
        if value is not self.is_awaited:
            self.is_awaited = value
            if self._awaited is not None:
                self._awaited()

    def _processes(self) -> set[int]:
        """Return the script's process and those that it has forked, as far as they live."""
        assert self._process is not None, "it has begun"
        if sys.platform == "win32":  # scripts run on Linux and macOS
            raise OSError("this needs Linux or macOS")
        first, found = self._process.pid, set[int]()
        waiting = [first, *self._known]
        while waiting:
            pid = waiting.pop()
            with suppress(OSError):
                if pid not in found and os.getsid(pid) == first:
                    found.add(pid)
                    children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
                    waiting += map(int, children.split())
        self._known = found
        return found

    def _note_end(self) -> None:
        assert self._process is not None, "it has begun"
        self._has_noted = True
        status = self._process.wait()
        self._set_awaited(value=False)
        if status >= 0:
            self.log.note(f"The script has ended with status {status}.")
            return
        try:
            name = f" ({signal.Signals(-status).name})"
        except ValueError:
            name = ""
        self.log.note(f"The script was ended by signal {-status}{name}.")

    def _close(self) -> None:
        with self._lock:
            self._is_open = False
            for descriptor in self._outputs:
                os.close(descriptor)
            if self._input >= 0 and not self._echoes:
                os.close(self._input)
            self._input = -1
            self._outputs.clear()
            os.close(self._wake_reader)
            os.close(self._wake_writer)
            self._wake_reader = self._wake_writer = -1


def _two_ends() -> tuple[int, int]:
    """Return our end of a terminal, or of a pipe, and the script's."""
    if sys.platform == "win32" or pty is None:
        return os.pipe()
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    return ours, theirs


def _never_wait_for(*descriptors: int) -> None:
    """Let reads and writes return at once; no script is started where that cannot be had."""
    if sys.platform != "win32":
        for descriptor in descriptors:
            os.set_blocking(descriptor, False)


def _is_reading(pid: int) -> bool:
    """Return whether a process waits for its standard input, where the system tells."""
    try:
        call = Path(f"/proc/{pid}/syscall").read_text().split()
    except OSError:
        return False
    return len(call) > 1 and call[0] in _READ_CALLS and call[1] == "0x0"
