"""Runs the code cells of a notebook in order, in one `__main__`, without Jupyter.

Each cell is a file of its own, "train.ipynb, cell 3", with line numbers of its own. What is not
Python, such as `%matplotlib inline` or `!ls`, is skipped, and standard error says so.
"""

from __future__ import annotations

import ast
import json
import linecache
import sys
from pathlib import Path
from typing import Any

_RUN_ANYWAY = ("%%time", "%%timeit", "%%capture", "%%prun")
"""Magics of a cell that run its other lines."""
_TIME = "%time "
_MAGIC = ("%", "!")


class NotebookError(Exception):
    """A file is not a notebook that can be run; the message says why."""


class Cell:
    """A code cell.

    Attributes:
        name: The name of its file, which tracebacks and Events show.
        text: Its text.
    """

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text

    def run(self, names: dict[str, Any]) -> None:
        """Run it; the value of an expression at its end is shown, as in a notebook.

        Args:
            names: The variables of the notebook.
        """
        linecache.cache[self.name] = (len(self.text), None, self._lines(), self.name)
        tree = self._tree()
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, self.name, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), self.name, "eval"), names)
            if not self.text.rstrip().endswith(";"):
                sys.displayhook(value)

    def _lines(self) -> list[str]:
        return [f"{line}\n" for line in self.text.splitlines()]

    def _tree(self) -> ast.Module:
        """Return the parsed cell, without the lines that are not Python."""
        lines = self.text.splitlines()
        if lines and lines[0].startswith("%%"):
            if not lines[0].startswith(_RUN_ANYWAY):
                self._note(f"skipped, for {lines[0]}")
                return ast.Module([], [])
            self._skip(lines, 0)
        while True:
            try:
                return ast.parse("\n".join(lines), self.name)
            except SyntaxError as error:
                if not self._skip(lines, (error.lineno or 0) - 1):
                    raise

    def _skip(self, lines: list[str], index: int) -> bool:
        """Replace a line that is not Python; return whether it is one."""
        line = lines[index].strip() if 0 <= index < len(lines) else ""
        if line.startswith(_TIME):
            lines[index] = lines[index].replace(_TIME, "", 1)
            return True
        _, equals, right = line.partition("=")
        is_magic = line.startswith(_MAGIC) or (equals and right.strip().startswith(_MAGIC))
        if not is_magic and not (line.endswith("?") or line.startswith("?")):
            return False
        indent = lines[index][: len(lines[index]) - len(lines[index].lstrip())]
        self._note(f"line {index + 1} skipped: {line}")
        while lines[index].endswith("\\") and index + 1 < len(lines):
            lines[index] = ""
            index += 1
        lines[index] = f"{indent}pass"
        return True

    def _note(self, text: str) -> None:
        sys.stderr.write(f"gradstep: {self.name}: {text}\n")


def cells_of(path: str) -> list[Cell]:
    """Return the code cells of a notebook, in order; they are counted from 1.

    Raises:
        NotebookError: It is not a notebook.
    """
    try:
        cells = json.loads(Path(path).read_bytes())["cells"]
        codes = [cell for cell in cells if cell["cell_type"] == "code"]
    except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        raise NotebookError(f"{path} is not a notebook of format 4") from error
    texts = map(_text, codes)
    return [Cell(f"{path}, cell {number}", text) for number, text in enumerate(texts, 1)]


def _text(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    return "".join(map(str, source)) if isinstance(source, list) else str(source)
