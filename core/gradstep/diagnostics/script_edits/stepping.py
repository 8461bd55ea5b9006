"""Changes where a script calls `backward`, an optimizer's `step` and a scheduler's."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.spellings import (
    called,
    callee,
    last_step,
    named_only,
    owner_of,
)
from gradstep.diagnostics.script_edits.step_calls import closure_of
from gradstep.diagnostics.script_edits.syntax import FUNCTIONS, Change, line_numbers
from gradstep.names import steps_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = [
    "call_backward",
    "divide_loss",
    "move_schedule_after_step",
    "move_schedule_into_loop",
    "move_schedule_out_of_loop",
    "move_step_into_loop",
    "remove_second_step",
    "step_after_backward",
    "step_after_last_batch",
]

_CLIPPINGS = frozenset(("clip_grad_norm_", "clip_grad_value_"))


def step_after_backward(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with a Step after the Backward, and after the clippings that follow it.

    Cited last are the Backward and the clearing that names the optimizer. A `step` that is only
    named is called. Where nothing is cleared the Backward is cited twice, and what it wrote is
    cleared after the Step.
    """
    backward, clearing = cited[-2], cited[-1]
    if clearing.node is backward.node:
        optimizer = _only_variable(script, backward, named.optimizers)
    else:
        optimizer = owner_of(script, clearing, "zero_grad", named.optimizers)
    if optimizer is None or backward.function is not clearing.function:
        return None
    if any(
        isinstance(node, ast.Call) and ast.unparse(node.func) == f"{optimizer}.step"
        for node in ast.walk(script.tree)
    ):
        return None  # it is called where the script does not come to
    for one in named_only(script, "step", [optimizer]):
        if one.block is backward.block and one.node.lineno > backward.node.lineno:
            return script.with_call(one)
    place = backward.node
    for node in backward.block[backward.block.index(place) + 1 :]:
        if node is clearing.node:
            break
        if callee(script, node, _CLIPPINGS):
            place = node
    lines = script.inserted(f"{optimizer}.step()", place, after=True)
    if clearing.node is backward.node:
        after = line_numbers(place)[-1] + 1
        lines.insert(after, lines[after - 1].replace(".step()", ".zero_grad()"))
    return lines


