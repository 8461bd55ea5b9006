"""TapeWriter: the frames of an agent become the Events of a tape.

The agent says which calls were made. Here they become the Operations of a training loop: the call
of the model before a Backward is that loss's Forward, what happens inside a Step belongs to the
Step, and what no Operation stands for is a ScriptCall.
"""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from gradstep.errors import OperationError, ScriptError
from gradstep.program import operation as ops
from gradstep.program.notice import Notice
from gradstep.script import frames
from gradstep.script.call_order import Called, CallOrder, Computed, Happened, has_grad, line_of
from gradstep.script.criterion_input import criterion_and_layer
from gradstep.script.described_objects import DescribedObjects, leaves_of
from gradstep.script.frames import arrays_of, rows_of, wrong_frame
from gradstep.script.inside import Inside
from gradstep.script.module_joints import applied_modules
from gradstep.script.tape import Norms, Tape, TapeRow

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from gradstep.program.operation import Operation
    from gradstep.script.call_order import Ordered
    from gradstep.script.frames import Frame, Place, Row

__all__ = ["TapeWriter", "refusal"]

_MAX_PLACES = 100_000

_NEW_TENSORS = ops.ScriptCall("new_tensors")
_SET_BY_HAND = ops.ScriptCall("options_by_hand")
_NEW_OPTIMIZER = "new_optimizer"


