"""Terms: the named intermediate results of an update, and the formulas they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from numpy.typing import NDArray

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["Formula", "Terms", "UpdateVisit"]

Terms: TypeAlias = Iterator[tuple[str, NDArray[Any] | float]]
"""What an algorithm yields while it computes: a term's name, and its array or number."""


class Formula(NamedTuple):
    """What a term means, once as text and once as LaTeX.

    Symbols in `text` are the names of hyper-parameters, state buffers and other terms, so that a
    reader can find each of them; `param` is the parameter and `grad` its gradient.

    Example:
        >>> Formula("exp_avg / denominator", r"m_t / d_t").text
        'exp_avg / denominator'
    """

    text: str
    latex: str


@dataclass(frozen=True, slots=True)
class UpdateVisit:
    """One term of one parameter's update, as `Optimizer.visits` meets it.

    Attributes:
        group: Index of the parameter group.
        index: Index of the parameter in its group.
        parameter: The parameter that is being updated.
        name: Its name, when the optimizer was given named parameters, else "".
        term: The term's name, a key of the optimizer's `TERMS`.
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
