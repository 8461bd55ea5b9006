"""Mirror: a script as the debugger sees it, replayed from a tape.

It has what a Program has: tensors, optimizers, losses with graphs, a state that can be captured and
restored. Nothing is computed here: every value is one that the script's process has sent.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain
from pathlib import PurePath
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn, TypeGuard, get_args

import numpy as np

from gradstep.errors import GradStepError, OperationError, UnsupportedError
from gradstep.pluralize import clause
from gradstep.program import operation as ops
from gradstep.program.abilities import Abilities
from gradstep.program.operation_effect import OperationEffect
from gradstep.program.runtime.descriptions import ModuleDescription, OptimizerTensor
from gradstep.program.schema.program_spec import (
    Intent,
    LossSpec,
    OptimizerSpec,
    ProgramSpec,
    SchedulerSpec,
)
from gradstep.program.walk.walk import walk as walk_operation
from gradstep.script.described_objects import are_equal
from gradstep.script.edits import EDITS, SKIPPED, edit_of
from gradstep.script.intent import declared_intentions
from gradstep.script.mirrored_graph import loss_of, mirrored_nodes
from gradstep.script.mirrored_listing import MirroredListing
from gradstep.script.mirrored_modules import MirroredModules
from gradstep.script.mirrored_optimizers import UnknownOptimizer
from gradstep.script.mirrored_state import MirroredState
from gradstep.script.mirrored_walk import BackwardWalk, walk_modules
from gradstep.script.unrecorded import UnrecordedValues

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim import Optimizer
    from gradstep.program.listing import Listing
    from gradstep.program.micro_step import Walk
    from gradstep.program.notice import Notice
    from gradstep.program.operation import Operation
    from gradstep.program.operation_effect import Batch
    from gradstep.program.operations.closure import LossClosure
    from gradstep.program.state.program_state import ProgramState
    from gradstep.script.inside import Part
    from gradstep.script.tape import Feed, Tape, TapeRow, TrackedModule

__all__ = ["GrownError", "Mirror"]


class GrownError(GradStepError):
    """A script has a tensor, a loss or an optimizer that its mirror does not have.

    Attributes:
        finishes: Whether a user was inside the Operation that is to be applied.
        taken: How many micro-steps of it the user has taken.
    """

    finishes = False
    taken = 0

    def __init__(self) -> None:
        super().__init__(
            "the script has new tensors, losses or optimizers", "make a new mirror of its tape"
        )


_OWN_CODE = "This is a script: only its own code determines what it does."
_NO_PROCESS = "This is a recording: no process of the script runs in which that could be done."
_OF_A_RECORDING = Abilities(
    diverge=_OWN_CODE,
    document="A script has no document: change its code, and record it again.",
    go_on="The recording of the script ends here.",
    inside_forward="The inside of a script's Forward was not recorded.",
    inside_backward="The inside of a script's Backward was not recorded.",
    inside_others="The inside of this operation was not recorded.",
    edit=_NO_PROCESS,
    out_of_loop=_OWN_CODE,
    skip=_NO_PROCESS,
    landscape="Only a script's own code computes its loss: it cannot be computed at other values.",
    has_lines=True,
)
_NOT_INSIDE_CLIPPING = "Only the script knows which gradients it clips: step over it."
_ALREADY_DONE = "The script has done the next operation already: step over it first."
_IN_THE_MIDDLE = "The script is inside an operation: step out of it first."
_ENDED = "The script has ended."
_NEEDED = "The script needs what this operation returns: it cannot be skipped."

_FIRST_ROWS = 200
"""Events in which a framework's GradScaler shows."""


