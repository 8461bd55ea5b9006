"""Larger changes of a script: out of a loop, after updates by hand, and in a target's shape."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.spellings import last_step
from gradstep.diagnostics.script_edits.syntax import FUNCTIONS, line_numbers

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = [
    "cleared_after_update",
    "copied_state",
    "evaluated_around",
    "frozen",
    "made_before_loop",
    "made_for_optimizer",
    "rebound_item",
    "updated_in_place",
    "variables_set_in",
    "with_reshaped_target",
]


def made_before_loop(script: ScriptSyntax, step: Statement, optimizer: str) -> list[str] | None:
    """Return the lines with the one statement that makes an optimizer before the loops around it.

    It stays in those loops that set what its arguments are computed from.
    """
    made = [
        one
        for one in script.statements()
        if one.function is step.function
        and isinstance(one.node, ast.Assign)
        and [script.source(target) for target in one.node.targets] == [optimizer]
    ]
    if len(made) != 1 or not made[0].loops or made[0].loops[-1] not in step.loops:
        return None
    (one,) = made
    node = one.node
    assert isinstance(node, ast.Assign), "it was chosen for that"
    if not isinstance(node.value, ast.Call) or one.block is not one.loops[-1].body:  # type: ignore[attr-defined]
        return None
    used = {name.id for name in ast.walk(node.value) if isinstance(name, ast.Name)}
    around = [loop for loop in one.loops if not used & variables_set_in(loop)]
    if not around or one.loops[-1] not in around:
        return None
    loop = around[0]
    indent = script.lines[loop.lineno - 1][: loop.col_offset]
    own = script.lines[node.lineno - 1][: node.col_offset]
    text = script.text(node)
    is_alone = not script.lines[loop.lineno - 1][: loop.col_offset].strip()
    if not is_alone or not all(line.startswith(own) for line in text):
        return None
    moved = [indent + line.removeprefix(own) for line in text]
    kept = [
        (number, line)
        for number, line in enumerate(script.lines, 1)
        if number not in line_numbers(node)
    ]
    before = [line for number, line in kept if number < loop.lineno]
    return [*before, *moved, *(line for number, line in kept if number >= loop.lineno)]


def made_for_optimizer(script: ScriptSyntax, scheduler: str, optimizer: str) -> list[str] | None:
    """Return the lines with the one statement that makes a scheduler where its optimizer is known.

    If it names that optimizer already, but comes before the last statement that makes it, it is
    moved after that; else it is given that optimizer instead of the other.
    """
    made = _assignments(script, scheduler)
    if len(made) != 1 or len(line_numbers(made[0].node)) > 1:
        return None
    call = made[0].node.value  # type: ignore[attr-defined]
    if not isinstance(call, ast.Call) or not call.args:
        return None
    owner, given = call.args[0], _assignments(script, optimizer)
    latest = max(given, key=lambda one: one.node.lineno, default=None)
    if latest is None or latest.function is not made[0].function:
        return None
    is_named = ast.unparse(owner) == optimizer
    if latest.node.lineno > made[0].node.lineno:
        return script.moved(made[0], latest.node, after=True) if is_named else None
    if is_named or owner.end_col_offset is None:
        return None
    return script.respelled(made[0].node, owner.col_offset, owner.end_col_offset, optimizer)


def _assignments(script: ScriptSyntax, name: str) -> list[Statement]:
    """Return the statements that set a variable, or an attribute by the same name."""
    return [
        one
        for one in script.statements()
        if isinstance(one.node, ast.Assign)
        and [last_step(script.source(target)) for target in one.node.targets] == [last_step(name)]
    ]


def evaluated_around(script: ScriptSyntax, call: Statement, module: str) -> list[str] | None:
    """Return the lines with a module in evaluation mode around the block that calls it.

    The block is the outermost one of the call's function in which no Backward is called.

    Args:
        script: The script.
        call: The statement that calls the module.
        module: The module as the script spells it there.
    """
    owners: list[ast.stmt] = []
    for owner, _ in call.blocks:
        if isinstance(owner, (*FUNCTIONS, ast.ClassDef)):
            owners = []
        elif isinstance(owner, ast.stmt):
            owners.append(owner)
    node = next((one for one in (*owners, call.node) if not _calls_backward(one)), None)
    if node is None or node.end_lineno is None:
        return None
    if any(isinstance(one, (ast.Return, ast.Yield, ast.YieldFrom)) for one in ast.walk(node)):
        return None
    indent = script.lines[node.lineno - 1][: node.col_offset]
    if indent.strip():
        return None
    before, block = script.lines[: node.lineno - 1], script.lines[node.lineno - 1 : node.end_lineno]
    rest = script.lines[node.end_lineno :]
    return [*before, f"{indent}{module}.eval()", *block, f"{indent}{module}.train()", *rest]


def frozen(script: ScriptSyntax, name: str, attribute: str) -> list[str] | None:
    """Return the lines with the one statement that freezes nothing in a way that does.

    Args:
        script: The script.
        name: A module, as "model.features", or one of the parameters.
        attribute: What is set to False.
    """
    found = [
        (one.node, target)
        for one in script.statements()
        if isinstance(one.node, ast.Assign)
        and isinstance(one.node.value, ast.Constant)
        and one.node.value.value is False
        and len(one.node.targets) == 1
        and isinstance(target := one.node.targets[0], ast.Attribute)
        and target.attr == attribute
        and (
            attribute != "requires_grad" or last_step(ast.unparse(target.value)) == last_step(name)
        )
    ]
    if len(found) != 1:
        return None
    node, target = found[0]
    if len(line_numbers(node)) > 1 or node.end_col_offset is None:
        return None
    text = f"{script.source(target.value)}.requires_grad_(False)"
    return script.respelled(node, node.col_offset, node.end_col_offset, text)


def copied_state(script: ScriptSyntax, loading: ast.Call) -> list[str] | None:
    """Return the lines with a copy in the one statement that keeps the state which is loaded."""
    if not loading.args:
        return None
    kept = ast.unparse(loading.args[0])
    imports = [one.node.lineno for one in script.statements() if isinstance(one.node, ast.Import)]
    found = [
        (one.node, one.node.value)
        for one in script.statements()
        if isinstance(one.node, ast.Assign)
        and [ast.unparse(target) for target in one.node.targets] == [kept]
        and isinstance(one.node.value, ast.Call)
        and script.source(one.node.value).endswith(".state_dict()")
    ]
    if len(found) != 1 or len(line_numbers(found[0][0])) > 1 or not imports:
        return None
    node, value = found[0]
    function = _deep_copy(script)
    text = f"{function or 'copy.deepcopy'}({script.source(value)})"
    lines = script.respelled(node, value.col_offset, value.end_col_offset or 0, text)
    return (
        lines if function else [*lines[: imports[0] - 1], "import copy", *lines[imports[0] - 1 :]]
    )


def _deep_copy(script: ScriptSyntax) -> str:
    """Return by which name a script knows `copy.deepcopy`; "" if by none."""
    for one in script.statements():
        match one.node:
            case ast.Import(names=names):
                for item in names:
                    if item.name == "copy":
                        return f"{item.asname or item.name}.deepcopy"
            case ast.ImportFrom(module="copy", names=names):
                for item in names:
                    if item.name == "deepcopy":
                        return item.asname or item.name
    return ""


def _calls_backward(node: ast.stmt) -> bool:
    return any(
        isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr == "backward"
        for one in ast.walk(node)
    )


def variables_set_in(loop: ast.stmt) -> set[str]:
    """Return the variables that a loop sets, or of which it sets a part."""
    found = set()
    for node in ast.walk(loop):
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Name)):
            if not isinstance(node.ctx, ast.Load):
                owner: ast.expr = node
                while isinstance(owner, (ast.Attribute, ast.Subscript)):
                    owner = owner.value
                found.add(ast.unparse(owner))
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
    return found


def updated_in_place(
    script: ScriptSyntax, backward: Statement, tensors: Sequence[str]
) -> list[str] | None:
    """Return the lines with `w = w - step` as `w -= step`.

    In the function of a Backward, or else in the only one that has such a line.
    """
    lines = list(script.lines)
    for name in tensors:
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


def cleared_after_update(
    script: ScriptSyntax, backward: Statement, tensors: Sequence[str]
) -> list[str] | None:
    """Return the lines with gradients set to None after the updates by hand in a loop.

    Args:
        script: The script.
        backward: A Backward in the loop.
        tensors: What the script updates.
    """
    loops = backward.loops[-1:]
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
    if not is_of_each and updates.keys() != set(tensors):
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


def with_reshaped_target(
    script: ScriptSyntax, place: Statement, loss: str, expanded: str
) -> list[str] | None:
    """Return the lines with the target in the shape of the output that it is compared with.

    Args:
        script: The script.
        place: Where the model is called, or the Backward begins.
        loss: The variable of the loss.
        expanded: How the output was expanded: "from [32, 1] to [32, 32]".
    """
    block = [one.node for one in script.statements() if one.block is place.block]
    losses = [node for node in block if loss in _set_by(node)]
    outputs = {name for node in block if node not in losses for name in _set_by(node)}
    targets = [target for node in losses for target in _targets(node, outputs)]
    if len(losses) != 1 or len(targets) != 1 or len(line_numbers(losses[0])) > 1:
        return None
    before = expanded.partition(" to ")[0]
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
