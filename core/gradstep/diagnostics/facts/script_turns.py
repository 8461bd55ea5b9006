"""Losses that take turns, as of two networks that work against each other: what each one moves."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from gradstep.diagnostics.backward_pass import CALLS_THAT_CLEAR, BackwardLine
from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.names import steps_of
from gradstep.program.operation import Backward, ScriptCall, Step, ZeroGrad

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from gradstep.diagnostics.script_outline import ScriptOutline
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation

__all__ = ["ScriptTurnRule"]

KINDS = 16
"""Kinds of turns that are kept in mind: an epoch has few."""


class _Kind(NamedTuple):
    """What the turns of a loss have in common.

    Attributes:
        optimizer: The optimizer of the Step.
        lines: The Backwards whose gradients it used.
        moved: The tensors whose gradients it used.
        left: The parameters of modules that these Backwards reached and no optimizer holds.
    """

    optimizer: str
    lines: frozenset[BackwardLine]
    moved: frozenset[str]
    left: tuple[str, ...]


class _Turn(NamedTuple):
    """The last Steps of a kind.

    Attributes:
        rounds: How often a Step of this kind has followed one of another kind.
        backward: The last Backward.
        step: The last Step.
    """

    rounds: int
    backward: int
    step: int


class ScriptTurnRule:
    """Finds networks that follow another loss than they should, where two losses take turns.

    One of the losses has a gradient for one network only; the other, which is computed by that
    network from what a second one has made, for both, as in adversarial training. Then each network
    is meant to follow its own loss: an optimizer of both moves the first by both losses, and two
    optimizers of the first leave the second as it is.

    Args:
        script: What is known of the script.
    """

    __slots__ = ("_by_hand", "_last", "_left", "_script", "_turns", "_written")

    def __init__(self, script: ScriptOutline) -> None:
        self._script = script
        self._written: dict[str, dict[BackwardLine, int]] = {}
        self._left: dict[BackwardLine, tuple[str, ...]] = {}
        self._by_hand: set[str] = set()
        self._turns: dict[_Kind, _Turn] = {}
        self._last: _Kind | None = None

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields what it shows, by kind."""
        return {
            Backward: self._backward,
            Step: self._step,
            ZeroGrad: self._clear,
            ScriptCall: self._script_call,
        }

    def _backward(self, seen: AppliedEvent) -> tuple[()]:
        line = BackwardLine(seen.operation_target(), seen.operation.at)
        holders, left = self._script.holders, []
        for name in seen.reads_writes.written_gradients:
            if holders(name):
                self._written.setdefault(name, {})[line] = seen.index
            else:
                left.append(name)
        self._left[line] = tuple(left)
        return ()

    def _script_call(self, seen: AppliedEvent) -> tuple[()]:
        operation = seen.operation
        assert isinstance(operation, ScriptCall)
        if operation.call == "update_by_hand":
            self._by_hand.update(seen.reads_writes.written_tensors)
        return self._clear(seen) if operation.call in CALLS_THAT_CLEAR else ()

    def _clear(self, seen: AppliedEvent) -> tuple[()]:
        for name in seen.reads_writes.written_gradients:
            self._written.pop(name, None)
        return ()

    def _step(self, seen: AppliedEvent) -> Iterable[Observation]:
        optimizer, reads_writes = seen.operation_target(), seen.reads_writes
        if self._script.has_computed_gradients(seen):
            for name in self._script.held(optimizer):
                self._written.pop(name, None)
            return ()
        used = {
            name: lines
            for name in reads_writes.read_gradients
            if (lines := self._written.get(name)) is not None
        }
        if not used:
            return ()
        backwards = {line: index for lines in used.values() for line, index in lines.items()}
        left = dict.fromkeys(name for line in backwards for name in self._left[line])
        kind = _Kind(optimizer, frozenset(backwards), frozenset(used), tuple(left))
        known = self._turns.pop(kind, None)
        rounds = 0 if known is None else known.rounds
        if kind != self._last:
            rounds += 1
        turn = _Turn(rounds, max(backwards.values()), seen.index)
        self._turns[kind], self._last = turn, kind
        if len(self._turns) > KINDS:
            del self._turns[next(iter(self._turns))]
        return self._compare(kind, turn) if rounds > 1 else ()

    def _compare(self, kind: _Kind, turn: _Turn) -> Iterator[Observation]:
        """Yield what is wrong with the last turn beside those that it alternates with."""
        for other, before in self._turns.items():
            if before.rounds < 2 or not other.lines.isdisjoint(kind.lines):  # noqa: PLR2004 - alternate
                continue
            events = (before.backward, turn.backward, turn.step)
            if other.moved < kind.moved:
                yield from self._moved_by_both(kind, other, events)
            elif other.moved == kind.moved and kind.left and not other.left:
                yield from self._left_as_it_is(kind, other, events)

    def _moved_by_both(
        self, kind: _Kind, other: _Kind, events: tuple[int, ...]
    ) -> Iterator[Observation]:
        """Yield that one network follows its own loss and also that of a second one."""
        second = kind.moved - other.moved
        names = _networks(other.moved, second)
        if not names:
            return
        if any(item is not kind and not item.moved.isdisjoint(second) for item in self._turns):
            return  # the second follows a loss of its own; what both follow is another matter
        seconds = joined_names(_networks(second, other.moved))
        yield Observation("one-step-of-two", names, events, kind.optimizer, cause=seconds)

    def _left_as_it_is(
        self, kind: _Kind, other: _Kind, events: tuple[int, ...]
    ) -> Iterator[Observation]:
        """Yield that a network has a loss, and nothing moves it."""
        script, left = self._script, kind.left
        names = _networks(left, kind.moved)
        if not (names and self._by_hand.isdisjoint(left) and all(map(script.module_of, left))):
            return
        if kind.optimizer == other.optimizer:
            yield Observation("network-left-out", names, events, kind.optimizer)
        elif set(script.held(kind.optimizer)) == set(script.held(other.optimizer)):
            note, cause = kind.optimizer, other.optimizer
            yield Observation("optimizer-of-other-network", names, events, note, cause=cause)


def _networks(names: Collection[str], others: Collection[str]) -> tuple[str, ...]:
    """Return the networks that parameters belong to, and others do not; empty if there are none.

    Example:
        >>> _networks(["gan.d.0.weight", "gan.d.0.bias"], ["gan.g.weight"])
        ('gan.d',)
        >>> _networks(["e.weight", "d.weight"], ["g.weight"])
        ('d', 'e')
        >>> _networks(["net.head.weight"], ["net.weight", "net.head.bias"])
        ()
    """
    paths = [steps_of(name)[:-1] for name in names]
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(min(paths), max(paths), strict=False))
    prefix = ""
    for part, _ in shared:
        prefix = f"{prefix}{part}."
        if not any(name.startswith(prefix) for name in others):
            return (prefix.removesuffix("."),)
    roots = {*map(_root, names)}
    return tuple(sorted(roots)) if roots.isdisjoint(map(_root, others)) else ()


def _root(name: str) -> str:
    return steps_of(name)[0]
