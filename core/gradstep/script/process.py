"""ScriptProcess: a script that runs under the agent in its own Python, and the connection to it."""

from __future__ import annotations

import contextlib
import socket
import sys
import time
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol
from weakref import finalize

from gradstep.errors import OperationError, ScriptError
from gradstep.script.channel import start
from gradstep.script.frame_reader import MAX_DESCRIPTORS, FrameReader
from gradstep.script.frames import (
    Checkpoint,
    Done,
    Held,
    NoCheckpoint,
    Refused,
    Variables,
    encode_command,
    wrong_frame,
)
from gradstep.script.run_ahead import RunAhead
from gradstep.script.shared_memory import CAN_SHARE
from gradstep.script.tape import RECORDING_BYTES, ScriptRun, Tape
from gradstep.script.tape_writer import TapeWriter, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gradstep.program.operation import Operation
    from gradstep.script.channel import Channel
    from gradstep.script.command import ScriptCommand
    from gradstep.script.frames import Frame
    from gradstep.script.inside import Inside
    from gradstep.script.output_reader import OutputReader

    KeepFrame = Callable[[Frame, bytes], None]

__all__ = ["Copies", "ScriptProcess"]

_CHUNK = 1 << 20
_RING_BYTES = 1 << 26 if CAN_SHARE else 0
"""Shared memory for the arrays of a script; pages that were never written take none."""
_POLL_S = 0.1
_SEND_S = 5.0
_ANSWER_S = 120.0
"""How long a copy of the script's process may take for one Operation."""


class Copies(Protocol):
    """Keeps copies of a script's process."""

    def keep(self, writer: TapeWriter, frame: Checkpoint, descriptors: tuple[int, int]) -> None:
        """Keep a copy of a process, as it is now, with what writes its tape."""

    def note_obstacle(self, reason: str) -> None:
        """Note why the process could not be copied."""

    def close(self) -> None:
        """End all copies."""


class Companions(Protocol):
    """Other processes, which run at the same time as one that is waited for."""

    def read_until(self, process: ScriptProcess, timeout_s: float) -> bool:
        """Read what they send, until that process has sent something too.

        Args:
            process: The one that is waited for.
            timeout_s: The longest time to wait, in seconds.

        Returns:
            Whether it has sent something.
        """


