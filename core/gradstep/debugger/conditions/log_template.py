"""LogTemplate: the text of a log line, with `{expressions}` such as `{iteration}: loss {loss}`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.conditions.condition import Query
from gradstep.debugger.conditions.evaluation_context import MISSING
from gradstep.errors import ExpressionError
from gradstep.program.schema.limits import MAX_EXPRESSION
from gradstep.short_number import short_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.debugger.conditions.evaluation_context import EvaluationContext

__all__ = ["LogTemplate", "value_text"]

_PIECES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+")
_SHOWN = 8
"""Elements up to which an array is written out; larger ones show shape and norm."""


class LogTemplate:
    """A text to be filled in at a moment; `{{` and `}}` are the braces themselves.

    Args:
        text: The text.
        context: Where names get their values.
        written: Writes a value as text; `value_text` by default.

    Raises:
        ExpressionError: A brace has no partner, or an expression is wrong.

    Example:
        >>> from gradstep.debugger.conditions.evaluation_context import EvaluationContext
        >>> from gradstep.program.document.codec import decode
        >>> from gradstep.program.program import Program
        >>> program = Program.from_spec(decode(
        ...     b'{"gradstep": 1, "tensors": {"x": {"value": [3, 4], "requires_grad": true}}}'))
        >>> LogTemplate('{iteration}: |x| = {norm(data("x"))}', EvaluationContext(program)).filled()
        '0: |x| = 5'
    """

    __slots__ = ("_parts", "_written", "text")

    def __init__(
        self,
        text: str,
        context: EvaluationContext,
        written: Callable[[Any], str] | None = None,
    ) -> None:
        if len(text) > MAX_EXPRESSION:
            raise ExpressionError(f"a log text of {len(text)} characters", f"use {MAX_EXPRESSION}")
        self.text = text
        self._written = value_text if written is None else written
        self._parts: list[str | Query] = []
        for piece in _PIECES.finditer(text):
            found = piece.group()
            if found in {"{", "}"}:
                raise ExpressionError(
                    f"a brace {found} stands alone in the log text",
                    f"write {found * 2} for the brace itself",
                    piece.start() + 1,
                )
            inner = piece.group(1)
            if inner is None:
                self._parts.append(found[0] if found in {"{{", "}}"} else found)
            else:
                self._parts.append(_query(inner, context))

    @property
    def queries(self) -> tuple[Query, ...]:
        """The expressions in it."""
        return tuple(part for part in self._parts if isinstance(part, Query))

    def filled(self) -> str:
        """Return the text with its values; one that cannot be computed is replaced by its error."""
        return "".join(part if isinstance(part, str) else self._value(part) for part in self._parts)

    def _value(self, query: Query) -> str:
        try:
            return self._written(query.value())
        except ExpressionError as error:
            return f"<{error.message}>"


def _query(text: str, context: EvaluationContext) -> Query:
    try:
        return Query(text, context)
    except ExpressionError as error:
        raise ExpressionError(
            f"in the log text, {{{text}}}: {error.message}", error.remedy
        ) from None


def value_text(value: Any, digits: int = 6) -> str:  # noqa: ANN401 - the value of a query
    """Return a value as text for one line.

    Args:
        value: The value.
        digits: The most significant digits of each number.

    Example:
        >>> value_text(0.1 + 0.2), value_text(np.arange(3.0)), value_text(np.zeros((9, 9)))
        ('0.3', '[0, 1, 2]', '9 x 9 array of norm 0')
    """
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, np.ndarray) and value.ndim:
        if value.size <= _SHOWN:
            parts = (short_number(float(part), digits) for part in value.reshape(-1).tolist())
            return f"[{', '.join(parts)}]"
        size = " x ".join(map(str, value.shape))
        norm = float(np.linalg.norm(value.astype(np.float64)))
        return f"{size} array of norm {short_number(norm, digits)}"
    return "None" if value is MISSING else short_number(float(value), digits)
