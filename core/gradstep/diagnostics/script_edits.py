"""The remedy of a finding on a script, as a change of the script's own lines.

A change is proposed only where the text shows that it does what the remedy says: the statements
stand alone on their lines, and what is moved stays in its block. Elsewhere the words are all.
"""

from __future__ import annotations

import ast
from difflib import unified_diff
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["proposed_edit"]

CONTEXT_LINES = 1
"""Unchanged lines before and after a changed one."""

MAX_CHARACTERS = 1_000_000
"""Longer files are not parsed."""


def proposed_edit(
    finding: str, names: Sequence[str], places: Sequence[str], files: Mapping[str, str]
) -> str:
    r"""Return the change of a script that clears a finding, as a unified diff.

    Args:
        finding: The id of the diagnostic.
        names: The optimizers of the script; of "mode-left-eval" the modules concerned, of
            "total-keeps-graphs" the total and the loss.
        places: The lines of the Events of its first occurrence, such as "train.py:12".
        files: The texts of the script's own files by name.

    Returns:
        The diff; empty where no change is sure to be right.

    Example:
        >>> code = "for x in data:\n    model(x).backward()\n    optimizer.step()\n"
        >>> places = ("a.py:3", "a.py:2", "a.py:3")
        >>> print(proposed_edit("grad-accumulated", ["optimizer"], places, {"a.py": code}))
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
    return _difference(finding, tuple(names), numbers, file, files[file])


@lru_cache(maxsize=64)
def _difference(
    finding: str, names: tuple[str, ...], numbers: tuple[int, ...], file: str, text: str
) -> str:
    script = _parsed(text)
    if script is None:
        return ""
    statements = [script.statement(number) for number in numbers]
    if not all(statements):
        return ""
    changed = _RULES[finding](script, [one for one in statements if one is not None], names)
    if changed is None:
        return ""
    lines = unified_diff(script.lines, changed, file, file, n=CONTEXT_LINES, lineterm="")
    return "\n".join(lines)


@lru_cache(maxsize=8)
def _parsed(text: str) -> _Script | None:
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        return _Script(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Statement(NamedTuple):
    """A statement without a body, the blocks around it, and their owners, outermost first."""

    node: ast.stmt
    blocks: tuple[tuple[ast.AST, Sequence[ast.stmt]], ...]

    @property
    def block(self) -> Sequence[ast.stmt]:
        """The statements that it stands among."""
        return self.blocks[-1][1]

    @property
    def function(self) -> ast.AST:
        """The innermost function around it, or the whole script."""
        functions = [owner for owner, _ in self.blocks if isinstance(owner, _FUNCTIONS)]
        return functions[-1] if functions else self.blocks[0][0]

    @property
    def loops(self) -> list[ast.stmt]:
        """The loops around it in its function, outermost first."""
        found: list[ast.stmt] = []
        for owner, _ in self.blocks:
            if isinstance(owner, _FUNCTIONS):
                found = []
            elif isinstance(owner, _LOOPS):
                found.append(owner)
        return found


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class _Script:
    """The lines of a file and the statements in them."""

    def __init__(self, text: str) -> None:
        text = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
        self.lines = text.split("\n")  # splitlines() would also split at a form feed
        tree = ast.parse(text)
        self._statements: dict[int, _Statement | None] = {}
        for statement in _simple_statements(((tree, tree.body),)):
            node = statement.node
            alone = not self.lines[node.lineno - 1][: node.col_offset].strip()
            for number in _numbers(node):
                taken = number in self._statements
                self._statements[number] = statement if alone and not taken else None

    def statement(self, number: int) -> _Statement | None:
        """Return the statement in a line; None if it shares its lines with another."""
        found = self._statements.get(number)
        if found is None or any(self._statements[one] != found for one in _numbers(found.node)):
            return None
        return found

    def statements(self) -> list[_Statement]:
        """Return the statements that stand alone in their lines."""
        return [
            one
            for number, one in self._statements.items()
            if one is not None and number == one.node.lineno and self.statement(number) is one
        ]

    def text(self, node: ast.stmt) -> list[str]:
        """Return the lines of a statement."""
        return self.lines[node.lineno - 1 : node.end_lineno]

    def inserted(self, line: str, node: ast.stmt, *, after: bool = False) -> list[str]:
        """Return the lines with one more before or after a statement, indented like it."""
        indent = self.lines[node.lineno - 1][: node.col_offset]
        place = (node.end_lineno or node.lineno) if after else node.lineno - 1
        return [*self.lines[:place], indent + line, *self.lines[place:]]

    def respelled(self, node: ast.stmt, start: int, end: int, text: str) -> list[str]:
        """Return the lines with other text in a statement of one line; `ast` counts its bytes."""
        line = self.lines[node.lineno - 1].encode()
        changed = line[:start] + text.encode() + line[end:]
        return [*self.lines[: node.lineno - 1], changed.decode(), *self.lines[node.lineno :]]

    def moved(
        self, statement: _Statement, anchor: ast.stmt, *, after: bool = False
    ) -> list[str] | None:
        """Return the lines with a statement before or after another one of its block."""
        if anchor not in statement.block or anchor is statement.node:
            return None
        text, numbers = self.text(statement.node), _numbers(statement.node)
        place = _numbers(anchor)[-1] if after else anchor.lineno - 1
        before = [line for at, line in enumerate(self.lines[:place], 1) if at not in numbers]
        behind = [
            line for at, line in enumerate(self.lines[place:], place + 1) if at not in numbers
        ]
        return [*before, *text, *behind]


def _numbers(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _simple_statements(
    blocks: tuple[tuple[ast.AST, Sequence[ast.stmt]], ...],
) -> Iterator[_Statement]:
    """Yield the statements without a body in the innermost block, and in those inside of it."""
    for node in blocks[-1][1]:
        inner = [
            field
            for _, field in ast.iter_fields(node)
            if isinstance(field, list) and field and isinstance(field[0], ast.stmt)
        ]
        inner += [handler.body for handler in getattr(node, "handlers", ())]
        inner += [case.body for case in getattr(node, "cases", ())]
        for body in inner:
            yield from _simple_statements((*blocks, (node, body)))
        if not inner:
            yield _Statement(node, blocks)


def _called(statement: _Statement, method: str) -> ast.Call | None:
    """Return the one call of a method in a statement, such as `optimizer.step()`."""
    found = [
        node
        for node in ast.walk(statement.node)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
    ]
    return found[0] if len(found) == 1 else None


def _object(statement: _Statement, method: str, names: Sequence[str]) -> str | None:
    """Return how a statement names the object whose method it calls, if it is a known one.

    In `scaler.step(optimizer)` it is the argument.
    """
    call = _called(statement, method)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    last = {name.rpartition(".")[2] for name in names}
    for node in (call.func.value, *call.args[:1]):
        text = ast.unparse(node)
        if isinstance(node, (ast.Name, ast.Attribute)) and text.rpartition(".")[2] in last:
            return text
    return None


def _clear_after_step(
    script: _Script, cited: Sequence[_Statement], names: Sequence[str]
) -> list[str] | None:
    # Not before the Backward: of several losses, only the first one's would be the right one.
    step = cited[-1]
    optimizer = _object(step, "step", names)
    if optimizer is None:
        return None
    return script.inserted(f"{optimizer}.zero_grad()", step.node, after=True)


def _clear_later(
    script: _Script, cited: Sequence[_Statement], _: Sequence[str]
) -> list[str] | None:
    clearing, step = cited[-2], cited[-1]
    if _called(clearing, "zero_grad") is None:
        return None
    return script.moved(clearing, step.node, after=True)


def _step_after_backward(
    script: _Script, cited: Sequence[_Statement], names: Sequence[str]
) -> list[str] | None:
    backward, clearing = cited[-2], cited[-1]
    optimizer = _object(clearing, "zero_grad", names)
    if optimizer is None or backward.function is not clearing.function:
        return None
    return script.inserted(f"{optimizer}.step()", backward.node, after=True)


def _clip_before_step(
    script: _Script, cited: Sequence[_Statement], _: Sequence[str]
) -> list[str] | None:
    return script.moved(cited[-1], cited[0].node)


def _clip_after_backward(
    script: _Script, cited: Sequence[_Statement], _: Sequence[str]
) -> list[str] | None:
    return script.moved(cited[0], cited[1].node, after=True)


def _schedule_after_step(
    script: _Script, cited: Sequence[_Statement], _: Sequence[str]
) -> list[str] | None:
    schedule, step = cited[0], cited[-1]
    if schedule.function is not step.function:
        return None
    around = [owner for owner, _ in step.blocks if isinstance(owner, ast.stmt)]
    for node in (*around, step.node):
        if node in schedule.block:
            return script.moved(schedule, node, after=True)
    return None


def _clear_to_none(
    script: _Script, cited: Sequence[_Statement], _: Sequence[str]
) -> list[str] | None:
    clearing = cited[0].node
    call = _called(cited[0], "zero_grad")
    if call is None or call.args or [one.arg for one in call.keywords] != ["set_to_none"]:
        return None
    if len(_numbers(clearing)) > 1 or call.end_col_offset is None:
        return None
    text = f"{ast.unparse(call.func)}()"
    return script.respelled(clearing, call.col_offset, call.end_col_offset, text)


def _train_before(
    script: _Script, cited: Sequence[_Statement], names: Sequence[str]
) -> list[str] | None:
    call, (module, *others) = cited[0], names
    calls = [
        node
        for node in ast.walk(call.node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == module
    ]
    if others or not calls:
        return None
    nested = call.loops[1:]
    return script.inserted(f"{module}.train()", nested[-1] if nested else call.node)


def _detached_term(
    script: _Script, cited: Sequence[_Statement], names: Sequence[str]
) -> list[str] | None:
    # Not item(): the total may be used as a tensor later.
    total, loss = names
    found = [
        statement.node
        for statement in script.statements()
        if statement.function is cited[0].function
        and isinstance(statement.node, ast.AugAssign)
        and isinstance(statement.node.op, ast.Add)
        and ast.unparse(statement.node.target).rpartition(".")[2] == total.rpartition(".")[2]
        and ast.unparse(statement.node.value) == loss
    ]
    if len(found) != 1 or len(_numbers(found[0])) > 1 or found[0].value.end_col_offset is None:
        return None
    end = found[0].value.end_col_offset
    return script.respelled(found[0], end, end, ".detach()")


def _without_second_step(
    script: _Script, cited: Sequence[_Statement], _: Sequence[str]
) -> list[str] | None:
    first, second = cited[-2], cited[-1]
    same = ast.unparse(first.node) == ast.unparse(second.node)
    if not same or first.node is second.node or first.block is not second.block:
        return None
    numbers = _numbers(second.node)
    return [line for number, line in enumerate(script.lines, 1) if number not in numbers]


_RULES: Mapping[str, Callable[[_Script, Sequence[_Statement], Sequence[str]], list[str] | None]] = (
    MappingProxyType(
        {
            "grad-accumulated": _clear_after_step,
            "grad-discarded": _clear_later,
            "grad-reused": _without_second_step,
            "step-missing": _step_after_backward,
            "clip-after-step": _clip_before_step,
            "clip-before-backward": _clip_after_backward,
            "scheduler-first": _schedule_after_step,
            "moved-without-gradient": _clear_to_none,
            "mode-left-eval": _train_before,
            "total-keeps-graphs": _detached_term,
        }
    )
)
