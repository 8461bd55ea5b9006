"""Answers of learners: read from what they typed, and compared with what the program did."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.conditions.evaluation_context import MISSING
from gradstep.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["is_close", "parse_choice", "parse_numbers", "parse_yes_no"]

MAX_ANSWER = 500
"""Characters of an answer."""

_NUMBERS = 100
_BRACKETS = re.compile(r"[\[\](),;]+")
_TINY = 1e-6
"""What counts as zero, where zero is right."""


def parse_numbers(text: str) -> tuple[float, ...] | None:
    """Return the numbers that a learner has typed; None for None.

    Raises:
        ArgumentError: The text is neither numbers nor None.

    Example:
        >>> parse_numbers("[100, 100]"), parse_numbers(" none "), parse_numbers("-1e-3")
        ((100.0, 100.0), None, (-0.001,))
    """
    words = _BRACKETS.sub(" ", text[: MAX_ANSWER + 1].replace("\u2212", "-")).split()
    if [word.lower() for word in words] == ["none"]:
        return None
    try:
        numbers = tuple(float(word) for word in words)
    except ValueError:
        numbers = ()
    if not numbers or len(text) > MAX_ANSWER or len(numbers) > _NUMBERS:
        raise ArgumentError(
            f"{text[:40]!r} is not a number", "write one, such as 0.5, or several, or None"
        )
    return numbers


def is_close(given: Sequence[float] | None, truth: Any, tolerance: float) -> bool:  # noqa: ANN401 - the value of a query
    """Return whether an answer is right; one number stands for an array of equal elements.

    Args:
        given: The numbers; None for None.
        truth: The right answer: a number, an array, or MISSING.
        tolerance: How far off an answer may be, relative to the right one.

    Example:
        >>> is_close((100.0,), np.array([100.0, 100.0]), 0.01), is_close((0.0,), MISSING, 0.01)
        (True, False)
    """
    if truth is MISSING or given is None:
        return truth is MISSING and given is None
    wanted = np.asarray(truth, np.float64).reshape(-1).tolist()
    if len(given) == 1:
        given = list(given) * len(wanted)
    return len(given) == len(wanted) and all(
        _is_near(one, two, tolerance) for one, two in zip(given, wanted, strict=True)
    )


def _is_near(given: float, wanted: float, tolerance: float) -> bool:
    if math.isnan(wanted) or not math.isfinite(given) or not math.isfinite(wanted):
        return (math.isnan(given) and math.isnan(wanted)) or given == wanted
    return abs(given - wanted) <= (tolerance * abs(wanted) or _TINY) * (1 + 1e-9)


def parse_yes_no(text: str) -> bool:
    """Return whether an answer is yes.

    Raises:
        ArgumentError: It is neither yes nor no.
    """
    found = {"yes": True, "no": False}.get(text.strip().lower())
    if found is None:
        raise ArgumentError(f"{text[:40]!r} is neither yes nor no", "answer yes or no")
    return found


def parse_choice(text: str, choices: Sequence[str]) -> int:
    """Return the position of a choice.

    Raises:
        ArgumentError: It is none of them.
    """
    if text not in choices:
        raise ArgumentError(f"{text[:40]!r} is none of the answers", f"choose {choices[0]!r}, ...")
    return list(choices).index(text)
