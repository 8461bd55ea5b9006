"""Changes where a script clears gradients: the calls of `zero_grad`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.by_hand import clear_after_update
from gradstep.diagnostics.script_edits.spellings import (
    called,
    callee,
    is_spelled,
    named_only,
    owner_of,
    spellings,
)
from gradstep.diagnostics.script_edits.step_calls import closure_of
from gradstep.diagnostics.script_edits.syntax import line_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = [
    "clear_before_backward",
    "clear_for_update",
    "clear_in_closure",
    "clear_module_before_step",
    "clear_to_none",
    "clear_with_step",
    "move_clearing_after_step",
]


def clear_for_update(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with the gradients cleared before the Backward of an update.

    Cited last are the first Backward and the Step. They are cleared after the Step where these are
    not in one block: the Backward may be one of several. A `zero_grad` that is only named beside
    them is called.
    """
    if named.by_hand:
        return clear_after_update(script, cited, named)
    backward, step = cited[-2], cited[-1]
    optimizer = owner_of(script, step, "step", named.optimizers)
    if optimizer is None:
        return None
    between = range(backward.node.lineno, step.node.lineno)
    for one in named_only(script, "zero_grad", [optimizer]):
        if one.block is backward.block is step.block and one.node.lineno not in between:
            return script.with_call(one)
    call = f"{optimizer}.zero_grad()"
    if backward.block is step.block and backward.node.lineno < step.node.lineno:
        return script.inserted(call, backward.node)
    return script.inserted(call, step.node, after=True)


def move_clearing_after_step(
    script: ScriptSyntax, cited: Sequence[Statement], _: Named
) -> list[str] | None:
    """Return the lines with a clearing after the Step that follows it, the last two cited."""
    clearing, step = cited[-2], cited[-1]
    if called(clearing, "zero_grad") is None:
        return None
    return script.moved(clearing, step.node, after=True)


def clear_with_step(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with a clearing of each iteration only where the Step is: in its `if`.

    Cited last are the clearing and the Step.
    """
    clearing, step = cited[-2], cited[-1]
    owner, _ = step.blocks[-1]
    optimizer = owner_of(script, step, "step", named.optimizers)
    numbers = line_numbers(clearing.node)
    is_one = called(clearing, "zero_grad") is not None and len(numbers) == 1
    if optimizer is None or not is_one or not isinstance(owner, ast.If):
        return None
    if owner not in clearing.block or clearing.node.lineno > owner.lineno:
        return None
    text = script.lines[numbers[0] - 1].strip()
    lines = script.inserted(text, step.node, after=True)
    del lines[numbers[0] - 1]
    return lines


def clear_before_backward(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with an optimizer's gradients cleared before the second of two Backwards.

    Cited are both Backwards, of different losses, and the Step of the optimizer.
    """
    first, second, step = cited
    if not named.uncleared or first.node is second.node:
        return None
    if first.block is not second.block:
        return None
    optimizer = owner_of(script, step, "step", (named.uncleared,))
    if optimizer is None or second.function is not step.function:
        return None
    return script.inserted(f"{optimizer}.zero_grad()", second.node)


def clear_module_before_step(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with a module's gradients cleared between a Backward and a Step.

    Cited are a Backward that is to reach the module, another one, and the Step.
    """
    alone, backward, step = cited
    one_function = alone.function is backward.function is step.function
    if not one_function or backward.node.lineno >= step.node.lineno:
        return None
    for one in script.statements():
        spelled = callee(script, one.node, spellings(named.spared, ()))
        if spelled and (one.function is step.function or is_spelled(spelled, named.spared)):
            return script.inserted(f"{spelled}.zero_grad()", backward.node, after=True)
    return None


def clear_in_closure(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with the gradients cleared before the one Backward in a Step's closure."""
    closure = closure_of(script, cited[-1])
    optimizer = owner_of(script, cited[-1], "step", named.optimizers)
    if closure is None or optimizer is None:
        return None
    backwards = [
        one
        for one in script.statements()
        if one.function is closure and called(one, "backward") is not None
    ]
    if len(backwards) != 1 or backwards[0].loops:
        return None
    return script.inserted(f"{optimizer}.zero_grad()", backwards[0].node)


def clear_to_none(script: ScriptSyntax, cited: Sequence[Statement], _: Named) -> list[str] | None:
    """Return the lines with `zero_grad(set_to_none=False)` as `zero_grad()`, the first cited."""
    clearing = cited[0].node
    call = called(cited[0], "zero_grad")
    if call is None or call.args or [one.arg for one in call.keywords] != ["set_to_none"]:
        return None
    if len(line_numbers(clearing)) > 1 or call.end_col_offset is None:
        return None
    text = f"{ast.unparse(call.func)}()"
    return script.respelled(clearing, call.col_offset, call.end_col_offset, text)
