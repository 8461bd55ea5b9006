"""Changes where a script puts a module in training or in evaluation mode."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.spellings import (
    callee,
    items_of,
    last_step,
    named_only,
    spellings,
)
from gradstep.diagnostics.script_edits.syntax import FUNCTIONS, parsed, statement_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = ["evaluate_around_call", "is_evaluated_by", "train_before_call", "training_condition"]


def train_before_call(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with a module in training mode before it is called.

    Before the loop that calls it, unless this leaves it in evaluation mode or goes over modules.
    Cited are the Event that shows evaluation mode, first, and a Backward, last but one. A `train`
    that is only named is called, where nothing undoes it. Where each phase of a loop chooses the
    mode, the Backward and the Step, cited last, are left to the training.
    """
    evaluation, backward, (module, *others) = cited[0], cited[-2], named.modules
    if condition := _condition(backward):
        return _under(script, condition, backward, cited[-1])
    calls = [
        (one, spelled)
        for one in script.statements()
        if one.function is backward.function
        and one.loops[-1:] == backward.loops[-1:]
        and one.node.lineno <= backward.node.lineno
        and (spelled := callee(script, one.node, spellings(module, one.loops)))
    ]
    if others or not calls:
        return None
    call, spelled = calls[-1]
    inner = call.loops[-1] if len(call.loops) > 1 else None
    function = evaluation.function
    is_elsewhere = function is not call.function and isinstance(function, FUNCTIONS)
    names = {"eval", function.name} if is_elsewhere else {"eval"}  # type: ignore[attr-defined]
    for one in named_only(script, "train", [spelled]):
        within = call.loops[len(one.loops) :]
        is_before = one.function is call.function and one.loops == call.loops[: len(one.loops)]
        if is_before and one.node.lineno < call.node.lineno:
            is_kept = not any(callee(script, loop, names) for loop in within)
            return script.with_call(one) if is_kept else None
    if inner is None or callee(script, inner, names) or spelled in items_of(module, [inner]):
        inner = call.node  # the loop itself leaves it in evaluation mode, or says which one it is
    return script.inserted(f"{spelled}.train()", inner)


def training_condition(files: Mapping[str, str], backward: str) -> str:
    r"""Return on which condition a loop puts a module in training mode, else in evaluation mode.

    Args:
        files: The texts of the script's own files by name.
        backward: The line of the Backward in that loop, such as "train.py:12".

    Returns:
        The condition, as `ast` spells it; "" where there is none, or more than one.

    Example:
        >>> code = "for phase in phases:\n    net.train(phase == 0)\n    f(phase).backward()\n"
        >>> training_condition({"a.py": code}, "a.py:3")
        'phase == 0'
    """
    statement = statement_at(files, backward)
    return "" if statement is None else _condition(statement)


def _condition(backward: Statement) -> str:
    found = {
        condition: None
        for loop in backward.loops[:1]
        for node in ast.walk(loop)
        if (condition := _mode_condition(node))
    }
    return next(iter(found)) if len(found) == 1 else ""


def _mode_condition(node: ast.AST) -> str:
    match node:
        case ast.If(test=test, body=[*body], orelse=[*others]):
            trains, evaluates = ast.unparse(body), ast.unparse(others)  # type: ignore[arg-type]
            is_chosen = ".train()" in trains and ".eval()" in evaluates
            return ast.unparse(test) if is_chosen else ""
        case ast.Call(func=ast.Attribute(attr="train"), args=[ast.Compare() | ast.Name() as test]):
            return ast.unparse(test)
    return ""


def _under(
    script: ScriptSyntax, condition: str, first: Statement, last: Statement
) -> list[str] | None:
    """Return the lines from one statement to another one of its block under a condition."""
    start, end = first.node.lineno - 1, last.node.end_lineno
    if first.block is not last.block or end is None or end <= start:
        return None
    indent = script.lines[start][: first.node.col_offset]
    inner = [f"    {line}" if line else line for line in script.lines[start:end]]
    return [*script.lines[:start], f"{indent}if {condition}:", *inner, *script.lines[end:]]


def evaluate_around_call(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with a module in evaluation mode around the block that calls it.

    The block is the outermost one of the call's function in which no Backward is called; the call
    is cited last.
    """
    call, module = cited[-1], named.modules[0]
    spelled = callee(script, call.node, spellings(module, call.loops))
    owners: list[ast.stmt] = []
    for owner, _ in call.blocks:
        if isinstance(owner, (*FUNCTIONS, ast.ClassDef)):
            owners = []
        elif isinstance(owner, ast.stmt):
            owners.append(owner)
    node = next((one for one in (*owners, call.node) if not _calls_backward(one)), None)
    if not spelled or node is None or node.end_lineno is None:
        return None
    if any(isinstance(one, (ast.Return, ast.Yield, ast.YieldFrom)) for one in ast.walk(node)):
        return None
    indent = script.lines[node.lineno - 1][: node.col_offset]
    if indent.strip():
        return None
    before, block = script.lines[: node.lineno - 1], script.lines[node.lineno - 1 : node.end_lineno]
    rest = script.lines[node.end_lineno :]
    return [*before, f"{indent}{spelled}.eval()", *block, f"{indent}{spelled}.train()", *rest]


def is_evaluated_by(files: Mapping[str, str], place: str, module: str) -> bool:
    """Return whether the function of a call puts in evaluation mode what is called there.

    A function that only evaluates, which calls no Backward; and nothing else puts that in
    evaluation mode, as a script does that trains in it on purpose.

    Args:
        files: The texts of the script's own files by name.
        place: The line of the call, such as "train.py:12".
        module: The module that is called.
    """
    call = statement_at(files, place)
    function = None if call is None else call.function
    if call is None or not isinstance(function, FUNCTIONS) or _calls_backward(function):
        return False
    called = {ast.unparse(one.func) for one in ast.walk(call.node) if isinstance(one, ast.Call)}
    scripts = [script for text in files.values() if (script := parsed(text)) is not None]
    put = [
        (one, owner)
        for script in scripts
        for one in script.statements()
        if (owner := _evaluated_in(one.node))
    ]
    own = {
        owner
        for one, owner in put
        if one.function is function and one.node.lineno < call.node.lineno
    }
    names = {last_step(name) for name in (module, *own)}
    others = {last_step(owner) for one, owner in put if one.function is not function}
    return not own.isdisjoint(called) and names.isdisjoint(others)


def _evaluated_in(node: ast.stmt) -> str:
    """Return what a statement puts in evaluation mode; "" for any other statement."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="eval"))):
            return ast.unparse(owner)
    return ""


def _calls_backward(node: ast.stmt) -> bool:
    return any(
        isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr == "backward"
        for one in ast.walk(node)
    )
