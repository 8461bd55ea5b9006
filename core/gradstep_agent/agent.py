"""Agent: reports what the script does, Operation by Operation, and holds it when asked to."""

from __future__ import annotations

import contextlib
import os
import threading
from sys import _getframe
from threading import get_ident
from time import perf_counter
from typing import TYPE_CHECKING, Any

from gradstep_agent.by_hand import ChangesByHand
from gradstep_agent.edits import Edits
from gradstep_agent.expected_calls import ExpectedCall
from gradstep_agent.holding import Ended, Holder
from gradstep_agent.loop_position import LoopPosition
from gradstep_agent.losses import Losses
from gradstep_agent.mode_changes import ModeChanges
from gradstep_agent.operation import Operation, WrappedFunction
from gradstep_agent.recorder import Recorder
from gradstep_agent.recording import RecordingRate
from gradstep_agent.registry import Registry
from gradstep_agent.script_errors import notices_of
from gradstep_agent.sites import Sites, shown_file
from gradstep_agent.user_code import failing_line, lasting_variables, user_frame
from gradstep_agent.wire import Disconnected, Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from gradstep_agent.drawn_batches import DrawnBatches
    from gradstep_agent.loop_position import Trail
    from gradstep_agent.sites import Site

_SECONDS_BETWEEN_POLLS = 0.016
"""How often commands are looked for."""
_BY_HAND = {
    what: WrappedFunction(f"{what}_by_hand", writes=lambda made: made.noted)
    for what in ("update", "clear", "gradient")
}


