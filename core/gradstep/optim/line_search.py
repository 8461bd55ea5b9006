"""Line search for a step length that satisfies the strong Wolfe conditions."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from numpy.typing import NDArray

__all__ = ["Trial", "strong_wolfe"]

_DECREASE = 1e-4  # c1 and c2 of Nocedal & Wright 2006, section 3.1
_CURVATURE = 0.9
_SMALLEST_BRACKET = 1e-9


@dataclass(frozen=True, slots=True)
class Trial:
    """Loss and gradient at one step length.

    Attributes:
        length: The step length.
        loss: The loss there.
        grad: The gradient there, as one vector.
        slope: The loss's derivative along the direction there.
    """

    length: float
    loss: float
    grad: NDArray[Any]
    slope: float


Tried: TypeAlias = "Generator[tuple[str, Any], None, Trial]"
Bracketed: TypeAlias = "Generator[tuple[str, Any], None, tuple[list[Trial], int]]"
Search: TypeAlias = "Generator[tuple[str, Any], None, tuple[Trial, int]]"


def strong_wolfe(
    evaluate: Callable[[float], Tried], start: Trial, length: float, reach: float, most: int
) -> Search:
    """Search a step length that decreases the loss and flattens the slope sufficiently.

    Args:
        evaluate: Computes loss and gradient at a step length; what it yields is passed on.
        start: The trial at length 0; its slope is negative.
        length: The first length to try.
        reach: The direction's largest element, by which a bracket is too small to matter.
        most: Maximum number of trials after the first.

    Yields:
        Each length tried, as `trial_length`, and the loss there, as `trial_loss`.

    Returns:
        The best trial, and the number of evaluations.

    References:
        Nocedal & Wright, Numerical Optimization, 2006, algorithms 3.5 and 3.6.
    """
    bracket, count = yield from _bracket(evaluate, start, length, most)
    if len(bracket) == 1:
        return bracket[0], count + 1
    best, stuck = _lower(bracket), False
    while count < most:
        low, high = bracket[best], bracket[1 - best]
        if abs(high.length - low.length) * reach < _SMALLEST_BRACKET:
            break
        length, stuck = _inside(low, high, stuck)
        now = yield from _tried(evaluate, length)
        count += 1
        if _too_high(now, start) or now.loss >= low.loss:
            bracket[1 - best] = now
            best = _lower(bracket)
            continue
        if _is_flat(now, start):
            return now, count + 1
        if now.slope * (high.length - low.length) >= 0:
            bracket[1 - best] = low
        bracket[best] = now
    return bracket[best], count + 1


def _tried(evaluate: Callable[[float], Tried], length: float) -> Tried:
    yield "trial_length", length
    trial = yield from evaluate(length)
    yield "trial_loss", trial.loss
    return trial


def _bracket(
    evaluate: Callable[[float], Tried], start: Trial, length: float, most: int
) -> Bracketed:
    """Return two trials around a good length, or one good trial, and the number of trials."""
    before, now = start, (yield from _tried(evaluate, length))
    for count in range(most):
        if _too_high(now, start) or (count > 1 and now.loss >= before.loss):
            return [before, now], count
        if _is_flat(now, start):
            return [now], count
        if now.slope >= 0:
            return [before, now], count
        ahead = now.length - before.length
        length = _lowest_of_cubic(before, now, now.length + 0.01 * ahead, now.length * 10)
        before, now = now, (yield from _tried(evaluate, length))
    return [start, now], max(most, 0)


def _inside(low: Trial, high: Trial, stuck: bool) -> tuple[float, bool]:
    """Return a length between two trials; away from both ends if the last one was near an end."""
    first, last = sorted((low.length, high.length))
    length = _lowest_of_cubic(low, high, first, last)
    margin = 0.1 * (last - first)
    if min(last - length, length - first) >= margin:
        return length, False
    if stuck or length >= last or length <= first:
        return (last - margin if last - length < length - first else first + margin), False
    return length, True


def _lower(bracket: list[Trial]) -> int:
    return 0 if bracket[0].loss <= bracket[1].loss else 1


def _is_flat(trial: Trial, start: Trial) -> bool:
    return abs(trial.slope) <= -_CURVATURE * start.slope


def _too_high(trial: Trial, start: Trial) -> bool:
    return trial.loss > start.loss + _DECREASE * trial.length * start.slope


def _lowest_of_cubic(one: Trial, other: Trial, least: float, most: float) -> float:
    """Return the minimum of the cubic through two points and slopes, clamped to the bounds."""
    left, right = (one, other) if one.length <= other.length else (other, one)
    with np.errstate(all="ignore"):
        secant = np.float64(one.loss - other.loss) / np.float64(one.length - other.length)
        first = float(one.slope + other.slope - 3 * secant)
        square = first**2 - one.slope * other.slope
        if not square >= 0:
            return (least + most) / 2
        second = sqrt(square)
        share = np.float64(right.slope + second - first) / np.float64(
            right.slope - left.slope + 2 * second
        )
        place = float(right.length - (right.length - left.length) * share)
    return min(max(place, least), most)
