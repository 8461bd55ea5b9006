"""Where a script calls the `step` of an optimizer, as far as names tell."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.spellings import called, last_step
from gradstep.diagnostics.script_edits.syntax import parsed, statement_in

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = ["closure_of", "closure_without_backward", "step_calls"]


def step_calls(
    files: Mapping[str, str], optimizer: str, others: Collection[str]
) -> tuple[str, ...] | None:
    r"""Return the lines that call the `step` of an optimizer, also by a scaler.

    Args:
        files: The texts of the script's own files by name.
        optimizer: The optimizer.
        others: The other optimizers, and the schedulers.

    Returns:
        The lines, such as "train.py:12"; None where a call may be of any of them, as that of the
        variable of a loop.

    Example:
        >>> files = {"a.py": "generator_opt.step()\nscaler.step(critic_opt)\n"}
        >>> step_calls(files, "critic_opt", ["generator_opt"])
        ('a.py:2',)
    """
    own, known = last_step(optimizer), set(map(last_step, others))
    found: list[str] = []
    for file, text in files.items():
        script = parsed(text)
        if script is None:
            return None
        for call in ast.walk(script.tree):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            if call.func.attr != "step":
                continue
            names = {last_step(ast.unparse(one)) for one in (call.func.value, *call.args[:1])}
            if own in names:
                found.append(f"{file}:{call.lineno}")
            elif names.isdisjoint(known):
                return None
    return tuple(found)


def closure_of(script: ScriptSyntax, step: Statement) -> ast.FunctionDef | None:
    """Return the one function of a script that a Step is given as its closure; None without one."""
    call = called(step, "step")
    given = [] if call is None else [*call.args, *(item.value for item in call.keywords)]
    names = {one.id for one in given if isinstance(one, ast.Name)}
    found = [
        node
        for node in ast.walk(script.tree)
        if isinstance(node, ast.FunctionDef) and node.name in names
    ]
    return found[0] if len(found) == 1 else None


def closure_without_backward(files: Mapping[str, str], step: str) -> str:
    r"""Return the name of the closure of a Step that computes no gradients; "" where one may.

    Nor do the functions that it calls: none of them calls a `backward`, or names a `grad`.

    Args:
        files: The texts of the script's own files by name.
        step: The line of the Step, such as "train.py:12".

    Example:
        >>> code = "def closure():\n    return criterion(model(x), y)\n\nsgd.step(closure)\n"
        >>> closure_without_backward({"a.py": code}, "a.py:4")
        'closure'
    """
    found = statement_in(files, step)
    closure = None if found is None else closure_of(*found)
    if closure is None:
        return ""
    called_there = {
        last_step(ast.unparse(one.func)) for one in ast.walk(closure) if isinstance(one, ast.Call)
    }
    functions = (
        node
        for text in files.values()
        if (script := parsed(text)) is not None
        for node in ast.walk(script.tree)
        if isinstance(node, ast.FunctionDef) and node.name in called_there
    )
    return "" if any(map(_computes_gradients, (closure, *functions))) else closure.name


def _computes_gradients(function: ast.FunctionDef) -> bool:
    """Return whether a function calls a `backward`, or names a `grad`."""
    return any(
        (isinstance(one, ast.Call) and "backward" in ast.unparse(one.func))
        or (isinstance(one, ast.Attribute) and one.attr == "grad")
        or (isinstance(one, ast.Name) and one.id == "grad")
        for one in ast.walk(function)
    )
