"""Changes of the loops that draw batches."""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = ["set_epoch"]


def set_epoch(script: ScriptSyntax, cited: Sequence[Statement], named: Named) -> list[str] | None:
    """Return the lines with the epoch given to a sampler before the loop over its batches.

    The loop around that one counts the epochs; the Step in both is cited last.
    """
    loops = cited[-1].loops
    for epochs, batches in pairwise(loops):
        if isinstance(batches, ast.For) and _mentions(script, batches.iter, named.loader):
            if not isinstance(epochs, ast.For) or not isinstance(epochs.target, ast.Name):
                return None
            if "range(" not in script.source(epochs.iter) or batches not in epochs.body:
                return None
            call = f"{named.loader}.sampler.set_epoch({epochs.target.id})"
            return script.inserted(call, batches)
    return None


def _mentions(script: ScriptSyntax, expression: ast.expr, name: str) -> bool:
    parts = (part for part in ast.walk(expression) if isinstance(part, (ast.Name, ast.Attribute)))
    return any(script.source(part) == name for part in parts)
