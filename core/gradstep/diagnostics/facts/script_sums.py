"""Sums of gradients: of which only the user can say whether they are intended, and lost ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gradstep.diagnostics.accumulation_text import accumulates_on_purpose, undivided_by
from gradstep.diagnostics.backward_pass import CALLS_THAT_CLEAR, BackwardLine
from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.names import unnumbered
from gradstep.program.operation import Backward, ScriptCall, Step, ZeroGrad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gradstep.diagnostics.script_outline import ScriptOutline
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation

__all__ = ["ScriptSumRule"]

_WINDOWS = 3
"""Steps in a row that used one Backward of as many before it is told that the others were lost."""

_Kind: TypeAlias = tuple[BackwardLine, frozenset[str]]
"""Backwards of one line that reach what the same optimizers hold: a function may do several."""


@dataclass(slots=True, eq=False)
class _Backward:
    """One Backward.

    Attributes:
        index: Its Event.
        reached: The optimizers whose parameters it gave a gradient.
        users: Those whose Steps have used one, with the last Step of each.
        sums: What Steps have used of it together with another loss, by the optimizers that must
            use it, too, before that is worth a question.
    """

    index: int
    reached: frozenset[str]
    users: dict[str, int] = field(default_factory=dict)
    sums: list[tuple[frozenset[str], Observation]] = field(default_factory=list)


@dataclass(slots=True)
class _Added:
    """The Backwards of one line that a gradient sums since a Step has used it."""

    first: _Backward
    last: _Backward
    count: int = 1


class _Window(NamedTuple):
    """How many Backwards each Step of an optimizer used of late.

    Attributes:
        size: As many as several in a row used.
        steps: How many Steps did.
        found: That the last Step used more, which the next one shows to be an exception.
    """

    size: int
    steps: int
    found: Observation | None = None


@dataclass(slots=True)
class _Cleared:
    """The Backwards of one kind that were cleared unused, since the Step of an optimizer.

    Attributes:
        backwards: Their Events.
        at: The last clearing.
        before: How many there were before the Step before.
        steps: How many Steps in a row had as many.
    """

    backwards: set[int] = field(default_factory=set)
    at: int = 0
    before: int = 0
    steps: int = 0


class ScriptSumRule:
    """Follows which Backwards a gradient sums when a Step uses it, and which are cleared before.

    Four kinds of sums are mistakes, or on purpose: several Backwards of one line, as in gradient
    accumulation or where a Step stands behind a loop instead of in it; those of losses that were
    not divided by their number, which makes steps of SGD as many times longer; more of them than in
    the Steps before, where an epoch leaves some over; and two losses of which one also trains what
    another optimizer holds, as where two models share a part, or where nothing was cleared after
    the Step of that one.

    The sum is lost where a loop steps in every so many iterations, but clears in each.

    Args:
        script: What is known of the script.
    """

    __slots__ = ("_added", "_cleared", "_repeated", "_script", "_windows")

    def __init__(self, script: ScriptOutline) -> None:
        self._script = script
        self._added: dict[str, dict[BackwardLine, _Added]] = {}
        self._cleared: dict[str, dict[_Kind, _Cleared]] = {}  # by optimizer
        self._repeated: set[str] = set()
        self._windows: dict[str, _Window] = {}

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields what it shows, by kind."""
        return {
            Backward: self._backward,
            Step: self._step,
            ZeroGrad: self._clear,
            ScriptCall: self._script_call,
        }

    def _backward(self, seen: AppliedEvent) -> tuple[()]:
        holders = self._script.holders
        names = [name for name in seen.reads_writes.written_gradients if holders(name)]
        line = BackwardLine(seen.operation_target(), seen.operation.at)
        reached = frozenset(holder for name in names for holder in holders(name))
        done = _Backward(seen.index, reached)
        for name in names:
            lines = self._added.setdefault(name, {})
            known = lines.get(line)
            if known is None:
                lines[line] = _Added(done, done)
            else:
                known.last = done
                known.count += 1
        return ()

    def _script_call(self, seen: AppliedEvent) -> tuple[()]:
        operation = seen.operation
        assert isinstance(operation, ScriptCall)
        return self._clear(seen) if operation.call in CALLS_THAT_CLEAR else ()

    def _clear(self, seen: AppliedEvent) -> tuple[()]:
        for name in seen.reads_writes.written_gradients:
            for line, item in self._added.pop(name, {}).items():
                for holder in self._script.holders(name):
                    kinds = self._cleared.setdefault(holder, {})
                    lost = kinds.setdefault((line, item.last.reached), _Cleared())
                    lost.backwards.add(item.last.index)
                    lost.at = seen.index
        return ()

    def _step(self, seen: AppliedEvent) -> Iterator[Observation]:
        optimizer, reads_writes = seen.operation_target(), seen.reads_writes
        held = self._script.held(optimizer)
        if self._script.has_computed_gradients(seen):
            for name in held:
                self._added.pop(name, None)
            return
        sums: dict[tuple[int, ...], dict[BackwardLine, _Added]] = {}
        for name in reads_writes.read_gradients:
            if lines := self._added.pop(name, None):
                sums[tuple([item.last.index for item in lines.values()])] = lines
        yield from self._several_backwards(sums.values(), optimizer, seen)
        used = {
            (line, item.last.reached): item.last.index
            for lines in sums.values()
            for line, item in lines.items()
        }
        yield from self._lost_sums(used, optimizer, seen.index)
        for added in sums.values():
            yield from self._two_losses(added, optimizer, seen.index)
        leaks = {item.last for lines in sums.values() for item in _used_before(lines)}
        for done in {item.last for added in sums.values() for item in added.values()}:
            done.users[optimizer] = seen.index
            if done not in leaks:
                yield from (fact for others, fact in done.sums if optimizer in others)
            done.sums = [item for item in done.sums if optimizer not in item[0]]

    def _several_backwards(
        self, sums: Iterable[Mapping[BackwardLine, _Added]], optimizer: str, seen: AppliedEvent
    ) -> Iterator[Observation]:
        """Yield that two Steps in a row each used several Backwards of one line."""
        lines = [item for lines in sums for item in lines.items()]
        line, added = max(lines, key=lambda item: item[1].count, default=(None, None))
        if line is None or added is None or added.count == 1:
            self._repeated.discard(optimizer)
            self._windows.pop(optimizer, None)
            return
        yield from self._carried_over(added, optimizer, seen.index)
        if optimizer not in self._repeated:
            self._repeated.add(optimizer)
        elif not accumulates_on_purpose(self._script.files, line.at, seen.operation.at):
            events = (added.first.index, added.last.index, seen.index)
            yield Observation("backwards-per-step", (optimizer,), events, f"{added.count:,}")
        elif self._windows[optimizer].steps > 1 and self._script.kind(optimizer) == "SGD":
            divisor = undivided_by(self._script.files, line.at, seen.operation.at)
            if divisor:
                events = (added.first.index, added.last.index, seen.index)
                count = f"{added.count:,}"
                yield Observation("sum-of-batches", (optimizer,), events, count, cause=divisor)

    def _lost_sums(
        self, used: Mapping[_Kind, int], optimizer: str, index: int
    ) -> Iterator[Observation]:
        """Yield that Steps use one of each so many Backwards, because the others are cleared.

        One of which only a part was cleared, as where a layer does not train yet, is not lost.
        """
        for kind, lost in self._cleared.get(optimizer, {}).items():
            lost.backwards.discard(used.get(kind, 0))
            count = len(lost.backwards) if kind in used else 0
            lost.steps = lost.steps + 1 if count and count == lost.before else min(count, 1)
            lost.before = count
            if lost.steps == _WINDOWS:
                events = (max(lost.backwards), lost.at, index)
                yield Observation("sum-cleared", (optimizer,), events, f"{count + 1:,}")
            lost.backwards.clear()

    def _carried_over(self, added: _Added, optimizer: str, index: int) -> Iterator[Observation]:
        """Yield that a Step used more Backwards than those before and after it."""
        count, window = added.count, self._windows.get(optimizer)
        if window is None or (count != window.size and window.steps < 2):  # noqa: PLR2004 - a habit
            self._windows[optimizer] = _Window(count, 1)
        elif count == window.size:
            if window.found is not None:
                yield window.found
            self._windows[optimizer] = _Window(count, window.steps + 1)
        elif window.size < count < 2 * window.size and window.found is None:
            events = (added.first.index, added.last.index, index)
            note = f"{count:,}"
            found = Observation(
                "batches-carried-over", (optimizer,), events, note, cause=f"{window.size:,}"
            )
            self._windows[optimizer] = window._replace(found=found)
        else:
            self._windows[optimizer] = _Window(count, 1)

    def _two_losses(
        self, lines: Mapping[BackwardLine, _Added], optimizer: str, index: int
    ) -> Iterator[Observation]:
        """Yield, or keep in mind, that a Step used two losses, of which another uses only one."""
        for line, added in lines.items():
            done = added.last
            for other in sorted(done.reached - {optimizer}):
                own = {
                    key: item
                    for key, item in lines.items()
                    if other not in item.last.reached and line.loss != key.loss
                }
                if not own and added in _used_before(lines, other):
                    yield _leak(line, lines, optimizer, other, index)
                    continue
                if not own:
                    continue
                found = _sum_of_two(line, added, own, optimizer, other, index)
                if other in done.users:
                    yield found
                else:
                    done.sums.append((frozenset((other,)), found))


