"""Terms: the named intermediate results of an update, and their formulas."""

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

__all__ = ["Formula", "Terms", "UpdateVisit", "named_terms", "term_of"]

Terms: TypeAlias = Iterator[tuple[str, NDArray[Any] | float]]
"""What an update yields: a key of the optimizer's `TERMS`, and the array or number."""


def named_terms(formulas: Mapping[str, Formula]) -> Mapping[str, Formula]:
    """Return the terms of an algorithm, each formula with the name of its result.

    A key with a dot is a variant: "update.nesterov" is another way to compute "update".

    Example:
        >>> named_terms({"update.nesterov": Formula("lr * nesterov_grad")})["update.nesterov"].makes
        'update'
    """
    return MappingProxyType(
        {
            key: formula if formula.makes else replace(formula, makes=term_of(key))
            for key, formula in formulas.items()
        }
    )


def term_of(key: str) -> str:
    """Return the name of a key's term, which the key may be a variant of."""
    return key.partition(".")[0]


@dataclass(frozen=True, slots=True)
class UpdateVisit:
    """One term of one parameter's update, as `Optimizer.visits` yields it.

    Attributes:
        group: Index of the parameter group.
        index: Index of the parameter in its group.
        parameter: The parameter that is being updated.
        name: Its name if the optimizer was given named parameters, else "".
        term: The term's name: its key in the optimizer's `TERMS` without the variant.
        formula: How the term is computed.
        array: The array the update computes with, of the parameter's shape; `()` for a number such
            as a step size, and another shape for a few terms (Adafactor's `row_var`). Later terms
            overwrite it: copy it to keep it.
    """

    group: int
    index: int
    parameter: Tensor
    name: str
    term: str
    formula: Formula
    array: NDArray[Any]
