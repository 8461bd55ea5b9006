"""Changes updates that a script does by hand, and clears gradients after them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.syntax import line_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = ["clear_after_update", "rebound_item", "update_in_place"]


def update_in_place(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with `w = w - step` as `w -= step`.

    In the function of the Backward that is cited first, or else in the only one with such a line.
    """
    backward, lines = cited[0], list(script.lines)
    for name in named.by_hand:
        found = [
            (one, change)
            for one in script.statements()
            if (change := _reassigned(one.node, name)) is not None
        ]
        near = [item for item in found if item[0].function is backward.function] or found
        if len(near) != 1:
            return None
        (one, (sign, right)) = near[0]
        node = one.node
        if len(line_numbers(node)) > 1 or node.end_col_offset is None:
            return None
        text = f"{name} {'-=' if isinstance(sign, ast.Sub) else '+='} {script.source(right)}"
        changed = script.respelled(node, node.col_offset, node.end_col_offset, text)
        lines[node.lineno - 1] = changed[node.lineno - 1]
    return lines


def rebound_item(script: ScriptSyntax, backward: Statement) -> str:
    """Return the variable of a loop over parameters that results are assigned to; "" for none.

    So it is in `for p in model.parameters(): p = p - lr * p.grad`, in the function of a Backward:
    the parameters keep their values.
    """
    for one in script.statements():
        loop = one.loops[-1] if one.loops and one.function is backward.function else None
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name):
            name = loop.target.id
            change = _reassigned(one.node, name)
            if change and f"{name}.grad" in {ast.unparse(part) for part in ast.walk(change[1])}:
                return name
    return ""


def _reassigned(node: ast.stmt, name: str) -> tuple[ast.operator, ast.expr] | None:
    """Return what `name = name - right` has on its right, and the sign."""
    match node:
        case ast.Assign(
            targets=[ast.Name(id=target)],
            value=ast.BinOp(ast.Name(id=left), ast.Add() | ast.Sub() as sign, right),
        ) if target == left == name:
            return sign, right
    return None


def clear_after_update(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with gradients set to None after the updates by hand in a loop.

    It is the loop of the Backward that is cited last.
    """
    loops = cited[-1].loops[-1:]
    updates = {
        name: one
        for one in script.statements()
        if loops and loops[0] in one.loops and (name := _updated(one.node))
    }
    last = max(updates.values(), key=lambda one: one.node.lineno, default=None)
    if last is None or any(one.block is not last.block for one in updates.values()):
        return None
    end = line_numbers(last.node)[-1]
    if any(
        isinstance(one, ast.Attribute) and one.attr == "grad" and one.lineno > end
        for one in ast.walk(loops[0])
    ):
        return None  # it is read once more
    owner = last.blocks[-1][0]
    is_of_each = isinstance(owner, ast.For) and [ast.unparse(owner.target)] == [*updates]
    if not is_of_each and updates.keys() != set(named.by_hand):
        return None
    indent = script.lines[last.node.lineno - 1][: last.node.col_offset]
    clears = [f"{indent}{name}.grad = None" for name in updates]
    return [*script.lines[:end], *clears, *script.lines[end:]]


def _updated(node: ast.stmt) -> str:
    """Return which tensor a statement moves by its gradient, as in `w -= lr * w.grad`."""
    match node:
        case ast.AugAssign(target=owner, op=ast.Sub(), value=moved):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="sub_"), args=[moved])):
            pass
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=owner, attr="add_"), args=[moved, *_])
        ):
            pass
        case _:
            return ""
    name = ast.unparse(owner).removesuffix(".data")
    used = {ast.unparse(one) for one in ast.walk(moved)}
    return name if used & {f"{name}.grad", f"{name}.grad.data"} else ""
