"""Tape: the recorded Events of a script, with the values that they wrote."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from gradstep.errors import OperationError
from gradstep.script.inside import INSIDE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from gradstep.program.notice import Notice
    from gradstep.program.operation import Operation
    from gradstep.script.frames import Variables
    from gradstep.script.inside import Inside

__all__ = [
    "RECORDING_BYTES",
    "Feed",
    "GraphNodes",
    "Moments",
    "Norms",
    "ScriptRun",
    "Tape",
    "TapeRow",
    "Timelines",
    "TrackedModule",
    "TrackedOptimizer",
    "joined_tapes",
]

RECORDING_BYTES = 2 << 30
"""Memory for a recording: a run of a small network, or a part of a large one's."""
_ROW_BYTES = 400
"""Memory of an Event without its values, about."""

GraphNodes = tuple[tuple[str, tuple[int, ...], str], ...]
"""The nodes of a graph, the loss's first: name, numbers of the nodes below, name of the leaf."""

Options = tuple[dict[str, Any], ...]


class Norms(NamedTuple):
    """What an agent measured in a Step.

    Attributes:
        group: The number of the group of tensors in `ScriptRun.measured`.
        values: The norms of their values, gradients and moves: shape (3, tensors).
    """

    group: int
    values: NDArray[np.float32]


class TapeRow(msgspec.Struct, frozen=True, gc=False):
    """One Event of a script.

    Attributes:
        operation: What was done.
        reads: The addresses that it read.
        writes: The addresses that it wrote.
        loss: The value of a loss that it computed.
        message: A note, such as the error that it raised.
        failed: Whether it raised an error.
        iteration: The pass of the loop that it belongs to, from 0.
        epoch: The pass of the loop around that one, from 0.
        values: The values of what it wrote, by address; None for a gradient that is gone.
        options: The options of optimizers that were set since the row before, by name.
        graph: The number of the graph that a Forward recorded; None for none.
        norms: The norms that the agent measured in a Step; None where it did not.
    """

    operation: Operation
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    loss: float | None = None
    message: str = ""
    failed: bool = False
    iteration: int = 0
    epoch: int = 0
    values: dict[str, Any] = {}
    options: dict[str, Any] = {}
    graph: int | None = None
    norms: Norms | None = None


@dataclass(frozen=True, slots=True)
class TrackedModule:
    """A module of the script.

    Attributes:
        name: Its name in the script.
        tree: Rows of path, class, description, and whether it is in training mode.
    """

    name: str
    tree: tuple[tuple[str, str, str, bool], ...]


@dataclass(frozen=True, slots=True)
class TrackedOptimizer:
    """An optimizer of the script.

    Attributes:
        name: Its name in the script.
        kind: Its class.
        module: The module that defines the class.
        groups: The names of the tensors of each group, also of those that it holds only at times.
        options: The options of each group when it was met.
    """

    name: str
    kind: str
    module: str
    groups: tuple[tuple[str, ...], ...]
    options: Options


