"""Whether the ranks of a distributed script have equal parameters, Step by Step, as they run."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.comparing.difference import difference
from gradstep.history.records.ranks import RankDivergence
from gradstep.program.operation import Forward, Step, loop_key
from gradstep.script.described_objects import are_equal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gradstep.history.records.comparison import Difference
    from gradstep.program.operation import Operation
    from gradstep.script.tape import Tape, TapeRow

__all__ = ["RankComparison"]

_SYNCHRONIZING = "DistributedDataParallel"


@dataclass(slots=True)
class _AfterStep:
    """The result of a rank's Step, kept until all ranks have done theirs.

    Attributes:
        number: Which Step of the optimizer it is, from 1.
        event: Its Event.
        row: What it wrote.
        values: The parameters before the first Step, and after each.
        gradients: The gradients that it has used.
    """

    number: int
    event: int
    row: TapeRow
    values: dict[str, Any]
    gradients: dict[str, Any]


@dataclass(slots=True)
class _RankValues:
    """The present values of a rank, and its Steps that are not compared yet."""

    tape: Tape
    rows: int = 0
    loss: float | None = None
    written: dict[str, Any] = field(default_factory=dict)
    steps: dict[str, deque[_AfterStep]] = field(default_factory=dict)
    counts: dict[tuple[object, ...], int] = field(default_factory=dict)
    before_first: dict[str, Any] | None = None
    norms: tuple[int, float | None, float | None] = (-1, None, None)

    @property
    def parameters(self) -> list[str]:
        """The names of the tensors that optimizers hold."""
        known = self.tape.run.optimizers.values()
        groups = (group for optimizer in known for group in optimizer.groups)
        return list(dict.fromkeys(name for group in groups for name in group))

    def value(self, address: str) -> NDArray[Any] | None:
        """Return the present value at an address; None if there is none."""
        if address in self.written:
            return self.written[address]  # type: ignore[no-any-return]
        return self.tape.run.initial.get(address)

    def read(self) -> None:
        """Take the Events that have come since."""
        rows = self.tape.rows
        while self.rows < len(rows):
            row = rows[self.rows]
            self.rows += 1
            operation = row.operation
            if isinstance(operation, Step) and not row.failed:
                self._note_step(operation.optimizer, row)
            self.written.update(row.values)
            key = loop_key(operation)
            self.counts[key] = self.counts.get(key, 0) + 1
            if row.loss is not None and isinstance(operation, (Forward, Step)):
                self.loss = row.loss

    @property
    def _whole(self) -> list[str]:
        """The parameters that each rank has whole, which can be compared."""
        shards = {notice.name for notice in self.tape.run.notices if notice.what == "shard"}
        return [name for name in self.parameters if name not in shards]

    def _note_step(self, optimizer: str, row: TapeRow) -> None:
        names = self._whole
        if self.before_first is None:
            self.before_first = {name: self.value(name) for name in names}
        key = loop_key(row.operation)
        values = {name: row.values[name] for name in names if name in row.values}
        gradients = {name: self.value(f"{name}.grad") for name in values}
        step = _AfterStep(self.counts.get(key, 0) + 1, self.rows, row, values, gradients)
        self.steps.setdefault(optimizer, deque()).append(step)

    def take_norms(self) -> tuple[float | None, float | None]:
        """Return the norms of all parameters, and of all their gradients."""
        if self.norms[0] != self.rows:
            names = self.parameters
            found = (self.value(name) for name in names)
            gradients = (self.value(f"{name}.grad") for name in names)
            self.norms = self.rows, _norm(found), _norm(gradients)
        return self.norms[1:]


class RankComparison:
    """Compares the parameters of each rank with those of the first, after each Step.

    Losses, gradients until they are averaged, and buffers such as the statistics of a BatchNorm,
    differ in a correct run, too: they are not compared. The n-th Step of an optimizer on one rank
    belongs to its n-th Step on another one, whatever else each of them does in between.

    Args:
        tapes: What each rank does, by its number.
    """

    def __init__(self, tapes: Mapping[int, Tape]) -> None:
        self._ranks = {number: _RankValues(tape) for number, tape in tapes.items()}
        self._first = min(tapes)
        self._divergences: dict[int, RankDivergence] = {}
        self._compared = dict.fromkeys(tapes, 0)
        self._last_equal: dict[int, dict[str, int]] = {number: {} for number in tapes}
        self._has_begun: set[int] = set()

    def update(self) -> None:
        """Take what the ranks have done since, and compare it."""
        for rank in self._ranks.values():
            rank.read()
        first = self._ranks[self._first]
        others = {number: rank for number, rank in self._ranks.items() if rank is not first}
        for number, other in others.items():
            self._compare_beginnings(number, first, other)
        for optimizer, steps in first.steps.items():
            queues = {number: rank.steps.get(optimizer) for number, rank in others.items()}
            while steps and all(queue for queue in queues.values()):
                one = steps.popleft()
                for number, queue in queues.items():
                    assert queue, "all have one"
                    self._compare(number, optimizer, one, queue.popleft())

    def divergence(self, number: int) -> RankDivergence | None:
        """Return where the parameters of a rank diverge; None while they are equal."""
        return self._divergences.get(number)

    def compared(self, number: int) -> int:
        """Return how many Steps of a rank have been compared with those of the first."""
        return self._compared[number]

    def loss(self, number: int) -> float | None:
        """Return the loss that a rank has computed last; None before the first."""
        return self._ranks[number].loss

    def norms(self, number: int) -> tuple[float | None, float | None]:
        """Return the norms of the parameters of a rank, and of their gradients."""
        return self._ranks[number].take_norms()

    def latest_norms(self, number: int) -> tuple[float | None, float | None]:
        """Return what `norms` has returned last, which takes no time."""
        return self._ranks[number].norms[1:]

    def count(self, number: int, operation: Operation) -> int:
        """Return how many Operations such as this one a rank has done."""
        return self._ranks[number].counts.get(loop_key(operation), 0)

    def _compare_beginnings(self, number: int, first: _RankValues, other: _RankValues) -> None:
        """Compare what the parameters were before the first Step."""
        one, two = first.before_first, other.before_first
        if number in self._has_begun or one is None or two is None:
            return
        self._has_begun.add(number)
        found = _differences(one, two)
        if found:
            self._divergences[number] = self._divergence(found, one, two, other)

    def _compare(self, number: int, optimizer: str, one: _AfterStep, two: _AfterStep) -> None:
        if not one.values.keys() & two.values.keys():
            return  # values were recorded on at most one of the ranks
        known, last_equal = (
            self._divergences.get(number),
            self._last_equal[number].get(optimizer, 0),
        )
        found = _differences(one.values, two.values)
        self._compared[number] += 1
        if not found:
            self._last_equal[number][optimizer] = two.number
        if known is None and found:
            divergence = self._divergence(found, one.values, two.values, self._ranks[number])
            name = divergence.difference.address
            gradients = _gradient_difference(name, one.gradients, two.gradients)
            operation: Any = two.row.operation
            self._divergences[number] = replace(
                divergence,
                event=two.event,
                step=two.number,
                optimizer=optimizer,
                at=operation.at,
                iteration=two.row.iteration,
                last_equal=last_equal,
                gradient=gradients if two.number == last_equal + 1 else None,
            )
        elif known is not None:
            since = None if found else (known.equal_since or two.number)
            if since != known.equal_since:
                self._divergences[number] = replace(known, equal_since=since)

    def _divergence(
        self,
        found: list[Difference],
        one: Mapping[str, Any],
        two: Mapping[str, Any],
        rank: _RankValues,
    ) -> RankDivergence:
        name = found[0].address
        return RankDivergence(
            self._first,
            0,
            0,
            "",
            "",
            0,
            found[0],
            _largest(one[name], two[name]),
            len(found),
            is_synchronized=any(
                kind == _SYNCHRONIZING
                for module in rank.tape.run.modules
                for _, kind, _, _ in module.tree[:1]
            ),
        )


def _differences(one: Mapping[str, Any], two: Mapping[str, Any]) -> list[Difference]:
    """Return how the parameters that both have differ; tensors of different shapes do not count."""
    found = []
    for name, array in one.items():
        other = two.get(name)
        if array is None or other is None or array.shape != other.shape:
            continue
        if not are_equal(array, other):
            differs = difference(name, array, other)
            if differs is not None:
                found.append(differs)
    return found


def _gradient_difference(
    name: str, one: Mapping[str, Any], two: Mapping[str, Any]
) -> Difference | None:
    a, b = one.get(name), two.get(name)
    return None if a is None or b is None else difference(f"{name}.grad", a, b)


def _largest(one: NDArray[Any], two: NDArray[Any]) -> float | None:
    """Return the largest difference of two elements; None if it is not a number."""
    if one.dtype.kind not in "fiu" or not one.size:
        return None
    found = float(np.nanmax(np.abs(one.astype(float) - two.astype(float))))
    return found if math.isfinite(found) else None


def _norm(arrays: Any) -> float | None:  # noqa: ANN401 - an iterable of arrays or None
    total, known = 0.0, False
    for array in arrays:
        if array is not None and array.dtype.kind == "f":
            flat = array.ravel().astype(float, copy=False)
            total, known = total + float(flat @ flat), True
    return math.sqrt(total) if known else None
