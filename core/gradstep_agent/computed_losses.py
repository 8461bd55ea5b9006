"""Where a script computes a loss, by its lines: calls show that only where a module is called.

In `loss = criterion(model(x), y)`, `optimizer.zero_grad()`, `loss.backward()` the Forward of the
loss comes before the Zero Grad, which only the lines of the script tell at that moment.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

from gradstep_agent.object_parts import dictionary_of
from gradstep_agent.syntax import calls_its_variables, syntax_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_OWN_VARIABLES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_BACKWARD = frozenset(("backward", "manual_backward"))
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_NAMELESS = "loss"
_NO_LOSSES = (ast.Constant, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp)
"""What a variable is set to that becomes a loss later, if it becomes one."""


class ComputedLoss(NamedTuple):
    """A loss that has been computed, and whose Backward comes.

    Attributes:
        name: What it is called: its variable, or the attribute of `self`; "loss" where the Backward
            is that of an expression, such as `(loss / 4).backward()`.
        line: Where it was computed.
        is_attribute: Whether it is an attribute of `self`.
        is_expression: Whether the Backward is that of an expression.
    """

    name: str
    line: int
    is_attribute: bool = False
    is_expression: bool = False

    def tensor(self, frame: FrameType | None) -> Any:
        """Return it, as a frame has it; None where it has not."""
        if frame is None or self.is_expression:
            return None
        if self.is_attribute:
            return dictionary_of(frame.f_locals.get("self")).get(self.name)
        return frame.f_locals.get(self.name, frame.f_globals.get(self.name))


def computed_loss(code: CodeType, line: int) -> ComputedLoss | None:
    """Return the loss that was computed before a Zero Grad and whose Backward is behind it.

    Args:
        code: The code that calls the Zero Grad.
        line: The line of that.

    Returns:
        The loss; None where there is none in the same pass of the loop.
    """
    before, after, _ = _statements_around(code, line, "zero_grad")
    lines = _lines_of_losses(before)
    for variable, is_expression in _first_differentiated(after, lines):
        if variable in lines:
            owner, _, name = variable.rpartition(".")
            if is_expression:
                return ComputedLoss(_NAMELESS, lines[variable], is_expression=True)
            return ComputedLoss(name, lines[variable], bool(owner))
    return None


def line_of_loss(code: CodeType, line: int, name: str) -> int:
    """Return the line that computes the loss whose Backward is called at a line; 0 if none does.

    Args:
        code: The code that calls the Backward.
        line: The line of that.
        name: The variable of the loss, or the attribute of `self`.
    """
    before, _, statement = _statements_around(code, line, "backward")
    lines = _lines_of_losses(before)
    found = lines.get(name, lines.get(f"self.{name}", 0))
    if not found and statement is not None:
        found = max((lines.get(one, 0) for one, _ in _differentiated(statement)), default=0)
    return found


def _first_differentiated(after: list[ast.stmt], lines: dict[str, int]) -> list[tuple[str, bool]]:
    """Return what is differentiated first; drop the lines of losses computed again."""
    for statement in after:
        for name, _, is_changed in _assigned(statement):
            if not is_changed:
                lines.pop(name, None)
        if found := _differentiated(statement):
            return found
    return []


def _lines_of_losses(before: list[ast.stmt]) -> dict[str, int]:
    """Return the lines that compute variables from others, but for losses that were used.

    That of `loss = loss / 4` is not where the loss comes from.
    """
    lines: dict[str, int] = {}
    for statement in before:
        for name, line, is_changed in _assigned(statement):
            if not is_changed or name not in lines:
                lines[name] = line
        for name, _ in _differentiated(statement):
            lines.pop(name, None)
    return lines


def _statements_around(
    code: CodeType, line: int, method: str
) -> tuple[list[ast.stmt], list[ast.stmt], ast.stmt | None]:
    """Return what comes before and after a call at a line in the pass of its loop, and itself."""
    block = syntax_of(code.co_filename).body
    before: list[ast.stmt] = []
    after: list[ast.stmt] = []
    statement: ast.stmt | None = None
    while True:
        found = [
            number
            for number, one in enumerate(block)
            if one.lineno <= line <= (one.end_lineno or one.lineno)
        ]
        if not found:
            return before, after, statement
        at = next((number for number in found if _calls(block[number], method)), found[0])
        before, after = before + block[:at], block[at + 1 :] + after
        statement = block[at]
        if isinstance(statement, _OWN_VARIABLES) or (
            isinstance(statement, _LOOPS) and not calls_its_variables(statement)
        ):
            before, after = [], []
        block = _block_at(statement, line)


def _block_at(statement: ast.stmt, line: int) -> list[ast.stmt]:
    """Return the block of a compound statement that has a line; empty where there is none."""
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    blocks += [one.body for one in getattr(statement, "handlers", [])]
    blocks += [one.body for one in getattr(statement, "cases", [])]
    return next(
        (one for one in blocks if one and one[0].lineno <= line <= (one[-1].end_lineno or 0)), []
    )


def _calls(statement: ast.stmt, method: str) -> bool:
    attributes = (one for one in ast.walk(statement) if isinstance(one, ast.Attribute))
    return any(one.attr == method for one in attributes)


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, int, bool]]:
    """Yield the names that a statement computes, their lines, and whether from what they were."""
    if isinstance(statement, _OWN_VARIABLES):
        return
    found = [one for one in ast.walk(statement) if isinstance(one, _ASSIGNMENTS)]
    for one in sorted(found, key=lambda item: item.lineno):
        if one.value is None or isinstance(one.value, _NO_LOSSES):
            continue
        read = {_name(part) for part in ast.walk(one.value) if isinstance(part, ast.expr)}
        for target in one.targets if isinstance(one, ast.Assign) else [one.target]:
            for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                if name := _name(part):
                    yield name, one.lineno, isinstance(one, ast.AugAssign) or name in read


def _differentiated(statement: ast.stmt) -> list[tuple[str, bool]]:
    """Return the variables whose Backward a statement calls, and whether that of an expression.

    Of `(loss / 4).backward()` and `loss.mean().backward()`, "loss", which is in an expression.
    """
    if isinstance(statement, _OWN_VARIABLES):
        return []
    found: list[tuple[str, bool]] = []
    for call in ast.walk(statement):
        function = call.func if isinstance(call, ast.Call) else None
        if isinstance(function, ast.Attribute) and function.attr in _BACKWARD:
            for node in (_unscaled(function.value), *call.args[:1]):  # type: ignore[attr-defined]
                name = _name(node)
                found += [(name, False)] if name else _in_expression(node)
    return found


def _in_expression(node: ast.expr) -> list[tuple[str, bool]]:
    return [(name, True) for name in _variables_in(node)] or [("", True)]


def _variables_in(node: ast.expr) -> list[str]:
    """Return the variables that an expression is computed from, but for what it calls."""
    if _name(node):
        return [_name(node)]
    if isinstance(node, ast.BinOp):
        return [*_variables_in(node.left), *_variables_in(node.right)]
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return _variables_in(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _variables_in(node.func.value)
    return []


def _unscaled(node: ast.expr) -> ast.expr:
    """Return the argument of `scaler.scale(loss)`; anything else as it is."""
    is_scaled = (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "scale"
        and len(node.args) == 1
    )
    return node.args[0] if is_scaled else node  # type: ignore[attr-defined]


def _name(node: ast.expr) -> str:
    """Return a variable, or an attribute of `self` as "self.loss"; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"self.{node.attr}" if node.value.id == "self" else ""
    return ""
