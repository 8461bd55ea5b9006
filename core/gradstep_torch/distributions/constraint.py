"""Constraints: the values that a parameter or a sample may have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = [
    "BOOLEAN",
    "LOWER_CHOLESKY",
    "NONNEGATIVE",
    "ONE_HOT",
    "POSITIVE",
    "POSITIVE_DEFINITE",
    "REAL",
    "REAL_VECTOR",
    "SIMPLEX",
    "UNIT_INTERVAL",
    "Constraint",
    "above",
    "below",
    "integers_below",
    "interval",
]


@dataclass(frozen=True, slots=True)
class Constraint:
    """A set of valid values.

    Attributes:
        name: As torch spells it.
        holds: Returns for each value in an array whether it is in the set.
        event_dim: How many of the last dimensions one value takes.

    Example:
        >>> POSITIVE.holds(np.array([1.0, 0.0]))
        array([ True, False])
    """

    name: str
    holds: Callable[[NDArray[Any]], NDArray[np.bool_]]
    event_dim: int = 0

    def __repr__(self) -> str:
        return self.name


def above(bound: NDArray[Any] | float) -> Constraint:
    """Return the numbers above a bound."""
    return Constraint(f"GreaterThan(lower_bound={bound})", lambda x: x > bound)


def below(bound: NDArray[Any]) -> Constraint:
    """Return the numbers below a bound."""
    return Constraint(f"LessThan(upper_bound={bound})", lambda x: x < bound)


def interval(low: NDArray[Any] | float, high: NDArray[Any] | float) -> Constraint:
    """Return the numbers from one bound to another, both included."""
    name = f"Interval(lower_bound={low}, upper_bound={high})"
    return Constraint(name, lambda x: (low <= x) & (x <= high))


def integers_below(count: int) -> Constraint:
    """Return the integers from 0 to count - 1."""
    name = f"IntegerInterval(lower_bound=0, upper_bound={count - 1})"
    return Constraint(name, lambda x: (x % 1 == 0) & (x >= 0) & (x < count))


def _is_simplex(x: NDArray[Any]) -> NDArray[np.bool_]:
    close = np.abs(x.sum(-1) - 1) < 1e-6  # noqa: PLR2004 - as torch has it
    return np.asarray((x >= 0).all(-1) & close)


def _is_lower_cholesky(x: NDArray[Any]) -> NDArray[np.bool_]:
    diagonal = x.diagonal(axis1=-2, axis2=-1)
    return np.asarray((np.tril(x) == x).all((-1, -2)) & (diagonal > 0).all(-1))


def _is_positive_definite(x: NDArray[Any]) -> NDArray[np.bool_]:
    symmetric = np.asarray(np.isclose(x, x.swapaxes(-1, -2), atol=1e-6).all((-1, -2)))
    if not symmetric.all():
        return symmetric
    return np.asarray(np.linalg.eigvalsh(x)[..., 0] > 0)


REAL: Final = Constraint("Real()", lambda x: ~np.isnan(x))
POSITIVE: Final = above(0.0)
NONNEGATIVE: Final = Constraint("GreaterThanEq(lower_bound=0.0)", lambda x: x >= 0)
ONE_HOT: Final = Constraint(
    "OneHot()", lambda x: ((x == 0) | (x == 1)).all(-1) & (x.sum(-1) == 1), 1
)
UNIT_INTERVAL: Final = interval(0.0, 1.0)
BOOLEAN: Final = Constraint("Boolean()", lambda x: (x == 0) | (x == 1))
SIMPLEX: Final = Constraint("Simplex()", _is_simplex, 1)
REAL_VECTOR: Final = Constraint(
    "IndependentConstraint(Real(), 1)", lambda x: (~np.isnan(x)).all(-1), 1
)
LOWER_CHOLESKY: Final = Constraint("LowerCholesky()", _is_lower_cholesky, 2)
POSITIVE_DEFINITE: Final = Constraint("PositiveDefinite()", _is_positive_definite, 2)