def _used_before(lines: Mapping[BackwardLine, _Added], other: str = "") -> list[_Added]:
    """Return what an optimizer's Step had used before another loss was differentiated.

    Args:
        lines: What a gradient sums.
        other: The optimizer; any if empty.
    """
    return [
        item
        for key, item in lines.items()
        for user, step in item.last.users.items()
        if user == other or not other
        if any(later.first.index > step and line.loss != key.loss for line, later in lines.items())
    ]


def _leak(
    line: BackwardLine, lines: Mapping[BackwardLine, _Added], optimizer: str, other: str, index: int
) -> Observation:
    """Return the observation that a Step used a loss that another optimizer's Step had used.

    Args:
        line: The Backward of that loss.
        lines: What the gradient sums.
        optimizer: The optimizer of the Step.
        other: The other one.
        index: The Event of the Step.
    """
    key, later = max(lines.items(), key=lambda item: item[1].first.index)
    own = unnumbered(optimizer)
    note = f"{line.loss} is what {other} follows, and its Step had used it before"
    remedy = (
        f"Call {own}.zero_grad() before the Backward of {key.loss}, or compute {line.loss} from "
        f"the detach() of what {own} trains"
    )
    events = (lines[line].last.index, later.first.index, index)
    return Observation("gradients-of-two-losses", (optimizer,), events, note, cause=remedy)


def _sum_of_two(
    line: BackwardLine,
    added: _Added,
    own: Mapping[BackwardLine, _Added],
    optimizer: str,
    other: str,
    index: int,
) -> Observation:
    """Return the observation that a Step used a loss that trains what another optimizer holds.

    Args:
        line: The Backward of that loss.
        added: What it has added.
        own: What the losses have added that have no part in the other optimizer.
        optimizer: The optimizer of the Step.
        other: The other one.
        index: The Event of the Step.
    """
    foreign = added.last.index
    key, first = min(own.items(), key=lambda item: item[1].first.index)
    losses = joined_names(tuple(dict.fromkeys(item.loss for item in own)))
    note = f"{line.loss} also trains what {other} holds, {losses} does not"
    if first.first.index > foreign:
        remedy = f"Call {unnumbered(optimizer)}.zero_grad() before the Backward of {key.loss}"
        events = (foreign, first.first.index, index)
    else:
        remedy = f"Step {optimizer}, and clear its gradients, before the Backward of {line.loss}"
        events = (min(foreign, first.last.index), max(foreign, first.last.index), index)
    return Observation("gradients-of-two-losses", (optimizer,), events, note, cause=remedy)