def _only_variable(script: ScriptSyntax, statement: Statement, names: Sequence[str]) -> str | None:
    """Return the only optimizer, if it is an argument of a statement's function, or global."""
    name = names[0] if len(names) == 1 else ""
    function = statement.function
    if isinstance(function, FUNCTIONS):
        arguments = function.args
        found = {
            one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        }
    else:
        found = {
            target.id
            for node in ast.walk(script.tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
    return name if name in found else None


def call_backward(script: ScriptSyntax, cited: Sequence[Statement], _: Named) -> list[str] | None:
    """Return the lines with the Step, which is cited, after the only Backward beside it.

    Where there is none, with the one `backward` called that is only named before it. A closure that
    the Step is given calls it on what it returns.
    """
    step = cited[-1]
    closure = closure_of(script, step)
    if closure is not None:
        return _backward_in_closure(script, closure)
    backwards = [
        one
        for one in script.statements()
        if one.block is step.block and called(one, "backward") is not None
    ]
    if backwards:
        is_only = len(backwards) == 1 and backwards[0].node.lineno > step.node.lineno
        return script.moved(step, backwards[0].node, after=True) if is_only else None
    found = [
        one
        for one in script.statements()
        if one.block is step.block
        and one.node.lineno < step.node.lineno
        and isinstance(one.node, ast.Expr)
        and isinstance(one.node.value, ast.Attribute)
        and one.node.value.attr == "backward"
    ]
    return script.with_call(found[0]) if len(found) == 1 else None


def _backward_in_closure(script: ScriptSyntax, closure: ast.FunctionDef) -> list[str] | None:
    """Return the lines with the loss differentiated that a closure returns, if that is a variable.

    A `backward` that is only named is called.
    """
    own = [one for one in script.statements() if one.function is closure]
    named = [one for one in own if ast.unparse(one.node).endswith(".backward")]
    if len(named) == 1:
        return script.with_call(named[0])
    match [one.node for one in own if isinstance(one.node, ast.Return)]:
        case [ast.Return(value=ast.Name(id=loss)) as node] if not named:
            return script.inserted(f"{loss}.backward()", node)
    return None


def remove_second_step(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines without the second of two equal Steps, the last two cited.

    Where there is another optimizer that is never stepped, it is stepped instead.
    """
    first, second = cited[-2], cited[-1]
    same = ast.unparse(first.node) == ast.unparse(second.node)
    if not same or first.node is second.node or first.block is not second.block:
        return None
    if named.optimizer:
        return _stepping(script, second, named)
    numbers = line_numbers(second.node)
    return [line for number, line in enumerate(script.lines, 1) if number not in numbers]


def _stepping(script: ScriptSyntax, step: Statement, named: Named) -> list[str] | None:
    """Return the lines in which a Step is that of another optimizer, which the script names so."""
    call, own = called(step, "step"), owner_of(script, step, "step", named.optimizers)
    if call is None or own is None or script.source(call) != f"{own}.step()":
        return None
    other = own.removesuffix(steps_of(own)[-1]) + last_step(named.optimizer)
    start, end = call.func.col_offset, call.func.end_col_offset
    is_named = any(
        isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == other
        for node in ast.walk(script.tree)
    )
    if not is_named or end is None or len(line_numbers(step.node)) > 1:
        return None
    return script.respelled(step.node, start, end, f"{other}.step")


def move_step_into_loop(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with the Step behind a loop in it, after the Backward, and a clearing.

    Cited are the Backward, first, and the Step, last.
    """
    backward, step = cited[0], cited[-1]
    optimizer, call = owner_of(script, step, "step", named.optimizers), called(step, "step")
    if optimizer is None or call is None or script.source(call) != f"{optimizer}.step()":
        return None
    owner, block = backward.blocks[-1]
    before = step.block[: step.block.index(step.node)]
    is_behind = isinstance(owner, (ast.For, ast.While)) and before[-1:] == [owner]
    numbers = line_numbers(step.node)
    if not is_behind or block is not owner.body or len(numbers) > 1:  # type: ignore[attr-defined]
        return None
    place = line_numbers(backward.node)[-1]
    indent = script.lines[place - 1][: backward.node.col_offset]
    own = script.lines[numbers[0] - 1].strip()
    rest = [line for number, line in enumerate(script.lines, 1) if number > place]
    del rest[numbers[0] - place - 1]
    added = [f"{indent}{own}", f"{indent}{optimizer}.zero_grad()"]
    return [*script.lines[:place], *added, *rest]


def step_after_last_batch(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines in which the last batch of an epoch, too, meets the condition of a Step.

    In `for i, x in enumerate(data)`, `if (i + 1) % 4 == 0` gets `or i + 1 == len(data)`.
    """
    step = cited[-1]
    owner = step.blocks[-1][0]
    loop = step.loops[-1] if step.loops else None
    if not isinstance(owner, ast.If) or not isinstance(loop, ast.For) or owner.orelse:
        return None
    if owner_of(script, step, "step", named.optimizers) is None or owner not in loop.body:
        return None
    test, batches = owner.test, loop.iter
    is_window = (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.BinOp)
        and isinstance(test.left.op, ast.Mod)
        and [type(one) for one in test.ops] == [ast.Eq]
        and ast.unparse(test.comparators[0]) == "0"
    )
    if not (
        is_window
        and isinstance(batches, ast.Call)
        and ast.unparse(batches.func) == "enumerate"
        and len(batches.args) == 1
        and not batches.keywords
        and isinstance(batches.args[0], (ast.Name, ast.Attribute))
        and isinstance(loop.target, ast.Tuple)
        and isinstance(loop.target.elts[0], ast.Name)
        and test.end_lineno == test.lineno
        and test.end_col_offset is not None
    ):
        return None
    last = f" or {loop.target.elts[0].id} + 1 == len({ast.unparse(batches.args[0])})"
    end = test.end_col_offset
    closed = script.lines[test.lineno - 1].encode()[end:].lstrip()
    if not closed.startswith(b":"):
        return None  # it stands in parentheses
    return script.respelled(owner, end, end, last)


def move_schedule_after_step(
    script: ScriptSyntax, cited: Sequence[Statement], _: Named
) -> list[str] | None:
    """Return the lines with a scheduler's step, cited first, after the optimizer's, cited last.

    That is after the loop that steps, where this stands beside the scheduler's.
    """
    schedule, step = cited[0], cited[-1]
    if schedule.function is not step.function:
        return None
    around = [owner for owner, _ in step.blocks if isinstance(owner, ast.stmt)]
    for node in (*around, step.node):
        if node in schedule.block:
            return script.moved(schedule, node, after=True)
    return None


def move_schedule_out_of_loop(
    script: ScriptSyntax, cited: Sequence[Statement], _: Named
) -> list[str] | None:
    """Return the lines with a scheduler's step after the loop over the batches that it is in.

    Other loops may be around that one, in this function or where it is called.
    """
    (one,) = cited
    loop = one.loops[-1] if one.loops else None
    call = called(one, "step")
    if not isinstance(loop, ast.For) or one.block is not loop.body or len(loop.body) == 1:
        return None
    if loop.orelse or call is None or call.args or call.keywords:
        return None
    numbers, end = line_numbers(one.node), line_numbers(loop)[-1]
    own = script.lines[one.node.lineno - 1][: one.node.col_offset]
    indent = script.lines[loop.lineno - 1][: loop.col_offset]
    text = script.text(one.node)
    if not all(line.startswith(own) for line in text) or indent.strip():
        return None
    kept = [line for number, line in enumerate(script.lines[:end], 1) if number not in numbers]
    return [*kept, *(indent + line.removeprefix(own) for line in text), *script.lines[end:]]


def move_schedule_into_loop(
    script: ScriptSyntax, cited: Sequence[Statement], _: Named
) -> list[str] | None:
    """Return the lines with a scheduler's step, cited last, after the optimizer's, cited first.

    That is in a loop beside the scheduler's.
    """
    step, schedule = cited
    call, number = called(schedule, "step"), schedule.node.lineno
    if call is None or call.args or call.keywords or len(line_numbers(schedule.node)) > 1:
        return None
    if schedule.function is not step.function or schedule.loops != step.loops[:-1]:
        return None
    if len(schedule.block) == 1 or number < step.node.lineno:
        return None
    lines = script.inserted(script.lines[number - 1].strip(), step.node, after=True)
    return [*lines[:number], *lines[number + 1 :]]


def divide_loss(script: ScriptSyntax, cited: Sequence[Statement], named: Named) -> list[str] | None:
    """Return the lines with the loss divided of which the statement before the last is a Backward.

    In `scaler.scale(loss).backward()` it is what the scaler scales.
    """
    call = called(cited[-2], "backward")
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    loss: ast.expr = call.func.value
    is_scaled = isinstance(loss, ast.Call)
    if isinstance(loss, ast.Call):
        is_scale = ast.unparse(loss.func).endswith(".scale") and len(loss.args) == 1
        if not is_scale:
            return None
        loss = loss.args[0]
    if not isinstance(loss, (ast.Name, ast.Attribute)):
        return None
    text = f"{script.source(loss)} / {named.divisor}"
    return script.changed([Change.of(loss, text if is_scaled else f"({text})")])