class ScriptProcess:
    """Starts a script or joins one, reads what its agent sends, and sends it commands.

    Args:
        command: What to run; its Python is the one that `find_python` finds when it names none.
        share: The largest share of the running time that the agent takes for itself; 0 for no
            limit.
        goes_on: Whether the script continues when this process ends, or the budget is used up; else
            it ends too.
        budget_bytes: Memory for the values that it writes; the recording ends where it is used up.
        channel: The connection to a script that runs already; it is started when None.
        output: Reads what the script prints; None to leave it this process's own streams.

    Attributes:
        tape: What the script has done so far.
        writer: Writes the tape.
        copies: Keeps copies of the process; None to have none made.
        companions: Processes that run together with this one; None for none.
        keep_frame: Called with each frame that arrives, and its body.
        was_running: Whether it ran before it was joined.

    Raises:
        ScriptError: The script or the Python does not exist, or cannot be started.
    """

    def __init__(
        self,
        command: ScriptCommand,
        *,
        share: float = 0.2,
        goes_on: bool = True,
        budget_bytes: int = RECORDING_BYTES,
        channel: Channel | None = None,
        output: OutputReader | None = None,
    ) -> None:
        ring = _RING_BYTES if channel is None else 0
        settings = {"level": "full", "share": share, "goes_on": goes_on, "ring": ring}
        channel = start(command, settings, output) if channel is None else channel
        script = command.name
        tape = Tape(ScriptRun(script, command.arguments))
        self._connect(channel, TapeWriter(tape), ring, budget_bytes)
        if not (command.is_module or command.is_notebook) and Path(script).is_file():
            self.tape.run.sources[script] = Path(script).read_text(errors="replace")

    @classmethod
    def woken(cls, channel: Channel, writer: TapeWriter, copies: Copies) -> ScriptProcess:
        """Return a copy of a script's process, which sleeps until `replay` is called.

        Args:
            channel: The connection to it.
            writer: What the copy will send goes here; it knows what was sent before.
            copies: Keeps copies of it.
        """
        self = cls.__new__(cls)
        self._connect(channel, writer, _RING_BYTES, RECORDING_BYTES)
        self.copies = copies
        self._reader.expects_checkpoints = True
        self.tape.feed = self
        return self

    def _connect(
        self, channel: Channel, writer: TapeWriter, ring_bytes: int, budget_bytes: int
    ) -> None:
        self.tape, self.writer = writer.tape, writer
        self._channel = channel
        self._budget_bytes = budget_bytes
        self._reader = FrameReader(ring_bytes)
        self.copies: Copies | None = None
        self.companions: Companions | None = None
        self.keep_frame: KeepFrame | None = None
        self.was_running = False
        self._copied = 0  # how often the process was copied
        self._left: Held | None = None  # where it was held before
        self._ahead = RunAhead()
        self._freed = 0  # the position that the script was told last
        self._socket = channel.socket
        self._socket.settimeout(_POLL_S)
        finalize(self, channel.socket.close)  # of a process that was left, nobody reads the end

    def run(self, should_stop: Callable[[], bool] | None = None) -> int:
        """Let the script run to its end, and record it.

        Args:
            should_stop: Called now and then; True ends the script.

        Returns:
            The script's own status.

        Raises:
            ScriptError: Its process broke the protocol; what came before is on the tape.
        """
        self.send("go")
        while self.read():
            if self.writer.held is not None:  # it has called pause(), which is for debuggers
                self.writer.held = None
                self.send("go")
            if should_stop is not None and should_stop():
                self.end()
        return self.status

    # -- holding the script --------------------------------------------------------------------

    @property
    def coming(self) -> Operation | None:
        """The Operation before which the script is held; None while it runs, or after its end."""
        return self.writer.coming

    def hold(self) -> None:
        """Let the script begin, and hold it before its first Operation.

        One that ran before is held at its next one; where it is held already when it reads that,
        at a `pause()`, it stays there.

        Raises:
            ScriptError: Its process broke the protocol.
        """
        self.tape.feed = self
        if self.copies is not None:
            self._reader.expects_checkpoints = True
            self.send("checkpoints", automatic=True)
        self._step("hold" if self.was_running else "step")

    def replay(self, event: int, check: Callable[[], None]) -> None:
        """Let a copy do again what came after it was made, and hold it after an Event.

        Args:
            event: How many Events there are then, by the agent's own count.
            check: Called whenever the tape has grown; raises where it is not what it should be.

        Raises:
            OperationError: It cannot continue.
            ScriptError: Its process broke the protocol, or does not answer.
        """
        writer, last = self.writer, monotonic()
        count = len(self.tape.rows)
        writer.held = writer.answer = None
        self.send("wake", event=event)
        while writer.held is None and self.read():
            if isinstance(writer.answer, Refused):
                raise OperationError(writer.answer.message, "go to another Event")
            if len(self.tape.rows) > count:
                last, count = monotonic(), len(self.tape.rows)
                check()
            elif monotonic() - last > _ANSWER_S:
                raise ScriptError(
                    "a copy of the script's process does not answer", "go to another Event"
                )
        check()
        self._note_moment()

    def _note_moment(self) -> None:
        held = self.writer.held
        if held is not None and not held.depth:
            self.tape.moments.add(len(self.tape.rows), held.event - 1)

    def advance(self, iteration: int = 0) -> None:
        """Let the script perform the next Operation, and hold it before a later one.

        Args:
            iteration: The script may perform as many Operations as take some milliseconds, up to
                this iteration, so that not each of them waits for an answer.

        Raises:
            ScriptError: Its process broke the protocol.
        """
        before = len(self.tape.rows)
        while not self.tape.has_ended and len(self.tape.rows) == before:
            began = time.perf_counter()
            runs_ahead = self.let_go("step", iteration, self._ahead.count)
            self._await_arrival()
            if runs_ahead:
                self._ahead.note(time.perf_counter() - began)

    def let_go(self, command: str = "step", iteration: int = 0, batch: int = 1) -> bool:
        """Let the script go on from where it is held, and do not wait for it.

        Args:
            command: "step", "skip" or "hold".
            iteration: As in `advance`.
            batch: How many Operations it may perform at most.

        Returns:
            Whether it may perform more than one.
        """
        held, inside = self.writer.held, self.tape.entered is not None
        runs_ahead = held is not None and iteration > max(held.iteration, 0) and not inside
        if held is not None and runs_ahead:
            self._send_on("until", event=held.event - 1 + batch, iteration=iteration)
        else:
            self._send_on(command)
        return runs_ahead

    def skip(self) -> None:
        """Let the script leave out its next Operation, and hold it before the one after.

        Raises:
            OperationError: It needs what that returns.
            ScriptError: Its process broke the protocol.
        """
        self._step("skip")
        self._note_edit()

    def change(self, operation: Operation, command: dict[str, Any], message: str) -> None:
        """Let the held script carry out an Operation that does not come next in it.

        Args:
            operation: What is added to the tape.
            command: What the script is to do.
            message: The note of its Event.

        Raises:
            OperationError: It cannot do that.
            ScriptError: Its process broke the protocol.
        """
        self.writer.asked = operation, message
        answer = self._ask("do", **command)
        self.writer.asked = None
        if isinstance(answer, Refused):
            raise refusal(answer)
        if isinstance(answer, Done):
            self.tape.moments.add(len(self.tape.rows), answer.event)
            self._note_edit()

    def _note_edit(self) -> None:
        """Have the process copied after what a copy from before would not do by itself."""
        self.tape.edits.append(len(self.tape.rows))
        if self.copies is None or self.tape.has_ended:
            return
        self.writer.answer, before = None, self._copied
        self.send("checkpoint")
        while self._copied == before and not isinstance(self.writer.answer, Refused):
            if not self.read():
                break

    def go_inside(self) -> None:
        """Let the script run to the next part inside its Operation, or to its end.

        Raises:
            ScriptError: Its process broke the protocol.
        """
        tape, writer = self.tape, self.writer
        command = "into" if tape.entered is None else "step"
        entered, held = tape.entered or writer.enter(), writer.held
        seen = len(entered.parts)
        self.send(command)
        while self.read():
            if len(entered.parts) > seen:
                self._fetch_gradient(entered)
                return
            if writer.held is not None and writer.held is not held:
                if not writer.waits:
                    return
                held = writer.held  # at what is nested in the Operation
                self.send("step")

    def _fetch_gradient(self, entered: Inside) -> None:
        """Ask for the gradient that a leaf has accumulated."""
        part = entered.parts[-1]
        if entered.graph is None or part.frame.kind != "node" or not part.arrays:
            return
        leaf = self.tape.run.graphs[entered.graph][entered.numbers[part.frame.number]][2]
        if leaf:
            address = f"{leaf}.grad"
            found = self.arrays([address])
            if address in found:
                part.arrays["after"] = found[address]

    def arrays(self, addresses: Sequence[str], most: int = 0) -> dict[str, NDArray[Any]]:
        """Return tensors of the held script by address; those that it does not have are absent.

        Args:
            addresses: The addresses.
            most: Of a tensor that has more elements, only so many are returned, in one row; 0 for
                no limit.

        Raises:
            ScriptError: Its process broke the protocol.
        """
        answer = self._ask("arrays", addresses=list(addresses), most=most)
        return answer if isinstance(answer, dict) else {}

    def variables(self, frame: int, opened: Sequence[str] = ()) -> Variables | None:
        """Return the variables of one of the user's frames; None if the script ends.

        Args:
            frame: Its number, 0 for the innermost.
            opened: The paths of variables whose parts are wanted, too.

        Raises:
            ScriptError: Its process broke the protocol.
        """
        answer = self._ask("variables", frame=frame, open=list(opened))
        return answer if isinstance(answer, Variables) else None

    def _ask(self, command: str, **values: Any) -> object:  # noqa: ANN401 - JSON
        """Return the answer of the held script to a command; None if it ends instead."""
        self.writer.answer = None
        self.send(command, **values)
        while self.writer.answer is None and self.read():
            pass
        return self.writer.answer

    def _step(self, command: str = "step") -> None:
        """Let the script run to its next Operation."""
        self.let_go(command)
        self._await_arrival()

    def _send_on(self, command: str, **values: int) -> None:
        """Let the script go on from where it is held."""
        writer = self.writer
        self._left, writer.held, writer.answer = writer.held, None, None
        if self.tape.entered is None:
            self.send(command, **values)
        else:
            self.send("out")

    def _await_arrival(self) -> None:
        while not self.has_arrived():
            self.read()

    def has_arrived(self) -> bool:
        """Return whether the script is held at its next Operation, or has ended.

        At a call that is no Operation it is let go on.

        Raises:
            OperationError: It has rejected the command that was to let it go.
        """
        writer = self.writer
        if isinstance(writer.answer, Refused):
            writer.held = self._left
            raise refusal(writer.answer)
        if not self.tape.has_ended and (writer.held is None or writer.waits):
            if writer.held is not None:
                writer.held = None
                self.send("step")
            return False
        self._note_moment()
        return True

    # -- the connection ------------------------------------------------------------------------

    @property
    def status(self) -> int:
        """The status of the script's process; it waits for its end."""
        return self._channel.wait()

    def read(self) -> bool:
        """Read what arrives within a moment; return whether the script still runs."""
        had_ended = self._channel.has_ended
        try:
            if self.companions is not None and not self.companions.read_until(self, _POLL_S):
                raise TimeoutError  # noqa: TRY301 - as the socket does
            data = self._receive()
        except TimeoutError:
            # Processes that the script has forked keep the connection open after its end.
            if not had_ended:
                return True
            data = b""
        except OSError:
            data = b""
        if not data:
            self._finish()
            return False
        self._take(data)
        return not self.tape.has_ended

    def _receive(self) -> bytes:
        """Return bytes that have arrived; take the files that came along."""
        if not self._reader.expects_descriptors:
            return self._socket.recv(_CHUNK)
        if sys.platform == "win32":  # there are Unix sockets
            raise OSError("this needs Linux or macOS")
        data, descriptors, _, _ = socket.recv_fds(self._socket, _CHUNK, MAX_DESCRIPTORS)
        try:
            for descriptor in descriptors:
                self._reader.take_descriptor(descriptor)
        except ScriptError as error:
            self._break_off(error.message)
            raise
        return data

    def _free(self) -> None:
        """Give shared memory back that has been read, a quarter of it at a time.

        So only a few of these commands can wait for a script that does not read them.
        """
        position = self._reader.read_position
        if position - self._freed >= _RING_BYTES // 4 > 0:
            self._freed = position
            self.send("freed", position=position)

    def send(self, command: str, **values: Any) -> None:  # noqa: ANN401 - JSON
        """Send a command; if that fails, the end of the frames shows it."""
        with contextlib.suppress(OSError):
            self._socket.settimeout(_SEND_S)
            self._socket.sendall(encode_command(command, **values))
            self._socket.settimeout(_POLL_S)

    def end(self) -> None:
        """End the script, if it still runs, and all copies of its process."""
        if self.copies is None:
            self._channel.end()
        else:
            self.copies.close()
            self.stop()

    def stop(self) -> None:
        """End this process alone, if it still runs, and those copies of it that are on their way.

        What it has sent is not read any more.
        """
        self._channel.end()
        self._socket.close()

    def _take(self, data: bytes) -> None:
        try:
            for frame, body in self._reader.feed(data):
                if self.keep_frame is not None:
                    self.keep_frame(frame, body)
                self.writer.take(frame, body)
                if isinstance(frame, Checkpoint):
                    self._keep(frame)
                elif isinstance(frame, NoCheckpoint) and self.copies is not None:
                    self.copies.note_obstacle(frame.reason)
                if self.tape.memory + self._reader.kept_bytes > self._budget_bytes:
                    taken = f"{self._budget_bytes >> 20:,} MB"
                    self._break_off(f"the recording ends here: its values take {taken}")
                    return
        except ScriptError as error:
            self._break_off(error.message)
            raise
        self._free()

    def _keep(self, frame: Checkpoint) -> None:
        descriptors = self._reader.descriptors_of_checkpoint()
        if self.copies is None:
            raise wrong_frame("a checkpoint that nobody asked for")
        self._copied += 1
        self.copies.keep(self.writer, frame, descriptors)

    def _finish(self) -> None:
        self._close()
        if not self.tape.has_ended:
            run = self.tape.run
            self.writer.finish("" if run.status is not None else run.lost or self._channel.lost())

    def _break_off(self, lost: str) -> None:
        """End the recording, while the script may go on."""
        self._close()
        self.writer.finish(lost)

    def _close(self) -> None:
        self._socket.close()
        self._reader.close()