class Mirror:
    """A recorded script, as the debugger sees it: at any moment of its tape.

    Args:
        tape: What the script did. All tensors and optimizers on it are known from the start.

    Attributes:
        tape: The tape.
        spec: The names of its losses, optimizers and schedulers, as a program's document has them.
        tensors: Every named tensor.
        buffers: The names of those that are buffers.
        modules: The modules by name.
        optimizers: The optimizers by name.
        schedulers: The schedulers by name; nothing is known of them but their names.
        declared: What comments of the script declare as intended, or as not.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        run = tape.run
        self._state = MirroredState(run)
        self.tensors, self.optimizers = self._state.tensors, self._state.optimizers
        self.buffers = frozenset(run.buffers)
        self.modules: Mapping[str, TrackedModule] = {item.name: item for item in run.modules}
        self.schedulers: Mapping[str, Any] = dict.fromkeys(run.schedulers)
        self._abilities = replace(
            _OF_A_RECORDING,
            inside_steps=MappingProxyType(
                {
                    name: reason
                    for name, item in self.optimizers.items()
                    if (reason := _why_not_inside(item))
                }
            ),
        )
        self.declared: Mapping[str, bool] = declared_intentions(run.sources.values())
        self.spec = _outline(tape, self.declared)
        self._listing = MirroredListing(tape, self.tensors, self.modules)
        self._modules = MirroredModules(tape, self.modules.values(), self.tensors)
        self._extent = run.extent
        self._changes = sorted(chain(run.met.values(), *run.holding.values()))
        self._position = 0
        self._runs_to = 0
        self._unrecorded = UnrecordedValues(tape)
        self._entered_at = -1
        self._in_progress: dict[str, Tensor] = {}

    @property
    def losses(self) -> Mapping[str, Tensor | None]:
        """The last tensor of each loss; None as long as its value is not known."""
        losses, unread = self._state.losses, self._state.unread
        return {**losses, **dict.fromkeys(unread)} if unread else losses

    @property
    def sources(self) -> Mapping[str, str]:
        """The texts of the script's own files by name."""
        return self.listing().files

    @property
    def answers(self) -> Mapping[str, bool]:
        """What the user has answered that the script intends, or does not."""
        return self.tape.run.answers

    @property
    def abilities(self) -> Abilities:
        """What can be done here: look at it, and go on if the script is held here."""
        tape, found = self.tape, self._abilities
        is_held = False
        if tape.feed is not None:
            is_held = self._position == len(tape.rows) and not tape.has_ended
            why, go_on = self._why_unchanged(), _ENDED if tape.has_ended else ""
            skip = why or ("" if isinstance(self.next_operation, SKIPPED) else _NEEDED)
            found = replace(found, go_on=go_on, edit=why, out_of_loop=why, skip=skip)
        if self.unrecorded:
            found = replace(found, inside_steps=self._steps_without_values(found))
        following = self.next_operation
        if isinstance(following, ops.ClipGradNorm | ops.ClipGradValue):
            reason = self._why_not_inside_clipping(following.optimizer)
            found = replace(found, inside_clipping=reason)
        if not is_held and tape.inside_at(self._position) is None:
            return found
        is_call = _is_call_of_module(self.next_operation)
        return replace(
            found,
            inside_forward="",
            inside_backward="",
            inside_others="" if is_call else "Only PyTorch knows the inside of this operation.",
        )

    def _steps_without_values(self, abilities: Abilities) -> Mapping[str, str]:
        """Return why Steps cannot be stepped into, also where what they read was not recorded."""
        unknown = self.unrecorded
        lacking = {
            item.optimizer
            for item in self.optimizer_tensors
            if not unknown.isdisjoint((item.address, f"{item.address}.grad"))
        }
        without = dict.fromkeys(lacking, "The values that this Step works on were not recorded.")
        return MappingProxyType({**without, **abilities.inside_steps})

    def _why_not_inside_clipping(self, optimizer: str) -> str:
        """Return why the clipping that comes next cannot be stepped into; empty if it can be."""
        row = self._next_row()
        if row is None:
            return _NOT_INSIDE_CLIPPING
        items = [item for item in self.optimizer_tensors if item.optimizer == optimizer]
        held = {f"{item.address}.grad" for item in items if item.tensor._grad is not None}
        read = [(name, self.tensors[name.removesuffix(".grad")]) for name in row.reads]
        given = {name for name, tensor in read if tensor._grad is not None}
        if not self.unrecorded.isdisjoint(held | given):
            return "The gradients that this clips were not recorded."
        return "" if given == held else f"This clips other gradients than those of {optimizer}."

    def _why_unchanged(self) -> str:
        """Return why nothing can be changed in the script here; empty if it can be."""
        tape, at = self.tape, self._position
        if at == len(tape.rows):
            why = _IN_THE_MIDDLE if tape.entered is not None else ""
            return _ENDED if tape.has_ended else why
        if at >= tape.recorded:
            return _ALREADY_DONE
        return "" if tape.timelines is None else tape.timelines.obstacle(tape, at)

    def twin(self) -> Mirror:
        """Return a second mirror of the same tape, at its start."""
        return Mirror(self.tape)

    # -- branches ------------------------------------------------------------------------------

    def follow(self, branch: int) -> None:
        """Replay the tape of this branch from now on, if there are several."""
        timelines = self.tape.timelines
        tape = None if timelines is None else timelines.tapes.get(branch)
        if tape is not None and tape is not self.tape:
            self.tape, self._entered_at = tape, -1
            self._listing.follow(tape)
            self._modules = MirroredModules(tape, self.modules.values(), self.tensors)
            self._unrecorded = UnrecordedValues(tape)

    def begin_branch(self, position: int, branch: int) -> None:
        """Have another process of the script held after an Event, where this one stands.

        Raises:
            OperationError: Its process cannot go back there.
            DivergedError: It did not do again what is on the tape.
            ScriptError: Its process broke the protocol.
        """
        timelines = self.tape.timelines
        if timelines is None:
            reason = self.abilities.diverge
            raise OperationError(clause(reason), "change its code, and debug it again")
        if branch not in timelines.tapes:
            timelines.begin(self.tape, position, branch, self._differs)
        self.follow(branch)
        self.tape.recorded = max(self.tape.recorded, position)

    def _differs(self, process: Feed) -> str:
        """Return what a held process has other values of than this mirror; empty for nothing."""
        unknown = self.unrecorded
        expected: dict[str, NDArray[Any] | None] = {}
        for name, tensor in self.tensors.items():
            expected[name] = tensor._array
            expected[f"{name}.grad"] = None if tensor._grad is None else tensor._grad._array
        found = process.arrays(list(expected))
        return next(
            (
                address
                for address, values in expected.items()
                if address not in unknown
                and address.removesuffix(".grad") in found
                and not are_equal(values, found.get(address))
            ),
            "",
        )

    # -- running -------------------------------------------------------------------------------

    @property
    def iteration(self) -> int:
        """The number of complete passes of the script's loop."""
        return self.tape.iteration_after(self._position)

    @property
    def epoch(self) -> int | None:
        """The number of complete passes of the loop around it; None without one."""
        if not self.tape.rows or self.tape.rows[-1].epoch < 1:
            return None
        return self.tape.epoch_after(self._position)

    @property
    def next_operation(self) -> Operation | None:
        """What the script does next; None at the end."""
        row = self._next_row()
        return self.tape.coming if row is None else row.operation

    @property
    def next_line(self) -> int | None:
        """The index of its span in the listing; None at the end."""
        following = self.next_operation
        return None if following is None else self._listing.take()[1].get(following)

    @property
    def written_loop(self) -> tuple[()]:
        """No lines: only its own code decides what comes next."""
        return ()

    def loop_operations(self) -> tuple[Operation, ...]:
        """Return the Operations that complete the current iteration."""
        rows, here = self.tape.rows, self.iteration
        found = []
        for at in range(self._position, len(rows)):
            if rows[at].iteration > here:
                break
            found.append(rows[at].operation)
        else:
            coming = self.tape.coming
            return tuple(found) if coming is None else (*found, coming)
        return tuple(found)

    def run(self, operation: Operation) -> OperationEffect:
        """Apply what the script does next.

        Raises:
            OperationError: The script does something else next, or it has ended, or what it did
                raised an error.
        """
        row = self._checked(operation)
        number = self._position
        self._position += 1
        self._entered_at = -1
        is_new = number >= self.tape.recorded
        self.tape.recorded = max(self.tape.recorded, self._position)
        self._state.apply(row)
        if row.failed and is_new:
            raise OperationError(row.message, "see the traceback in the script's output")
        return OperationEffect(row.reads, row.writes, row.loss, None, row.message)

    def run_ahead(self, iteration: int) -> None:
        """Let the script perform Operations before they are asked for, up to an iteration.

        Args:
            iteration: The iteration before which it is held again; 0 to hold it before each.
        """
        self._runs_to = iteration

    @property
    def is_behind(self) -> bool:
        """Whether the script has performed Operations that are not applied yet."""
        return self.tape.feed is not None and self._position < len(self.tape.rows)

    def prepare(self, operation: Operation) -> Operation:
        """Return an Operation as the script does it; one that is held does it now.

        Raises:
            OperationError: The script does something else, or it has ended.
            GrownError: The script has something new, which needs a new mirror.
            ScriptError: Its process broke the protocol.
        """
        tape = self.tape
        if self._next_row() is None and tape.feed is not None and not tape.has_ended:
            self._go_on(operation, tape.feed)
            self._entered_at = self._position
        if tape.run.extent != self._extent:
            raise GrownError
        if self._entered_at == self._position and tape.feed is not None:
            row = self._next_row()
            if row is None:
                raise OperationError(
                    tape.run.lost or "the script has ended", "go back, or run it again"
                )
            return row.operation
        return self._checked(operation).operation

    def _go_on(self, operation: Operation, feed: Feed) -> None:
        """Let the script do an Operation: what comes next in it, or what it can do out of turn."""
        coming = self.tape.coming
        if coming is not None and _is_meant(operation, coming):
            if isinstance(operation, ops.Skip):
                feed.skip()
            else:
                feed.advance(self._runs_to)
        elif isinstance(operation, EDITS):
            command, message = edit_of(operation, self.tensors, self.optimizers)
            feed.change(operation, command, message)
        else:
            raise _rejected(coming)

    def _checked(self, operation: Operation) -> TapeRow:
        row = self._next_row()
        if row is None:
            raise OperationError("the recording of the script ends here", "go back, or record more")
        if not _is_meant(operation, row.operation):
            raise _rejected(row.operation)
        return row

    def _next_row(self) -> TapeRow | None:
        """Return the next row; on a replay those that failed are not applied again."""
        tape = self.tape
        while (
            self._position < min(tape.recorded, len(tape.rows)) and tape.rows[self._position].failed
        ):
            self._state.apply(tape.rows[self._position])
            self._position += 1
        return tape.rows[self._position] if self._position < len(tape.rows) else None

    def walk(self, operation: Operation) -> Walk:
        """Apply an Operation micro-step by micro-step.

        The nodes of a Backward and the modules of a Forward are the script's own, which goes
        through them meanwhile. The rest is GradStep's own arithmetic on the script's numbers.

        Raises:
            OperationError: Its inside was not recorded.
            GrownError: The script has something new, which needs a new mirror.
            ScriptError: Its process broke the protocol.
        """
        reason = self.abilities.inside(operation)
        if reason:
            raise OperationError(clause(reason), "step over it instead")
        if isinstance(operation, ops.Backward):
            return self._walk_backward(operation.loss)
        if isinstance(operation, ops.Forward) or _is_call_of_module(operation):
            name = operation.loss if isinstance(operation, ops.Forward) else operation.name
            return walk_modules(name, self.modules, self._parts())
        live: Any = SimpleNamespace(
            optimizer=self.optimizers.__getitem__,
            optimizers=self.optimizers,
            addresses=self._state.names,
            tensors=self.tensors,
            held_tensors={
                name: [tensor for group in item.param_groups for tensor in group["params"]]
                for name, item in self.optimizers.items()
            },
        )
        return walk_operation(live, operation)

    def _parts(self) -> Iterator[Part]:
        """Yield the parts of the next Operation; the script goes on to those that are not known."""
        tape, at, count = self.tape, self._position, 0
        while True:
            inside = tape.inside_at(at)
            if inside is not None and count < len(inside.parts):
                yield inside.parts[count]
                count += 1
                continue
            if at < len(tape.rows) or tape.feed is None or tape.has_ended:
                return
            tape.feed.go_inside()
            self._entered_at = at
            if at == len(tape.rows) and tape.run.extent != self._extent:
                raise GrownError

    def _walk_backward(self, loss: str) -> Walk:
        inside, walk = None, None
        try:
            for part in self._parts():
                inside = inside or self.tape.inside_at(self._position)
                if inside is None or inside.graph is None:
                    return
                if walk is None:
                    nodes = self.tape.run.graphs[inside.graph]
                    edges = mirrored_nodes(nodes, self.tensors)
                    value = np.array(_number(inside.held.loss))
                    self._in_progress[loss] = loss_of(value, edges)
                    walk = BackwardWalk(loss, edges, self.tensors)
                yield walk.step(inside, part)
        finally:
            self._in_progress.clear()

    # -- state ---------------------------------------------------------------------------------

    def capture(self) -> ProgramState:
        """Return the whole state."""
        return self._state.capture(self.iteration, self._position)

    def restore(self, state: ProgramState, changed: Collection[str] | None = None) -> None:  # noqa: ARG002 - as in Program
        """Restore a captured state.

        Raises:
            ReplayError: It is a state of something else.
        """
        self._position = self._state.restore(state)

    def load_state(self, state: Any, parts: tuple[str, ...]) -> NoReturn:  # noqa: ANN401, ARG002 - as in Program
        """Raise: only the script can load a state.

        Raises:
            OperationError: Always.
        """
        raise OperationError("a recorded script cannot load a state", "go to the earlier Event")

    # -- inspecting ----------------------------------------------------------------------------

    @property
    def files(self) -> Mapping[str, bytes]:
        """The data files of a document: none."""
        return MappingProxyType({})

    @property
    def losses_in_progress(self) -> Mapping[str, Tensor]:
        """The losses whose Backward is being stepped through, with the graph that it follows."""
        return MappingProxyType(self._in_progress)

    @property
    def batches(self) -> Mapping[str, Batch]:
        """The batches of losses: none, since only the script knows them."""
        return MappingProxyType({})

    @property
    def unrecorded(self) -> frozenset[str]:
        """The addresses whose values here were not recorded."""
        return self._unrecorded.after(self._position)

    def unrecorded_after(self, event: int) -> frozenset[str]:
        """Return the addresses whose values after an Event of this branch were not recorded."""
        return self._unrecorded.after(event)

    @property
    def measured(self) -> Mapping[str, tuple[float, float, float]]:
        """The norms that were measured in the iteration of the last Event, by tensor."""
        at = self._position
        return self._state.measured.of(self.tape.rows[at - 1].iteration) if at else {}

    @property
    def unmet(self) -> frozenset[str]:
        """The names of tensors and optimizers of which nothing is known here yet."""
        here = self._position
        return frozenset(name for name, met in self.tape.run.met.items() if met > here)

    @property
    def structure(self) -> int:
        """How many modes were changed, tensors frozen, and names met, up to here."""
        here = self._position
        return self._modules.count(here) + bisect_right(self._changes, here)

    @property
    def optimizer_tensors(self) -> tuple[OptimizerTensor, ...]:
        """Which optimizer holds which tensor at this moment."""
        unmet, names = self.unmet, self._state.names
        return tuple(
            OptimizerTensor(name, number, names[tensor], tensor, stale=False)
            for name, optimizer in self.optimizers.items()
            if name not in unmet
            for number, group in enumerate(optimizer.param_groups)
            for tensor in group["params"]
            if self._holds(name, names[tensor])
        )

    def _holds(self, optimizer: str, tensor: str) -> bool:
        """Return whether an optimizer, to which a tensor belongs at times, holds it now."""
        changes = self.tape.run.holding.get(f"{optimizer}/{tensor}")
        return changes is None or bisect_right(changes, self._position) % 2 == 1

    def infers(self, event: int) -> bool:
        """Return whether what an Event wrote was not recorded, but follows from earlier ones."""
        row = self.tape.rows[event - 1]
        return bool(row.writes) and not row.values

    def ended_at(self, event: int) -> bool:
        """Return whether the script has ended, without an error, and this Event was its last."""
        tape = self.tape
        is_whole = tape.has_ended and tape.run.status == 0 and not tape.run.lost
        return is_whole and event == len(tape.rows)

    def reaches(self, loss: str) -> tuple[str, ...]:
        """Return the names of the tensors on which a loss depended when it was last computed."""
        graph = self._state.graphs.get(loss)
        if graph is None:
            graph = next((row.graph for row in self.tape.rows if _is_forward(row, loss)), None)
        nodes = () if graph is None else self.tape.run.graphs[graph]
        return tuple(dict.fromkeys(leaf for _, _, leaf in nodes if leaf))

    def saved_tensors(self, loss: str) -> tuple[str, ...]:  # noqa: ARG002 - as in Program
        """Return nothing: only the script knows what its graphs have saved."""
        return ()

    def node_origins(self, loss: str) -> Mapping[int, tuple[str, int]]:  # noqa: ARG002 - as in Program
        """Return nothing: which module recorded a node is not known."""
        return MappingProxyType({})

    def operand_names(self, loss: str) -> Mapping[int, Mapping[int, str]]:  # noqa: ARG002 - as in Program
        """Return nothing: the names of a script's values are not known."""
        return MappingProxyType({})

    def closure(
        self,
        operation: ops.Step,
        gradient: Callable[[], NDArray[Any]] | None = None,  # noqa: ARG002 - as in Program
    ) -> LossClosure:
        """Raise: only the script can evaluate its loss.

        Raises:
            UnsupportedError: Always.
        """
        raise UnsupportedError(
            f"{operation!r} evaluated the loss in the script", "inspect what it wrote"
        )

    def stepped_losses(self, optimizer: str) -> tuple[str, ...]:
        """Return the losses that depend on the tensors an optimizer holds."""
        held = {item.address for item in self.optimizer_tensors if item.optimizer == optimizer}
        return tuple(loss for loss in self.losses if not held.isdisjoint(self.reaches(loss)))

    def warning(self, loss: str) -> str:
        """Return how the criterion of a loss expanded its input to match its target."""
        return self.tape.run.broadcasts.get(loss, "")

    @property
    def notices(self) -> Sequence[Notice]:
        """What the agent noticed about variables, in the order of Events."""
        return self.tape.run.notices

    @property
    def scales_losses(self) -> bool:
        """Whether a GradScaler scales the losses, by the script's code or what it does first."""
        return any("GradScaler" in text for text in self.tape.run.sources.values()) or any(
            isinstance(row.operation, ops.ScriptCall) and row.operation.call.startswith("scaler_")
            for row in self.tape.rows[:_FIRST_ROWS]
        )

    def batches_per_epoch(self, loss: str) -> int:  # noqa: ARG002 - as in Program
        """Return 1: the batches of an epoch are unknown."""
        return 1

    def next_rows(self, data: str, place: Sequence[Any]) -> NoReturn:  # noqa: ARG002 - as in Program
        """Raise: the data sets of a script are unknown.

        Raises:
            UnsupportedError: Always.
        """
        raise UnsupportedError(
            f"the rows of {data} are known to the script only", "read the script"
        )

    def examples(self, loss: str) -> tuple[None, None]:  # noqa: ARG002 - as in Program
        """Return nothing: inputs and targets are unknown."""
        return None, None

    def layer_activations(
        self,
        loss: str,  # noqa: ARG002 - as in Program
    ) -> Iterator[tuple[str, str, NDArray[Any], NDArray[Any]]]:
        """Return nothing: layers run in the script."""
        return iter(())

    def activation_losses(self) -> Mapping[str, tuple[str, ...]]:
        """Return nothing: layers run in the script."""
        return MappingProxyType({})

    def output_losses(self) -> Mapping[str, frozenset[str]]:
        """Return nothing: layers run in the script."""
        return MappingProxyType({})

    def last_activations(self, loss: str) -> None:  # noqa: ARG002 - as in Program
        """Return nothing: layers run in the script."""
        return

    def capture_activations(self) -> AbstractContextManager[Mapping[str, NDArray[Any]]]:
        """Collect nothing: layers run in the script."""
        return nullcontext(MappingProxyType({}))

    def describe_modules(self) -> tuple[ModuleDescription, ...]:
        """Return the module trees."""
        return self._modules.described(self._position)

    def listing(self) -> Listing:
        """Return the script, and the lines of it that do Operations."""
        return self._listing.take()[0]


