"""How a script spells what it has: as `self.opts[0]`, or as the variable of a loop over `opts`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.names import steps_of, unnumbered

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = [
    "called",
    "callee",
    "is_spelled",
    "is_step_of_scaler",
    "items_of",
    "last_step",
    "named_only",
    "owner_of",
    "spellings",
]


def called(statement: Statement, method: str) -> ast.Call | None:
    """Return the one call of a method in a statement, such as `optimizer.step()`."""
    found = [
        node
        for node in ast.walk(statement.node)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
    ]
    return found[0] if len(found) == 1 else None


def is_step_of_scaler(statement: Statement | None) -> bool:
    """Return whether a statement steps an optimizer by a scaler: `scaler.step(optimizer)`."""
    call = None if statement is None else called(statement, "step")
    return call is not None and len(call.args) == 1 and not isinstance(call.args[0], ast.Lambda)


def owner_of(
    script: ScriptSyntax, statement: Statement, method: str, names: Sequence[str]
) -> str | None:
    """Return how a statement names the object whose method it calls, if it is a known one.

    In `scaler.step(optimizer)` it is the argument.
    """
    call = called(statement, method)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    for node in (call.func.value, *call.args[:1]):
        if _is_known(node, statement, names):
            return script.source(node)
    return None


def named_only(script: ScriptSyntax, method: str, names: Sequence[str]) -> list[Statement]:
    """Return the statements that name a method of a known object, and do not call it.

    Such as `optimizer.step` in a line of its own.
    """
    return [
        one
        for one in script.statements()
        if isinstance(one.node, ast.Expr)
        and isinstance(one.node.value, ast.Attribute)
        and one.node.value.attr == method
        and _is_known(one.node.value.value, one, names)
    ]


def _is_known(node: ast.expr, statement: Statement, names: Sequence[str]) -> bool:
    """Return whether an expression in a statement is one of these, or a loop's variable for it."""
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return False
    wanted = {last_step(name) for name in names}
    wanted |= {variable for loop in statement.loops for variable in _items(loop, wanted)}
    return steps_of(ast.unparse(node))[-1] in wanted


def spellings(module: str, loops: Sequence[ast.stmt]) -> set[str]:
    """Return how `ast` can spell a module, also as the variable of a loop."""
    return {_as_python(module), *items_of(module, loops)}


def items_of(module: str, loops: Sequence[ast.stmt]) -> set[str]:
    """Return the variables of loops that can be a module: in `for net in nets`, it is `net`."""
    step = last_step(module)
    return {variable for loop in loops for variable in _items(loop, {step})}


def _items(loop: ast.stmt, steps: Collection[str]) -> set[str]:
    """Return the variables of a loop that goes over what holds objects.

    In `for opt in opts`, `opts[0]` is `opt`, and so is `opts["g"]` in `for opt in opts.values()`.
    """
    if not isinstance(loop, ast.For):
        return set()
    held = {step.partition("[")[0] for step in steps if step.endswith("]")}
    listed = {step.partition("[")[0] for step in steps if step[-2:-1].isdecimal()}
    targets, sources = [loop.target], [loop.iter]
    match loop:
        case ast.For(
            target=ast.Tuple(elts=elements),
            iter=ast.Call(func=ast.Name(id="zip" | "enumerate" as function), args=args),
        ):
            targets, sources = (elements[1:] if function == "enumerate" else elements), args
        case ast.For(iter=ast.Call(func=ast.Attribute(value=source, attr="values"))):
            sources, listed = [source], held
        case ast.For(
            target=ast.Tuple(elts=[_, item]),
            iter=ast.Call(func=ast.Attribute(value=source, attr="items")),
        ):
            targets, sources, listed = [item], [source], held
    return {
        ast.unparse(target)
        for target, source in zip(targets, sources, strict=False)
        if steps_of(ast.unparse(source))[-1] in listed
    }


def callee(script: ScriptSyntax, node: ast.AST, names: Collection[str]) -> str:
    """Return how a function of these names is spelled where it is called, such as "self.model"."""
    functions = (
        (one.func, ast.unparse(one.func)) for one in ast.walk(node) if isinstance(one, ast.Call)
    )
    return next(
        (
            script.source(function)
            for function, text in functions
            if text in names or steps_of(text)[-1] in names
        ),
        "",
    )


def is_spelled(text: str, name: str) -> bool:
    """Return whether a text is a name, whatever quotes it has."""
    return _as_python(text) == _as_python(name)


def last_step(name: str) -> str:
    """Return the end of a name as `ast` spells it, which does without `self`.

    Example:
        >>> print(last_step('self.nets["gen"]'), last_step("trainer.model"))
        nets['gen'] model
    """
    return steps_of(_as_python(name))[-1] if name else ""


def _as_python(name: str) -> str:
    """Return a name as `ast` spells it: "nets['gen']" for 'nets["gen"]'."""
    name = unnumbered(name)
    try:
        return ast.unparse(ast.parse(name, mode="eval"))
    except (SyntaxError, ValueError):  # such as "model.0"
        return name
