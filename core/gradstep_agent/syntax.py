"""The syntax of the user's files, as far as it tells what belongs together in a training loop."""

from __future__ import annotations

import ast
import linecache
from typing import Any

_OF_OPTIMIZERS = frozenset(("step", "zero_grad", "unscale_"))


def syntax_of(file: str) -> ast.Module:
    """Return the syntax of a file; empty where there is none."""
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def calls_its_variables(node: ast.AST) -> bool:
    """Return whether a loop does nothing but the Step or the Zero Grad of its variables."""
    if isinstance(node, ast.For):
        targets, calls = [node.target], _calls(node.body)
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        targets, calls = [part.target for part in node.generators], _calls([node.elt])
    else:
        return False
    names = {one.id for part in targets for one in ast.walk(part) if isinstance(one, ast.Name)}
    return bool(calls) and all(_is_of(call, names) for call in calls)


def _calls(body: list[Any]) -> list[ast.Call]:
    """Return the outermost calls in some statements or expressions."""
    found: list[ast.Call] = []
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            found.append(node)
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return found


def _is_of(call: ast.Call, names: set[str]) -> bool:
    """Return whether a call is the Step or the Zero Grad of a variable, or of an item by it."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _OF_OPTIMIZERS:
        return False
    owners: list[ast.AST] = [call.func.value, *call.args[:1]]
    owners += [one.slice for one in owners if isinstance(one, ast.Subscript)]
    return any(isinstance(one, ast.Name) and one.id in names for one in owners)
