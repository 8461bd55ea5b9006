"""Formula: a rule as text, and what can be asked of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradstep.formula.latex import filled_in, read_symbol, typeset
from gradstep.formula.parsing import is_elementwise, names_in, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.formula.latex import Times

__all__ = ["Formula"]


@dataclass(frozen=True, slots=True)
class Formula:
    r"""What a number is computed by.

    Symbols in `text` are the names of hyper-parameters, state buffers, operands and other terms, so
    that a reader can find each of them; `param` is a parameter and `grad` its gradient.

    Attributes:
        text: An expression such as "lr * grad"; or words, where it cannot be said in symbols.
        by_hand: Its LaTeX, where that cannot be made from the text.
        makes: The name by which later formulas know the result; "" for that of the term.
        times: Names that are read as of another step than usual: `(("prev", "t-1"),)`.

    Example:
        >>> formula = Formula("momentum * momentum_buffer + grad", makes="momentum_buffer")
        >>> formula.latex
        'b_{t} = \\mu \\cdot b_{t-1} + g_{t}'
        >>> formula.names
        ('momentum', 'momentum_buffer', 'grad')
        >>> formula.with_numbers({"momentum": "0.9", "momentum_buffer": "-2", "grad": "5"})
        '0.9 \\cdot \\left({-}2\\right) + 5'
    """

    text: str
    by_hand: str = ""
    makes: str = ""
    times: Times = ()

    @property
    def latex(self) -> str:
        """The formula as LaTeX; empty where it is words alone."""
        return self.by_hand or typeset(self.text, self.makes, self.times)

    @property
    def equation(self) -> str:
        """The text, behind what it makes where it says so.

        Example:
            >>> Formula("lr * grad", makes="update").equation
            'update = lr * grad'
        """
        return f"{self.makes} = {self.text}" if self.makes else self.text

    @property
    def names(self) -> tuple[str, ...]:
        """The symbols that it reads, each once, in their order; none where it is words."""
        return names_in(self.text)

    @property
    def left(self) -> str:
        """What it makes, as LaTeX; empty where it does not say."""
        for sign in (" = ", r" \leftarrow "):
            before, found, _ = self.latex.partition(sign)
            if found:
                return before
        return ""

    @property
    def is_elementwise(self) -> bool:
        """Whether each element of the result follows from the same element of what is read."""
        return is_elementwise(self.text)

    def symbol_of(self, name: str) -> str:
        r"""Return how the formula writes what it reads under a name; empty for a name in words.

        Example:
            >>> formula = Formula("rho * square_avg + grad ** 2", makes="square_avg")
            >>> formula.symbol_of("square_avg"), formula.symbol_of("my_buffer")
            ('v_{t-1}', '')
        """
        symbol = read_symbol(name, self.makes, self.times)
        return "" if symbol.startswith(r"\mathrm") else symbol

    def with_numbers(self, numbers: Mapping[str, str]) -> str:
        r"""Return the right side as LaTeX with numbers for symbols; empty where it is words.

        Args:
            numbers: What is written for each symbol, as Python does; others stay symbols.

        Example:
            >>> Formula("lr * grad").with_numbers({"lr": "1e-05", "grad": "-2.5"})
            '10^{-5} \\cdot \\left({-}2.5\\right)'
        """
        tree = parsed(self.text)
        return "" if tree is None else filled_in(tree, self.makes, self.times, numbers)
