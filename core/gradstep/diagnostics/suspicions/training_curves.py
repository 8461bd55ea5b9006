"""Suspicions from the curves of a run, compared with published thresholds.

They read the last rows of the Series every 20 iterations, every 100 after 200, and every 500 after
2000: a suspicion is not urgent, and must cost almost nothing.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import numpy as np

from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.diagnostics.suspicions.gradient_norms import VANISHING_NORM, gradient_suspicions
from gradstep.diagnostics.suspicions.learning_rate import diverged_at_once, too_long_steps
from gradstep.diagnostics.suspicions.loss_curves import (
    epoch_swings,
    held_out_pairs,
    others,
    overfitting,
    parts_of_sums,
    steady_losses,
    swings,
    unchanged,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.diagnostics.suspicions.trainings import Curves
    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = ["CurveSuspicions"]

WINDOW = 10
"""Iterations that are averaged and compared with those before."""

_OFTEN = 2 * WINDOW
_CHECK_EVERY = ((200, _OFTEN), (2000, 10 * WINDOW), (sys.maxsize, 50 * WINDOW))
"""Up to a number of rows, after how many more rows the curves are checked: multiples of the first.
"""

EARLY = 100
"""Rows in which long steps are usual: weights start small and have far to go."""

LONG = 5
"""Consecutive iterations in which an update ratio must be unusual."""

SPARSE = 3
"""Like LONG, for a tensor so large that only every eighth row measures it."""

IMPROVEMENT_PERCENT = 0.1
GROWTH = 2.0
LEARNED = 0.05
"""A loss below this share of its first values has been learned: it may be flat."""

HALVED = 0.5
"""A loss below this share of its first values may continue to fall slowly."""

FLAT = 1e-6
"""A gradient below this share of the loss is flat: single precision holds about seven digits."""

_UNDERFLOW = 1e-18
"""A norm below this may be recorded as 0: the squares of its elements are too small for float32."""

AT_REST = 0.05
"""A gradient below this share of the steepest belongs to a loss at its minimum, if the loss fell
too: with noise in the data, that minimum is not 0."""

LEARNING = 0.9
"""A loss below this share of its first values is decreasing."""

LONGEST_EPOCH = 2 * WINDOW
"""Batches of the longest epoch that is averaged as a whole; of longer ones, WINDOW batches are."""

SEVERAL_EPOCHS = 8
"""Epochs whose means are compared, where batches differ."""

RATIO_LOW, RATIO_HIGH = -4.0, -1.0

_QUOTED = re.compile(r"""["']([^"']+)["']""")
"""A name in a formula, as in tensor("model.0.weight")."""


class CurveSuspicions:
    """Checks the curves of a branch at intervals.

    Besides the last rows, it remembers only the first value, the first mean and the lowest mean of
    every loss, and the steepest gradient.

    Args:
        spec: The program's document, for how its losses relate to each other.
        epochs: The number of batches in an epoch of each loss. Batches are not equally hard, so
            only means of whole epochs can be compared.
        maximized: Losses that an optimizer maximizes: they are meant to grow.
        contend: Whether one loss gains where another loses: none is meant to decrease.
        knows_rows: Whether the document says which rows a loss sees; a script does not.

    Attributes:
        steepest: The largest norm of all gradients together so far.
    """

    __slots__ = (
        "_contend",
        "_direct",
        "_epochs",
        "_first",
        "_lowest",
        "_maximized",
        "_metrics",
        "_overfitted",
        "_pairs",
        "_parts",
        "_repeatable",
        "_start",
        "_steady",
        "_trained",
        "steepest",
    )

    def __init__(
        self,
        spec: ProgramSpec | None = None,
        epochs: Mapping[str, int] | None = None,
        maximized: Collection[str] = (),
        *,
        contend: bool = False,
        knows_rows: bool = True,
    ) -> None:
        self._maximized = frozenset(maximized)
        self._epochs = {
            name: batches
            for name, batches in (epochs or {}).items()
            if 1 < batches <= LONGEST_EPOCH
        }
        self._pairs = () if spec is None else held_out_pairs(spec)
        self._steady = steady_losses(spec) if spec is not None and knows_rows else frozenset()
        losses = {} if spec is None else spec.losses
        self._metrics = frozenset(() if spec is None else spec.metrics)
        # Parts of a sum may grow, such as a penalty: only the sum is meant to decrease.
        self._parts = frozenset() if spec is None else parts_of_sums(spec)
        self._trained = [
            name
            for name, loss in losses.items()
            if loss.rows == "training" and name not in self._parts
        ]
        self._repeatable = frozenset(
            name for name in self._trained if spec is not None and not spec.is_random(name)
        )
        formulas = " ".join(loss.expression or "" for loss in losses.values())
        self._direct = frozenset(_QUOTED.findall(formulas))
        self._contend = contend
        self._start: dict[str, float] = {}
        self._first: dict[str, float] = {}
        self._lowest: dict[str, float] = {}
        self._overfitted: set[str] = set()
        self.steepest = 0.0

    def is_due(self, series: Curves) -> bool:
        """Whether a check is due after the rows closed so far."""
        rows = len(series) - 1
        if rows <= 0 or rows % _OFTEN:
            return False
        return any(rows <= limit and not rows % every for limit, every in _CHECK_EVERY)

    def look(
        self,
        series: Curves,
        event: int,
        searched: tuple[Collection[str], Collection[str]] = ((), ()),
        stepped: Collection[str] = (),
        zeros: Collection[str] = (),
        *,
        sound: bool = True,
    ) -> Iterator[Observation]:
        """Yield what the curves suggest.

        Args:
            series: The curves up to now.
            event: The Event just done.
            searched: Losses that L-BFGS steps evaluate, and the tensors that those steps move. They
                converge in a few iterations, by steps of any size, and then rest.
            stepped: Tensors of optimizers that have stepped several times recently.
            zeros: Tensors whose gradient is exactly 0 now.
            sound: Whether no contract of the loop is broken, so that the learning rate may be the
                cause.
        """
        rows = series.tail(2 * WINDOW)
        losses, tensors = searched
        for name in series.losses:
            self._remember(name, rows[:, series.place(f"loss/{name}")])
        slopes = _total([rows[:, series.place(f"norm/{name}.grad")] for name in series.tensors])
        self.steepest = max(self.steepest, float(slopes.max()))
        free = series.weights or series.tensors  # a program of free vectors has no weights
        weights = [name for name in free if name not in tensors]
        learns = self.learns(series) or bool(self._maximized)
        rests = float(slopes[WINDOW:].max()) < AT_REST * self.steepest
        if not self._contend:  # one gains where the other loses: no loss is meant to decrease
            for found in self._losses(series, rows, event, losses, sound=sound, rests=rests):
                is_flat = found.id == "loss-not-decreasing"
                (name, *_) = found.subjects
                yield (is_flat and _flat(series, rows, name, event, zeros)) or found
        if self._has_learned(series, rows, rests=rests):
            return
        yield from gradient_suspicions(
            series, rows, event, weights, learns=learns, direct=self._direct
        )
        yield from _updates(series, weights, rows, event, learns=learns)
        yield from unchanged(series, [name for name in weights if name in stepped], rows, event)

    def _has_learned(self, series: Curves, rows: NDArray[np.floating], *, rests: bool) -> bool:
        """Whether every training loss is close to its minimum: then gradients may vanish."""
        names = [name for name in self._trained if name in self._start]
        if not names or self._contend or self._maximized.intersection(names):
            return False
        begun = {name: max(self._start[name], self._first[name]) for name in names}
        now = {name: float(rows[WINDOW:, series.place(f"loss/{name}")].mean()) for name in names}
        if rests and not series.weights:  # free tensors stop at a minimum, whatever its value
            return all(now[name] < begun[name] for name in names)
        limit = HALVED if rests else LEARNED
        return all(now[name] <= limit * begun[name] and begun[name] > 0 for name in names)

    def _losses(
        self,
        series: Curves,
        rows: NDArray[np.floating],
        event: int,
        searched: Collection[str],
        *,
        sound: bool,
        rests: bool,
    ) -> Iterator[Observation]:
        too_fast = list(self._rates(series, rows, event, searched)) if sound else []
        yield from too_fast
        reach = _reach(series, rows)
        for name in series.losses:
            if name in self._maximized or name in self._metrics or name in self._parts:
                continue
            values = rows[:, series.place(f"loss/{name}")]
            if not any(name in fact.subjects for fact in too_fast):
                # Long steps follow the noise of the batches, which then explains a flat loss.
                tiny = 100 * reach < IMPROVEMENT_PERCENT * float(np.abs(values).mean())
                losses = self._recent(series, name) if tiny else values
                batches = self._epochs.get(name, 1) if len(losses) != len(values) else 1
                still = rests or name in self._epochs
                arrives = name in searched or (rests and not series.weights)
                yield from self._loss(
                    name, losses, event, arrives=arrives, rests=still, batches=batches
                )
            learned = values[WINDOW:].mean() <= LEARNED * self._first.get(name, 0.0)
            if name in self._steady and name not in searched and not learned:
                yield from swings(name, values, event, self._first.get(name, 0.0))
            elif name in self._epochs and name in self._repeatable and not learned:
                batches = self._epochs[name]
                wanted, begun = SEVERAL_EPOCHS * batches, (len(series) - 1) % batches
                known = series.tail(wanted + begun)[:wanted, series.place(f"loss/{name}")]
                if len(series) > wanted + begun:
                    means = known.reshape(SEVERAL_EPOCHS, batches).mean(axis=1)
                    yield from epoch_swings(name, means, event)
        for held_out, name in self._pairs:
            values = rows[:, [series.place(f"loss/{one}") for one in (held_out, name)]]
            lowest = self._lowest.get(held_out, np.inf)
            overfitted = overfitting(held_out, values, lowest, event)
            # Once may be chance: a few easy batches, or one bad last step.
            if overfitted is not None and held_out in self._overfitted:
                yield overfitted
            (self._overfitted.discard if overfitted is None else self._overfitted.add)(held_out)

    def _rates(
        self, series: Curves, rows: NDArray[np.floating], event: int, searched: Collection[str]
    ) -> Iterator[Observation]:
        """Yield a suspicion for each training loss whose learning rate is too high."""
        names = [
            name for name in self._trained if name not in searched and name not in self._maximized
        ]
        for name in names:
            fact = None
            if len(self._trained) == 1 and name in self._steady:
                fact = too_long_steps(series, name, rows, event)
            if fact is None and self.is_first(series):
                fact = diverged_at_once(series, name, rows)
            if fact is not None:
                yield fact

    def is_first(self, series: Curves) -> bool:
        """Whether this is the first check."""
        return len(series) == 2 * WINDOW + 1

    def learns(self, series: Curves) -> bool:
        """Whether some loss fell by a tenth: small steps are right close to a minimum."""
        return any(
            float(losses[len(losses) // 2 :].mean()) < LEARNING * first
            for name, first in self._first.items()
            if len(losses := self._recent(series, name))
        )

    def _recent(self, series: Curves, name: str) -> NDArray[np.floating]:
        """Return the means of a loss over an even number of last epochs.

        Before two epochs have passed, or if they are long, return its last values instead.
        """
        batches = self._epochs.get(name, 1)
        epochs = 2 * max(1, WINDOW // batches)
        values = series.tail(epochs * batches)[:, series.place(f"loss/{name}")]
        if len(values) < epochs * batches:
            return series.tail(2 * WINDOW)[:, series.place(f"loss/{name}")]
        means: NDArray[np.floating] = values.reshape(epochs, batches).mean(axis=1)
        return means

    def rebuild(self, series: Curves) -> None:
        """Start again with curves that may already have rows."""
        self._start.clear()
        self._first.clear()
        self._lowest.clear()
        self._overfitted.clear()
        columns = [series.column(f"norm/{name}.grad")[1] for name in series.tensors]
        self.steepest = float(_total(columns).max(initial=0.0))
        for name in series.losses:
            values = series.column(f"loss/{name}")[1][1:]
            whole = len(values) // (2 * WINDOW) * 2 * WINDOW
            for rows in values[:whole].reshape(-1, 2 * WINDOW):
                self._remember(name, rows)

    def _remember(self, name: str, values: NDArray[np.floating]) -> None:
        known = values[np.isfinite(values)]
        if len(known):
            self._start.setdefault(name, float(known[0]))
            batches = self._epochs.get(name, 1)
            epochs = max(1, WINDOW // batches) * batches
            first = float(known[:epochs].mean())
            # Where the rows are always the same, the first value is no accident of its batch.
            self._first.setdefault(
                name, max(first, float(known[0])) if name in self._steady else first
            )
            lowest = float(known[-epochs:].mean())
            self._lowest[name] = min(self._lowest.get(name, lowest), lowest)

    def _loss(
        self,
        name: str,
        values: NDArray[np.floating],
        event: int,
        *,
        arrives: bool,
        rests: bool,
        batches: int,
    ) -> Iterator[Observation]:
        """Look at one loss.

        Args:
            name: The loss.
            values: Its last values, or the means of its last epochs.
            event: The Event just done.
            arrives: Whether any decrease is enough.
            rests: Whether a small decrease is enough.
            batches: The iterations that each of the values is a mean of.
        """
        if not np.isfinite(values).all():
            return
        before, now = (float(half.mean()) for half in np.split(values, 2))
        lowest, first = self._lowest[name], self._first[name]
        done = (
            now <= HALVED * first
            or (rests and now < LEARNING * first)
            or (arrives and now < self._start[name])
        )
        if lowest > 0 and now > GROWTH * lowest and now > first:
            yield Observation("loss-diverging", (name,), (event,), value=now / lowest)
        elif before > 0 and not done:
            percent = 100 * (before - now) / before
            # Epochs and batches differ: a change within that noise shows nothing.
            noise = 100 * float(values.std()) / before / (len(values) / 2) ** 0.5
            if max(percent, noise) < IMPROVEMENT_PERCENT:
                iterations = len(values) // 2 * batches
                note = (
                    f": its mean over {iterations} iterations was "
                    f"{abs(percent):.3g} % {'lower' if percent > 0 else 'higher'} than over the "
                    f"{iterations} before"
                )
                yield Observation("loss-not-decreasing", (name,), (event,), note, percent)


def _reach(series: Curves, rows: NDArray[np.floating]) -> float:
    """Return how far the updates in some rows can have changed a loss, to first order."""
    moves, slopes = (
        rows[:, [series.place(f"{kind}/{name}{ending}") for name in series.tensors]]
        for kind, ending in (("update", ""), ("norm", ".grad"))
    )
    return float(np.nansum(moves * slopes))


def _flat(
    series: Curves,
    rows: NDArray[np.floating],
    loss: str,
    event: int,
    zeros: Collection[str],
) -> Observation | None:
    """Return a suspicion if the gradient is so small that no usual step could lower a loss."""
    columns = {name: rows[:, series.place(f"norm/{name}.grad")] for name in series.tensors}
    known = {name: norms for name, norms in columns.items() if np.isfinite(norms).all()}
    if not known:
        return None
    steepest = float(_total(list(known.values())).max())
    value = max(steepest, _UNDERFLOW) / float(np.abs(rows[:, series.place(f"loss/{loss}")]).mean())
    if not value < FLAT:
        return None
    names = joined_names(tuple(known))
    if not steepest and set(zeros).issuperset(known):
        note = (
            f"The gradient of {names} is exactly 0, and its norm has been 0 for {len(rows)} "
            f"iterations. A step along it moves nothing, whatever the learning rate: {loss} is at "
            "a minimum, a maximum or a saddle point, or it is flat here"
        )
    else:
        note = (
            f"For {len(rows)} iterations, the gradient of {names} has been so small that, to first "
            f"order, a step of length 1 along it changes {loss} by {value:.2g} of its value at most"
        )
    return Observation("vanishing-gradient", tuple(known), (event,), note, value, FLAT)


def _total(norms: Sequence[NDArray[np.floating]]) -> NDArray[np.floating]:
    """Return the norm of all gradients together in each row, from their own norms."""
    squares = [np.square(np.nan_to_num(norm, posinf=0.0)) for norm in norms]
    return np.sqrt(np.sum(squares, axis=0)) if squares else np.zeros(1)


def _updates(
    series: Curves, weights: Sequence[str], rows: NDArray[np.floating], event: int, *, learns: bool
) -> Iterator[Observation]:
    """Look for updates that are unusually large or small in five consecutive iterations.

    For a huge tensor, which is not measured in every row, the last three measurements count.
    """
    if learns or not weights:  # a decreasing loss has the steps that it needs
        return
    columns = [
        [series.place(f"{kind}/{name}{ending}") for name in weights]
        for kind, ending in (("norm", ""), ("update", ""), ("norm", ".grad"))
    ]
    weight, update, gradient = (rows[-LONG:, places] for places in columns)
    sparse = np.flatnonzero(~np.isfinite(update).all(axis=0))
    for at in sparse.tolist():
        known = np.flatnonzero(np.isfinite(rows[:, columns[1][at]]))[-SPARSE:]
        if len(known) == SPARSE:
            for part, places in zip((weight, update, gradient), columns, strict=True):
                part[:, at] = np.resize(rows[known, places[at]], LONG)
    # Without a gradient, or at a minimum, small updates are right.
    measured = np.isfinite(gradient) & (gradient != 0) & (weight != 0) & (update > 0)
    ratios = np.log10(np.divide(update, weight, out=np.ones_like(update), where=measured))
    high = measured.all(axis=0) & (ratios > RATIO_HIGH).all(axis=0)
    low = measured.all(axis=0) & (ratios < RATIO_LOW).all(axis=0)
    if len(series) - 1 <= EARLY:
        high[:] = False
    low &= np.median(gradient, axis=0) > VANISHING_NORM
    for found, threshold in ((high, RATIO_HIGH), (low, RATIO_LOW)):
        places = np.flatnonzero(found).tolist()
        if places:
            mean = float(ratios[:, places[0]].mean())
            rest = others(len(places) - 1)
            subject, note = (weights[places[0]],), rest and f", and as unusual for{rest[4:]}"
            yield Observation("update-ratio", subject, (event,), note, mean, threshold)
