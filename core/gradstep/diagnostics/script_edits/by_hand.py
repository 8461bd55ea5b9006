"""Changes updates that a script does by hand, and what they update, and clears gradients."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from gradstep.diagnostics.script_edits.syntax import line_numbers, statement_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = [
    "Assignment",
    "assignment_of",
    "clear_after_update",
    "make_leaf",
    "rebound_item",
    "update_in_place",
    "update_without_graph",
]

_OF_LEAVES = frozenset(("requires_grad_", "detach", "retain_grad", "item", "numpy", "tolist"))
"""Methods after which a tensor is no result of the one before, or no tensor."""


class Assignment(NamedTuple):
    """What gave a variable its value.

    Attributes:
        line: The line.
        is_update: Whether it is like `w = w - lr * w.grad`.
    """

    line: int
    is_update: bool


def assignment_of(files: Mapping[str, str], place: str, name: str) -> Assignment | None:
    """Return the one line that assigns a variable a result; None where the text does not show it.

    Args:
        files: The texts of the script's own files by name.
        place: The line in which the variable holds the result, such as "train.py:12".
        name: The variable, such as "w" or "self.w".
    """
    found = statement_in(files, place)
    if found is None:
        return None
    script, cited = found
    assigned = _assignments(script, cited, name)
    results = [one for one in assigned if _as_leaf(script, one.node)]
    updates = [one for one in assigned if _updates_itself(one.node, name)]
    chosen = results or updates or assigned
    if len(chosen) != 1 or _is_leaf(chosen[0].node):
        return None
    return Assignment(chosen[0].node.lineno, chosen == updates)


def _assignments(script: ScriptSyntax, cited: Statement, name: str) -> list[Statement]:
    """Return what assigns to a variable, in the function of a statement, or else in the file."""
    attribute = name.rpartition(".")[2]
    for spelled in (name, f"self.{attribute}") if "." in name else (name,):
        found = [
            one
            for one in script.statements()
            if isinstance(one.node, ast.Assign)
            and any(spelled in _elements(target) for target in one.node.targets)
        ]
        near = [one for one in found if one.function is cited.function]
        if near:
            return near
        if "." in name:
            if found:
                return found
        elif not _binds(cited.function, name):
            return [one for one in found if isinstance(one.function, ast.Module)]
    return []


def _elements(target: ast.expr) -> list[str]:
    """Return the variables that an assignment has on its left."""
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return [ast.unparse(part) for part in parts]


def _binds(function: ast.AST, name: str) -> bool:
    """Return whether a function has a variable as an argument, or as that of a loop."""
    return any(
        (isinstance(node, ast.arg) and node.arg == name)
        or (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
        for node in ast.walk(function)
        if not isinstance(function, ast.Module)
    )


def _updates_itself(node: ast.stmt, name: str) -> bool:
    """Return whether a statement is `w = w - step`, also as one of several: `w, b = ...`."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            pairs = zip(targets, values, strict=False)
            single = (ast.Assign([target], value) for target, value in pairs)
            return any(_reassigned(one, name) is not None for one in single)
    return _reassigned(node, name) is not None


def _is_leaf(node: ast.stmt) -> bool:
    """Return whether an assignment makes a tensor that is a leaf."""
    value = getattr(node, "value", None)
    return isinstance(value, ast.Call) and value in list(_made_with_gradient(value))


