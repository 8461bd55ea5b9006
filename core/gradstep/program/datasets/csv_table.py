"""Read CSV files into inputs and targets; errors name the row and the column."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gradstep.errors import ProgramError
from gradstep.program.datasets.dataset import Table
from gradstep.program.schema.limits import MAX_BYTES, MAX_ELEMENTS, MAX_SAMPLES
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from numpy.typing import NDArray

    from gradstep.program.schema.data_sets import Csv

__all__ = ["first_rows", "parse_csv"]

_MAX_CELL = 40
_CHUNK = 4096
_MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "?"))
"""Cells without a value, in lower case: what pandas and scikit-learn write and read as one."""


def first_rows(spec: Csv) -> Callable[[Iterator[bytes]], bytes] | None:
    r"""Return a function that takes only the needed rows from the lines of a large file.

    A file of up to 16 MB is taken whole, since its class names come from all its rows.

    Args:
        spec: The data set; None is returned when it has no `limit`.

    Example:
        >>> from gradstep.program.schema.data_sets import Csv
        >>> take = first_rows(Csv(path="b.csv", limit=1))
        >>> take(iter([b"u\n", b"1\n", b"2\n"]))
        b'u\n1\n2\n'
    """
    if spec.limit is None:
        return None
    count = spec.limit + spec.header

    def take(lines: Iterator[bytes]) -> bytes:
        taken: list[bytes] = []
        size = 0

        def texts() -> Iterator[str]:
            nonlocal size
            for line in lines:
                taken.append(line)
                size += len(line)
                yield line.decode("utf-8", "replace")

        source = texts()
        try:
            for _row in islice(csv.reader(source, delimiter=spec.delimiter), count):
                pass
        except (csv.Error, TypeError, ValueError):
            pass  # `parse_csv` reports it
        needed = len(taken)
        for _line in source:
            if size > MAX_BYTES:
                return b"".join(taken[:needed])
        return b"".join(taken)

    return take


def parse_csv(raw: bytes, spec: Csv, place: str, validation: bytes | None = None) -> Table:
    r"""Read a CSV file.

    Args:
        raw: The content of the file.
        spec: Its columns, and how to read them.
        place: The place of the data set in the document.
        validation: The content of the second file, whose rows are the held-out rows.

    Returns:
        The table; the target column becomes a column of values, or class labels from 0. A missing
        number is NaN where the rule is "mean".

    Raises:
        ProgramError: If a column is missing, or a cell is not a finite number.

    Example:
        >>> from gradstep.program.schema.data_sets import Csv
        >>> parse_csv(b"u,y\n1,2\n3,oops\n", Csv(path="b.csv", target="y"), "$.data.b")
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.data.b: b.csv, row 3, column 2 (y): 'oops' is not a number;
        put a number there, or remove the row
    """
    first = _read(raw, spec.path, spec, place)
    files = [first]
    if validation is not None:
        path = spec.validation_path or ""
        files.append(_read(validation, path, spec, place))
        if files[1].header != first.header:
            raise ProgramError(
                f"{place}.validation_path",
                f"{path} has other columns than {spec.path}",
                "give both files the same columns, in the same order",
            )
    names, inputs = _inputs(files, place)
    target, header = first.target, first.header
    held_out = len(files[-1].lines) if len(files) > 1 else 0
    if target is None:
        return Table(inputs, None, names, held_out=held_out)
    if spec.classes:
        labels, classes = _labels(files, target)
        return Table(inputs, labels, names, classes, held_out)
    values = np.concatenate([file.numbers[target] for file in files])[:, None]
    if np.isnan(values).any():
        raise ProgramError(
            place,
            f"the target column {header[target]!r} has missing values",
            'a target cannot be filled in; write "missing": "drop"',
        )
    return Table(inputs, values, names, held_out=held_out)


@dataclass(frozen=True, slots=True)
class _File:
    """The cells of one file that are used, by column.

    Attributes:
        path: Its name, for error messages.
        place: The place of the data set in the document.
        header: The names of all columns.
        inputs: The indices of the input columns.
        target: The index of the target column; None for none.
        spec: How to read it.
        numbers: The columns of numbers, by index.
        texts: The columns of text, by index.
        lines: The number of each row in the file.
    """

    path: str
    place: str
    header: list[str]
    inputs: list[int]
    target: int | None
    spec: Csv
    numbers: dict[int, NDArray[Any]]
    texts: dict[int, list[str]]
    lines: list[int]

    def reject(self, line: int, index: int, cell: str, why: str, remedy: str) -> NoReturn:
        shown = cell if len(cell) <= _MAX_CELL else f"{cell[:_MAX_CELL]}..."
        raise ProgramError(
            self.place,
            f"{self.path}, row {line}, column {index + 1} ({self.header[index]}): {shown!r} {why}",
            remedy,
        )


def _read(raw: bytes, path: str, spec: Csv, place: str) -> _File:
    rows = _rows(raw, path, spec, place)
    first = next(rows, None)
    if first is None:
        raise ProgramError(place, f"{path} has no rows", "put rows of numbers into it")
    width = len(first[1])
    header = [cell.strip() for cell in first[1]] if spec.header else [str(i) for i in range(width)]
    target = None if spec.target is None else _column(spec.target, header, f"{place}.target")
    if spec.inputs is None:
        inputs = [index for index in range(len(header)) if index != target]
    else:
        inputs = [
            _column(name, header, f"{place}.inputs[{position}]")
            for position, name in enumerate(spec.inputs)
        ]
    if not inputs:
        raise ProgramError(place, f"{path} has no input column", "keep one for the inputs")
    categories = {_column(name, header, f"{place}.categories") for name in spec.categories}
    for index in categories.difference(inputs):
        raise ProgramError(
            f"{place}.categories",
            f"{header[index]!r} is not an input column",
            'name input columns only; for a target, write "classes": true',
        )
    texts = sorted(categories | ({target} if target is not None and spec.classes else set()))
    used = sorted({*inputs, *(() if target is None else (target,))})
    file = _File(path, place, header, inputs, target, spec, {}, {at: [] for at in texts}, [])
    parts: dict[int, list[NDArray[Any]]] = {at: [] for at in used if at not in file.texts}
    if not spec.header:
        rows = _prepended(first, rows)
    while chunk := list(islice(rows, _CHUNK)):
        _add_chunk(file, parts, chunk, used)
        if len(file.lines) * len(inputs) > MAX_ELEMENTS:
            raise ProgramError(
                place, f"{path} has too many cells", 'read fewer rows, with "limit": 100000'
            )
    if not file.lines:
        raise ProgramError(place, f"{path} has no rows", "put rows of numbers into it")
    file.numbers.update({at: np.concatenate(found) for at, found in parts.items()})
    return file


def _prepended(
    first: tuple[int, list[str]], rows: Iterator[tuple[int, list[str]]]
) -> Iterator[tuple[int, list[str]]]:
    yield first
    yield from rows


def _add_chunk(
    file: _File,
    parts: dict[int, list[NDArray[Any]]],
    chunk: list[tuple[int, list[str]]],
    used: list[int],
) -> None:
    """Read the used cells of some rows, by column."""
    width = len(file.header)
    for line, cells in chunk:
        if len(cells) != width:
            raise ProgramError(
                file.place,
                f"{file.path}, row {line}: {len(cells)} cells where the first row has {width}",
                "give every row the same number of cells",
            )
    if file.spec.missing == "drop":
        chunk = [
            (line, cells)
            for line, cells in chunk
            if not any(cells[at].strip().lower() in _MISSING for at in used)
        ]
    file.lines.extend(line for line, _ in chunk)
    for at in used:
        if at in file.texts:
            file.texts[at].extend(cells[at].strip() for _, cells in chunk)
        else:
            parts[at].append(_numbers(file, at, chunk))


def _numbers(file: _File, at: int, chunk: list[tuple[int, list[str]]]) -> NDArray[Any]:
    """Return a column of finite numbers, and NaN where one may be missing."""
    try:
        values = np.array([float(cells[at]) for _, cells in chunk])
    except ValueError:
        values = None
    if values is not None and np.isfinite(values).all():
        return values
    fill = {None: None, "drop": None, "mean": nan, "zero": 0.0}[file.spec.missing]
    values = np.empty(len(chunk))
    for row, (line, cells) in enumerate(chunk):
        cell = cells[at]
        is_missing = cell.strip().lower() in _MISSING
        if is_missing and fill is not None:
            values[row] = nan if at == file.target else fill
            continue
        remedy = "put a number there, or remove the row"
        if is_missing and file.spec.missing is None:
            remedy = 'put a number there, or say what a missing value is, such as "missing": "drop"'
        try:
            value = float(cell)
        except ValueError:
            if not is_missing and at != file.target:
                column = file.header[at].replace('"', "'")
                remedy += f'; for a column of words, write "categories": {{"{column}": "one-hot"}}'
            file.reject(line, at, cell, "is not a number", remedy)
        if not isfinite(value):
            file.reject(line, at, cell, "is not a finite number", remedy)
        values[row] = value
    return values


def _inputs(files: list[_File], place: str) -> tuple[tuple[str, ...], NDArray[Any]]:
    """Return the names of the inputs, and their values: the rows of all files."""
    first = files[0]
    names: list[str] = []
    columns: list[NDArray[Any]] = []
    for at in first.inputs:
        name = first.header[at]
        if at not in first.texts:
            names.append(name)
            columns.append(np.concatenate([file.numbers[at] for file in files]))
            continue
        known = sorted(set(first.texts[at]))
        codes = np.concatenate([_codes(file, at, known) for file in files])
        if first.spec.categories[name] == "codes":
            names.append(name)
            columns.append(codes.astype(np.float64))
        elif len(known) * len(codes) > MAX_ELEMENTS:
            raise ProgramError(
                f"{place}.categories",
                f"{name!r} has {len(known):,} different values",
                'leave the column out of "inputs", or write "codes"',
            )
        else:
            names.extend(f"{name}={word}" for word in known)
            columns.extend((codes == code).astype(np.float64) for code in range(len(known)))
    return tuple(names), np.stack(columns, axis=1)


def _codes(file: _File, at: int, known: list[str]) -> NDArray[Any]:
    """Return a column of categories as their places among those known."""
    numbered = {word: number for number, word in enumerate(known)}
    missing = next((row for row, word in enumerate(file.texts[at]) if not word), None)
    if missing is not None:
        remedy = 'put a word there, or write "missing": "drop"'
        file.reject(file.lines[missing], at, "", "is not a category", remedy)
    return _numbered(file, at, numbered, "is not among the categories of the training file")


def _labels(files: list[_File], at: int) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the column of class labels from 0, and the names of the classes.

    Whole numbers from 0 are kept; all other values are numbered in sorted order.
    """
    for file in files:
        for row, cell in enumerate(file.texts[at]):
            if not cell:
                remedy = "put a label there, or remove the row"
                file.reject(file.lines[row], at, cell, "is not a class label", remedy)
    words = files[0].texts[at]
    if all(_is_label(word, len(words)) for word in words):
        found = []
        for file in files:
            numbered = {
                word: int(word) for word in set(file.texts[at]) if _is_label(word, len(words))
            }
            found.append(_numbered(file, at, numbered, "is not a class label such as 0, 1, 2"))
        return np.concatenate(found), ()
    classes = sorted(set(words))
    numbered = {name: number for number, name in enumerate(classes)}
    why = "is not among the classes of the training file"
    return np.concatenate([_numbered(file, at, numbered, why) for file in files]), tuple(classes)


