"""Suspicions about gradient norms: too small to learn from, or too large to follow."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from gradstep.diagnostics.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from gradstep.diagnostics.suspicions.trainings import Curves

__all__ = ["VANISHING_NORM", "gradient_suspicions"]

_LATEST = 10
"""Iterations that are compared, of those given."""

_VANISHING_RATIO = 1e-3
VANISHING_NORM = 1e-4
"""A gradient whose norm is below this is small in absolute terms."""

_EXPLODING_RATIO = 70.0

_SMALLEST, _LARGEST = 1e-7, 1e6
"""Limits of the mean absolute value of a gradient."""

_GROWTH, _GROWING = 2.0, 5
"""The factor from one iteration to the next, and the number of consecutive iterations."""


def gradient_suspicions(
    series: Curves,
    rows: NDArray[np.floating],
    event: int,
    weights: Sequence[str],
    *,
    learns: bool,
    direct: Collection[str] = (),
) -> Iterator[Observation]:
    """Check gradient norms: relative to each other, in absolute terms, and as they grow.

    In absolute terms only the first weight is reported, because the others follow from it; and
    never while a loss decreases, because gradients grow and vanish on the way to a minimum.

    Args:
        series: The curves.
        rows: Their last rows.
        event: The Event just done.
        weights: Names of the tensors to check.
        learns: Whether some loss has decreased.
        direct: Tensors that the formula of a loss reads by name, as a penalty does: their gradients
            do not only come through the layers.
    """
    compared = list(_beside(series, rows[-_LATEST:], event, direct))
    yield from compared
    if learns or compared:
        return
    for name in weights:
        norms = rows[:, series.place(f"norm/{name}.grad")]
        fact = _small(series, name, norms, event) or _large(series, name, norms, event)
        if fact is not None:
            yield fact
            return


def _beside(
    series: Curves, rows: NDArray[np.floating], event: int, direct: Collection[str]
) -> Iterator[Observation]:
    """Compare the gradient of each model's first weight with that of its last."""
    for first, last in series.ends:
        if first in direct or last in direct:
            continue
        norms = rows[:, [series.place(f"norm/{name}.grad") for name in (first, last)]]
        if not np.isfinite(norms).all() or not norms[:, 1].all():
            continue
        ratio = float(np.median(norms[:, 0] / norms[:, 1]))
        past = f"In the median of {len(norms)} iterations, the gradient norm of {first} was"
        if 0 < ratio < _VANISHING_RATIO and float(np.median(norms[:, 0])) < VANISHING_NORM:
            note = f"{past} {ratio:.3g} of that of {last}"
            yield Observation(
                "vanishing-gradient", (first,), (event,), note, ratio, _VANISHING_RATIO
            )
        elif ratio > _EXPLODING_RATIO:
            note = f"{past} {ratio:.3g} times that of {last}"
            yield Observation(
                "exploding-gradient", (first,), (event,), note, ratio, _EXPLODING_RATIO
            )


def _small(
    series: Curves, name: str, norms: NDArray[np.floating], event: int
) -> Observation | None:
    """Return a suspicion if a gradient has been almost 0 all the time.

    The threshold is for the mean absolute value, which never exceeds the root mean square used
    here. A gradient of exactly 0 does not count: it has other causes.
    """
    size = norms / sqrt(series.size(name))
    if not ((size > 0) & (size < _SMALLEST)).all():
        return None
    value = float(size.max())
    note = (
        f"In the last {len(norms)} iterations, the root mean square of the gradient of {name} was "
        f"at most {value:.3g}"
    )
    return Observation("vanishing-gradient", (name,), (event,), note, value, _SMALLEST)


def _large(
    series: Curves, name: str, norms: NDArray[np.floating], event: int
) -> Observation | None:
    """Return a suspicion if a gradient is huge, or has doubled repeatedly.

    The norm over the number of elements never exceeds the mean absolute value.
    """
    known = norms[np.isfinite(norms)]
    value = float(np.median(known[-_LATEST:])) / series.size(name) if len(known) else 0.0
    if value > _LARGEST:
        note = f"The gradient of {name} averages at least {value:.3g} per element"
        return Observation("exploding-gradient", (name,), (event,), note, value, _LARGEST)
    factors = np.divide(
        known[1:], known[:-1], out=np.zeros(max(0, len(known) - 1)), where=known[:-1] > 0
    )
    if len(factors) < _GROWING:
        return None
    least = np.lib.stride_tricks.sliding_window_view(factors, _GROWING).min(axis=1)
    factor = float(least.max())
    if factor <= _GROWTH:
        return None
    at = int(least.argmax())
    note = (
        f"The gradient norm of {name} grew from {known[at]:.3g} to {known[at + _GROWING]:.3g} in "
        f"{_GROWING} iterations, by a factor of at least {factor:.3g} each time"
    )
    return Observation("exploding-gradient", (name,), (event,), note, factor, _GROWTH)
