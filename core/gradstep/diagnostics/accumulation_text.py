"""Whether the text of a script shows that it adds up gradients on purpose, and what it divides."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.spellings import last_step
from gradstep.diagnostics.script_edits.syntax import parsed, statement_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.diagnostics.script_edits.syntax import Statement

__all__ = ["accumulates_on_purpose", "undivided_by"]

_WORDS = re.compile("accum|micro")
_SETTING = re.compile(r"accum\w*\s*=\s*(?:[2-9]|[1-9]\d+)\b", re.IGNORECASE)
"""Such as `gradient_accumulation_steps=4`."""


def accumulates_on_purpose(files: Mapping[str, str], backward: str, step: str) -> bool:
    r"""Return whether a script is written so that one Step uses several Backwards of one line.

    It is where both stand in the same loop, so that a condition leaves the Step out; where the loss
    is divided in the loop of the Backward; where that loop is over micro-batches by its name; and
    where a setting says of how many batches the sum is to be. A Step after the loop of its Backward
    may as well be in the wrong place.

    Args:
        files: The texts of the script's own files by name.
        backward: The line of the Backwards, such as "train.py:12".
        step: That of the Step.

    Example:
        >>> code = "for x in data:\n  loss(x).backward()\n  if ready(): optimizer.step()"
        >>> accumulates_on_purpose({"a.py": code}, "a.py:2", "a.py:3")
        True
        >>> code = "for x in data:\n  loss(x).backward()\noptimizer.step()"
        >>> accumulates_on_purpose({"a.py": code}, "a.py:2", "a.py:3")
        False
    """
    if not backward or not step or backward == step:
        return True  # a framework does both, and is told how often
    if any(map(_SETTING.search, files.values())):
        return True
    one, other = statement_at(files, backward), statement_at(files, step)
    if one is None or other is None or not one.loops:
        return False
    if one.function is other.function and other.loops and one.loops[-1] is other.loops[-1]:
        return True
    loop = one.loops[-1]
    header = loop.test if isinstance(loop, ast.While) else _header(loop)
    return bool(_WORDS.search(ast.unparse(header).lower())) or _is_divided(one, loop)


def undivided_by(files: Mapping[str, str], backward: str, step: str) -> str:
    r"""Return of how many batches a script sums the gradients, if it divides nothing by that.

    Args:
        files: The texts of the script's own files by name.
        backward: The line of the Backwards, such as "train.py:12".
        step: That of the Step.

    Returns:
        The number, as the script spells it where it says when to step; "" where it says it
        otherwise, or where anything may make up for the sum: a division or a product with such a
        number, losses that are sums themselves, or gradients that are clipped.

    Example:
        >>> code = "for i in x:\n  loss.backward()\n  if i % 4 == 0:\n    optimizer.step()"
        >>> undivided_by({"a.py": code}, "a.py:2", "a.py:4")
        '4'
    """
    one, other = statement_at(files, backward), statement_at(files, step)
    if one is None or other is None or not one.loops or not other.loops:
        return ""
    is_near = one.function is other.function and one.loops[-1] is other.loops[-1]
    owner = other.blocks[-1][0]
    if not is_near or one.block is not one.loops[-1].body or not isinstance(owner, ast.If):  # type: ignore[attr-defined]
        return ""
    counts = [
        node.right
        for node in ast.walk(owner.test)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
    ]
    if len(counts) != 1 or not isinstance(counts[0], (ast.Name, ast.Attribute, ast.Constant)):
        return ""
    count = ast.unparse(counts[0])
    texts = [parsed(text) for text in files.values()]
    makes_up = any(script is None or _makes_up(script.tree, count) for script in texts)
    return "" if makes_up else count


def _makes_up(tree: ast.AST, count: str) -> bool:
    """Return whether anything in a file may make up for a sum of so many batches."""
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(op=ast.Div() | ast.Mult(), left=left, right=right):
                operands = [ast.unparse(left), ast.unparse(right)]
            case ast.AugAssign(op=ast.Div() | ast.Mult(), value=value):
                operands = [ast.unparse(value)]
            case ast.Constant(value="sum") | ast.Call(func=ast.Attribute(attr="sum"), args=[]):
                return True
            case ast.Attribute(attr=name) | ast.Name(id=name) if "clip_grad" in name:
                return True
            case _:
                continue
        steps = {last_step(operand) for operand in operands}
        if last_step(count) in steps or any(_WORDS.search(step.lower()) for step in steps):
            return True
    return False


def _header(loop: ast.stmt) -> ast.expr:
    assert isinstance(loop, (ast.For, ast.AsyncFor)), "a loop"
    return ast.Tuple([loop.target, loop.iter], ast.Load())


def _is_divided(backward: Statement, loop: ast.stmt) -> bool:
    """Return whether the loss, or what it is set to in the loop, is divided."""
    losses = _losses(backward.node)
    if any(isinstance(loss, ast.BinOp) and isinstance(loss.op, ast.Div) for loss in losses):
        return True
    names = {ast.unparse(loss) for loss in losses}
    for node in ast.walk(loop):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            target: ast.expr = node.target
        elif (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.BinOp)
            and isinstance(node.value.op, ast.Div)
        ):
            target = node.targets[0]
        else:
            continue
        if ast.unparse(target) in names:
            return True
    return False


def _losses(node: ast.stmt) -> list[ast.expr]:
    """Return what a statement calls `backward` of, or gives to a `backward` of something else."""
    found: list[ast.expr] = []
    for call in ast.walk(node):
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "backward"
        ):
            scaled = call.func.value
            if isinstance(scaled, ast.Call) and ast.unparse(scaled.func).endswith(".scale"):
                found += scaled.args  # of a GradScaler
            found += [scaled, *call.args[:1]]
    return found
