"""Suspicions about the learning rate: steps that increase the loss, judged by its curvature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.diagnostics.observation import Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.diagnostics.suspicions.trainings import Curves

__all__ = ["diverged_at_once", "too_long_steps"]

_STABLE = 2.0
"""A step of rate r along the gradient climbs a parabola of curvature c when r c exceeds this."""

_TOLERANCE = 0.01
"""How far the updates of all tensors may differ from one multiple of their gradients."""

_STEPS = 5
"""Consecutive steps that must increase the loss."""

_EARLY = 10
_FIRST = 3
_GROWTH = 2.0

_LEAP = 100.0
"""Growth in the first steps that is reported even if the loss comes down again."""


def too_long_steps(
    series: Curves, loss: str, rows: NDArray[np.floating], event: int
) -> Observation | None:
    """Measure the curvature along steps that follow the gradient, and compare their length with it.

    Two values of the loss and the slope between them make a parabola, as in Cockpit (Schneider,
    Dangel and Hennig, NeurIPS 2021). That is the curvature only if the loss sees the same rows
    every time and each update is a multiple of the gradient, as in plain SGD; other updates are not
    judged.

    Args:
        series: The curves.
        loss: The one loss that is trained on.
        rows: Their last rows.
        event: The Event just done.
    """
    values = rows[:, series.place(f"loss/{loss}")].astype(np.float64)
    broken = np.flatnonzero(~np.isfinite(values))
    values = values[: broken[0]] if len(broken) else values
    if len(values) <= _STEPS or not (np.diff(values[-_STEPS - 1 :]) > 0).all():
        return None
    steps = rows[len(values) - _STEPS - 1 : len(values) - 1]
    moves, slopes = (
        steps[:, [series.place(f"{kind}/{name}{end}") for name in series.tensors]].astype(float)
        for kind, end in (("update", ""), ("norm", ".grad"))
    )
    moving = ~(moves == 0).all(axis=0)
    moves, slopes = moves[:, moving], slopes[:, moving]
    if not moving.any() or not np.isfinite(moves * slopes).all() or not (slopes > 0).all():
        return None
    rates = moves / slopes
    if np.ptp(rates) > _TOLERANCE * rates.max():
        return None
    rate = float(rates.mean())
    length = np.square(moves).sum(axis=1)
    climbed = np.diff(values[-_STEPS - 1 :])
    curvatures = 2 * (climbed + (moves * slopes).sum(axis=1)) / length
    curvature = float(np.median(curvatures))
    value = rate * curvature
    if not np.isfinite(value) or value <= _STABLE:
        return None
    note = (
        f"Each of {_STEPS} steps of {rate:.3g} times the gradient increased {loss}. Along them it "
        f"has a curvature of {curvature:.3g}, so steps beyond 2 / {curvature:.3g} = "
        f"{_STABLE / curvature:.3g} times the gradient increase it"
    )
    return Observation("learning-rate", (loss,), (event,), note, value, _STABLE)


def diverged_at_once(series: Curves, loss: str, rows: NDArray[np.floating]) -> Observation | None:
    """Return a suspicion if the loss grew right at the start of the run.

    Args:
        series: The curves.
        loss: A loss that is trained on.
        rows: The first rows, some more than ten.
    """
    values = rows[:, series.place(f"loss/{loss}")].astype(np.float64)
    start = float(values[:_FIRST].max())
    if not start > 0 or np.isnan(values).all():
        return None
    if values[0] > 0 and np.isfinite(values).all():
        highest = int(values[:_EARLY].argmax())
        if values[highest] > _LEAP * values[0]:
            note = (
                f"{loss} leapt from {values[0]:.3g} to {values[highest]:.3g} in the first "
                f"{highest + 1} iterations"
            )
            event = int(series.column("event", len(series) - len(rows))[1][highest])
            leap = float(values[highest] / values[0])
            return Observation("learning-rate", (loss,), (event,), note, leap, _LEAP)
    early = np.flatnonzero(~(values[:_EARLY] <= _GROWTH * start))
    # A first jump that is recovered from, or one hard batch, is not a divergence.
    if not len(early) or (values[_EARLY:] <= _GROWTH * start).any():
        return None
    at = int(early[0])
    ended = values[_EARLY - 1]
    note = f"{loss} went from {values[0]:.3g} to {ended:.3g} in the first {_EARLY} iterations"
    event = int(series.column("event", len(series) - len(rows))[1][at])
    value = float(ended / start) if np.isfinite(ended) else None
    return Observation("learning-rate", (loss,), (event,), note, value, _GROWTH)
