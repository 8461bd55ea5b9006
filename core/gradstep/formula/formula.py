"""Formula: a rule as text, with its LaTeX and its symbols."""

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
    r"""The rule by which a number is computed.

    Symbols in `text` are the names of hyperparameters, state buffers, operands and other terms;
    `param` is a parameter and `grad` its gradient.

    Attributes:
        text: An expression such as "lr * grad"; or words, if it cannot be written in symbols.
        by_hand: Its LaTeX, if that cannot be generated from the text.
        makes: Name of the result in later formulas; "" for the term's own name.
        times: Names with another time index than usual: `(("prev", "t-1"),)`.

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
        """The formula as LaTeX; empty if it is words."""
        return self.by_hand or typeset(self.text, self.makes, self.times)

    @property
    def equation(self) -> str:
        """The text, after the name of its result and an equals sign if it has one.

        Example:
            >>> Formula("lr * grad", makes="update").equation
            'update = lr * grad'
        """
        return f"{self.makes} = {self.text}" if self.makes else self.text

    @property
    def names(self) -> tuple[str, ...]:
        """The symbols that it reads, each once, in order; none if it is words."""
        return names_in(self.text)

    @property
    def left(self) -> str:
        """The left side as LaTeX; empty if there is none."""
        for sign in (" = ", r" \leftarrow "):
            before, found, _ = self.latex.partition(sign)
            if found:
                return before
        return ""

    @property
    def is_elementwise(self) -> bool:
        """Whether each element of the result depends only on the same element of the inputs."""
        return is_elementwise(self.text)

    def symbol_of(self, name: str) -> str:
        r"""Return the symbol of a name in this formula; empty for a name without a symbol.

        Example:
            >>> formula = Formula("rho * square_avg + grad ** 2", makes="square_avg")
            >>> formula.symbol_of("square_avg"), formula.symbol_of("my_buffer")
            ('v_{t-1}', '')
        """
        symbol = read_symbol(name, self.makes, self.times)
        return "" if symbol.startswith(r"\mathrm") else symbol

    def with_numbers(self, numbers: Mapping[str, str]) -> str:
        r"""Return the right side as LaTeX with numbers for symbols; empty if it is words.

        Args:
            numbers: The text of each number, as Python writes it; other symbols stay.

        Example:
            >>> Formula("lr * grad").with_numbers({"lr": "1e-05", "grad": "-2.5"})
            '10^{-5} \\cdot \\left({-}2.5\\right)'
        """
        tree = parsed(self.text)
        return "" if tree is None else filled_in(tree, self.makes, self.times, numbers)
