"""Rules of recorded operations in words: what each says of itself where it is computed.

An operation's class names its formula, and its gradient rule names the derivative, each in the
first line of its documentation; so the rule that is shown stands beside the code that computes it.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

from gradstep.optim.term import Formula

if TYPE_CHECKING:
    from gradstep.autograd.graph import Node

__all__ = ["backward_rule", "forward_rule"]

_DIFFERENTIAL = re.compile(r"^D(?=[a-z] = )")
"""A differential that begins a sentence, as in "Dx = ..."."""


def forward_rule(node: Node) -> Formula:
    """Return what an operation computes.

    Example:
        >>> import gradstep
        >>> x = gradstep.ones(2, requires_grad=True)
        >>> forward_rule((100 * x).grad_fn).text, backward_rule((100 * x).grad_fn).text
        ('input * other', 'd(a b) = b da + a db')
    """
    return Formula(_first_line(type(node).__doc__), "")


def backward_rule(node: Node) -> Formula:
    """Return how an operation's gradient follows from the one that comes in."""
    rule = _first_line(inspect.getdoc(type(node).vjp))
    return Formula(_DIFFERENTIAL.sub("d", rule), "")


def _first_line(documentation: str | None) -> str:
    return (documentation or "").partition("\n")[0].removesuffix(".")
