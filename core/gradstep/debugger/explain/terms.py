"""Terms that add up to a change exactly, including rounding."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.formula import Formula
from gradstep.history.live_values import array_of
from gradstep.history.records.explanation import Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from gradstep.history.debuggee import Debuggee
    from gradstep.optim.attribution import Share

__all__ = [
    "RATE_CHANGE",
    "ROUNDING",
    "UNEXPLAINED",
    "fixed",
    "projection",
    "sum_of",
    "terms_of",
    "values_of",
]

RATE_CHANGE = "learning-rate change"
ROUNDING = "rounding"
UNEXPLAINED = "not explained"

_RATE_RULE = Formula("all of the above at lr, less the same at the lr of the step before")
_ROUNDING_RULE = Formula("what is left: sums and products do not fit their type")
_UNEXPLAINED_RULE = Formula("what is left, and is more than rounding")

_NO_FORMULAS: Mapping[str, Formula] = MappingProxyType({})


def terms_of(
    shares: Mapping[str, Share],
    total: NDArray[np.float64],
    formulas: Mapping[str, Formula] = _NO_FORMULAS,
    rate_change: NDArray[np.float64] | None = None,
    most_rounding: float = np.inf,
) -> tuple[Term, ...]:
    """Return the terms of a change, without those that are zero everywhere.

    Args:
        shares: Its sources.
        total: The change.
        formulas: The formulas of the update's terms: the optimizer's `TERMS`.
        rate_change: The effect of a learning-rate change on the shares.
        most_rounding: The norm up to which the rest counts as rounding.

    Example:
        >>> from gradstep import optim
        >>> from gradstep.optim.attribution import Share
        >>> share, rules = Share(np.array([0.75]), ("update",)), optim.SGD.TERMS
        >>> for term in terms_of({"gradient": share}, np.array([0.5]), rules):
        ...     print(term.name, "|", term.formula, "|", term.value, term.share)
        gradient | update = lr * grad | [0.75] 1.5
        rounding | what is left: sums and products do not fit their type | [-0.25] -0.5
    """
    found = {
        name: (share.value, tuple(formulas[key] for key in share.terms))
        for name, share in shares.items()
    }
    if rate_change is not None:
        found[RATE_CHANGE] = rate_change, (_RATE_RULE,)
    left = total - sum_of((value for value, _ in found.values()), total)
    left = np.where(np.isfinite(left), left, 0.0)
    if np.linalg.norm(left) > most_rounding:
        found[UNEXPLAINED] = left, (_UNEXPLAINED_RULE,)
    else:
        found[ROUNDING] = left, (_ROUNDING_RULE,)
    return tuple(
        Term(name, rules, fixed(value), projection(value, total))
        for name, (value, rules) in found.items()
        if value.any()
    )


def projection(value: NDArray[np.float64], total: NDArray[np.float64]) -> float | None:
    """Return the share of a part in the direction of the whole; None when it is undefined.

    Example:
        >>> projection(np.array([1.0, 5.0]), np.array([2.0, 0.0]))
        0.5
    """
    along, way = float(np.vdot(value, total)), float(np.vdot(total, total))
    if way > 0 and np.isfinite(along) and np.isfinite(way):
        return along / way
    return None


def sum_of(values: Iterable[NDArray[np.float64]], like: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of arrays of one shape; zeros when there are none."""
    added = np.zeros(like.shape)
    for value in values:
        added += value
    return added


def values_of(program: Debuggee, parameter: str) -> NDArray[np.float64]:
    """Return a copy of a parameter's values in double precision."""
    values: NDArray[Any] = array_of(program.tensors[parameter])
    return values.astype(np.float64)


def fixed(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a read-only array; NumPy makes scalars of 0-d differences."""
    whole = np.asarray(array)
    whole.flags.writeable = False
    return whole
