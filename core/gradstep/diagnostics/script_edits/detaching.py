"""Changes where a script detaches a tensor, so that the graph behind it is freed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.spellings import called, callee, last_step
from gradstep.diagnostics.script_edits.syntax import line_numbers, variables_set_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = ["detach_carried", "detach_kept_loss"]


def detach_kept_loss(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with a loss detached in the one statement that keeps it.

    That adds it to a running total, or appends it to a list.
    """
    # Not item(): what is kept may be used as a tensor later.
    found = [
        (statement.node, term)
        for statement in script.statements()
        if statement.function is cited[0].function
        and (term := _kept_term(statement.node, named.total)) is not None
        and ast.unparse(term) == named.loss
    ]
    if len(found) != 1:
        return None
    (node, term), *_ = found
    if len(line_numbers(node)) > 1 or term.end_col_offset is None:
        return None
    return script.respelled(node, term.end_col_offset, term.end_col_offset, ".detach()")


def _kept_term(node: ast.stmt, name: str) -> ast.expr | None:
    """Return what a statement adds to a running total, or appends to a list; None of others."""
    last = last_step(name)
    match node:
        case ast.AugAssign(target=owner, op=ast.Add(), value=term):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[term])):
            pass
        case _:
            return None
    return term if last_step(ast.unparse(owner)) == last else None


def detach_carried(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with what an iteration hands on to the next one detached after its Backward.

    The Backward is cited last. It no longer keeps its graph if no other one needs that.
    """
    backward = cited[-1]
    call = called(backward, "backward")
    if call is None or not backward.loops or not isinstance(call.func, ast.Attribute):
        return None
    loop, detached = backward.loops[-1], {}
    for name in named.carried:
        variable, _, attribute = name.partition("[")[0].partition(".")
        if attribute and callee(script, loop, (variable,)):
            variable = f"{variable}.{attribute}"  # which its method sets
        elif attribute or variable not in variables_set_in(loop):
            return None
        if ast.unparse(call.func.value) == variable:
            return None  # detached, it would be a sum no longer
        if name == variable:
            detached[variable] = f"{variable}.detach()"
        elif name.endswith("]") and name[:-1].rpartition("[")[2].isdecimal():
            detached[variable] = f"tuple(state.detach() for state in {variable})"
        else:
            return None
    line = f"{', '.join(detached)} = {', '.join(detached.values())}"
    changed = script.inserted(line, backward.node, after=True)
    if _is_only_kept(script, backward, call) and call.end_col_offset is not None:
        own = f"{script.source(call.func)}()"  # nothing goes back through its graph again
        kept = script.respelled(backward.node, call.col_offset, call.end_col_offset, own)
        changed[call.lineno - 1] = kept[call.lineno - 1]
    return changed


def _is_only_kept(script: ScriptSyntax, backward: Statement, call: ast.Call) -> bool:
    """Return whether a Backward is told only to keep its graph, and no other one uses that."""
    others = [
        one
        for one in script.statements()
        if one.function is backward.function and called(one, "backward") is not None
    ]
    is_told = [one.arg for one in call.keywords] == ["retain_graph"] and not call.args
    return is_told and len(others) == 1 and len(line_numbers(backward.node)) == 1
