"""In which line a script freezes a module, as far as the text tells."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.spellings import last_step
from gradstep.diagnostics.script_edits.syntax import parsed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gradstep.diagnostics.script_edits.syntax import Statement

__all__ = ["freezing_line"]


def freezing_line(files: Mapping[str, str], module: str) -> str:
    r"""Return the one line that sets `requires_grad` of a module's parameters to False.

    Args:
        files: The texts of the script's own files by name.
        module: The module.

    Returns:
        The line, such as "train.py:12"; "" where there is none, or where others set it, too.

    Example:
        >>> code = "for p in net.body.parameters():\n    p.requires_grad = False\n"
        >>> freezing_line({"a.py": code}, "net")
        'a.py:2'
    """
    found = [
        (f"{file}:{one.node.lineno}", is_frozen)
        for file, text in files.items()
        if (script := parsed(text)) is not None
        for one in script.statements()
        for owner, is_frozen in _set_in(one.node)
        if last_step(module) in _named_by(owner, one)
    ]
    return found[0][0] if len(found) == 1 and found[0][1] else ""


def _set_in(node: ast.stmt) -> Iterator[tuple[ast.expr, bool]]:
    """Yield of what a statement sets `requires_grad`, and whether that is to False."""
    match node:
        case ast.Assign(targets=[ast.Attribute(value=owner, attr="requires_grad")], value=value):
            yield owner, ast.unparse(value) == "False"
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=owner, attr="requires_grad_"), args=given)
        ):
            yield owner, [ast.unparse(one) for one in given] == ["False"]


def _named_by(owner: ast.expr, statement: Statement) -> set[str]:
    """Return the variables in an expression, or in what the loops go over whose variable it is."""
    sources = [owner]
    for loop in statement.loops:
        if isinstance(loop, ast.For) and ast.unparse(owner) in ast.unparse(loop.target):
            sources.append(loop.iter)
    return {
        last_step(ast.unparse(part))
        for source in sources
        for part in ast.walk(source)
        if isinstance(part, (ast.Name, ast.Attribute))
    }