class Agent:
    """The script's side of a debugging session.

    Hooks call `begin` before and `end` after what they wrap. Nothing that goes wrong in here
    reaches the script: the agent reports its own error, detaches, and the script continues.

    Args:
        wire: The connection.
        level: "events", "series" or "full".
        share: The largest share of the running time that the agent takes for itself.
        goes_on: Whether the script continues when the other side disappears; else it ends.

    Attributes:
        active: Whether Operations are seen.
        has_let_go: Whether they never will again: the other side is gone, or the agent failed.
        thread: The thread whose Operations are seen.
        nested: The kinds of Operations that are under way and seen once, not again inside; of
            Steps the ids of their optimizers.
        inside: What holds at the modules inside a Forward, when a user has stepped into it.
        registry: The tensors, modules and optimizers, once the script has imported torch.
        drawn: Where the last batch came from, once the script can load batches.
        losses: What was sent of the losses.
        modes: The modules whose modes were set since the last Operation.
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
        self.has_let_go = False
        self.thread = threading.get_ident()
        self.nested: set[str | int] = set()
        self.inside: Any = None
        self.torch: Any = None
        self.registry: Registry
        self.drawn: DrawnBatches | None = None
        self.losses = Losses()
        self.modes = ModeChanges()
        self.rate = RecordingRate(level, share)
        self.sites = Sites()
        self._known_sites = self.sites.known
        self.position = LoopPosition(self.sites)
        self.recorder = Recorder(wire, self.rate, self.position)
        self.holder = Holder(wire, self.recorder, self.position, self.sites)
        self._wire = wire
        self._goes_on = goes_on
        self._by_hand: ChangesByHand  # once the script has imported torch
        self._depth = 0
        self._is_first = True  # the Operation that comes next
        self._next_poll = 0.0
        self._calls: dict[Any, ExpectedCall] = {}  # by where and what was done
        self._last_call: ExpectedCall | None = None
        self._noted_at: Site | None = None  # where everything was noted
        self._breaks_off = False  # whether an error has come before the end of an iteration
        self._has_written = True  # whether the last Operation may have
        self._expected: ExpectedCall | None = None  # what comes next, between two Operations
        self._repeated: ExpectedCall | None = None  # what is under way, as it was expected
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave)

    # --- the script's torch ---------------------------------------------------------------

    def start(self, torch: Any, name: str) -> None:
        """Begin to watch, now that the script has imported torch."""
        self.torch = self.holder.forks.torch = torch
        registry = self.registry = Registry(self._wire, torch)
        self.recorder.start(registry, torch)
        self._by_hand = ChangesByHand(registry, torch)
        self.holder.edits = Edits(self.recorder, torch, self._by_hand.note)
        version, level = str(torch.__version__), self.rate.level
        self._wire.send({"type": "torch", "name": name, "version": version, "level": level})

    def watch_files_in(self, folder: str) -> None:
        """Send the text of files in this folder, when something happens in them."""
        self.recorder.sources.folder = folder

    @property
    def is_left(self) -> bool:
        """Whether the other side is gone, also where the agent has not noticed it yet."""
        return not self.has_let_go and self._wire.is_closed

    def add_source(self, name: str, text: str) -> None:
        """Send a text that is in no file of its own, such as the cell of a notebook."""
        if not self.has_let_go:
            self.attempt(lambda: self.recorder.sources.add(name, text))

    def share_memory(self, size: int) -> None:
        """Share memory for large arrays, where that can be done."""
        self.attempt(lambda: self._wire.open_ring(size))

    def watch(self, subjects: Sequence[Any], frame: FrameType | None) -> None:
        """See what happens from now on; describe some modules and optimizers at once."""
        if self.has_let_go:
            return
        self.expect_nothing()
        self.active, self.thread = True, get_ident()
        if self.torch is not None:
            self.attempt(lambda: self._meet(subjects, frame))

    def rest(self) -> None:
        """See nothing until `watch` is called again."""
        if self.active:
            self.expect_nothing()
            self.active = False
            self.attempt(self._wire.flush)

    def _meet(self, subjects: Sequence[Any], frame: FrameType | None) -> None:
        for subject in subjects:
            if isinstance(subject, self.torch.nn.Module):
                self.registry.module(subject, frame)
            elif isinstance(subject, self.torch.optim.Optimizer):
                self.registry.optimizer(subject, frame)
        self._by_hand.note()

    def pause(self, frame: FrameType | None) -> None:
        """Hold the script in the user's own code."""
        if not self.active or get_ident() != self.thread:
            return
        started = perf_counter()
        self.attempt(lambda: self._pause_at(frame))
        self.rate.pause(perf_counter() - started)

    def _pause_at(self, frame: FrameType | None) -> None:
        self.expect_nothing()
        operation = self.holder.hold_here(frame, self._depth)
        self.recorder.record(operation, self._depth, 0.0)

    def send(self, header: dict[str, Any], body: Sequence[bytes] = ()) -> None:
        """Send a frame.

        Raises:
            Disconnected: Nobody reads any more.
        """
        self._wire.send(header, body)

    def is_seen(self, kind: str | int) -> bool:
        """Return whether an Operation of this kind is to be seen now."""
        return self.active and kind not in self.nested and get_ident() == self.thread

    def attempt(self, work: Callable[[], object]) -> None:
        """Do some of the agent's own work; if it fails, detach from the script."""
        try:
            work()
        except Disconnected:
            self._let_go()
        except Exception as error:  # noqa: BLE001 - a defect of the agent is not the script's
            self._fail(error)

    # --- Operations -----------------------------------------------------------------------

    def begin(
        self, function: WrappedFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Operation | ExpectedCall | None:
        """Say that an Operation begins; hold the script here if that is asked for.

        Only called where `is_seen` is true, from the wrapper that the script calls.

        Args:
            function: What is called.
            args: Its arguments.
            kwargs: Its arguments by name.

        Returns:
            What `end` needs; None when the agent has detached.
        """
        started = perf_counter()
        frame = _getframe(2)
        call = self._expected
        try:
            if (
                call is not None
                and call.function is function
                and (started < self._next_poll or not self._is_called(started))
                and frame.f_lasti == call.position
                and frame.f_code is call.code
                and not (self.recorder.takes_values and self.recorder.takes_values_of(function))
                and (not call.outer or call.is_within(frame))
                and (
                    not (function.is_writing or self._may_follow_changes(call.trail))
                    or self._last_call.is_followed_at_once  # type: ignore[union-attr]
                    or not self._by_hand.may_have_changed()
                    or self._report_before(function, frame)
                )
                and function.repeats(call, args)
            ):
                self._expected, self._repeated = None, call
                trail = call.trail
                if trail is not None and self.position.pass_trail(trail, frame):
                    self._begin_iteration()
                    if self.recorder.takes_values and self.recorder.takes_values_of(function):
                        return self._in_full(call, args)
                call.began = now = perf_counter()
                if self.rate.measures:
                    self.rate.spend(now - started)
                return call
            return self._begin(function, frame, args, kwargs, started)
        except Disconnected:
            self._let_go()
        except Exception as error:  # noqa: BLE001 - a defect of the agent is not the script's
            self._fail(error)
        return None

    def _may_follow_changes(self, trail: Trail | None) -> bool:
        """Return whether a call may be the first after an Operation, or in an iteration."""
        if self._has_written:
            return True
        return trail is not None and self.position.may_begin_with(trail)

    def _report_before(self, function: WrappedFunction, called_by: FrameType) -> bool:
        """Report what was changed by hand before an expected call; return whether it was sure.

        Before a call of a model that follows another one, `_begin` decides.
        """
        if not function.is_writing and not self._has_written:
            return False
        self._report_by_hand(user_frame(called_by), at_call=function.is_call)
        return True

    def _is_called(self, now: float) -> bool:
        """Return whether there is more to do before an Operation than to report it."""
        self._next_poll = now + _SECONDS_BETWEEN_POLLS
        if self.holder.is_called():
            self._next_poll = 0.0  # `_begin` holds the script
            return True
        return False

    def _in_full(self, call: ExpectedCall, args: tuple[Any, ...]) -> Operation:
        """Return what an expected call is reported as when values are recorded with it."""
        self._repeated, self._depth = None, self._depth + 1
        operation = call.as_operation(args)
        if self.recorder.takes_arrays and operation.function.note is not None:
            operation.noted = operation.function.note(operation)
        operation.events_before = self.recorder.count
        operation.began = perf_counter()
        return operation

    def _begin(
        self,
        function: WrappedFunction,
        called_by: FrameType,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        started: float,
    ) -> Operation:
        """Begin what was not expected."""
        self.expect_nothing()
        self._by_hand.catch_up()
        self.modes.report(self.registry, self.recorder, self.send)
        recorder, holder, held = self.recorder, self.holder, 0.0
        frame: FrameType | None = called_by
        site = self._known_sites.get((id(called_by.f_code), called_by.f_lasti))
        if site is None:
            frame = user_frame(called_by)
            site = self.sites.at(frame)
        operation = Operation(function, site, args, kwargs)
        if function.describe is not None:
            function.describe(operation, frame)
        if self._is_first:
            self._look_around(frame)
        if not self._depth and frame is not None:
            operation.call = self._call_of(operation, called_by, frame)
        if not self._depth:
            self._pass(operation, frame, called_by)
        if started > self._next_poll or holder.attends or holder.busy:
            held = self._hold(operation, frame)
        if recorder.takes_arrays and function.note is not None:
            operation.noted = function.note(operation)
        self._depth += 1
        if operation.enters:
            self._enter(operation)
        operation.events_before = recorder.count
        operation.began = now = perf_counter()
        if self.rate.measures:
            self.rate.spend(now - started - held)
        return operation

    def _look_around(self, frame: FrameType | None) -> None:
        """Meet the optimizers that there are, so that it is known what they hold."""
        self._is_first = False
        for _, optimizer in lasting_variables(self.torch.optim.Optimizer, frame):
            self.registry.optimizer(optimizer, frame)

    def _call_of(
        self, operation: Operation, called_by: FrameType, frame: FrameType
    ) -> ExpectedCall:
        """Return what can be expected when this is done again."""
        calls, function = self._calls, operation.function
        caller = frame.f_back
        from_where = -1 if caller is None else caller.f_lasti
        key = operation.site, function, operation.target, operation.detail, from_where
        call = calls.get(key)
        if call is None or not call.is_made_by(called_by):
            trail = None
            if function.has_trail:
                stepped = operation.target if function.kind == "step" else ""
                trail = self.position.trail_of(
                    frame, called_by, is_call=function.is_call, stepped=stepped
                )
            call = calls[key] = ExpectedCall(operation, called_by, frame, trail)
        call.know_subject(operation)
        return call

    def expect_nothing(self) -> None:
        """Look at what is under way, and at what comes next, as if nothing had been expected."""
        self._expected = None
        if self._repeated is not None:
            self._repeated.events_before = self.recorder.count
            self._repeated, self._depth = None, self._depth + 1

    def end(
        self,
        begun: Operation | ExpectedCall | None,
        args: tuple[Any, ...],
        error: BaseException | None = None,
    ) -> None:
        """Say that an Operation has ended.

        Args:
            begun: What `begin` returned.
            args: The arguments as `begin` got them; nothing has kept them since.
            error: What it raised.
        """
        if begun is None:
            return
        ended = perf_counter()
        if begun is not self._repeated or error is not None:
            if isinstance(begun, ExpectedCall):
                self.expect_nothing()
                begun = begun.as_operation(args)
            self._end(begun, ended, error)
            return
        self._repeated, self._last_call, self._expected = None, begun, begun.following
        self._has_written = begun.is_writing
        position = self.position
        try:
            self.recorder.rows += (
                0,
                begun.place,
                0,
                position.iteration,
                position.epoch,
                begun.loss,
                ended - begun.began,
            )
            if begun.is_noted_later:
                self._by_hand.put_off()
            elif begun.is_writing:
                self._noted_at = begun.site
                self._by_hand.note(
                    values=begun.may_write_values, gradients=begun.may_write_gradients
                )
            if ended > self._wire.due:
                self._wire.flush()
        except Disconnected:
            self._let_go()
        except Exception as failure:  # noqa: BLE001 - likewise
            self._fail(failure)
        if self.rate.measures:
            self.rate.spend(perf_counter() - ended)

    def _end(self, operation: Operation, ended: float, error: BaseException | None) -> None:
        """End what was not expected."""
        depth = self._depth - 1
        self._depth = depth = depth if depth > 0 else 0
        if operation.leave is not None:
            operation.leave()
        if not self.active:
            return
        function, rate, recorder = operation.function, self.rate, self.recorder
        on_values = rate.spent_on_values
        try:
            if function.complete is not None:
                function.complete(operation)
            recorder.record(operation, depth, ended - operation.began, error)
            if not depth:
                self._note(operation, held_others=recorder.count > operation.events_before + 1)
            if operation.call is not None and error is None:
                self._expect_again(operation.call, operation)
            if self.holder.attends or ended > self._wire.due:
                self._wire.flush()
        except Disconnected:
            self._let_go()
        except Exception as failure:  # noqa: BLE001 - likewise
            self._fail(failure)
        if rate.measures:
            rate.spend(perf_counter() - ended - (rate.spent_on_values - on_values))

    def _note(self, operation: Operation, *, held_others: bool) -> None:
        """Note how an Operation has left everything, to see later what is changed by hand."""
        function = operation.function
        self._has_written = function.is_writing
        if function.is_writing:
            self._noted_at = operation.site
            self._by_hand.note(
                values=held_others or not function.keeps_values,
                gradients=held_others or not operation.keeps_gradients,
            )

    def _expect_again(self, call: ExpectedCall, operation: Operation) -> None:
        """Expect after a call what came after it the last time; learn what comes after others."""
        recorder, holder = self.recorder, self.holder
        takes_values = recorder.takes_values and recorder.takes_values_of(call.described)
        if operation.detail is call.detail and not takes_values:
            call.know_place(operation.site.recent[-1])
        if self._last_call is not None:
            self._last_call.know_following(call)
        self._last_call = call
        self._expected = None if holder.attends or holder.busy else call.following

    def hold_inside(self, header: dict[str, Any], arrays: Sequence[tuple[str, Any]]) -> str:
        """Hold the script inside an Operation; return the command that lets it continue."""
        started = perf_counter()
        command = "go"
        try:
            frame = user_frame(_getframe(1))
            command = self.holder.hold_inside(header, arrays, frame)
        except Disconnected:
            self._let_go()
        except Exception as error:  # noqa: BLE001 - likewise
            self._fail(error)
        self.rate.pause(perf_counter() - started)
        return command

    def _enter(self, operation: Operation) -> None:
        def enter() -> None:
            if operation.function.enter is not None:
                operation.leave = operation.function.enter(operation)

        self.attempt(enter)

    def _hold(self, operation: Operation, frame: FrameType | None) -> float:
        """Hold the script if that is asked for; return the seconds that it took."""
        if self.holder.busy:  # a command does it
            operation.detail = (*operation.detail, ("aside", True))
            return 0.0
        self._next_poll = perf_counter() + _SECONDS_BETWEEN_POLLS
        held = self.holder.hold(operation, frame, self._depth)
        self.rate.pause(held)
        return held

    def _pass(self, operation: Operation, frame: FrameType | None, called_by: FrameType) -> None:
        """Report what the script changed before an Operation; note that an iteration begins."""
        function, position = operation.function, self.position
        trail = None
        if operation.call is not None and not self.holder.busy:
            trail = operation.call.trail
        is_next = function.is_writing or self._has_written
        is_next = is_next or (trail is not None and position.begins_with(trail))
        if is_next and self._by_hand.may_have_changed():
            self._report_by_hand(frame, at_call=function.is_call)
        if trail is not None and position.pass_trail(trail, called_by):
            self._begin_iteration()

    def _begin_iteration(self) -> None:
        rate, iteration = self.rate, self.position.iteration
        if iteration < rate.next_choice and not self.recorder.takes_values:
            return
        rate.begin_iteration(iteration)
        if rate.level == "events":
            return
        if rate.end_iteration(recorded=self.recorder.takes_values):
            self._wire.send({"type": "interval", "iterations": rate.interval})
        self.recorder.choose_values(iteration, held=self.holder.held)

    def report_changes(self, frame: FrameType | None) -> None:
        """Report what the script has changed by hand up to here, unless an Operation is under way.

        What comes next may not be what was expected.

        Args:
            frame: The user's frame.
        """
        self.expect_nothing()
        if self.active and not self._depth and not self.holder.busy:
            self._by_hand.catch_up()
            if self._by_hand.may_have_changed():
                self._report_by_hand(frame)

    def _report_by_hand(self, frame: FrameType | None, *, at_call: bool = False) -> None:
        before = self._noted_at
        after = None if frame is None else self.sites.at(frame)

        def report(what: str, found: list[tuple[str, Any]]) -> None:
            names = tuple([address for address, _ in found])
            site = self.sites.changing(what, names, before, after)
            operation = Operation(_BY_HAND[what], site or self.sites.at(frame))
            operation.noted = found
            operation.detail = (("changed", names), ("is_line_known", site is not None))
            if at_call:  # else a call before may have come after the change
                operation.detail += (("at_call", True),)
            self.recorder.record(operation, self._depth, 0.0)

        self._by_hand.report(report)
        self._by_hand.note()
        self._noted_at = after

    # --- beginning and end ----------------------------------------------------------------

    def hold_at_start(self) -> None:
        """Wait for the first commands, before the script begins."""
        self.attempt(lambda: self.holder.obey(wait=True))

    def explain(self, error: BaseException) -> None:
        """Send the file that raised an error, and which variables it is due to, if known.

        Note whether the error came before the end of an iteration.
        """

        def tell() -> None:
            self._breaks_off = self.position.is_left_by(error.__traceback__)
            found = notices_of(self.registry, error)
            line = failing_line(error)
            if line is not None:
                self.recorder.sources.send(shown_file(line[0].f_code))
            for what, name, target in found:
                self._wire.send({"type": "noticed", "what": what, "name": name, "target": target})

        if self.active and self.torch is not None:
            self.attempt(tell)

    def finish(self, status: int, error: str = "", traceback: str = "") -> None:
        """Say that the script has ended.

        Args:
            status: Its status.
            error: What has ended it; empty for nothing.
            traceback: The traceback of that.
        """
        if self.has_let_go:
            return
        count = self.recorder.count
        try:
            if self.active and self.torch is not None:
                self._by_hand.catch_up()
                self.modes.report(self.registry, self.recorder, self.send)
                self._report_by_hand(None)
            self._wire.send(
                {
                    "type": "bye",
                    "status": status,
                    "error": error,
                    "events": count,
                    "iterations": self.position.iteration + (not self._breaks_off) if count else 0,
                    "spent": self.rate.spent,
                    "traceback": traceback,
                }
            )
        except Disconnected:
            pass
        except Exception as failure:  # noqa: BLE001 - likewise
            self._fail(failure)
        self._stop()

    def _stop(self) -> None:
        """See nothing any more, not even the end of what is under way."""
        self.active, self.has_let_go, self._repeated = False, True, None

    def _let_go(self) -> None:
        """Leave the script alone, because the other side is gone."""
        self._stop()
        if not self._goes_on:
            raise Ended(1)

    def _fail(self, error: Exception) -> None:
        self._stop()
        with contextlib.suppress(Disconnected):
            self._wire.send({"type": "failed", "message": f"{type(error).__name__}: {error}"})

    def _leave(self) -> None:
        """Do nothing in a process that the script forks: it is one of its workers.

        Its copy of the socket is closed, so that the other side sees when the script ends.
        """
        if self.holder.forks.is_forking:
            return
        self._stop()
        self._wire.socket.close()
