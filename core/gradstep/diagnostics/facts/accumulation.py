"""Facts about gradients that are meant to be the mean over several batches."""

from __future__ import annotations

import ast
from math import isclose
from typing import TYPE_CHECKING

from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.diagnostics.replaced_tensors import renamed
from gradstep.program.operation import Backward, RebuildModule, Step, ZeroGrad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation
    from gradstep.program.schema.program_spec import LossSpec, ProgramSpec

__all__ = ["AccumulationRule", "divisor_of"]


_ROUNDED = 0.01
"""A divisor may be rounded, as in 0.33 for a third."""


class _SummedBackwards:
    """The Backwards of one loss that a gradient sums, with the number of rows of each batch."""

    __slots__ = ("first", "last", "rows")

    def __init__(self, first: int) -> None:
        self.first = self.last = first
        self.rows: list[int] = []


class AccumulationRule:
    """Counts, for each gradient, the Backwards of each loss that it sums.

    Only losses that are a mean over their batch count: of sums, the sum is meant.

    Args:
        spec: The program's document.
        accumulates: Whether it declares that it accumulates gradients over iterations.
    """

    __slots__ = ("_added", "_divisors", "_rows")

    def __init__(self, spec: ProgramSpec, *, accumulates: bool) -> None:
        self._divisors = {
            name: divisor
            for name, loss in spec.losses.items()
            if accumulates and (divisor := divisor_of(loss)) is not None
        }
        self._added: dict[str, dict[str, _SummedBackwards]] = {}
        self._rows: dict[str, int] = {}

    @property
    def counts(self) -> bool:
        """Whether it needs every Event, even of identical iterations."""
        return bool(self._divisors)

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        if not self._divisors:
            return {}
        return {
            Backward: self._backward,
            Step: self._step,
            ZeroGrad: self._cleared,
            RebuildModule: self._rebuild,
        }

    def computed(self, loss: str, rows: int) -> None:
        """Note the number of rows that a loss was computed on."""
        self._rows[loss] = rows

    def _backward(self, seen: AppliedEvent) -> tuple[()]:
        loss = seen.operation_target()
        if loss in self._divisors:
            for name in seen.reads_writes.written_gradients:
                added = self._added.setdefault(name, {}).setdefault(
                    loss, _SummedBackwards(seen.index)
                )
                added.last = seen.index
                added.rows.append(self._rows.get(loss, 0))
        return ()

    def _step(self, seen: AppliedEvent) -> Iterator[Observation]:
        wrong: dict[str, _SummedBackwards] = {}
        if seen.reads_writes.written_losses:  # it has cleared and computed them itself
            self._cleared(seen)
        for name in seen.reads_writes.read_gradients:
            for loss, added in self._added.pop(name, {}).items():
                counted = isclose(len(added.rows), self._divisors[loss], rel_tol=_ROUNDED)
                if not counted or min(added.rows) != max(added.rows):
                    wrong.setdefault(loss, added)
        for loss, added in wrong.items():
            events = dict.fromkeys((added.first, added.last, seen.index))
            note = _scale(loss, added.rows, self._divisors[loss])
            yield Observation("accumulation-scale", (loss,), tuple(events), note)

    def _cleared(self, seen: AppliedEvent) -> tuple[()]:
        for name in seen.reads_writes.written_gradients:
            self._added.pop(name, None)
        return ()

    def _rebuild(self, seen: AppliedEvent) -> tuple[()]:
        self._added = renamed(self._added, seen)
        return ()


def _scale(loss: str, rows: list[int], divisor: float) -> str:
    """Return how a sum of gradients relates to the mean over the rows of all its batches.

    Example:
        >>> _scale("loss", [8, 8], 1.0)
        '2 batches of loss, not divided: 2 times their mean'
        >>> _scale("loss", [8, 2], 2.0).partition(": ")[2]
        'a row of the smallest batch counts 4 times as much as one of the largest'
    """
    count = len(rows)
    batches = "batch" if count == 1 else "batches"
    divided = "not divided" if divisor == 1 else f"each divided by {divisor:.4g}"
    if isclose(count, divisor, rel_tol=_ROUNDED):
        sizes = joined_names(tuple(map(str, rows)))
        share = max(rows) / max(1, min(rows))
        return (
            f"{count} {batches} of {loss} with {sizes} rows, {divided}: "
            f"a row of the smallest batch counts {share:.4g} times as much as one of the largest"
        )
    return f"{count} {batches} of {loss}, {divided}: {count / divisor:.4g} times their mean"


def divisor_of(loss: LossSpec) -> float | None:
    """Return the divisor of a loss that is a mean over its batch; None for any other loss.

    Example:
        >>> from gradstep.program.schema.program_spec import LossSpec
        >>> from gradstep.program.schema.criteria import MSELoss
        >>> divisor_of(LossSpec(data="a", criterion=MSELoss()))
        1.0
        >>> divisor_of(LossSpec(data="a", expression="mean((output - target) ** 2) / 4"))
        4.0
        >>> divisor_of(LossSpec(data="a", expression="sum((output - target) ** 2)"))
    """
    if loss.data is None:
        return None
    if loss.expression is None:
        return 1.0 if loss.criterion is not None and loss.criterion.reduction == "mean" else None
    tree = ast.parse(loss.expression.strip(), mode="eval").body
    divisor = 1.0
    while isinstance(tree, ast.BinOp):
        left, right = _number(tree.left), _number(tree.right)
        if isinstance(tree.op, ast.Div) and right:
            tree, divisor = tree.left, divisor * right
        elif isinstance(tree.op, ast.Mult) and right:
            tree, divisor = tree.left, divisor / right
        elif isinstance(tree.op, ast.Mult) and left:
            tree, divisor = tree.right, divisor / left
        else:
            return None
    is_mean = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)
    return divisor if is_mean and ast.unparse(tree.func) == "mean" else None  # type: ignore[attr-defined]


def _number(tree: ast.expr) -> float:
    """Return the number that a part of an expression is; 0 if it is not a number."""
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div):
        below = _number(tree.right)
        return _number(tree.left) / below if below else 0.0
    known = isinstance(tree, ast.Constant) and isinstance(tree.value, (int, float))
    return float(tree.value) if known else 0.0  # type: ignore[attr-defined]
