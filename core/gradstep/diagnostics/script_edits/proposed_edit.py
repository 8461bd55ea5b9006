"""The remedy of a finding on a script, as a change of the script's own lines.

A change is proposed only where the text shows that it does what the remedy says: the statements
stand alone on their lines, and what is moved stays in its block. Elsewhere the words are all.
"""

from __future__ import annotations

import ast
from difflib import unified_diff
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.rewrites import (
    cleared_after_update,
    copied_state,
    evaluated_around,
    frozen,
    made_before_loop,
    made_for_optimizer,
    updated_in_place,
    variables_set_in,
    with_reshaped_target,
)
from gradstep.diagnostics.script_edits.spellings import (
    called,
    callee,
    is_spelled,
    items_of,
    last_step,
    named_only,
    owner_of,
    spellings,
)
from gradstep.diagnostics.script_edits.syntax import FUNCTIONS, line_numbers, parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = ["proposed_edit"]

_CLIPPINGS = frozenset(("clip_grad_norm_", "clip_grad_value_"))

CONTEXT_LINES = 1
"""Unchanged lines before and after a changed one."""


def proposed_edit(
    finding: str, named: Named, places: Sequence[str], files: Mapping[str, str]
) -> str:
    r"""Return the change of a script that clears a finding, as a unified diff.

    Args:
        finding: The id of the diagnostic.
        named: The variables that the change may name.
        places: The lines of the Events of its first occurrence, such as "train.py:12".
        files: The texts of the script's own files by name.

    Returns:
        The diff; empty where no change is sure to be right.

    Example:
        >>> from gradstep.diagnostics.script_edits.named import Named
        >>> code = "for x in data:\n    model(x).backward()\n    optimizer.step()\n"
        >>> named, places = Named(optimizers=("optimizer",)), ("a.py:3", "a.py:2", "a.py:3")
        >>> print(proposed_edit("grad-accumulated", named, places, {"a.py": code}))
        --- a.py
        +++ a.py
        @@ -3 +3,2 @@
             optimizer.step()
        +    optimizer.zero_grad()
    """
    split = [place.rpartition(":") for place in places]
    file = split[0][0] if split else ""
    if finding not in _RULES or file not in files or any(one[0] != file for one in split):
        return ""
    numbers = tuple(int(number) for _, _, number in split if number.isdecimal())
    if len(numbers) != len(places):
        return ""
    return _difference(finding, named, numbers, file, files[file])


@lru_cache(maxsize=64)
def _difference(finding: str, named: Named, numbers: tuple[int, ...], file: str, text: str) -> str:
    script = parsed(text)
    if script is None:
        return ""
    statements = [script.statement(number) for number in numbers]
    if not all(statements):
        return ""
    changed = _RULES[finding](script, [one for one in statements if one is not None], named)
    if changed is None:
        return ""
    lines = unified_diff(script.lines, changed, file, file, n=CONTEXT_LINES, lineterm="")
    return "\n".join(lines)