def _is_label(word: str, count: int) -> bool:
    return word.isascii() and word.isdigit() and len(word) < _MAX_CELL and int(word) < count


def _numbered(file: _File, at: int, numbered: dict[str, int], why: str) -> NDArray[Any]:
    """Return the number of each word of a column."""
    try:
        return np.array([numbered[word] for word in file.texts[at]], np.int64)
    except KeyError:
        row = next(row for row, word in enumerate(file.texts[at]) if word not in numbered)
        remedy = "put a known one there, or add a row with it to the training file"
        file.reject(file.lines[row], at, file.texts[at][row], why, remedy)


def _rows(raw: bytes, path: str, spec: Csv, place: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each row; empty rows at the end are skipped."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProgramError(
            place, f"{path}: byte {error.start} is not UTF-8 text", "save the file as UTF-8"
        ) from None
    empty: list[tuple[int, list[str]]] = []
    try:
        rows = csv.reader(StringIO(text, newline=""), delimiter=spec.delimiter)
        for line, cells in enumerate(rows, 1):
            if line > MAX_SAMPLES + spec.header:
                raise ProgramError(
                    place,
                    f"{path} has more than {MAX_SAMPLES:,} rows",
                    'read the first of them, with "limit": 100000',
                )
            if not any(cell.strip() for cell in cells):
                empty.append((line, cells))
                continue
            yield from empty
            empty.clear()
            yield line, cells
    except (csv.Error, TypeError, ValueError) as error:
        raise ProgramError(place, f"{path}: {error}", "write a plain CSV file") from None


def _column(name: str, header: Collection[str], place: str) -> int:
    columns = list(header)
    if name not in columns:
        raise ProgramError(place, f"there is no column {name!r}", nearest(name, columns))
    if columns.count(name) > 1:
        raise ProgramError(place, f"two columns are named {name!r}", "rename one of them")
    return columns.index(name)
