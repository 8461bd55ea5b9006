"""Holds the script where it is asked to, and carries out the commands of the other side."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from gradstep_agent import inspection
from gradstep_agent.edits import SKIPPED_KINDS, Edits, Refused
from gradstep_agent.forks import Forks
from gradstep_agent.operation import Operation, WrappedFunction
from gradstep_agent.tensor_reader import layout
from gradstep_agent.wire import Disconnected

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from gradstep_agent.loop_position import LoopPosition
    from gradstep_agent.recorder import Recorder
    from gradstep_agent.sites import Sites
    from gradstep_agent.wire import Wire


LARGEST_INSIDE = 1 << 24
"""Bytes of one array that is sent from inside an Operation; larger ones are omitted."""

_IDLE_SECONDS = 0.1
"""How long a held script waits for a command before it makes a checkpoint."""

_GOING_ON = frozenset(("go", "step", "out", "into", "until", "skip"))
_ANY_DEPTH = 1 << 30
_PAUSE = WrappedFunction("pause")


class Ended(SystemExit):
    """The user ended the script from the debugger."""


class Holder:
    """Knows where the script is to be held, and holds it there.

    Args:
        wire: Where commands come from.
        recorder: What is recorded.
        position: Where the loop stands.
        sites: The places in the user's code.

    Attributes:
        held: Whether the script is held at its next Operation.
        attends: Whether any Operation may be one to hold at.
        busy: Whether a command is being carried out; what it calls is done aside.
        edits: What changes a held script, once it has imported torch.
        forks: Makes checkpoints of the process.
    """

    def __init__(
        self, wire: Wire, recorder: Recorder, position: LoopPosition, sites: Sites
    ) -> None:
        self.held = self.attends = self.busy = False
        self.edits: Edits | None = None
        self.forks = Forks(wire)
        self._wire = wire
        self._recorder = recorder
        self._position = position
        self._sites = sites
        self._deepest = _ANY_DEPTH  # Operations below it are not held
        self._until_event = self._until_iteration = -1
        self._frames: Sequence[FrameType] = ()
        self._operation: Operation | None = None
        self._is_inside = False  # of an Operation: nothing can be changed there
        self._can_fork = False  # held before an Operation that is in no other one
        self._held_header: dict[str, Any] = {}
        self._last = ""  # the command that let the script continue

    # --- where it is held -----------------------------------------------------------------

    def is_called(self) -> bool:
        """Return whether a command has come, or a checkpoint is due."""
        return self._wire.has_command() or self.forks.is_due(self._recorder.count)

    def hold(self, operation: Operation, frame: FrameType | None, depth: int) -> float:
        """Wait before an Operation if the script is held; return the seconds that it took."""
        started = time.perf_counter()
        if started > self._wire.due:
            self._wire.flush()
        if self._wire.has_command():
            self.obey(wait=False)
        if not depth and self.forks.is_due(self._recorder.count):
            self._leave_checkpoint()
        if not self._holds_at(depth):
            return 0.0
        kind, show = operation.function.kind, operation.function.show
        header = self._header(operation, depth)
        if show is not None:
            header.update(show(operation, frame))
        self._wait(header, operation, frame)
        if self._last == "out":
            self._deepest = max(depth - 1, 0)
        operation.enters = self._last == "into" and operation.function.enter is not None
        if self._last == "skip" and kind in SKIPPED_KINDS:
            operation.is_skipped = True
            operation.detail = (*operation.detail, ("skipped", True))
        return time.perf_counter() - started

    def hold_inside(
        self, header: dict[str, Any], arrays: Sequence[tuple[str, Any]], frame: FrameType | None
    ) -> str:
        """Wait inside an Operation; return the command that lets it continue.

        Args:
            header: Where it is.
            arrays: What can be seen there.
            frame: The user's frame.
        """
        registry = self._recorder.registry
        assert registry is not None, "the script has imported torch"
        sent = [(n, a) for n, a in arrays if a.numel() * a.element_size() <= LARGEST_INSIDE]
        self._wait(
            {
                "type": "micro",
                "event": self._recorder.count + 1,
                **header,
                "arrays": [layout(name, array) for name, array in sent],
                "omitted": [name for name, _ in arrays if name not in dict(sent)],
            },
            None,
            frame,
            [registry.reader.bytes_of(array) for _, array in sent],
        )
        return self._last

    def hold_here(self, frame: FrameType | None, depth: int) -> Operation:
        """Wait in the user's own code, between two Operations; return what that is reported as."""
        operation = Operation(_PAUSE, self._sites.at(frame))
        self._wait(self._header(operation, depth), None, frame)
        return operation

    def _holds_at(self, depth: int) -> bool:
        if 0 <= self._until_event <= self._recorder.count:
            self.held = True
        if 0 <= self._until_iteration <= self._position.iteration:
            self.held = True
        return self.held and depth <= self._deepest

    def _header(self, operation: Operation, depth: int) -> dict[str, Any]:
        return {
            "type": "held",
            "event": self._recorder.count + 1,
            "kind": operation.function.kind,
            "target": operation.target,
            "file": operation.site.file,
            "line": operation.site.line,
            "iteration": self._position.iteration,
            "epoch": self._position.epoch,
            "again": ("again", True) in operation.detail,
            "depth": depth,
            "loss": "" if ("unread", True) in operation.detail else repr(operation.loss),
        }

    def _wait(
        self,
        header: dict[str, Any],
        operation: Operation | None,
        frame: FrameType | None,
        body: Sequence[bytes] = (),
    ) -> None:
        """Say that the script is held, and carry out commands until one lets it continue."""
        self._until_event = self._until_iteration = -1
        self._deepest = _ANY_DEPTH
        self.held = True
        self._recorder.choose_values(0, held=True)
        self._frames, self._operation = inspection.user_frames(frame), operation
        self._is_inside = header["type"] == "micro"
        self._can_fork = operation is not None and not header["depth"]
        if not self._is_inside:
            header = {**header, "frames": inspection.describe_frames(self._frames)}
            self._held_header = header
        if self.forks.mute.is_on:
            self.forks.mute.end()
        try:
            self._recorder.sources.send(header.get("file", ""))  # to be shown where it is held
            self._wire.send(header, body)
            self.obey(wait=True)
        finally:
            self._frames, self._operation = (), None  # nothing of the script's is kept alive
            self._can_fork = False

    # --- commands -------------------------------------------------------------------------

    def obey(self, *, wait: bool) -> None:
        """Carry out the commands that have come; if `wait`, until one lets the script continue."""
        while wait or self._wire.has_command():
            if wait and self._is_idle() and self._leave_checkpoint():
                wait = self._stays_held()
                continue
            command = self._wire.receive()
            try:
                if self._carry_out(command):
                    wait = False
            except (KeyError, TypeError, ValueError) as error:
                name = command.get("command")
                raise Disconnected(f"a command {name!r} that does not fit: {error}") from error
        self.attends = self.held or self._until_event >= 0 or self._until_iteration >= 0

    def _is_idle(self) -> bool:
        """Return whether a checkpoint can be made while nothing else is to be done."""
        return (
            self._can_fork
            and self.forks.is_wanted(self._recorder.count)
            and not self._wire.has_command(within=_IDLE_SECONDS)
        )

    def _leave_checkpoint(self) -> bool:
        """Leave a copy of the process asleep; return whether this is that copy, which was woken."""
        command = self.forks.take(self._recorder.count)
        if command is None:
            return False
        self._last, self.held, self.attends = "until", False, True
        self._until_event = max(int(command.get("event", 0)), self._recorder.count)
        self._until_iteration = -1
        self._deepest = _ANY_DEPTH
        return True

    def _stays_held(self) -> bool:
        """Say that a copy is held where it was made, if it was woken only for that."""
        if self._until_event > self._recorder.count:
            return False
        self._until_event, self.held = -1, True
        self.forks.mute.end()
        self._wire.send(self._held_header)
        return True

    def _carry_out(self, command: dict[str, Any]) -> bool:
        """Carry out a command; return whether it lets the script go on."""
        name = str(command.get("command"))
        if name in _GOING_ON:
            return self._goes_on(name, command)
        if name == "hold":
            self.held = True
        elif name == "end":
            raise Ended(0)
        elif name == "checkpoint":
            return self._checkpoint()
        else:
            self._answer(name, command)
        return False

    def _checkpoint(self) -> bool:
        """Make a checkpoint; return whether the script goes on, as in a copy that was woken."""
        if not self._can_fork:
            self._refuse("checkpoint", "the script is not held between two Operations")
            return False
        if self._leave_checkpoint():
            return not self._stays_held()
        if self.forks.obstacle:
            self._refuse("checkpoint", self.forks.obstacle)
        return False

    def _goes_on(self, name: str, command: dict[str, Any]) -> bool:
        """Let the script continue; return whether it does."""
        held = self._operation
        if name == "skip" and (held is None or held.function.kind not in SKIPPED_KINDS):
            kind = "this" if held is None else held.function.kind
            self._refuse("skip", f"{kind} cannot be skipped: the script needs what it returns")
            return False
        self._last = name
        self.held = name not in {"go", "until"}
        self._until_event = int(command.get("event", -1)) if name == "until" else -1
        self._until_iteration = int(command.get("iteration", -1)) if name == "until" else -1
        return True

    def _answer(self, name: str, command: dict[str, Any]) -> None:
        answers: dict[str, Callable[[dict[str, Any]], None]] = {
            "arrays": self._send_arrays,
            "variables": self._send_variables,
            "do": self._do,
            "freed": self._free,
            "checkpoints": self._set_checkpoints,
        }
        answer = answers.get(name)
        if answer is None:
            raise Disconnected(f"unknown command {name!r}")
        self.busy = True
        try:
            answer(command)
        finally:
            self.busy = False

    def _free(self, command: dict[str, Any]) -> None:
        if self._wire.ring is None:
            raise ValueError("there is no shared memory")
        self._wire.ring.free(int(command["position"]))

    def _set_checkpoints(self, command: dict[str, Any]) -> None:
        self.forks.is_automatic = bool(command["automatic"])

    def _send_arrays(self, command: dict[str, Any]) -> None:
        addresses = [str(address) for address in command["addresses"]]
        registry, most = self._recorder.registry, int(command.get("most", 0))
        inspection.send_arrays(self._wire, registry, self._frames, addresses, most)

    def _send_variables(self, command: dict[str, Any]) -> None:
        number, opened = int(command.get("frame", 0)), command.get("open")
        paths = None if opened is None else {str(path) for path in opened}
        registry = self._recorder.registry
        found = inspection.describe_variables(registry, self._frames, number, paths)
        self._wire.send({"type": "variables", **found})

    def _do(self, command: dict[str, Any]) -> None:
        action = str(command.get("action"))
        if self.edits is None or not self._frames or self._is_inside:
            self._refuse(action, "the script is not held between two Operations")
            return
        site = self._sites.at(self._frames[0])
        try:
            self.edits.do(command, self._operation, site)
        except Refused as refusal:
            self._refuse(action, str(refusal))
        except Disconnected:
            raise
        except Exception as error:  # noqa: BLE001 - what torch, or an optimizer, says to it
            self._refuse(action, f"{type(error).__name__}: {error}")
        else:
            self._wire.send({"type": "done", "action": action, "event": self._recorder.count})

    def _refuse(self, action: str, message: str) -> None:
        self._wire.send({"type": "refused", "action": action, "message": message})
