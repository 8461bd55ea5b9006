"""Terms: the named intermediate results of an update, and the formulas they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from numpy.typing import NDArray

from gradstep.formula import Formula

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.autograd.tensor import Tensor

__all__ = ["Formula", "Terms", "UpdateVisit", "term_of", "terms"]

Terms: TypeAlias = Iterator[tuple[str, NDArray[Any] | float]]
"""What an algorithm yields while it computes: a key of its `TERMS`, and the array or number."""


def terms(named: Mapping[str, Formula]) -> Mapping[str, Formula]:
    """Return the terms of an algorithm, each formula with the symbol that it makes.

    A key with a dot is a variant, "update.nesterov" the term "update" where it is computed in
    another way.

    Example:
        >>> terms({"update.nesterov": Formula("lr * nesterov_grad")})["update.nesterov"].makes
        'update'
    """
    return MappingProxyType(
        {
            key: formula if formula.makes else replace(formula, makes=term_of(key))
            for key, formula in named.items()
        }
    )


def term_of(key: str) -> str:
    """Return the term's name, of which a key of `TERMS` may be a variant."""
    return key.partition(".")[0]


@dataclass(frozen=True, slots=True)
class UpdateVisit:
    """One term of one parameter's update, as `Optimizer.visits` meets it.

    Attributes:
        group: Index of the parameter group.
        index: Index of the parameter in its group.
        parameter: The parameter that is being updated.
        name: Its name, when the optimizer was given named parameters, else "".
        term: The term's name; its key in the optimizer's `TERMS`, but for what tells variants.
        formula: What the term means.
        array: The very array the update computes with, of the parameter's shape; `()` for a number
            such as a step size, and a shape of its own where the term has one (Adafactor's
            `row_var`). Later terms overwrite it: copy it to keep it.
    """

    group: int
    index: int
    parameter: Tensor
    name: str
    term: str
    formula: Formula
    array: NDArray[Any]
