"""Agent: tells what the script does, Operation by Operation, and holds it when asked to."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from gradstep_agent.by_hand import ChangesByHand
from gradstep_agent.loop_position import LoopPosition
from gradstep_agent.recording import RecordingRate
from gradstep_agent.registry import Registry, layout
from gradstep_agent.sources import Sources
from gradstep_agent.user_code import user_frame
from gradstep_agent.wire import ROW, Disconnected, Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

_ONCE_AN_ITERATION = frozenset(("zero_grad", "backward", "step", "autograd_grad"))
_WRITING = frozenset(
    (
        *_ONCE_AN_ITERATION,
        *("clip_grad_norm", "clip_grad_value", "scaler_unscale", "scaler_step"),
        *("load_state_dict", "update_by_hand", "clear_by_hand", "gradient_by_hand"),
    )
)
_SECONDS_BETWEEN_POLLS = 0.005
_NAN = float("nan")
_FRAMES = 10
_LOCALS = 50


class Ended(SystemExit):
    """The person ended the script from the debugger."""


class Ongoing:
    """An Operation between its beginning and its end."""

    __slots__ = ("began", "detail", "file", "kind", "line", "loss", "target")

    def __init__(self, kind: str, target: str, frame: FrameType | None) -> None:
        self.kind = kind
        self.target = target
        self.file = "" if frame is None else frame.f_code.co_filename
        self.line = 0 if frame is None else frame.f_lineno
        self.loss = _NAN
        self.detail: dict[str, Any] = {}
        self.began = 0.0


class Agent:
    """The script's side of a debugging session.

    Hooks call `begin` before and `end` after what they wrap. Nothing that goes wrong in here
    reaches the script: the agent reports its own error, lets go, and the script goes on.

    Args:
        wire: The connection.
        level: "events", "series" or "full".
        share: The largest share of the running time that the agent takes for itself.
        goes_on: Whether the script goes on when the other side disappears; else it ends.
    """

    def __init__(
        self,
        wire: Wire,
        level: str = "full",
        share: float = 0.2,
        *,
        goes_on: bool = True,
    ) -> None:
        self.active = True
        self.torch: Any = None
        self.rate = RecordingRate(level, share)
        self.position = LoopPosition()
        self._wire = wire
        self._goes_on = goes_on
        self._thread = threading.get_ident()
        self._registry: Registry | None = None
        self._by_hand: ChangesByHand | None = None
        self._sources = Sources(wire)
        self._places: dict[tuple[Any, ...], int] = {}
        self._count = 0
        self._depth = 0
        self._polled = 0.0
        self._held = False
        self._until = -1
        self._stops: set[tuple[str, int]] = set()
        self._moves: dict[str, Any] = {}
        self.nested: set[str] = set()
        """The kinds of Operations that are under way and seen once, not again inside themselves."""
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave)

    # --- the script's torch ---------------------------------------------------------------

    def start(self, torch: Any, name: str) -> None:
        """Begin to watch, now that the script has imported torch."""
        self.torch = torch
        self._registry = Registry(self._wire, torch)
        self._by_hand = ChangesByHand(self._registry, torch)
        self._wire.send({"type": "torch", "name": name, "version": str(torch.__version__)})

    def watch_files_in(self, folder: str) -> None:
        """Send the text of files in this folder, when something happens in them."""
        self._sources.folder = folder

    def send(self, header: dict[str, Any], body: Sequence[bytes] = ()) -> None:
        """Send a frame.

        Raises:
            Disconnected: Nobody reads any more.
        """
        self._wire.send(header, body)

    @property
    def registry(self) -> Registry:
        """The tensors, modules and optimizers."""
        assert self._registry is not None, "the script has imported torch"
        return self._registry

    @property
    def watches(self) -> bool:
        """Whether Operations of the calling thread are seen now."""
        return self.active and threading.get_ident() == self._thread

    def is_seen(self, kind: str) -> bool:
        """Return whether an Operation of this kind is to be seen now."""
        return self.watches and kind not in self.nested

    def attempt(self, work: Callable[[], object]) -> None:
        """Do some of the agent's own work; if it fails, let go of the script."""
        try:
            work()
        except Disconnected:
            self._let_go()
        except Exception as error:  # noqa: BLE001 - a defect of the agent is not the script's
            self._fail(error)

    # --- Operations -----------------------------------------------------------------------

    def begin(
        self,
        kind: str,
        name: Callable[[FrameType | None], str],
        prepare: Callable[[Ongoing], None] | None = None,
    ) -> Ongoing | None:
        """Say that an Operation begins; hold the script here if that is asked for.

        Args:
            kind: What it is; one of the kinds in docs/agent_protocol.md.
            name: Finds what it is done to, by its name in the person's frames.
            prepare: Called with the Operation before it is announced: completes it.

        Returns:
            What `end` needs; None when nobody watches.
        """
        if not self.watches:
            return None
        started = time.perf_counter()
        try:
            frame = user_frame(sys._getframe(1))
            ongoing = Ongoing(kind, name(frame), frame)
            if prepare is not None:
                prepare(ongoing)
            if self._depth == 0 and kind in _ONCE_AN_ITERATION:
                self._report_by_hand(frame)
                if frame is not None and self.position.pass_operation(frame):
                    self._end_iteration()
            held = self._hold(ongoing, frame)
        except Disconnected:
            self._let_go()
            return None
        except Exception as error:  # noqa: BLE001 - a defect of the agent is not the script's
            self._fail(error)
            return None
        self._depth += 1
        ongoing.began = time.perf_counter()
        self.rate.spent += ongoing.began - started - held
        return ongoing

    def end(
        self,
        ongoing: Ongoing | None,
        writes: Callable[[], Sequence[tuple[str, Any]]] | None = None,
        error: BaseException | None = None,
    ) -> None:
        """Say that an Operation has ended.

        Args:
            ongoing: What `begin` returned.
            writes: Finds the tensors that it wrote, by address; None as the tensor when there
                is none any more.
            error: What it raised.
        """
        if ongoing is None:
            return
        self._depth = max(self._depth - 1, 0)
        if not self.watches:
            return
        started = time.perf_counter()
        try:
            self._record(ongoing, writes, started - ongoing.began, error)
            if self._depth == 0 and ongoing.kind in _WRITING and self._by_hand is not None:
                self._by_hand.note()
        except Disconnected:
            self._let_go()
        except Exception as failure:  # noqa: BLE001 - likewise
            self._fail(failure)
        self.rate.spent += time.perf_counter() - started

    @property
    def records_values(self) -> bool:
        """Whether the values of this iteration are recorded."""
        return self._held or self.rate.is_recorded(self.position.iteration)

    def _record(
        self,
        ongoing: Ongoing,
        writes: Callable[[], Sequence[tuple[str, Any]]] | None,
        seconds: float,
        error: BaseException | None,
    ) -> None:
        self._count += 1
        arrays: Sequence[tuple[str, Any]] = ()
        full = self.rate.level == "full" and self.records_values
        if full and writes is not None:
            arrays = writes()
        norms: tuple[str, ...] = ()
        body = (
            [self.registry.joined_bytes([a for _, a in arrays if a is not None])]
            if any(array is not None for _, array in arrays)
            else []
        )
        if self.rate.level != "events" and ongoing.kind == "step" and self.records_values:
            norms, numbers = self._norms()
            body.append(numbers)
        place = self._place(ongoing, arrays, norms)
        body.insert(
            0,
            ROW.pack(
                self._count,
                place,
                self._depth,
                self.position.iteration,
                self.position.epoch,
                ongoing.loss,
                seconds,
            ),
        )
        self._wire.add_row(b"".join(body))
        if error is not None:
            text = f"{type(error).__name__}: {error}"[:2000]
            self._wire.send({"type": "error", "event": self._count, "message": text})

    def _place(
        self, ongoing: Ongoing, arrays: Sequence[tuple[str, Any]], norms: tuple[str, ...]
    ) -> int:
        addresses = tuple(address for address, _ in arrays)
        written = tuple(a is not None for _, a in arrays)
        detail = tuple(ongoing.detail.items())
        shapes = tuple(None if a is None else a.shape for _, a in arrays)
        key = (
            *(ongoing.kind, ongoing.target, ongoing.file, ongoing.line, detail),
            *(addresses, written, shapes, norms),
        )
        place = self._places.get(key)
        if place is None:
            self._sources.send(ongoing.file)
            place = self._places[key] = len(self._places)
            self._wire.send(
                {
                    "type": "place",
                    "id": place,
                    "kind": ongoing.kind,
                    "target": ongoing.target,
                    "file": ongoing.file,
                    "line": ongoing.line,
                    "detail": ongoing.detail,
                    "arrays": [layout(name, a) for name, a in arrays if a is not None],
                    "cleared": [name for name, a in arrays if a is None],
                    "norms": list(norms),
                }
            )
        return place

    def _norms(self) -> tuple[tuple[str, ...], bytes]:
        """Return what an optimizer holds, and the norms of its values, gradients and moves."""
        held = [(tracked, tensor) for tracked, tensor in self.registry.tensors() if tracked.held]
        if not held:
            return (), b""
        torch = self.torch
        with torch.no_grad():
            values = [tensor.detach() for _, tensor in held]
            names = tuple(tracked.name for tracked, _ in held)
            before = self._moves.get("values")
            if self._moves.get("names") == names:
                moved = torch._foreach_sub(values, before)
                moves = torch._foreach_norm(moved)
                torch._foreach_copy_(before, values)
            else:
                self._moves = {"names": names, "values": [value.clone() for value in values]}
                moves = [torch.full((), _NAN)] * len(held)
            gradients = [
                torch.full((), _NAN) if tensor.grad is None else tensor.grad.norm()
                for _, tensor in held
            ]
            rows = [*torch._foreach_norm(values), *gradients, *moves]
            return names, self.registry.joined_bytes([torch.stack([r.double() for r in rows])])

    def _report_by_hand(self, frame: FrameType | None) -> None:
        if self._by_hand is not None:
            self._by_hand.report(frame, self._record_by_hand)

    def _record_by_hand(
        self, what: str, found: list[tuple[str, Any]], frame: FrameType | None
    ) -> None:
        ongoing = Ongoing(f"{what}_by_hand", "", frame)
        ongoing.detail["changed"] = tuple(address for address, _ in found)
        self._record(ongoing, lambda: found, 0.0, None)

    def _end_iteration(self) -> None:
        if self.rate.adapt():
            self._wire.send({"type": "interval", "iterations": self.rate.interval})

    # --- holding the script ---------------------------------------------------------------

    def hold_at_start(self) -> None:
        """Wait for the first commands, before the script begins."""
        try:
            self._obey(wait=True)
        except Disconnected:
            self._let_go()

    def _hold(self, ongoing: Ongoing, frame: FrameType | None) -> float:
        """Wait here if the script is held; return the seconds that it took."""
        started = time.perf_counter()
        if started - self._polled > _SECONDS_BETWEEN_POLLS:
            self._polled = started
            if self._wire.has_command():
                self._obey(wait=False)
        stops = self._stops and (ongoing.file, ongoing.line) in self._stops
        if 0 <= self._until <= self._count:
            self._until = -1
            self._held = True
        if not (self._held or stops):
            return 0.0
        self._held = True
        self._wire.send(
            {
                "type": "held",
                "event": self._count + 1,
                "kind": ongoing.kind,
                "target": ongoing.target,
                "file": ongoing.file,
                "line": ongoing.line,
                "iteration": self.position.iteration,
                "depth": self._depth,
                "loss": repr(ongoing.loss),
                "frames": _variables(frame),
            }
        )
        self._obey(wait=True)
        seconds = time.perf_counter() - started
        self.rate.pause(seconds)
        return seconds

    def _obey(self, *, wait: bool) -> None:
        """Carry out the commands that have come; if `wait`, until one lets the script go on."""
        while wait or self._wire.has_command():
            command = self._wire.receive()
            name = command.get("command")
            if name in {"go", "step", "until"}:
                self._held = name == "step"
                self._until = int(command["event"]) if name == "until" else -1
                wait = False
            elif name == "hold":
                self._held = True
            elif name == "stops":
                self._stops = {(str(file), int(line)) for file, line in command["lines"]}
            elif name == "arrays":
                self._send_arrays([str(address) for address in command["addresses"]])
            elif name == "end":
                raise Ended(0)
            else:
                raise Disconnected(f"unknown command {name!r}")

    def _send_arrays(self, addresses: Sequence[str]) -> None:
        found = {address: self._array(address) for address in addresses}
        present = {name: array for name, array in found.items() if array is not None}
        self._wire.send(
            {
                "type": "arrays",
                "arrays": [layout(name, array) for name, array in present.items()],
                "missing": [name for name in addresses if name not in present],
            },
            [self.registry.bytes_of(array) for array in present.values()],
        )

    def _array(self, address: str) -> Any:
        if self._registry is None:
            return None
        tensor = self._registry.named(address)
        if tensor is None and address.endswith(".grad"):
            owner = self._registry.named(address[: -len(".grad")])
            return None if owner is None else owner.grad
        return tensor

    # --- ends -----------------------------------------------------------------------------

    def finish(self, status: int, error: str = "") -> None:
        """Say that the script has ended."""
        if not self.active:
            return
        try:
            self._report_by_hand(None)
            self._wire.send(
                {
                    "type": "bye",
                    "status": status,
                    "error": error,
                    "events": self._count,
                    "iterations": self.position.iteration + 1 if self._count else 0,
                    "spent": self.rate.spent,
                }
            )
        except Disconnected:
            pass
        except Exception as failure:  # noqa: BLE001 - likewise
            self._fail(failure)
        self.active = False

    def _let_go(self) -> None:
        """Leave the script alone, because nobody listens any more."""
        self.active = False
        if not self._goes_on:
            raise Ended(1)

    def _fail(self, error: Exception) -> None:
        self.active = False
        with contextlib.suppress(Disconnected):
            self._wire.send({"type": "failed", "message": f"{type(error).__name__}: {error}"})

    def _leave(self) -> None:
        """Do nothing in a forked process: it is a worker of the script, and has our socket."""
        self.active = False


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
