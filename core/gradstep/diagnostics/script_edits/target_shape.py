"""Changes the shape of a target where it is compared with an output."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.syntax import line_numbers

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
    if len(losses) != 1 or len(targets) != 1 or len(line_numbers(losses[0])) > 1:
        return None
    before = named.expanded.partition(" to ")[0]
    is_column = before.endswith(", 1]")
    end = targets[0].end_col_offset
    if end is None or (not is_column and "," in before):  # a row
        return None
    change = ".reshape(-1, 1)" if is_column else ".squeeze(1)"  # of a row, too
    return script.respelled(losses[0], end, end, change)


def _set_by(node: ast.stmt) -> list[str]:
    """Return the variable that a statement sets, if it is all that it sets."""
    is_one = isinstance(node, ast.Assign) and len(node.targets) == 1
    return [ast.unparse(node.targets[0])] if is_one else []  # type: ignore[attr-defined]


def _targets(node: ast.stmt, outputs: Collection[str]) -> list[ast.Name]:
    """Return the variables that an output is compared with in a statement.

    Args:
        node: The statement, such as `loss = criterion(output, y)`, or `((output - y) ** 2).mean()`.
        outputs: The variables that the statements beside it set.
    """
    found = []
    for one in ast.walk(node):
        match one:
            case ast.Call(args=[result, ast.Name() as target]):
                pairs = [(result, target)]
            case ast.BinOp(op=ast.Sub(), left=result, right=ast.Name() as target):
                pairs = [(result, target)]
                if isinstance(result, ast.Name):
                    pairs.append((target, result))
            case _:
                continue
        found += [
            target
            for result, target in pairs
            if isinstance(result, ast.Call) or ast.unparse(result) in outputs
        ]
    return found
