"""Read a CSV file into inputs and targets; errors name the row and the column."""

from __future__ import annotations

import csv
from io import StringIO
from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gradstep.errors import ProgramError
from gradstep.program.datasets.dataset import Table
from gradstep.program.schema.limits import MAX_ELEMENTS, MAX_SAMPLES
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.program.schema.data_sets import Csv

__all__ = ["parse_csv"]

_MAX_CELL = 40


def parse_csv(raw: bytes, spec: Csv, place: str) -> Table:
    r"""Read a CSV file.

    Args:
        raw: The content of the file.
        spec: Its input columns and its target column.
        place: The place of the data set in the document.

    Returns:
        The table; the target column becomes a column of values, or class labels from 0.

    Raises:
        ProgramError: If a column is missing, or a cell is not a finite number.

    Example:
        >>> from gradstep.program.schema.data_sets import Csv
        >>> parse_csv(b"u,y\n1,2\n3,oops\n", Csv(path="b.csv", target="y"), "$.data.b")
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.data.b: b.csv, row 3, column 2 (y): 'oops' is not a number;
        put a number there, or remove the row
    """
    header, rows, first = _rows(raw, spec, place)
    target = None if spec.target is None else _column(spec.target, header, f"{place}.target")
    if spec.inputs is None:
        inputs = [index for index in range(len(header)) if index != target]
    else:
        inputs = [
            _column(name, header, f"{place}.inputs[{position}]")
            for position, name in enumerate(spec.inputs)
        ]
    if not inputs:
        raise ProgramError(place, f"{spec.path} has no input column", "keep one for the inputs")
    if len(rows) * len(inputs) > MAX_ELEMENTS:
        raise ProgramError(place, f"{spec.path} has too many cells", "use a smaller file")
    reader = _Cells(spec.path, place, header, rows, first)
    values = np.stack([reader.numbers(index) for index in inputs], axis=1)
    names = tuple(header[index] for index in inputs)
    if target is None:
        return Table(values, None, names)
    if spec.classes:
        labels, classes = reader.labels(target)
        return Table(values, labels, names, classes)
    return Table(values, reader.numbers(target)[:, None], names)


class _Cells:
    """Reads the cells of a table by column."""

    def __init__(
        self, path: str, place: str, header: list[str], rows: list[list[str]], first: int
    ) -> None:
        self.path, self.place, self.header, self.rows, self.first = path, place, header, rows, first

    def numbers(self, index: int) -> NDArray[Any]:
        """Return a column of finite numbers."""
        values = np.empty(len(self.rows))
        for row, cells in enumerate(self.rows):
            try:
                value = float(cells[index])
            except ValueError:
                self._reject(row, index, "is not a number")
            if not isfinite(value):
                self._reject(row, index, "is not a finite number")
            values[row] = value
        return values

    def labels(self, index: int) -> tuple[NDArray[Any], tuple[str, ...]]:
        """Return a column of class labels from 0, and the names of the classes.

        Whole numbers from 0 are kept; all other values are numbered in sorted order.
        """
        cells = [cells[index].strip() for cells in self.rows]
        for row, cell in enumerate(cells):
            if not cell:
                self._reject(row, index, "is not a class label")
        if all(cell.isascii() and cell.isdigit() and len(cell) < _MAX_CELL for cell in cells):
            numbers = np.array([float(cell) for cell in cells])
            if numbers.max() < len(cells):
                return numbers.astype(np.int64), ()
        classes = sorted(set(cells))
        numbered = {name: number for number, name in enumerate(classes)}
        return np.array([numbered[cell] for cell in cells], np.int64), tuple(classes)

    def _reject(self, row: int, index: int, why: str) -> NoReturn:
        cell = self.rows[row][index]
        shown = cell if len(cell) <= _MAX_CELL else f"{cell[:_MAX_CELL]}..."
        raise ProgramError(
            self.place,
            f"{self.path}, row {self.first + row}, column {index + 1} "
            f"({self.header[index]}): {shown!r} {why}",
            "put a number there, or remove the row",
        )


def _rows(raw: bytes, spec: Csv, place: str) -> tuple[list[str], list[list[str]], int]:
    """Return the header, the rows, and the line number of the first row in the file."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProgramError(
            place, f"{spec.path}: byte {error.start} is not UTF-8 text", "save the file as UTF-8"
        ) from None
    try:
        lines = list(csv.reader(StringIO(text, newline=""), delimiter=spec.delimiter))
    except (csv.Error, TypeError, ValueError) as error:
        raise ProgramError(place, f"{spec.path}: {error}", "write a plain CSV file") from None
    while lines and not any(cell.strip() for cell in lines[-1]):
        lines.pop()
    if len(lines) <= spec.header:
        raise ProgramError(place, f"{spec.path} has no rows", "put rows of numbers into it")
    if len(lines) > MAX_SAMPLES:
        raise ProgramError(
            place, f"{spec.path} has {len(lines):,} rows", f"use at most {MAX_SAMPLES:,}"
        )
    width = len(lines[0])
    names = [cell.strip() for cell in lines[0]] if spec.header else [str(i) for i in range(width)]
    rows = lines[1:] if spec.header else lines
    first = 2 if spec.header else 1
    for number, cells in enumerate(rows, first):
        if len(cells) != width:
            raise ProgramError(
                place,
                f"{spec.path}, row {number}: {len(cells)} cells where the first row has {width}",
                "give every row the same number of cells",
            )
    return names, rows, first


def _column(name: str, header: list[str], place: str) -> int:
    if name not in header:
        raise ProgramError(place, f"there is no column {name!r}", nearest(name, header))
    if header.count(name) > 1:
        raise ProgramError(place, f"two columns are named {name!r}", "rename one of them")
    return header.index(name)
