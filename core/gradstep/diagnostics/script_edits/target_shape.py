"""Changes the shape of a target where it is compared with an output."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.syntax import KEEPING_METHODS, Change

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = ["reshape_target"]


def reshape_target(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with the target in the shape of the output that it is compared with.

    Cited last is where the model is called, or the Backward begins, in the block of the loss.
    """
    block = [one.node for one in script.statements() if one.block is cited[-1].block]
    losses = [node for node in block if named.loss in _set_by(node)]
    outputs = {name for node in block if node not in losses for name in _set_by(node)}
    targets = [target for node in losses for target in _targets(node, outputs)]
    if len(losses) != 1 or len(targets) != 1:
        targets = _labels(block)
    before = named.expanded.partition(" to ")[0]
    is_column = before.endswith(", 1]")
    if not targets or (not is_column and "," in before):  # a row
        return None
    change = ".reshape(-1, 1)" if is_column else ".squeeze(1)"  # of a row, too
    texts = [(target, script.source(target)) for target in targets]
    return script.changed(
        Change.of(target, (f"({text})" if isinstance(target, ast.BinOp) else text) + change)
        for target, text in texts
    )


def _set_by(node: ast.stmt) -> list[str]:
    """Return the variable that a statement sets, if it is all that it sets."""
    is_one = isinstance(node, ast.Assign) and len(node.targets) == 1
    return [ast.unparse(node.targets[0])] if is_one else []  # type: ignore[attr-defined]


def _targets(node: ast.stmt, outputs: Collection[str]) -> list[ast.expr]:
    """Return the targets that an output is compared with in a statement.

    Args:
        node: The statement, such as `loss = criterion(output, y)`, or `((output - y) ** 2).mean()`.
        outputs: The variables that the statements beside it set.
    """
    found: list[ast.expr] = []
    for one in ast.walk(node):
        match one:
            case ast.Call(args=[result, target]):
                pairs = [(result, target)]
            case ast.BinOp(op=ast.Sub(), left=result, right=target):
                pairs = [(result, target), (target, result)]
            case _:
                continue
        pairs = [
            (result, target)
            for result, target in pairs
            if _is_output(result, outputs) and _is_data(target)
        ]
        if isinstance(one, ast.BinOp) and not pairs and not _has_number(one):
            return []  # which of the differences is the error, as of (output - mean) / std - y
        found += [target for _, target in pairs]
    return found


def _labels(block: Sequence[ast.stmt]) -> list[ast.expr]:
    """Return where a likelihood by hand has its labels: y * log(p) + (1 - y) * log(1 - p).

    Args:
        block: The statements of the loss's block, of which one has it.
    """
    set_by_calls = {
        name
        for node in block
        if isinstance(node, ast.Assign) and not _is_data(node.value)
        for name in _set_by(node)
    }
    found: dict[str, list[ast.expr]] = {}
    for node in block:
        plain: dict[str, list[ast.expr]] = {}
        inverted: dict[str, list[ast.expr]] = {}
        for one in ast.walk(node):
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult):
                for factor in (_unsigned(one.left), _unsigned(one.right)):
                    match factor:
                        case ast.BinOp(left=ast.Constant(value=1 | 1.0), op=ast.Sub(), right=label):
                            inverted.setdefault(ast.unparse(label), []).append(label)
                        case _:
                            plain.setdefault(ast.unparse(factor), []).append(factor)
        for name, labels in plain.items():
            if name in inverted and name not in set_by_calls and all(map(_is_data, labels)):
                found[name] = [*found.get(name, ()), *labels, *inverted[name]]
    return next(iter(found.values())) if len(found) == 1 else []


def _unsigned(node: ast.expr) -> ast.expr:
    """Return an operand without its sign: y of -y * log(p)."""
    return node.operand if isinstance(node, ast.UnaryOp) else node


def _is_output(node: ast.expr, outputs: Collection[str]) -> bool:
    """Return whether an expression is what a model has computed, as far as the text tells."""
    if _is_data(node):
        owner = node
        while isinstance(owner, (ast.Attribute, ast.Subscript, ast.Call)):
            owner = owner.func if isinstance(owner, ast.Call) else owner.value
        return ast.unparse(owner) in outputs or ast.unparse(node) in outputs
    return isinstance(node, ast.Call)


def _is_data(node: ast.expr) -> bool:
    """Return whether an expression calls no model: a variable, a part of one, or a sum of some."""
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=owner) | ast.Subscript(value=owner):
            return _is_data(owner)
        case ast.Call(func=ast.Attribute(value=owner, attr=method)):
            return method in KEEPING_METHODS and _is_data(owner)
        case ast.BinOp(left=left, right=right):
            operands = [one for one in (left, right) if not isinstance(one, ast.Constant)]
            return bool(operands) and all(map(_is_data, operands))
        case _:
            return False


def _has_number(node: ast.BinOp) -> bool:
    return isinstance(node.left, ast.Constant) or isinstance(node.right, ast.Constant)