def update_in_place(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with `w = w - step` as `w -= step`.

    In the function of the Backward that is cited first, or else in the only one with such a line.
    Where the line that ended the script is known, gradients were enabled: they are to be disabled.
    """
    if named.line:
        name = named.by_hand[0]
        assigned = _assignments(script, cited[0], name)
        updates = [one for one in assigned if _reassigned(one.node, name) is not None]
        return _without_graph(script, updates[0]) if len(updates) == 1 else None
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
            targets=[ast.Name() | ast.Attribute() | ast.Subscript() as target],
            value=ast.BinOp(left, ast.Add() | ast.Sub() as sign, right),
        ) if ast.unparse(target) == ast.unparse(left) == name:
            return sign, right
    return None


def update_without_graph(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with the update that failed, and those around it, under no_grad()."""
    name, updated = named.by_hand[0], _updated(cited[0].node)
    return _without_graph(script, cited[0]) if updated == name else None


def _without_graph(script: ScriptSyntax, update: Statement) -> list[str] | None:
    """Return the lines with an update and those around it in place, and under no_grad().

    Where nothing clears the gradients, that follows: they are no new tensors any longer.
    """
    tree = script.tree
    has_torch = any(
        isinstance(node, ast.Import)
        and any((one.name, one.asname) == ("torch", None) for one in node.names)
        for node in ast.walk(tree)
    )
    run = _updates_around(script, update)
    names = dict.fromkeys(name for one in run if (name := _moved(one)))
    ends = {line for one in run for line in line_numbers(one)}
    others = [
        one
        for one in script.statements()
        if one.function is update.function and _moved(one.node) and one.node not in run
    ]
    is_update = bool(run) and bool(_moved(update.node))
    if not has_torch or not is_update or others or len(ends) != len(run):
        return None
    first, end = run[0], run[-1].lineno
    clears: list[str] = []
    indent = script.lines[first.lineno - 1][: first.col_offset]
    if not _clears_gradients(tree):
        around = update.loops[0] if update.loops else update.function
        if any(
            isinstance(one, ast.Attribute) and one.attr == "grad" and one.lineno > end
            for one in ast.walk(around)
        ):
            return None  # it is read once more
        clears = [f"{indent}{name}.grad = None" for name in names]
    inner = "\t" if indent.startswith("\t") else "    "
    body = [f"{inner}{_in_place(script, one)}" for one in run]
    start = script.lines[: first.lineno - 1]
    return [*start, f"{indent}with torch.no_grad():", *body, *clears, *script.lines[end:]]


def _updates_around(script: ScriptSyntax, update: Statement) -> list[ast.stmt]:
    """Return an update with those before and after it, and what clears gradients in between."""
    block = list(update.block)
    at = first = last = block.index(update.node)
    for place in range(at, len(block)):
        if not (_moved(block[place]) or _cleared(block[place])):
            break
        last = place if _moved(block[place]) else last
    for place in range(at, -1, -1):
        if not (_moved(block[place]) or _cleared(block[place])):
            break
        first = place if _moved(block[place]) else first
    run = block[first : last + 1]
    lines = range(run[0].lineno, line_numbers(run[-1])[-1] + 1)
    is_alone = all(script.statement(one.lineno) is not None for one in run)
    return run if is_alone and len(lines) == len(run) else []


def _moved(node: ast.stmt) -> str:
    """Return which tensor a statement moves by its gradient, in place or by an assignment."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        name = ast.unparse(node.targets[0])
        change = _reassigned(node, name)
        parts = ast.walk(change[1]) if change is not None else ()
        return name if f"{name}.grad" in {ast.unparse(part) for part in parts} else ""
    return _updated(node)


def _cleared(node: ast.stmt) -> bool:
    """Return whether a statement clears a gradient, as w.grad.zero_() or w.grad = None do."""
    match node:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr="grad"), attr="zero_" | "fill_")
            )
        ):
            return True
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(
                    value=ast.Attribute(value=ast.Attribute(attr="grad"), attr="data"), attr="zero_"
                )
            )
        ):
            return True
        case ast.Assign(targets=targets, value=ast.Constant(value=None)):
            return all(isinstance(one, ast.Attribute) and one.attr == "grad" for one in targets)
    return False


def _clears_gradients(tree: ast.AST) -> bool:
    """Return whether anything in a file clears gradients."""
    return any(
        (isinstance(node, ast.stmt) and _cleared(node))
        or (isinstance(node, ast.Attribute) and node.attr == "zero_grad")
        for node in ast.walk(tree)
    )


def _in_place(script: ScriptSyntax, node: ast.stmt) -> str:
    """Return the line of a statement, with `w = w - step` as `w -= step`."""
    name = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else ""
    change = _reassigned(node, name)
    if change is None or node.end_col_offset is None:
        return script.lines[node.lineno - 1]
    sign = "-=" if isinstance(change[0], ast.Sub) else "+="
    text = f"{name} {sign} {script.source(change[1])}"
    return script.respelled(node, node.col_offset, node.end_col_offset, text)[node.lineno - 1]


def make_leaf(script: ScriptSyntax, cited: Sequence[Statement], named: Named) -> list[str] | None:
    """Return the lines with a result made a leaf: `(torch.randn(2) * 0.1).requires_grad_()`.

    So are those that are made likewise beside it.
    """
    assigned = _assignments(script, cited[0], named.by_hand[0])
    found = [one for one in assigned if _as_leaf(script, one.node)]
    if len(found) != 1:
        return None
    lines = list(script.lines)
    for one in script.statements():
        text = _as_leaf(script, one.node) if one.block is found[0].block else ""
        lines[one.node.lineno - 1] = text or lines[one.node.lineno - 1]
    return lines


def _as_leaf(script: ScriptSyntax, node: ast.stmt) -> str:
    """Return the line of an assignment whose result is made a leaf; "" where it is none to make."""
    if not isinstance(node, ast.Assign) or len(line_numbers(node)) > 1:
        return ""
    value, made = node.value, list(_made_with_gradient(node.value))
    if len(made) != 1 or made[0] is value or value.end_col_offset is None:
        return ""
    call = made[0]
    sides = list(_other_operands(value, call))
    known = {"torch", "math", "np", "numpy", "device"}
    if not sides or sides[-1] is not call:
        return ""
    others = [one for side in sides[:-1] for one in ast.walk(side) if isinstance(one, ast.Name)]
    if any(one.id not in known and _may_be_trained(script, one.id) for one in others):
        return ""
    arguments = [script.source(one) for one in call.args]
    arguments += [
        f"{one.arg}={script.source(one.value)}" if one.arg else f"**{script.source(one.value)}"
        for one in call.keywords
        if one.arg != "requires_grad"
    ]
    line = script.lines[node.lineno - 1].encode()
    plain = f"{script.source(call.func)}({', '.join(arguments)})".encode()
    text = line[value.col_offset : call.col_offset] + plain
    text += line[call.end_col_offset : value.end_col_offset]
    if not isinstance(value, ast.Call):
        text = b"(" + text + b")"
    line = line[: value.col_offset] + text + b".requires_grad_()" + line[value.end_col_offset :]
    return line.decode()


def _made_with_gradient(value: ast.expr) -> Iterator[ast.Call]:
    """Yield the calls in an expression that are given requires_grad=True."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            for one in node.keywords:
                if one.arg == "requires_grad" and ast.unparse(one.value) == "True":
                    yield node


def _other_operands(value: ast.expr, call: ast.Call) -> Iterator[ast.expr]:
    """Yield what is combined with the result of a call, and then the call.

    Not the call where another kind of expression is around it.
    """
    while value is not call:
        match value:
            case ast.BinOp(left, ast.Mult() | ast.Div() | ast.Add() | ast.Sub(), right):
                value, other = (left, right) if call in ast.walk(left) else (right, left)
                yield other
            case ast.UnaryOp(operand=operand):
                value = operand
            case ast.Call(func=ast.Attribute(value=owner, attr=method), args=args, keywords=named):
                if method in _OF_LEAVES or call not in ast.walk(owner):
                    return
                yield from (*args, *(one.value for one in named))
                value = owner
            case _:
                return
    yield call


def _may_be_trained(script: ScriptSyntax, name: str) -> bool:
    """Return whether a variable may hold a tensor that requires a gradient."""
    return any(
        "grad" in (text := ast.unparse(one.node)) or "Parameter" in text
        for one in script.statements()
        if isinstance(one.node, ast.Assign) and name in {ast.unparse(t) for t in one.node.targets}
    )


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