@dataclass(slots=True)
class ScriptRun:
    """What is known of a run of a script besides its Events.

    Attributes:
        script: The path of the script, or the name of the module, as it was started.
        arguments: Its arguments.
        python: The version of its Python.
        backend: What it imported as torch, such as "torch 2.13.0"; empty for nothing.
        initial: The values of tensors when they were met, by address.
        trained: The names of tensors that required gradients.
        buffers: The names of tensors that are buffers.
        modules: The modules, in the order in which they were met.
        optimizers: The optimizers, likewise.
        schedulers: The optimizer of each scheduler; empty where it is not known.
        losses: The names of the losses.
        met: How many Events there were when a tensor or an optimizer was met; 0 where it is absent.
        holding: How many Events there were when an optimizer began to hold a tensor, when it ceased
            to, and so on, by "optimizer/tensor"; absent for what it has held since it was met.
        graphs: The graphs of the losses.
        measured: The names of the tensors whose norms were measured together.
        broadcasts: How the criterion of a loss expanded its input to match the target, by loss.
        sources: The texts of the script's files, by path.
        notices: What the agent noticed besides.
        answers: What the user has answered that the script intends, or does not.
        status: The status with which the script ended; None while it runs.
        error: The error that ended it; empty for none.
        traceback: Its traceback; empty where that is not known, as in a session.
        lost: Why nothing more was recorded; empty if the script was recorded to its end.
        breaks_off: Whether the error came before the end of an iteration.
    """

    script: str
    arguments: tuple[str, ...] = ()
    python: str = ""
    backend: str = ""
    initial: dict[str, NDArray[Any]] = field(default_factory=dict)
    trained: set[str] = field(default_factory=set)
    buffers: set[str] = field(default_factory=set)
    modules: list[TrackedModule] = field(default_factory=list)
    optimizers: dict[str, TrackedOptimizer] = field(default_factory=dict)
    schedulers: dict[str, str] = field(default_factory=dict)
    losses: dict[str, None] = field(default_factory=dict)
    met: dict[str, int] = field(default_factory=dict)
    holding: dict[str, tuple[int, ...]] = field(default_factory=dict)
    graphs: list[GraphNodes] = field(default_factory=list)
    measured: list[tuple[str, ...]] = field(default_factory=list)
    broadcasts: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    answers: dict[str, bool] = field(default_factory=dict)
    status: int | None = None
    error: str = ""
    traceback: str = ""
    lost: str = ""
    breaks_off: bool = False

    def copy(self) -> ScriptRun:
        """Return a copy that stays as it is while the script runs on."""
        return ScriptRun(
            **{
                item.name: copy(getattr(self, item.name))  # values of arrays never change
                for item in fields(self)
            }
        )

    @property
    def extent(self) -> tuple[int, ...]:
        """The number of known names; it grows with each one that a mirror lacks."""
        held = sum(len(group) for item in self.optimizers.values() for group in item.groups)
        changes = sum(map(len, self.holding.values()))
        return (
            *(len(self.initial), len(self.modules), len(self.optimizers), held, changes),
            *(len(self.schedulers), len(self.losses)),
        )

    @property
    def lacks_torch(self) -> bool:
        """Whether the script ended because its Python has no PyTorch."""
        return "No module named 'torch'" in self.error


class Feed(Protocol):
    """A script that is held before its next Operation; it writes the tape."""

    @property
    def coming(self) -> Operation | None:
        """The Operation before which the script is held, as far as that is known before it."""

    def advance(self, iteration: int = 0) -> None:
        """Let the script perform that Operation, which adds it to the tape, and hold it again.

        Args:
            iteration: The script may perform more Operations, up to this iteration.

        Raises:
            ScriptError: Its process broke the protocol.
        """

    def skip(self) -> None:
        """Let the script leave out that Operation, which adds its Skip to the tape.

        Raises:
            OperationError: It cannot do that.
            ScriptError: Its process broke the protocol.
        """

    def change(self, operation: Operation, command: dict[str, Any], message: str) -> None:
        """Let the script carry out an Operation that does not come next in it.

        Args:
            operation: What is added to the tape.
            command: What the script is to do.
            message: The note of its Event.

        Raises:
            OperationError: It cannot do that.
            ScriptError: Its process broke the protocol.
        """

    def arrays(self, addresses: Sequence[str], most: int = 0) -> dict[str, NDArray[Any]]:
        """Return tensors of the held script by address; those that it does not have are absent.

        Args:
            addresses: The addresses.
            most: Of a tensor that has more elements, only so many are returned, in one row; 0 for
                no limit.

        Raises:
            ScriptError: Its process broke the protocol.
        """

    def variables(self, frame: int, opened: Sequence[str] = ()) -> Variables | None:
        """Return the variables of one of the user's frames; None if the script ends.

        Args:
            frame: Its number, 0 for the innermost.
            opened: The paths of variables whose parts are wanted, too.

        Raises:
            ScriptError: Its process broke the protocol.
        """

    def go_inside(self) -> None:
        """Let the script go on to the next part inside that Operation, or to its end.

        The part is added to `Tape.entered`; at the end the Operation is added to the tape.

        Raises:
            ScriptError: Its process broke the protocol.
        """


