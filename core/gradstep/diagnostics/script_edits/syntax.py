"""The statements of a script's text: in which lines they stand, and in which blocks.

Only a statement that stands alone in its lines is found, because only that can be moved.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = [
    "FUNCTIONS",
    "KEEPING_METHODS",
    "Change",
    "ScriptSyntax",
    "Statement",
    "line_numbers",
    "parsed",
    "statement_at",
    "statement_in",
    "variables_set_in",
]

KEEPING_METHODS = frozenset((
    "contiguous", "cpu", "cuda", "detach", "double", "flatten", "float", "half", "long", "reshape",
    "squeeze", "to", "type", "unsqueeze", "view",
))  # fmt: skip
"""Methods of a tensor that keep its elements."""

MAX_CHARACTERS = 1_000_000
"""Longer files are not parsed."""


@lru_cache(maxsize=8)
def parsed(text: str) -> ScriptSyntax | None:
    """Return the statements of a text; None if it is no script."""
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        return ScriptSyntax(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def statement_at(files: Mapping[str, str], place: str) -> Statement | None:
    """Return the first statement in a line, such as "train.py:12"; None where it is not known."""
    found = statement_in(files, place)
    return None if found is None else found[1]


def statement_in(files: Mapping[str, str], place: str) -> tuple[ScriptSyntax, Statement] | None:
    """Return the first statement in a line, and the script that has it; None likewise."""
    file, _, number = place.rpartition(":")
    script = parsed(files[file]) if file in files and number.isdecimal() else None
    found = None if script is None else script.first_statement(int(number))
    return None if script is None or found is None else (script, found)


class Change(NamedTuple):
    """Other text from a byte of a line to one of the same or a later line.

    Attributes:
        line: The number of the first line.
        start: Where it begins there; `ast` counts its bytes.
        last: The number of the last line.
        end: Where it ends there.
        text: The text; None to remove the lines.
    """

    line: int
    start: int
    last: int
    end: int
    text: str | None

    @classmethod
    def of(cls, node: ast.expr, text: str) -> Change:
        """Return the change of an expression to a text."""
        last, end = node.end_lineno or node.lineno, node.end_col_offset or 0
        return cls(node.lineno, node.col_offset, last, end, text)


class Statement(NamedTuple):
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
        functions = [owner for owner, _ in self.blocks if isinstance(owner, FUNCTIONS)]
        return functions[-1] if functions else self.blocks[0][0]

    @property
    def loops(self) -> list[ast.stmt]:
        """The loops around it in its function, outermost first."""
        found: list[ast.stmt] = []
        for owner, _ in self.blocks:
            if isinstance(owner, FUNCTIONS):
                found = []
            elif isinstance(owner, _LOOPS):
                found.append(owner)
        return found


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class ScriptSyntax:
    """The lines of a file, its syntax, and the statements in its lines."""

    def __init__(self, text: str) -> None:
        text = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
        self.lines = text.split("\n")  # splitlines() would also split at a form feed
        self.tree = tree = ast.parse(text)
        self._statements: dict[int, Statement | None] = {}
        self._first: dict[int, Statement] = {}
        for statement in _simple_statements(((tree, tree.body),)):
            node = statement.node
            alone = not self.lines[node.lineno - 1][: node.col_offset].strip()
            for number in line_numbers(node):
                taken = number in self._statements
                self._first.setdefault(number, statement)
                self._statements[number] = statement if alone and not taken else None

    def statement(self, number: int) -> Statement | None:
        """Return the statement in a line; None if it shares its lines with another."""
        found = self._statements.get(number)
        if found is None or any(self._statements[one] != found for one in line_numbers(found.node)):
            return None
        return found

    def first_statement(self, number: int) -> Statement | None:
        """Return the first statement in a line, also one that shares it; None without any."""
        return self._first.get(number)

    def statements(self) -> list[Statement]:
        """Return the statements that stand alone in their lines."""
        return [
            one
            for number, one in self._statements.items()
            if one is not None and number == one.node.lineno and self.statement(number) is one
        ]

    def text(self, node: ast.stmt) -> list[str]:
        """Return the lines of a statement."""
        return self.lines[node.lineno - 1 : node.end_lineno]

    def source(self, node: ast.expr) -> str:
        """Return an expression as the script spells it, in one line."""
        if node.end_lineno != node.lineno:
            return ast.unparse(node)
        line = self.lines[node.lineno - 1].encode()
        return line[node.col_offset : node.end_col_offset].decode()

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

    def changed(self, changes: Iterable[Change]) -> list[str]:
        """Return the lines with all of these changes, which do not overlap."""
        lines = list(self.lines)
        for line, start, last, end, text in sorted(set(changes), reverse=True):
            kept, rest = lines[line - 1].encode()[:start], lines[last - 1].encode()[end:]
            changed = [] if text is None else [(kept + text.encode() + rest).decode()]
            lines[line - 1 : last] = changed
        return lines

    def with_call(self, statement: Statement) -> list[str] | None:
        """Return the lines with the method called that a statement of one line only names."""
        node = statement.node
        end = node.end_col_offset
        if end is None or len(line_numbers(node)) > 1:
            return None
        return self.respelled(node, end, end, "()")

    def moved(
        self, statement: Statement, anchor: ast.stmt, *, after: bool = False
    ) -> list[str] | None:
        """Return the lines with a statement before or after another one of its block."""
        if anchor not in statement.block or anchor is statement.node:
            return None
        text, numbers = self.text(statement.node), line_numbers(statement.node)
        place = line_numbers(anchor)[-1] if after else anchor.lineno - 1
        before = [line for at, line in enumerate(self.lines[:place], 1) if at not in numbers]
        behind = [
            line for at, line in enumerate(self.lines[place:], place + 1) if at not in numbers
        ]
        return [*before, *text, *behind]


def line_numbers(node: ast.stmt) -> range:
    """Return the numbers of the lines of a statement."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


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


def _simple_statements(
    blocks: tuple[tuple[ast.AST, Sequence[ast.stmt]], ...],
) -> Iterator[Statement]:
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
            yield Statement(node, blocks)
