"""The inputs and outputs of a micro-step, and its formula with numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.formula import definition, latex_number
from gradstep_gui.widgets.number_format import number_text, shape_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gradstep.formula import Formula
    from gradstep.program.micro_step import MicroStep

__all__ = ["Symbol", "filled_in", "rule_of", "symbols_of", "usual_place"]

DIGITS = 4
"""Significant digits of the numbers in a formula."""


@dataclass(frozen=True, eq=False)
class Symbol:
    """One input or output of a micro-step.

    Attributes:
        name: Its name among the inputs or the outputs.
        latex: Its symbol in the formula; empty when it has none.
        array: The values; None when it is None.
        made: Whether it is an output.
        meaning: What its symbol stands for; empty where that is not known.
    """

    name: str
    latex: str
    array: NDArray[Any] | None
    made: bool
    meaning: str = ""

    @cached_property
    def norm_text(self) -> str:
        """The norm of an array; empty for a number."""
        if self.array is None or not self.array.ndim:
            return ""
        exact = self.array if self.array.dtype.kind == "f" else self.array.astype(np.float64)
        return number_text(float(np.linalg.norm(exact)))

    @property
    def shape_text(self) -> str:
        """The shape of an array; empty for a number."""
        return "" if self.array is None or not self.array.ndim else shape_text(self.array.shape)

    def text_at(self, place: Sequence[int], shape: tuple[int, ...]) -> str:
        """Return the element that belongs to a place of the result; empty when there is none.

        Args:
            place: The place.
            shape: The result's shape; the array must broadcast to it.

        Example:
            >>> Symbol("row_var", "", np.array([[1.0], [2.0]]), made=False).text_at((1, 2), (2, 3))
            '2'
            >>> Symbol("lr", "", np.array(0.1), made=False).text_at((), ())
            '0.1'
            >>> Symbol("line_search_fn", "", np.array("strong_wolfe"), made=False).text_at((), ())
            'strong_wolfe'
        """
        array = self.array
        if array is None:
            return "None"
        if len(place) != len(shape) or not _broadcasts(array.shape, shape):
            return ""
        own = place[len(place) - array.ndim :]
        value = array[tuple(0 if n == 1 else at for n, at in zip(array.shape, own, strict=True))]
        if array.dtype.kind in "bU":  # a switch, or a name such as "strong_wolfe"
            return str(value)
        return number_text(float(value), DIGITS)


def symbols_of(step: MicroStep) -> tuple[Symbol, ...]:
    """Return the inputs of a micro-step, then its outputs."""
    names = {key: name for name, key in step.symbols.items()}
    read = [
        Symbol(
            key,
            step.formula.symbol_of(names.get(key, key)),
            array,
            made=False,
            meaning=definition(names.get(key, key)),
        )
        for key, array in step.inputs.items()
    ]
    made = [
        Symbol(key, rule_of(step, key).left, array, made=True)
        for key, array in step.outputs.items()
    ]
    no_input = [Symbol(key, step.formula.symbol_of(key), None, made=False) for key in step.none[0]]
    no_output = [Symbol(key, "", None, made=True) for key in step.none[1]]
    return (*no_input, *read, *made, *no_output)


def rule_of(step: MicroStep, output: str) -> Formula:
    """Return the formula of one output."""
    return step.rules.get(output, step.formula)


def filled_in(step: MicroStep, made: Symbol, place: Sequence[int]) -> tuple[str, str]:
    """Return a formula with the numbers of one element, as LaTeX and as text.

    Both are empty when the formula is not elementwise, lacks a number, or is only the
    result itself.

    Args:
        step: The micro-step.
        made: One of its outputs.
        place: The index of the element.
    """
    rule, bound = rule_of(step, made.name), {}
    if made.array is None:
        return "", ""
    arrays, shape = step.bound(rule), made.array.shape
    for name in rule.names:
        array = arrays.get(name)
        text = "" if array is None else Symbol(name, "", array, made=False).text_at(place, shape)
        if not text:
            return "", ""
        bound[name] = text
    result = made.text_at(place, shape)
    if not (bound and result and rule.is_elementwise):
        return "", ""
    text = re.sub(r"[A-Za-z_]\w*", lambda word: bound.get(word[0], word[0]), rule.text)
    if text == result:  # a number that is only passed on
        return "", ""
    return f"{rule.with_numbers(bound)} = {latex_number(result)}", f"{text} = {result}"


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


def usual_place(made: NDArray[Any]) -> tuple[int, ...]:
    """Return the index of the element to show first: a NaN, or else the largest.

    Example:
        >>> usual_place(np.array([[0.0, -3.0], [2.0, 1.0]]))
        (0, 1)
    """
    if not made.size:
        return ()
    largest = int(np.abs(made).argmax())
    return tuple(int(index) for index in np.unravel_index(largest, made.shape))