class Timelines(Protocol):
    """The branches of a script that is debugged: their tapes, and how a new one is begun.

    Attributes:
        tapes: The tapes by the number of the branch.
    """

    tapes: dict[int, Tape]

    def obstacle(self, tape: Tape, position: int) -> str:
        """Return why a branch cannot be begun after an Event; empty if it can be."""

    def begin(self, tape: Tape, position: int, branch: int, differs: Callable[[Feed], str]) -> None:
        """Begin a branch, whose process is held after an Event.

        Args:
            tape: The tape of the branch that it leaves.
            position: The Event.
            branch: The number of the new branch.
            differs: Returns the first value of a held process that is not as recorded.

        Raises:
            OperationError: A branch cannot be begun there.
            DivergedError: A copy of the process does not do again what the tape says.
            ScriptError: The process broke the protocol.
        """


@dataclass(slots=True)
class RecordedTimelines:
    """The branches of a script that was recorded: its processes are gone.

    Attributes:
        tapes: The tapes by the number of the branch.
    """

    tapes: dict[int, Tape]

    def obstacle(self, tape: Tape, position: int) -> str:  # noqa: ARG002 - as in Timelines
        """Return that no process runs."""
        return "The script's process has ended."

    def begin(
        self,
        tape: Tape,
        position: int,
        branch: int,  # noqa: ARG002 - as in Timelines
        differs: Callable[[Feed], str],  # noqa: ARG002 - as in Timelines
    ) -> None:
        """Raise: no process runs.

        Raises:
            OperationError: Always.
        """
        raise OperationError(self.obstacle(tape, position), "run the script again")


def joined_tapes(tapes: dict[int, Tape]) -> Tape:
    """Return the tape of the first branch, which knows those of the others."""
    if len(tapes) > 1:
        timelines = RecordedTimelines(tapes)
        for tape in tapes.values():
            tape.timelines = timelines
    return tapes[min(tapes)]


class Moments:
    """The Events of a tape after which its process was held, by the agent's own count of Events.

    Example:
        >>> moments = Moments()
        >>> moments.add(0, 0), moments.add(2, 3)
        (None, None)
        >>> moments.event_at(2), moments.event_at(1)
        (3, None)
    """

    def __init__(self) -> None:
        self._positions, self._events = array("q"), array("q")

    def add(self, position: int, event: int) -> None:
        """Note that the process is held after an Event; of two at one place the later counts."""
        if self._positions and self._positions[-1] == position:
            self._events[-1] = event
        else:
            self._positions.append(position)
            self._events.append(event)

    def move(self, position: int, later: int) -> None:
        """Note that the process was held later if it was held last after this Event."""
        if self._positions and self._positions[-1] == position:
            self._positions[-1] = later

    def event_at(self, position: int) -> int | None:
        """Return the agent's count after an Event; None where the process was not held."""
        at = bisect_left(self._positions, position)
        is_known = at < len(self._positions) and self._positions[at] == position
        return self._events[at] if is_known else None

    def fork(self, position: int) -> Moments:
        """Return those up to an Event."""
        other, end = Moments(), bisect_right(self._positions, position)
        other._positions, other._events = self._positions[:end], self._events[:end]
        return other