class TapeWriter:
    """Writes what an agent sends to a tape.

    Args:
        tape: The tape, which grows.

    Attributes:
        interval: Values are recorded in every so-many-th iteration.
        held: The Operation before which the script is held; None while it runs.
        answer: What the script has answered to the last question; None before it has.
        asked: The Operation that the script was asked for out of turn, and the note of its Event.
        objects: What the script has, as far as it is described.
        order: Which calls computed a loss.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.interval = 1
        self.held: frames.Held | None = None
        self.answer: object = None
        self.asked: tuple[Operation, str] | None = None
        self.objects = DescribedObjects(tape.run)
        self.order = CallOrder()
        self._places: dict[int, Place] = {}
        self._usual: dict[tuple[str, str, str, tuple[str, ...]], tuple[str, ...]] = {}
        self._inside: list[Row] = []
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._uncleared: dict[str, int] = {}  # Steps in a row whose closure has cleared nothing
        self._operations: dict[Operation, Operation] = {}
        self._operations_at: dict[tuple[str, str, str], Operation] = {}
        self._has_values = True
        self._number = 0  # of the last Event
        self._modes: dict[tuple[int, str], frames.Modes] = {}  # that came after it

    # -- frames --------------------------------------------------------------------------------

    def take(self, frame: Frame, body: bytes) -> None:
        """Take one frame.

        Raises:
            ScriptError: It cannot be true.
        """
        match frame:
            case frames.Rows():
                for row in rows_of(frame, body, self._places):
                    self._take_row(row)
            case frames.Place():
                if len(self._places) >= _MAX_PLACES:
                    raise wrong_frame(f"more than {_MAX_PLACES:,} places")
                self._places[frame.id] = frame
            case frames.Optimizer():
                self._take_optimizer(frame)
            case frames.Tensor():
                self.objects.take_tensor(frame, body, self._events_before())
            case frames.Error():
                self._take_error(frame)
            case frames.Held():
                self._take_held(frame)
            case frames.Interval():
                self.interval = max(1, frame.iterations)
            case _:
                self._take_rest(frame, body)

    def _take_optimizer(self, frame: frames.Optimizer) -> None:
        if self.objects.changes_options(frame):  # after what was called before
            self._put(self.order.end())
        self.objects.take_optimizer(frame, self._events_before())

    def finish(self, lost: str = "") -> None:
        """Write what is pending, unless it cannot be true; there are no more Events.

        Args:
            lost: Why the recording ended before the script; empty if it did not.
        """
        try:
            self._put(self.order.end())
        except ScriptError as error:
            lost = lost or error.message
        last = self.tape.rows[-1] if self.tape.rows else TapeRow(_NEW_TENSORS)
        self._write_modes(self._number + 1, last.iteration, last.epoch)
        self.tape.has_ended, self.tape.entered = True, None
        run = self.tape.run
        if run.status is None and lost:
            run.lost = lost

    @property
    def coming(self) -> Operation | None:
        """The Operation before which the script is held, as far as that is known before it."""
        held = self.held if self.tape.entered is None else self.tape.entered.held
        if held is None:
            return None
        at, target = _at(held), held.target
        before = self._operations_at.get((held.kind, target, at))
        return before or self._operation_of(held.kind, target, at)

    def _operation_of(self, kind: str, target: str, at: str) -> ops.ExecutableOperation:
        """Return what a call is as far as its kind and target tell."""
        coming: ops.ExecutableOperation = ops.ScriptCall(kind, target, at=at)
        match kind:
            case "backward":
                coming = ops.Backward(target, at=at)
            case "step" if target in self.tape.run.optimizers:
                coming = ops.Step(target, at=at)
            case "zero_grad" if optimizer := self.objects.optimizer_of(target, ()):
                coming = ops.ZeroGrad(optimizer, at=at)
            case "scheduler_step":
                coming = ops.SchedulerStep(target, at=at)
        return coming

    @property
    def waits(self) -> bool:
        """Whether the script is held at a call that is not an Operation."""
        held = self.held
        if held is None:
            return False
        return bool(held.depth) or (self._is_criterion(held) and self.order.is_in_forward())

    def enter(self) -> Inside:
        """Expect what is inside the Operation before which the script is held; return that."""
        assert self.held is not None, "the script is held"
        entered = self.tape.entered = Inside(self.held)
        return entered

    def _take_micro(self, frame: frames.Micro, body: bytes) -> None:
        entered = self.tape.entered
        if entered is None:
            raise wrong_frame(f"the inside of an operation that was not entered: {frame.name}")
        arrays, end = arrays_of(frame.arrays, body)
        if end != len(body) or (frame.kind == "node" and frame.number not in entered.numbers):
            raise wrong_frame(f"the inside of {entered.held.target}: {frame.name}")
        entered.add(frame, arrays)

    def _take_held(self, frame: frames.Held) -> None:
        """Decide what the previous calls were, as the next Operation shows."""
        self.held = frame
        if not frame.depth:
            self.tape.coming_iteration = max(0, frame.iteration)
            if not self.waits:
                self._put(self.order.hold(frame))
                self._write_modes(self._number + 1, frame.iteration, frame.epoch)
                self.tape.entered = None  # the Operation has ended without an Event

    def _take_rest(self, frame: Frame, body: bytes) -> None:
        run = self.tape.run
        match frame:
            case frames.Hello():
                if frame.protocol != frames.PROTOCOL:
                    raise wrong_frame(f"protocol {frame.protocol} instead of {frames.PROTOCOL}")
                run.python = frame.python
                run.script = frame.script or run.script
                run.arguments = tuple(frame.arguments) or run.arguments
            case frames.Torch():
                run.backend = f"{frame.name} {frame.version}"
                self._has_values = frame.level == "full"
            case frames.Module() | frames.Modes():
                self._take_module(frame)
            case frames.Graph():
                self._take_graph(frame)
            case frames.Noticed():
                at = self._events_before() + 1
                run.notices.append(Notice(frame.what, frame.name, frame.target, at))
            case frames.Source():
                run.sources[frame.file] = body.decode(errors="replace")
            case frames.Failed():
                run.lost = f"the agent failed: {frame.message}"
            case frames.Bye():
                run.status, run.error, run.traceback = frame.status, frame.error, frame.traceback
                last = self.tape.rows[-1].iteration if self.tape.rows else 0
                run.breaks_off = bool(frame.error) and frame.iterations <= last
            case _:
                self._take_answer(frame, body)

    def _take_module(self, frame: frames.Module | frames.Modes) -> None:
        """Take a module, or its modes now; one by the name of an earlier one may be in others."""
        is_known = frame.name in self.objects.training
        if isinstance(frame, frames.Modes):
            if not is_known:
                raise wrong_frame(f"the modes of the unknown module {frame.name}")
            self._modes[self._number, frame.name] = frame  # what was called before comes first
            return
        modes = [(path, training) for path, _, _, training in frame.tree]
        if is_known:
            now = frames.Modes(name=frame.name, file="", line=0, modes=modes)
            self._modes[self._number, frame.name] = now
        elif ("", False) in modes:
            at = self._events_before() + 1
            self.tape.run.notices.append(Notice("evaluation", frame.name, "", at))
        self.objects.take_module(frame)

    def _take_graph(self, frame: frames.Graph) -> None:
        numbers, entered = self.objects.take_graph(frame), self.tape.entered
        run, graph = self.tape.run, self.objects.graphs[frame.loss]
        found = criterion_and_layer(run.graphs[graph])
        if found is not None:
            notice = Notice("criterion", frame.loss, " ".join(found), self._events_before() + 1)
            if not any(notice[:3] == other[:3] for other in run.notices):
                run.notices.append(notice)
        modules = [module.name for module in run.modules]
        for module, other in applied_modules(run.graphs[graph], modules):
            notice = Notice("applied", module, other, self._events_before() + 1)
            if not any(notice[:3] == known[:3] for known in run.notices):
                run.notices.append(notice)
        if entered is not None:
            entered.graph, entered.numbers = graph, numbers

    def _take_answer(self, frame: Frame, body: bytes) -> None:
        """Take what the held script says to a question, or of its inside."""
        match frame:
            case frames.Micro():
                self._take_micro(frame, body)
            case frames.Arrays():
                self.answer, end = arrays_of(frame.arrays, body)
                if end != len(body):
                    raise wrong_frame("the tensors that were asked for")
            case frames.Done() | frames.Refused() | frames.Variables():
                self.answer = frame
            case _:
                pass

    def _take_error(self, frame: frames.Error) -> None:
        """Mark the last Event as one that raised an error."""
        if self._inside and self._inside[-1].number == frame.event:
            return  # if it gets out, the Operation around it says so
        self._put(self.order.end())
        if self.tape.rows:
            last = self.tape.rows[-1]
            self.tape.rows[-1] = structs.replace(last, message=frame.message, failed=True)

    def _events_before(self) -> int:
        """Return how many Events there are before what is described now."""
        events, call = len(self.tape.rows) + self.order.pending, self.order.call
        events += sum(len(self.objects.mode_changes(frame)) for frame in self._modes.values())
        return events if call is None else events + self._changes_mode(call)

    # -- Events --------------------------------------------------------------------------------

    def _take_row(self, row: Row) -> None:
        self._number = row.number
        if row.depth:
            self._inside.append(row)
            return
        if row.place.detail.get("aside") is not True:  # after which the script is still held
            self.held = None
        inside, self._inside = self._inside, []
        for one in (*inside, row):
            if one.place.kind == "backward":
                self.objects.choose_graph(one.place)
        self._put(self.order.take(row, inside, is_criterion=self._is_criterion(row.place)))

    def _is_criterion(self, called: Place | frames.Held) -> bool:
        """Return whether a call is that of a module without parameters."""
        return called.kind == "forward" and not self.objects.has_parameters(called.target)

    def _put(self, found: Iterable[Ordered]) -> None:
        """Write what has happened, in order."""
        for item in found:
            call, row = self.order.call, item.row
            before = row.number if call is None else min(row.number, call.number)
            self._write_modes(before, row.iteration, row.epoch)
            match item:
                case Called(row):
                    self._note_moment(row.number - 1)
                    self._write_call(row)
                case Computed():
                    if item.is_call:
                        self._note_moment(item.row.number - 1)
                    self._write_forward(item)
                case Happened(row, inside):
                    self._write_other(row, inside)

    def _write_other(self, row: Row, inside: Sequence[Row]) -> None:
        """Write what is no call of a module."""
        here, kind = len(self.tape.rows), row.place.kind
        before = (inside[0] if inside else row).number - 1
        is_by_hand = kind.endswith("_by_hand")
        if not is_by_hand:  # which is noticed too late to be held before it
            self._note_moment(before)
        if row.place.detail.get("skipped") is True:
            self._write_skipped(row)
        elif kind == "backward":
            self._backward(row, inside)
        else:
            self._other(row, inside)
        if is_by_hand:
            self.tape.moments.move(here, len(self.tape.rows))

    def _note_moment(self, before: int) -> None:
        """Note that the process can be held after what is on the tape.

        Args:
            before: How many Events the agent had counted then.
        """
        self.tape.moments.add(len(self.tape.rows), before)

    def _write_skipped(self, row: Row) -> None:
        """Write that the user has left out what comes here."""
        place, at = row.place, _at(row.place)
        known = self._operations_at.get((place.kind, place.target, at))
        skipped: Any = known or self._operation_of(place.kind, place.target, at)
        self._write(row, ops.Skip(skipped, at=at), values={})

    def _changes_mode(self, call: Row) -> bool:
        """Return whether the call of a module shows that its mode was changed before."""
        module, training = call.place.target, call.place.detail.get("training")
        return (
            isinstance(training, bool) and self.objects.training.get(module, training) != training
        )

    def _write_mode(self, call: Row) -> None:
        """Write that the mode of a module was changed before this call."""
        module, training = call.place.target, call.place.detail.get("training") is True
        if self._changes_mode(call):
            operation, also = ops.SetMode(training, module), (f"{module}.training",)
            self._write(call, operation, values={}, also=also)
            self.objects.set_mode(module, training)
        elif "training" in call.place.detail:
            self.objects.training.setdefault(module, training)

    def _write_modes(self, before: int, iteration: int, epoch: int) -> None:
        """Write the modes that modules were put in.

        Args:
            before: The number of the Event before which they were, as the agent counts.
            iteration: The pass of the loop that this Event belongs to.
            epoch: Likewise of the loop around that one.
        """
        for key in [key for key in self._modes if key[0] < before]:
            frame = self._modes.pop(key)
            for training, modules in self.objects.take_modes(frame):
                done = ops.SetMode(training, modules[0], at=_at(frame))
                writes = self._interned([f"{module}.training" for module in modules])
                operation = self._operations.setdefault(done, done)
                row = TapeRow(operation, writes=writes, iteration=iteration, epoch=epoch)
                self.tape.rows.append(row)

    def _write_call(self, call: Row) -> None:
        """Write the call of a module that was not the Forward of a loss."""
        self._write_mode(call)
        place = call.place
        made = ops.ScriptCall("forward", place.target, has_grad=has_grad(call), at=_at(place))
        self._write(call, made)

    def _backward(self, row: Row, inside: Sequence[Row]) -> None:
        loss = row.place.target
        values = self._written([*inside, row])  # Steps inside of it are part of it
        unsent = self._unsent(row, values)
        written = (*values, *unsent)
        self._write(
            row,
            ops.Backward(loss, at=_at(row.place)),
            reads=(f"{loss}.graph", *(name for name in written if name in self.objects.gradients)),
            also=(*unsent, f"{loss}.graph"),
            values=values,
        )

    def _write_forward(self, computed: Computed) -> None:
        """Write the Forward of a loss: the call of a module, or the line that computed it."""
        loss, call = computed.loss, computed.row
        self._write_mode(call)
        place, run, graph = call.place, self.tape.run, self.objects.graphs.get(loss)
        if not computed.is_call:
            line = self.objects.lines.get((loss, place.file, place.line), place.line)
            place = structs.replace(place, line=line)
        run.losses.setdefault(loss, None)
        leaves = () if graph is None else (leaf for _, _, leaf in run.graphs[graph])
        self._write(
            call,
            ops.Forward(loss, at=_at(place)),
            reads=tuple(dict.fromkeys(leaf for leaf in leaves if leaf)),
            also=(loss, f"{loss}.graph"),
            loss=computed.value,
            graph=graph,
            values=call.arrays if computed.is_call else {},
        )

    def _other(self, row: Row, inside: Sequence[Row]) -> None:
        place, run = row.place, self.tape.run
        at, written = _at(place), self._written([*inside, row])
        operation: Operation | None = None
        reads: tuple[str, ...] = ()
        stepped = place.target if place.kind == "step" else _step_inside(inside)
        unsent = self._unsent(row, written, stepped)
        names = (*written, *unsent)
        loss = next((item.loss for item in inside if item.loss is not None), None)
        match place.kind:
            case "zero_grad":
                optimizer = self.objects.optimizer_of(place.target, names)
                clears = self._clears(row)
                if optimizer:
                    operation = ops.ZeroGrad(optimizer, set_to_none=clears, at=at)
                if clears and self._has_values:  # which is known also where values are not recorded
                    written, unsent = {**written, **dict.fromkeys(unsent)}, ()
            case "step" if place.target in run.optimizers:
                operation = ops.Step(place.target, at=at)
                reads = self.objects.read_by_step(place.target, names)
                self._look_at_closure(place.target, inside)
                computed = dict.fromkeys(
                    item.place.target for item in inside if item.place.kind == "backward"
                )
                run.losses.update(computed)
                unsent = (*unsent, *computed)
            case "scaler_step" if stepped:
                operation = ops.Step(stepped, at=at)
                reads = self.objects.read_by_step(stepped, names)
            case "clip_grad_norm" | "clip_grad_value":
                operation = self._clipping(place, names, at)
                reads = names
            case "train_mode":
                self.objects.set_mode(place.target, place.detail.get("training") is True)
            case "scheduler_step":
                operation = ops.SchedulerStep(place.target, at=at)
                run.schedulers[place.target] = str(place.detail.get("optimizer", ""))
        operation, message = operation or _script_call(place, at), ""
        if place.detail.get("aside") is True:
            operation, message = self._take_out_of_loop(operation)
        also = {ops.Freeze: (place.target,), ops.SetMode: (f"{place.target}.training",)}
        self._write(
            row,
            operation,
            reads=reads,
            also=(*unsent, *also.get(type(operation), ())),
            loss=loss,
            values=written,
            message=message,
            norms=self._norms([*inside, row]),
        )

    def _look_at_closure(self, optimizer: str, inside: Sequence[Row]) -> None:
        """Note that a closure has added up gradients in two Steps in a row, and cleared none."""
        places = [row.place for row in inside if row.place.kind == "backward"]
        clears = any(row.place.kind in {"zero_grad", "clear_by_hand"} for row in inside)
        adds = not clears and len(places) > len({(one.file, one.line) for one in places})
        count = self._uncleared[optimizer] = self._uncleared.get(optimizer, 0) + 1 if adds else 0
        if count == 2:  # noqa: PLR2004 - the second one shows that it was no exception
            at = len(self.tape.rows) + 1
            self.tape.run.notices.append(Notice("closure", optimizer, places[-1].target, at))

    def _norms(self, rows: Sequence[Row]) -> Norms | None:
        """Return the norms that were measured last in several rows."""
        measured = self.tape.run.measured
        for row in reversed(rows):
            if row.norms is not None:
                names = self._interned(row.place.norms)
                if names not in measured:
                    if not self.tape.run.initial.keys() >= set(names):
                        raise wrong_frame("the norm of an unknown tensor")
                    measured.append(names)
                return Norms(measured.index(names), row.norms.astype(np.float32))
        return None

    def _take_out_of_loop(self, operation: Operation) -> tuple[Operation, str]:
        """Return what the user asked for out of turn, and the note of its Event."""
        (asked, message), self.asked = self.asked or (operation, ""), None
        return structs.replace(asked, at=operation.at, out_of_loop=True), message

    def _unsent(self, row: Row, written: Collection[str], stepped: str = "") -> tuple[str, ...]:
        """Return what an Event wrote in an iteration whose values are not recorded.

        What is done by hand says it itself. A Zero Grad clears the gradients that there are, and
        others write what the same line wrote when values were recorded.

        Args:
            row: The Event.
            written: What it wrote where values are recorded.
            stepped: The optimizer whose Step it is; empty for anything else.
        """
        place = row.place
        key = place.kind, place.target, _at(place), leaves_of(place)
        if written or (self._has_values and row.iteration % self.interval == 0):
            self._usual[key] = tuple(written)
            return ()
        changed = place.detail.get("changed")
        if isinstance(changed, list):
            found = [name for name in map(str, changed) if self.objects.is_address(name)]
        elif place.kind == "zero_grad":
            found = [f"{name}.grad" for name in self.objects.tensors_of(place.target)]
            found = [name for name in found if name in self.objects.gradients]
        elif place.kind == "backward" and key not in self._usual:
            found = [f"{leaf}.grad" for leaf in self.objects.leaves_of(place.target)]
        else:
            found = list(self._usual.get(key, ()))
            if stepped:  # also what it has held, or what has had a gradient, only since then
                held = self.objects.tensors_of(stepped)
                moved = [name for name in held if f"{name}.grad" in self.objects.gradients]
                found = list(dict.fromkeys((*found, *moved)))
        if place.kind == "backward":
            self.objects.gradients.update(found)
        elif self._clears(row):
            self.objects.gradients.difference_update(found)
        return tuple(found)

    def _clears(self, row: Row) -> bool:
        """Return whether a Zero Grad leaves None, by what is recorded or was before."""
        place = row.place
        before = self._operations_at.get((place.kind, place.target, _at(place)))
        if row.iteration % self.interval and isinstance(before, ops.ZeroGrad):
            return before.set_to_none
        return place.kind in {"zero_grad", "clear_by_hand"} and not row.arrays

    def _clipping(self, place: Place, written: Iterable[str], at: str) -> Operation | None:
        limit, optimizer = place.detail.get("limit"), self.objects.optimizer_of("", written)
        if not optimizer or not isinstance(limit, (int, float)):
            return None
        if place.kind == "clip_grad_norm":
            norm_type = place.detail.get("norm_type", 2.0)
            if norm_type == "inf":
                norm_type = math.inf
            if not isinstance(norm_type, (int, float)) or not norm_type > 0:
                return None
            return ops.ClipGradNorm(float(limit), optimizer, float(norm_type), at=at)
        return ops.ClipGradValue(float(limit), optimizer, at=at)

    @staticmethod
    def _written(rows: Sequence[Row]) -> dict[str, Any]:
        """Return what several rows wrote; the last value of each address."""
        found: dict[str, Any] = {}
        for row in rows:
            found.update(row.arrays)
            found.update(dict.fromkeys(row.place.cleared))
        return found

    def _write(
        self,
        row: Row,
        operation: Operation,
        *,
        reads: tuple[str, ...] = (),
        also: tuple[str, ...] = (),
        loss: float | None = None,
        graph: int | None = None,
        values: dict[str, Any] | None = None,
        message: str = "",
        norms: Norms | None = None,
    ) -> None:
        """Write one Event."""
        if self.objects.renewed:
            self._write_renewed(row)
        for optimizer in list(self.objects.remade):
            self._write_remade(row, optimizer)
        if self.objects.changed and not isinstance(
            operation, (ops.SchedulerStep, ops.SetHyperparameter)
        ):
            self._write_options(row)
        values = self._written([row]) if values is None else values
        for address, value in values.items():
            self.objects.note(address, value)
            self.tape.nbytes += 0 if value is None else value.nbytes
        changed, options, changes = self.objects.take_changed()
        operation = self._operations.setdefault(operation, operation)
        if not (operation.out_of_loop or isinstance(operation, ops.Skip)):
            self._operations_at[row.place.kind, row.place.target, operation.at] = operation
        entered = self.tape.entered
        if entered is not None and line_of(entered.held) == line_of(row.place):
            self.tape.keep_inside()
        self.tape.rows.append(
            TapeRow(
                operation,
                self._interned(reads),
                self._interned((*values, *options, *also)),
                loss,
                message or changes,
                iteration=row.iteration,
                epoch=row.epoch,
                values=values,
                options=changed,
                graph=graph,
                norms=norms,
            )
        )
        self.tape.nbytes += 0 if norms is None else norms.values.nbytes

    def _write_renewed(self, row: Row) -> None:
        """Write that names of tensors belong to new ones, as in the next fold of a validation."""
        values, self.objects.renewed = self.objects.renewed, {}
        for address, value in values.items():
            self.objects.note(address, value)
        self.tape.rows.append(
            TapeRow(
                _NEW_TENSORS,
                writes=self._interned(tuple(values)),
                iteration=row.iteration,
                epoch=row.epoch,
                values=values,
            )
        )

    def _write_remade(self, row: Row, optimizer: str) -> None:
        """Write that the script has made an optimizer again: it has no state yet."""
        values, changed, options = self.objects.take_remade(optimizer)
        self.tape.rows.append(
            TapeRow(
                ops.ScriptCall(_NEW_OPTIMIZER, optimizer),
                writes=self._interned((*values, *options)),
                iteration=row.iteration,
                epoch=row.epoch,
                values=values,
                options=changed,
            )
        )

    def _write_options(self, row: Row) -> None:
        """Write that the script has set options of an optimizer, before this Event."""
        changed, options, _ = self.objects.take_changed()
        self.tape.rows.append(
            TapeRow(
                _SET_BY_HAND,
                writes=self._interned(options),
                iteration=row.iteration,
                epoch=row.epoch,
                options=changed,
            )
        )

    def _interned(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the same tuple for the same addresses, which are looked up by identity later."""
        key = tuple(names)
        return self._names.setdefault(key, key)


def refusal(answer: frames.Refused) -> OperationError:
    """Return the error for what a script was asked and cannot do."""
    return OperationError(answer.message, "let the script go on to where it can be done")


def _at(place: Place | frames.Held | frames.Modes) -> str:
    return f"{PurePath(place.file).name}:{place.line}" if place.file else ""


def _script_call(place: Place, at: str) -> ops.ScriptCall:
    """Return what is none of the other Operations."""
    is_line_known = place.detail.get("is_line_known") is True
    return ops.ScriptCall(place.kind, place.target, at=at, is_line_known=is_line_known)


def _step_inside(rows: Sequence[Row]) -> str:
    """Return the optimizer that stepped inside another call; empty for none."""
    return next((row.place.target for row in rows if row.place.kind == "step"), "")
