"""Changes where a script makes an optimizer, and for which one it makes a scheduler."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.spellings import last_step, owner_of
from gradstep.diagnostics.script_edits.syntax import (
    Change,
    line_numbers,
    parsed,
    variables_set_in,
)
from gradstep.names import steps_of, unnumbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = [
    "gives_parameters_of",
    "late_assignment",
    "make_optimizer_after_module",
    "make_optimizer_before_loop",
    "make_scheduler_for_optimizer",
    "pass_parameters",
]

_COLLECTIONS = ("chain", "filter", "list")
"""Functions of which a result can be an optimizer's parameters."""


def make_optimizer_before_loop(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with the one statement that makes an optimizer before the loops around it.

    Its Step is cited last. It stays in those loops that set what its arguments are computed from.
    """
    step = cited[-1]
    optimizer = owner_of(script, step, "step", named.optimizers)
    made = [
        one
        for one in script.statements()
        if one.function is step.function
        and isinstance(one.node, ast.Assign)
        and [script.source(target) for target in one.node.targets] == [optimizer]
    ]
    if optimizer is None or len(made) != 1:
        return None
    (one,) = made
    if not one.loops or one.loops[-1] not in step.loops:
        return None
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


def make_scheduler_for_optimizer(
    script: ScriptSyntax, _: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with the one statement that makes a scheduler where its optimizer is known.

    If it names that optimizer already, but comes before the last statement that makes it, it is
    moved after that; else it is given that optimizer instead of the other.
    """
    made = _assignments(script, named.scheduler)
    if len(made) != 1 or len(line_numbers(made[0].node)) > 1:
        return None
    call = made[0].node.value  # type: ignore[attr-defined]
    if not isinstance(call, ast.Call) or not call.args:
        return None
    owner, given = call.args[0], _assignments(script, named.optimizer)
    latest = max(given, key=lambda one: one.node.lineno, default=None)
    if latest is None or latest.function is not made[0].function:
        return None
    is_named = ast.unparse(owner) == named.optimizer
    if latest.node.lineno > made[0].node.lineno:
        return script.moved(made[0], latest.node, after=True) if is_named else None
    if is_named or owner.end_col_offset is None:
        return None
    return script.respelled(made[0].node, owner.col_offset, owner.end_col_offset, named.optimizer)


def late_assignment(
    files: Mapping[str, str], optimizer: str, names: Sequence[str]
) -> tuple[str, str] | None:
    r"""Return what a script assigns after it has created an optimizer, and in which line.

    Args:
        files: The texts of the script's own files by name.
        optimizer: The optimizer.
        names: Tensors or modules, all of which are in what is assigned.

    Example:
        >>> code = "opt = SGD(net.parameters())\nnet.head = Linear(4, 2)\n"
        >>> late_assignment({"a.py": code}, "opt", ["net.head.weight", "net.head.bias"])
        ('net.head', 'a.py:2')
    """
    for file, text in files.items():
        script = parsed(text)
        found = None if script is None else _made_and_assigned(script, optimizer, names)
        if found is not None:
            node = found[1].node
            return ast.unparse(node.targets[0]), f"{file}:{node.lineno}"  # type: ignore[attr-defined]
    return None


def _made_and_assigned(
    script: ScriptSyntax, optimizer: str, names: Sequence[str]
) -> tuple[Statement, Statement] | None:
    """Return the one statement that makes an optimizer, and the last that then assigns the names.

    It assigns what has all of them, in the same function.
    """
    made = _assignments(script, optimizer)
    if len(made) != 1 or not names or not isinstance(made[0].node.value, ast.Call):  # type: ignore[attr-defined]
        return None
    later = [
        one
        for one in script.statements()
        if isinstance(one.node, ast.Assign)
        and len(one.node.targets) == 1
        and one.function is made[0].function
        and one.node.lineno > made[0].node.lineno
        and all(_is_in(name, ast.unparse(one.node.targets[0])) for name in names)
    ]
    return (made[0], later[-1]) if later else None


def _is_in(name: str, target: str) -> bool:
    """Return whether a tensor or a module is in what a script assigns, or is that.

    Example:
        >>> _is_in("model.2.weight", "model[2]"), _is_in("trainer.net.0.bias", "self.net")
        (True, True)
    """
    path, name = re.sub(r"\[(\d+)\]", r".\1", target), f".{unnumbered(name)}."
    if path.startswith("self."):
        return f".{path.removeprefix('self.')}." in name
    return name.startswith(f".{path}.")


def make_optimizer_after_module(
    script: ScriptSyntax, _: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with an optimizer made after what it is to hold, where nothing uses it yet.

    What it is to hold is assigned in the same block, or in each pass of a loop beside it.
    """
    found = _made_and_assigned(script, named.optimizer, named.unheld)
    if found is None:
        return None
    made, later = found
    end, place = line_numbers(made.node)[-1], later.node.lineno
    name = re.escape(ast.unparse(made.node.targets[0]))  # type: ignore[attr-defined]
    if any(re.search(rf"\b{name}\b", line) for line in script.lines[end : place - 1]):
        return None
    if made.block is later.block:
        return script.moved(made, later.node, after=True)
    loop = later.loops[-1] if later.loops else None
    text, own = script.text(made.node), script.lines[end - 1][: made.node.col_offset]
    if loop not in made.block or later.block is not getattr(loop, "body", None):
        return None
    if not all(line.startswith(own) for line in text):
        return None
    indent = script.lines[place - 1][: later.node.col_offset]
    kept = list(script.lines)
    last = line_numbers(later.node)[-1]
    kept[last:last] = [indent + line.removeprefix(own) for line in text]
    return [*kept[: made.node.lineno - 1], *kept[end:]]


def pass_parameters(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with the parameters of modules also passed to the one made optimizer.

    Where the script makes the modules later in the same function, the optimizer is made after that.
    """
    if _made_and_assigned(script, named.optimizer, named.unheld) is not None:
        return make_optimizer_after_module(script, cited, named)
    made = _assignments(script, named.optimizer)
    if len(made) != 1 or not isinstance(made[0].node, ast.Assign):
        return None
    (one,) = made
    given = _given_parameters(one.node.value)  # type: ignore[attr-defined]
    if given is None or given.lineno != given.end_lineno or not named.modules:
        return None
    owners = [_module_before(script, one, name) for name in named.modules]
    if not all(owners) or any(_is_given(given, owner) for owner in owners):
        return None
    source = script.source(given)
    if isinstance(given, ast.List):
        kept = source.removesuffix("]").rstrip().rstrip(",")
        is_grouped = bool(given.elts) and isinstance(given.elts[0], ast.Dict)
        form = '{{"params": {}.parameters()}}' if is_grouped else "*{}.parameters()"
    else:
        kept, form = f"[*{source}", "*{}.parameters()"
    text = ", ".join((kept, *(form.format(owner) for owner in owners))) + "]"
    return script.changed([Change.of(given, text)])


def _given_parameters(value: ast.expr) -> ast.expr | None:
    """Return what an optimizer is given, if its text shows that more can be added to it."""
    if not isinstance(value, ast.Call):
        return None
    named = [item.value for item in value.keywords if item.arg == "params"]
    given = (*named, *value.args[:1])[:1]
    match given:
        case [ast.List() as node]:
            return node
        case [ast.Call(func=ast.Attribute(attr="parameters" | "chain")) as node]:
            return node
        case [ast.Call(func=ast.Name(id=function)) as node] if function in _COLLECTIONS:
            return node
    return None


def _is_given(given: ast.expr, owner: str) -> bool:
    """Return whether an optimizer is given the parameters of a module that a part is in."""
    known = re.findall(r"([\w.\[\]]+)\.(?:named_)?parameters\(", ast.unparse(given))
    return any(owner.startswith(f"{module}.") for module in known)


def _module_before(script: ScriptSyntax, made: Statement, name: str) -> str:
    """Return how a script spells a module that it has made before a statement; "" if it has not.

    Of a part, such as "net.encoder", the first step must be made before.
    """
    for known, rest in ((name, ""), (steps_of(name)[0], name.removeprefix(steps_of(name)[0]))):
        found = [one for one in _assignments(script, known) if one.function is made.function]
        if found and all(one.node.lineno < made.node.lineno for one in found):
            return script.source(found[0].node.targets[0]) + rest  # type: ignore[attr-defined]
    return ""


def gives_parameters_of(text: str, module: str) -> bool:
    """Return whether a script's text has the parameters of a module, to pass them on.

    Example:
        >>> gives_parameters_of("sgd = SGD(self.net.parameters())", "trainer.net")
        True
        >>> gives_parameters_of("sgd = SGD(net.parameters())", "criterion")
        False
    """
    if last_step(module) not in text:
        return False
    script = parsed(text)
    return script is None or last_step(module) in _parameter_owners(script)


@lru_cache(maxsize=8)
def _parameter_owners(script: ScriptSyntax) -> frozenset[str]:
    return frozenset(
        last_step(ast.unparse(node.value))
        for node in ast.walk(script.tree)
        if isinstance(node, ast.Attribute) and node.attr in {"parameters", "named_parameters"}
    )


def _assignments(script: ScriptSyntax, name: str) -> list[Statement]:
    """Return the statements that set a variable, or an attribute by the same name."""
    return [
        one
        for one in script.statements()
        if isinstance(one.node, ast.Assign)
        and [last_step(script.source(target)) for target in one.node.targets] == [last_step(name)]
    ]