def _outline(tape: Tape, declared: Mapping[str, bool]) -> ProgramSpec:
    """Return the names of what a script has, in the terms of a document."""
    run = tape.run
    iterations = max(1, tape.iteration_after(len(tape.rows)))
    return ProgramSpec(
        gradstep=1,
        name=PurePath(run.script).name[:200],
        iterations=iterations,
        intent=[word for word in get_args(Intent) if declared.get(word)],
        losses={name: LossSpec() for name in run.losses},
        optimizers={
            name: OptimizerSpec(kind=item.kind, params=list(item.groups[0]) if item.groups else [])
            for name, item in run.optimizers.items()
        },
        schedulers={
            name: SchedulerSpec(kind="LRScheduler", optimizer=optimizer)
            for name, optimizer in run.schedulers.items()
        },
    )


def _why_not_inside(optimizer: Optimizer) -> str:
    """Return why a Step of an optimizer cannot be stepped into; empty if it can be."""
    kind = type(optimizer).__name__
    if isinstance(optimizer, UnknownOptimizer):
        return f"The inside of a Step of {kind}, which GradStep does not have, was not recorded."
    if optimizer.needs_closure:
        return f"Only the script can compute the losses inside a Step of {kind}."
    return ""


def _is_meant(operation: Operation, coming: Operation) -> bool:
    """Return whether applying `operation` means the next Operation of the script."""
    if isinstance(operation, ops.Forward) and isinstance(coming, ops.ScriptCall):
        return coming.call == "forward"  # whose loss is known only when its Backward comes
    return ops.loop_key(operation) == ops.loop_key(coming)


def _rejected(coming: Operation | None) -> OperationError:
    if coming is None:
        return OperationError("the script has ended", "go back, or run it again")
    return OperationError(f"the next operation of the script is {coming!r}", "step over it instead")


def _is_call_of_module(operation: Operation | None) -> TypeGuard[ops.ScriptCall]:
    """Return whether an Operation is the call of a module, whose loss is not known yet."""
    return isinstance(operation, ops.ScriptCall) and operation.call == "forward"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _is_forward(row: TapeRow, loss: str) -> bool:
    return isinstance(row.operation, ops.Forward) and row.operation.loss == loss
