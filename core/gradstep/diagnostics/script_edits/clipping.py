"""Changes where a script clips gradients: after Backward, unscaled, and before the Step."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.spellings import called, is_step_of_scaler

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = ["move_clipping_after_backward", "move_clipping_before_step", "unscale_before_clipping"]


def move_clipping_after_backward(
    script: ScriptSyntax, cited: Sequence[Statement], _: Named
) -> list[str] | None:
    """Return the lines with a clipping after the Backward: they are cited in this order."""
    return script.moved(cited[0], cited[1].node, after=True)


def move_clipping_before_step(
    script: ScriptSyntax, cited: Sequence[Statement], _: Named
) -> list[str] | None:
    """Return the lines with a clipping, cited last, before the Step that is cited first.

    Not before that of a GradScaler, which unscales the gradients only there.
    """
    if is_step_of_scaler(cited[0]):
        return None
    return script.moved(cited[-1], cited[0].node)


def unscale_before_clipping(
    script: ScriptSyntax, cited: Sequence[Statement], _: Named
) -> list[str] | None:
    """Return the lines with `scaler.unscale_(optimizer)` before a clipping.

    Cited are the clipping and the Step that the scaler does.
    """
    clipping, step = cited
    call = called(step, "step")
    if call is None or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    if clipping.function is not step.function:
        return None
    scaler, optimizer = script.source(call.func.value), script.source(call.args[0])
    return script.inserted(f"{scaler}.unscale_({optimizer})", clipping.node)
