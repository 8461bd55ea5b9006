"""A learning rate that a script gives an optimizer, whose saved state then brings its own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from gradstep.diagnostics.script_edits.spellings import called, last_step
from gradstep.diagnostics.script_edits.syntax import parsed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = ["GivenRate", "given_rate", "set_rate_after_loading"]


class GivenRate(NamedTuple):
    """The learning rate that a script gives an optimizer before it loads a state.

    Attributes:
        rate: The number.
        made: The line that makes the optimizer, such as "train.py:12".
        loaded: The line that loads its state.
    """

    rate: float
    made: str
    loaded: str


def given_rate(files: Mapping[str, str], optimizer: str) -> GivenRate | None:
    r"""Return which rate an optimizer is made with that loads a state; None where that is not sure.

    Args:
        files: The texts of the script's own files by name.
        optimizer: The optimizer.

    Example:
        >>> text = "opt = SGD(net.parameters(), lr=0.1)\nopt.load_state_dict(saved)\n"
        >>> given_rate({"a.py": text}, "opt")
        GivenRate(rate=0.1, made='a.py:1', loaded='a.py:2')
    """
    found = [
        GivenRate(rate, f"{file}:{made.node.lineno}", f"{file}:{loading.node.lineno}")
        for file, text in files.items()
        if (script := parsed(text)) is not None
        for loading in _loading(script, optimizer)
        if (made := _made(script, loading, optimizer)) is not None
        and (rate := _number(script, _rate_of(made))) is not None
    ]
    sets_rates = any(_names_rate(text) for text in files.values())
    return found[0] if len(found) == 1 and not sets_rates else None


def set_rate_after_loading(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with the given rate set again, after the state is loaded in those cited."""
    (loading,) = cited
    made = _made(script, loading, named.optimizer)
    rate = None if made is None else _rate_of(made)
    call = called(loading, "load_state_dict")
    if rate is None or call is None or not isinstance(call.func, ast.Attribute):
        return None
    owner = script.source(call.func.value)
    lines = script.inserted(f"for group in {owner}.param_groups:", loading.node, after=True)
    end = loading.node.end_lineno or loading.node.lineno
    indent = script.lines[loading.node.lineno - 1][: loading.node.col_offset]
    inner = "\t" if indent.startswith("\t") else "    "
    return [
        *lines[: end + 1],
        f'{indent}{inner}group["lr"] = {script.source(rate)}',
        *lines[end + 1 :],
    ]


def _loading(script: ScriptSyntax, optimizer: str) -> list[Statement]:
    """Return the statements that load a state of an optimizer."""
    return [
        one
        for one in script.statements()
        if (call := called(one, "load_state_dict")) is not None
        and isinstance(call.func, ast.Attribute)
        and last_step(ast.unparse(call.func.value)) == last_step(optimizer)
    ]


def _made(script: ScriptSyntax, loading: Statement, optimizer: str) -> Statement | None:
    """Return the last statement before that makes the optimizer, in its function."""
    made = [
        one
        for one in script.statements()
        if one.function is loading.function
        and one.node.lineno < loading.node.lineno
        and isinstance(one.node, ast.Assign)
        and last_step(optimizer) in {last_step(ast.unparse(target)) for target in one.node.targets}
    ]
    return made[-1] if made else None


def _rate_of(made: Statement) -> ast.expr | None:
    """Return the learning rate that an optimizer is made with, for all that it holds."""
    match made.node:
        case ast.Assign(value=ast.Call(args=[*args], keywords=keywords)):
            rates = [word.value for word in keywords if word.arg == "lr"] or args[1:2]
            return rates[0] if rates else None
    return None


def _number(script: ScriptSyntax, node: ast.expr | None) -> float | None:
    """Return a number of the text, also by the name of a constant of the file."""
    if isinstance(node, ast.Name):
        values = [
            one.value
            for one in ast.walk(script.tree)
            if isinstance(one, ast.Assign)
            and node.id in {ast.unparse(target) for target in one.targets}
        ]
        node = values[0] if len(values) == 1 else None
    value = node.value if isinstance(node, ast.Constant) else None
    return float(value) if isinstance(value, (int, float)) else None


def _names_rate(text: str) -> bool:
    """Return whether a file may set learning rates elsewhere, or gives groups their own."""
    script = parsed(text)
    return script is None or any(
        isinstance(node, ast.Constant) and node.value == "lr" for node in ast.walk(script.tree)
    )
