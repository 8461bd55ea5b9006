"""Holds the script before an Operation, and carries out the commands of the other side."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from gradstep_agent.registry import layout
from gradstep_agent.user_code import user_frame
from gradstep_agent.wire import Disconnected

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from gradstep_agent.loop_position import LoopPosition
    from gradstep_agent.operation import Operation
    from gradstep_agent.recorder import Recorder
    from gradstep_agent.wire import Wire

SECONDS_KEPT = 0.03
"""How long rows wait: each message wakes the other side up, which costs more than its bytes."""

_FRAMES = 10
_LOCALS = 50


class Ended(SystemExit):
    """The person ended the script from the debugger."""


class Holder:
    """Knows where the script is to be held, and holds it there.

    Args:
        wire: Where commands come from.
        recorder: What is recorded.
        position: Where the loop stands.

    Attributes:
        held: Whether the script is held at its next Operation.
        attends: Whether any Operation may be one to hold at.
    """

    def __init__(self, wire: Wire, recorder: Recorder, position: LoopPosition) -> None:
        self.held = False
        self.attends = False
        self._wire = wire
        self._recorder = recorder
        self._position = position
        self._until = -1
        self._stops: set[tuple[str, int]] = set()

    def hold(self, operation: Operation, frame: FrameType | None, depth: int) -> float:
        """Wait here if the script is held; return the seconds that it took."""
        started = time.perf_counter()
        if started - self._wire.flushed > SECONDS_KEPT:
            self._wire.flush()
        if self._wire.has_command():
            self.obey(wait=False)
        site = operation.site
        stops = self._stops and (site.file, site.line) in self._stops
        if 0 <= self._until <= self._recorder.count:
            self._until = -1
            self.held = True
        if not (self.held or stops):
            return 0.0
        self.held = True
        self._recorder.choose_values(taken=True)
        self._wire.send(
            {
                "type": "held",
                "event": self._recorder.count + 1,
                "kind": operation.function.kind,
                "target": operation.target,
                "file": site.file,
                "line": site.line,
                "iteration": self._position.iteration,
                "depth": depth,
                "loss": repr(operation.loss),
                "frames": _variables(frame),
            }
        )
        self.obey(wait=True)
        return time.perf_counter() - started

    def obey(self, *, wait: bool) -> None:
        """Carry out the commands that have come; if `wait`, until one lets the script go on."""
        while wait or self._wire.has_command():
            command = self._wire.receive()
            name = command.get("command")
            if name in {"go", "step", "until"}:
                self.held = name == "step"
                self._until = int(command["event"]) if name == "until" else -1
                wait = False
            elif name == "hold":
                self.held = True
            elif name == "stops":
                self._stops = {(str(file), int(line)) for file, line in command["lines"]}
            elif name == "arrays":
                self._send_arrays([str(address) for address in command["addresses"]])
            elif name == "end":
                raise Ended(0)
            else:
                raise Disconnected(f"unknown command {name!r}")
        self.attends = self.held or self._until >= 0 or bool(self._stops)

    def _send_arrays(self, addresses: Sequence[str]) -> None:
        registry = self._recorder.registry
        found = {address: self._array(address) for address in addresses}
        present = {name: array for name, array in found.items() if array is not None}
        self._wire.send(
            {
                "type": "arrays",
                "arrays": [layout(name, array) for name, array in present.items()],
                "missing": [name for name in addresses if name not in present],
            },
            [registry.bytes_of(array) for array in present.values()] if registry else [],
        )

    def _array(self, address: str) -> Any:
        registry = self._recorder.registry
        if registry is None:
            return None
        tensor = registry.named(address)
        if tensor is None and address.endswith(".grad"):
            owner = registry.named(address[: -len(".grad")])
            return None if owner is None else owner.grad
        return tensor


def _variables(frame: FrameType | None) -> list[dict[str, Any]]:
    """Return the person's frames with their plain variables, the innermost first."""
    found: list[dict[str, Any]] = []
    while frame is not None and len(found) < _FRAMES:
        plain = {
            name: repr(value)[:120]
            for name, value in list(frame.f_locals.items())[:_LOCALS]
            if isinstance(value, (bool, int, float, str, type(None))) and not name.startswith("__")
        }
        found.append(
            {
                "function": frame.f_code.co_name,
                "file": frame.f_code.co_filename,
                "line": frame.f_lineno,
                "variables": plain,
            }
        )
        frame = user_frame(frame.f_back)
    return found