@dataclass(slots=True)
class Tape:
    """The Events of a script, and what is known of the run.

    Attributes:
        run: What is known of the run.
        rows: The Events.
        recorded: How many of them a History has recorded; those before are only replayed.
        has_ended: Whether no more Events come.
        coming_iteration: The pass of the loop that the next Event belongs to, if that is known.
        feed: The script, while it runs and is held; None for a recording.
        nbytes: Memory of the values, in bytes.
        entered: The inside of the Operation that the script is in; None outside of one.
        insides: The insides that have been seen, by the number of Events before.
        branch: The number of the branch that the tape is of.
        forked_at: The last Event that it shares with the branch that this one left.
        timelines: The branches of a script that is debugged; None for a recording.
        moments: After which Events the process was held.
        edits: The Events that a user has asked for.
    """

    run: ScriptRun
    rows: list[TapeRow] = field(default_factory=list)
    recorded: int = 0
    has_ended: bool = False
    coming_iteration: int | None = None
    feed: Feed | None = None
    nbytes: int = 0
    entered: Inside | None = None
    insides: dict[int, Inside] = field(default_factory=dict)
    branch: int = 0
    forked_at: int = 0
    timelines: Timelines | None = None
    moments: Moments = field(default_factory=Moments)
    edits: list[int] = field(default_factory=list)

    @property
    def memory(self) -> int:
        """Memory of what is recorded, in bytes, about."""
        return self.nbytes + _ROW_BYTES * len(self.rows)

    @property
    def coming(self) -> Operation | None:
        """The Operation after the last row; None where that is not known, or none comes."""
        return None if self.feed is None or self.has_ended else self.feed.coming

    def copy(self) -> Tape:
        """Return what is on the tape, which stays as it is while the script runs on."""
        return Tape(
            self.run.copy(),
            list(self.rows),
            self.recorded,
            self.has_ended,
            self.coming_iteration,
            nbytes=self.nbytes,
            branch=self.branch,
            forked_at=self.forked_at,
        )

    @property
    def branches(self) -> dict[int, Tape]:
        """The tapes of all branches by number: this one alone for a script without others."""
        return {self.branch: self} if self.timelines is None else self.timelines.tapes

    def copy_all(self, branches: Collection[int]) -> Tape:
        """Return copies of the tapes of some branches: that of the first, which knows the others.

        Args:
            branches: The numbers of the branches.
        """
        found = {number: tape for number, tape in self.branches.items() if number in branches}
        return joined_tapes({number: tape.copy() for number, tape in found.items()})

    def fork(self, position: int, branch: int) -> Tape:
        """Return the tape of a branch that shares the first Events, and all names, with this one.

        Its `nbytes` are those of its own Events.

        Args:
            position: How many Events they share.
            branch: The number of the branch.
        """
        run = replace(self.run, status=None, error="", traceback="", lost="", breaks_off=False)
        insides = {at: inside for at, inside in self.insides.items() if at < position}
        return Tape(
            run,
            self.rows[:position],
            min(self.recorded, position),
            insides=insides,
            branch=branch,
            forked_at=position,
            timelines=self.timelines,
            moments=self.moments.fork(position),
            edits=[at for at in self.edits if at <= position],
        )

    def inside_at(self, position: int) -> Inside | None:
        """Return what was seen inside the Operation after a number of Events."""
        return self.entered if position == len(self.rows) else self.insides.get(position)

    def keep_inside(self) -> None:
        """Keep the inside of the Operation that is added next, for as long as there is memory."""
        kept, self.entered = self.entered, None
        if kept is None:
            return
        self.insides[len(self.rows)] = kept
        while sum(item.nbytes for item in self.insides.values()) > INSIDE_BYTES:
            del self.insides[next(iter(self.insides))]

    def iteration_after(self, position: int) -> int:
        """Return how many iterations are complete after a number of Events."""
        if position < len(self.rows):
            return max(0, self.rows[position].iteration)
        if not self.rows:
            return 0
        last = max(0, self.rows[-1].iteration)
        if self.has_ended:
            return last + (not self.run.breaks_off)
        return last if self.coming_iteration is None else max(last, self.coming_iteration)

    def epoch_after(self, position: int) -> int:
        """Return how many passes of the outer loop are complete after a number of Events."""
        rows = self.rows
        return max(0, rows[min(position, len(rows) - 1)].epoch) if rows else 0