def _clear_after_step(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    # Not before the Backward: of several losses, only the first one's would be the right one.
    if named.by_hand:
        return cleared_after_update(script, cited[-1], named.by_hand)
    backward, step = cited[-2], cited[-1]
    optimizer = owner_of(script, step, "step", named.optimizers)
    if optimizer is None:
        return None
    between = range(backward.node.lineno, step.node.lineno)
    for one in named_only(script, "zero_grad", [optimizer]):
        if one.block is backward.block is step.block and one.node.lineno not in between:
            return _calling(script, one)
    return script.inserted(f"{optimizer}.zero_grad()", step.node, after=True)


def _calling(script: ScriptSyntax, statement: Statement) -> list[str] | None:
    """Return the lines with the method called that a statement only names."""
    node = statement.node
    end = node.end_col_offset
    if end is None or len(line_numbers(node)) > 1:
        return None
    return script.respelled(node, end, end, "()")


def _clear_later(script: ScriptSyntax, cited: Sequence[Statement], _: Named) -> list[str] | None:
    clearing, step = cited[-2], cited[-1]
    if called(clearing, "zero_grad") is None:
        return None
    return script.moved(clearing, step.node, after=True)


def _clear_with_step(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    clearing, step = cited[-2], cited[-1]
    owner, _ = step.blocks[-1]
    optimizer = owner_of(script, step, "step", named.optimizers)
    numbers = line_numbers(clearing.node)
    is_one = called(clearing, "zero_grad") is not None and len(numbers) == 1
    if optimizer is None or not is_one or not isinstance(owner, ast.If):
        return None
    if owner not in clearing.block or clearing.node.lineno > owner.lineno:
        return None
    text = script.lines[numbers[0] - 1].strip()
    lines = script.inserted(text, step.node, after=True)
    del lines[numbers[0] - 1]
    return lines


def _step_after_backward(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    backward, clearing = cited[-2], cited[-1]
    optimizer = owner_of(script, clearing, "zero_grad", named.optimizers)
    if optimizer is None or backward.function is not clearing.function:
        return None
    for one in named_only(script, "step", [optimizer]):
        if one.block is backward.block and one.node.lineno > backward.node.lineno:
            return _calling(script, one)
    place = backward.node
    for node in backward.block[backward.block.index(place) + 1 :]:
        if node is clearing.node:
            break
        if callee(script, node, _CLIPPINGS):
            place = node
    return script.inserted(f"{optimizer}.step()", place, after=True)


def _clip_before_step(
    script: ScriptSyntax, cited: Sequence[Statement], _: Named
) -> list[str] | None:
    return script.moved(cited[-1], cited[0].node)


def _clip_after_backward(
    script: ScriptSyntax, cited: Sequence[Statement], _: Named
) -> list[str] | None:
    return script.moved(cited[0], cited[1].node, after=True)


def _unscale_before_clip(
    script: ScriptSyntax, cited: Sequence[Statement], _: Named
) -> list[str] | None:
    clipping, step = cited
    call = called(step, "step")
    if call is None or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    if clipping.function is not step.function:
        return None
    scaler, optimizer = script.source(call.func.value), script.source(call.args[0])
    return script.inserted(f"{scaler}.unscale_({optimizer})", clipping.node)


def _update_in_place(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    return updated_in_place(script, cited[0], named.by_hand)


def _schedule_after_step(
    script: ScriptSyntax, cited: Sequence[Statement], _: Named
) -> list[str] | None:
    schedule, step = cited[0], cited[-1]
    if schedule.function is not step.function:
        return None
    around = [owner for owner, _ in step.blocks if isinstance(owner, ast.stmt)]
    for node in (*around, step.node):
        if node in schedule.block:
            return script.moved(schedule, node, after=True)
    return None


def _schedule_stepped_optimizer(
    script: ScriptSyntax, _: Sequence[Statement], named: Named
) -> list[str] | None:
    return made_for_optimizer(script, named.scheduler, named.optimizer)


def _freeze(script: ScriptSyntax, _: Sequence[Statement], named: Named) -> list[str] | None:
    return frozen(script, named.modules[0], named.attribute)


def _clear_to_none(script: ScriptSyntax, cited: Sequence[Statement], _: Named) -> list[str] | None:
    clearing = cited[0].node
    call = called(cited[0], "zero_grad")
    if call is None or call.args or [one.arg for one in call.keywords] != ["set_to_none"]:
        return None
    if len(line_numbers(clearing)) > 1 or call.end_col_offset is None:
        return None
    text = f"{ast.unparse(call.func)}()"
    return script.respelled(clearing, call.col_offset, call.end_col_offset, text)


def _train_before(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    evaluation, backward, (module, *others) = cited[0], cited[-2], named.modules
    calls = [
        (one, spelled)
        for one in script.statements()
        if one.function is backward.function
        and one.loops[-1:] == backward.loops[-1:]
        and one.node.lineno <= backward.node.lineno
        and (spelled := callee(script, one.node, spellings(module, one.loops)))
    ]
    if others or not calls:
        return None
    call, spelled = calls[-1]
    inner = call.loops[-1] if len(call.loops) > 1 else None
    function = evaluation.function
    is_elsewhere = function is not call.function and isinstance(function, FUNCTIONS)
    names = {"eval", function.name} if is_elsewhere else {"eval"}  # type: ignore[attr-defined]
    for one in named_only(script, "train", [spelled]):
        within = call.loops[len(one.loops) :]
        is_before = one.function is call.function and one.loops == call.loops[: len(one.loops)]
        if is_before and one.node.lineno < call.node.lineno:
            is_kept = not any(callee(script, loop, names) for loop in within)
            return _calling(script, one) if is_kept else None
    if inner is None or callee(script, inner, names) or spelled in items_of(module, [inner]):
        inner = call.node  # the loop itself leaves it in evaluation mode, or says which one it is
    return script.inserted(f"{spelled}.train()", inner)


def _evaluate_around(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    call, (module, *_) = cited[-1], named.modules
    spelled = callee(script, call.node, spellings(module, call.loops))
    return evaluated_around(script, call, spelled) if spelled else None


def _copy_state(script: ScriptSyntax, cited: Sequence[Statement], _: Named) -> list[str] | None:
    call = called(cited[-1], "load_state_dict")
    return None if call is None else copied_state(script, call)


def _call_backward(script: ScriptSyntax, cited: Sequence[Statement], _: Named) -> list[str] | None:
    step = cited[-1]
    found = [
        one
        for one in script.statements()
        if one.block is step.block
        and one.node.lineno < step.node.lineno
        and isinstance(one.node, ast.Expr)
        and isinstance(one.node.value, ast.Attribute)
        and one.node.value.attr == "backward"
    ]
    return _calling(script, found[0]) if len(found) == 1 else None


def _detached_term(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
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


def _as_module_list(script: ScriptSyntax, _: Sequence[Statement], named: Named) -> list[str] | None:
    attribute = f"self.{named.plain.rpartition('.')[2]}"
    lists: list[ast.Assign] = []
    for statement in script.statements():
        match statement.node:
            case ast.Assign(targets=[target], value=ast.List() | ast.ListComp()) as node:
                if ast.unparse(target) == attribute:
                    lists.append(node)
    package = _package_of_layers(script)
    if not named.plain or not package or len(lists) != 1:
        return None
    node, value = lists[0], lists[0].value
    if len(line_numbers(node)) > 1 or value.end_col_offset is None:
        return None
    text = script.lines[node.lineno - 1].encode()[value.col_offset : value.end_col_offset].decode()
    layers = f"{package}.ModuleList({text})"
    return script.respelled(node, value.col_offset, value.end_col_offset, layers)


def _package_of_layers(script: ScriptSyntax) -> str:
    """Return by which name a script knows torch.nn; "" if by none."""
    names = ""
    for statement in script.statements():
        match statement.node:
            case ast.Import(names=imported):
                for item in imported:
                    if item.name == "torch.nn" and item.asname:
                        return item.asname
                    if item.name == "torch":
                        names = f"{item.asname or item.name}.nn"
            case ast.ImportFrom(module="torch", names=imported):
                for item in imported:
                    if item.name == "nn":
                        return item.asname or item.name
    return names


def _without_second_step(
    script: ScriptSyntax, cited: Sequence[Statement], _: Named
) -> list[str] | None:
    first, second = cited[-2], cited[-1]
    same = ast.unparse(first.node) == ast.unparse(second.node)
    if not same or first.node is second.node or first.block is not second.block:
        return None
    numbers = line_numbers(second.node)
    return [line for number, line in enumerate(script.lines, 1) if number not in numbers]


def _step_into_loop(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    backward, step = cited[0], cited[-1]
    optimizer, call = owner_of(script, step, "step", named.optimizers), called(step, "step")
    if optimizer is None or call is None or script.source(call) != f"{optimizer}.step()":
        return None
    owner, block = backward.blocks[-1]
    before = step.block[: step.block.index(step.node)]
    is_behind = isinstance(owner, (ast.For, ast.While)) and before[-1:] == [owner]
    numbers = line_numbers(step.node)
    if not is_behind or block is not owner.body or len(numbers) > 1:  # type: ignore[attr-defined]
        return None
    place = line_numbers(backward.node)[-1]
    indent = script.lines[place - 1][: backward.node.col_offset]
    own = script.lines[numbers[0] - 1].strip()
    rest = [line for number, line in enumerate(script.lines, 1) if number > place]
    del rest[numbers[0] - place - 1]
    added = [f"{indent}{own}", f"{indent}{optimizer}.zero_grad()"]
    return [*script.lines[:place], *added, *rest]


def _step_after_the_rest(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    step = cited[-1]
    owner = step.blocks[-1][0]
    loop = step.loops[-1] if step.loops else None
    if not isinstance(owner, ast.If) or not isinstance(loop, ast.For) or owner.orelse:
        return None
    if owner_of(script, step, "step", named.optimizers) is None or owner not in loop.body:
        return None
    test, batches = owner.test, loop.iter
    is_window = (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.BinOp)
        and isinstance(test.left.op, ast.Mod)
        and [type(one) for one in test.ops] == [ast.Eq]
        and ast.unparse(test.comparators[0]) == "0"
    )
    if not (
        is_window
        and isinstance(batches, ast.Call)
        and ast.unparse(batches.func) == "enumerate"
        and len(batches.args) == 1
        and not batches.keywords
        and isinstance(batches.args[0], (ast.Name, ast.Attribute))
        and isinstance(loop.target, ast.Tuple)
        and isinstance(loop.target.elts[0], ast.Name)
        and test.end_lineno == test.lineno
        and test.end_col_offset is not None
    ):
        return None
    last = f" or {loop.target.elts[0].id} + 1 == len({ast.unparse(batches.args[0])})"
    end = test.end_col_offset
    closed = script.lines[test.lineno - 1].encode()[end:].lstrip()
    if not closed.startswith(b":"):
        return None  # it stands in parentheses
    return script.respelled(owner, end, end, last)


def _clear_before_backward(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    first, second, step = cited
    if not named.uncleared or first.node is second.node:
        return None
    if first.block is not second.block:
        return None
    optimizer = owner_of(script, step, "step", (named.uncleared,))
    if optimizer is None or second.function is not step.function:
        return None
    return script.inserted(f"{optimizer}.zero_grad()", second.node)


def _clear_before_step(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    alone, backward, step = cited
    one_function = alone.function is backward.function is step.function
    if not one_function or backward.node.lineno >= step.node.lineno:
        return None
    for one in script.statements():
        spelled = callee(script, one.node, spellings(named.spared, ()))
        if spelled and (one.function is step.function or is_spelled(spelled, named.spared)):
            return script.inserted(f"{spelled}.zero_grad()", backward.node, after=True)
    return None


def _make_before_loop(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    optimizer = owner_of(script, cited[-1], "step", named.optimizers)
    return None if optimizer is None else made_before_loop(script, cited[-1], optimizer)


def _reshape_target(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    return with_reshaped_target(script, cited[-1], named.loss, named.expanded)


def _clear_in_closure(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    call = called(cited[-1], "step")
    optimizer = owner_of(script, cited[-1], "step", named.optimizers)
    if call is None or optimizer is None or not call.args or not isinstance(call.args[0], ast.Name):
        return None
    closure = call.args[0].id
    backwards = [
        one
        for one in script.statements()
        if isinstance(one.function, ast.FunctionDef)
        and one.function.name == closure
        and called(one, "backward") is not None
    ]
    if len(backwards) != 1 or backwards[0].loops:
        return None
    return script.inserted(f"{optimizer}.zero_grad()", backwards[0].node)


def _detach_carried(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
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


_RULES: Mapping[str, Callable[[ScriptSyntax, Sequence[Statement], Named], list[str] | None]] = (
    MappingProxyType(
        {
            "backwards-per-step": _step_into_loop,
            "batches-carried-over": _step_after_the_rest,
            "grad-accumulated": _clear_after_step,
            "grad-discarded": _clear_later,
            "gradients-of-two-losses": _clear_before_backward,
            "grad-reused": _without_second_step,
            "one-step-of-two": _clear_before_step,
            "state-not-copied": _copy_state,
            "step-missing": _step_after_backward,
            "step-without-grad": _call_backward,
            "sum-cleared": _clear_with_step,
            "broadcast-loss": _reshape_target,
            "freeze-without-effect": _freeze,
            "graph-carried": _detach_carried,
            "clip-after-step": _clip_before_step,
            "clip-before-unscale": _unscale_before_clip,
            "closure-accumulates": _clear_in_closure,
            "clip-before-backward": _clip_after_backward,
            "parameter-rebound": _update_in_place,
            "scheduler-first": _schedule_after_step,
            "scheduler-of-idle-optimizer": _schedule_stepped_optimizer,
            "moved-without-gradient": _clear_to_none,
            "evaluation-in-training-mode": _evaluate_around,
            "mode-left-eval": _train_before,
            "optimizer-orphan": _as_module_list,
            "optimizer-rebuilt": _make_before_loop,
            "total-keeps-graphs": _detached_term,
        }
    )
)
