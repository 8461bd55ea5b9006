"""Statements of a script that read a large data set from its files, instead of embedding it."""

from __future__ import annotations

import csv
from io import StringIO
from textwrap import dedent
from typing import TYPE_CHECKING, Any
from zlib import crc32

from gradstep.program.schema.data_sets import Csv, Npy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.program.datasets.dataset import PreparedDataset

__all__ = ["READERS", "file_statements", "is_read_from_files", "targets_source"]

_MAX_EMBEDDED_BYTES = 100_000
"""Maximum size of inputs that a script contains when it could read them from a file."""

READERS: Mapping[str, str] = {
    "read_csv": dedent('''
        def read_csv(name, columns, delimiter, header, limit):
            """Return columns of a CSV file beside this script as numbers."""
            path = pathlib.Path(__file__).parent / name
            with path.open(newline="", encoding="utf-8-sig") as file:
                rows = csv.reader(file, delimiter=delimiter)
                rows = list(itertools.islice(rows, header, limit and header + limit))
            rows = [row for row in rows if "".join(row).strip()]
            return numpy.array([[float(row[column]) for column in columns] for row in rows])
    '''),
    "read_npy": dedent('''
        def read_npy(name, limit):
            """Return the rows of an array in a file beside this script."""
            rows = numpy.load(pathlib.Path(__file__).parent / name)[:limit].astype(float)
            return rows if rows.ndim > 1 else rows[:, None]
    '''),
    "standardized": dedent('''
        def standardized(rows, training):
            """Shift and scale columns to mean 0 and deviation 1 of the training rows."""
            mean, deviation = rows[:training].mean(axis=0), rows[:training].std(axis=0)
            return (rows - mean) / numpy.where(deviation > 0, deviation, 1.0)
    '''),
}
"""The helper functions of a script that reads files."""


def is_read_from_files(spec: object, data: PreparedDataset) -> bool:
    """Whether a script reads a data set from its files: a large one of plain numbers.

    Args:
        spec: The data set in the document.
        data: The data set.
    """
    if data.inputs.nbytes <= _MAX_EMBEDDED_BYTES:
        return False
    if isinstance(spec, Csv):
        return not spec.categories and spec.missing is None and not data.classes
    return isinstance(spec, Npy) and spec.validation_inputs is None


def file_statements(
    name: str,
    spec: Csv | Npy,
    data: PreparedDataset,
    variables: tuple[str, str, str],
    *,
    seed: int,
    files: Mapping[str, bytes],
) -> Iterator[str]:
    """Yield the statements that read a data set; its inputs get the very same bits.

    Args:
        name: The name of the data set.
        spec: The data set in the document.
        data: The data set.
        variables: The variables of its rows, of its inputs, and of the targets of its rows.
        seed: The program's seed.
        files: The contents of the files by path.
    """
    rows, inputs, targets = variables
    if isinstance(spec, Csv):
        yield f"{rows} = {_csv_call(spec.path, spec, files)}"
        if spec.validation_path is not None:
            more = _csv_call(spec.validation_path, spec, files)
            yield f"{rows} = numpy.concatenate([{rows}, {more}])"
        if spec.target is not None:
            yield f"{rows}, {targets} = {rows}[:, :-1], {rows}[:, -1]"
    else:
        yield f"{rows} = read_npy({spec.inputs!r}, {spec.limit})"
        if spec.targets is not None:
            yield f"{targets} = read_npy({spec.targets!r}, {spec.limit})"
    if spec.validation:
        own = [seed, crc32(name.encode())] if spec.seed is None else [spec.seed]
        order = f"{rows}_order"
        yield f"{order} = numpy.random.RandomState({own}).permutation(len({rows}))"
        yield f"{rows} = {rows}[{order}]"
        if data.targets is not None:
            yield f"{targets} = {targets}[{order}]"
    if spec.standardize:
        yield f"{rows} = standardized({rows}, {data.training})"
    yield f"{inputs} = torch.tensor({rows}, dtype=torch.{data.inputs.dtype})"


def targets_source(rows: str, targets: NDArray[Any]) -> str:
    """Return the targets of a loss as an expression of the targets of the rows.

    Args:
        rows: The variable of the targets of the rows.
        targets: The targets of the loss.
    """
    shape = ", ".join(map(str, targets.shape))
    return f"torch.tensor({rows}, dtype=torch.{targets.dtype}).reshape({shape})"


def _csv_call(path: str, spec: Csv, files: Mapping[str, bytes]) -> str:
    text = files[path].decode("utf-8-sig")
    first = next(csv.reader(StringIO(text, newline=""), delimiter=spec.delimiter))
    header = (
        [cell.strip() for cell in first] if spec.header else [str(i) for i in range(len(first))]
    )
    target = [] if spec.target is None else [header.index(spec.target)]
    if spec.inputs is None:
        inputs = [column for column in range(len(header)) if column not in target]
    else:
        inputs = [header.index(column) for column in spec.inputs]
    columns = [*inputs, *target]
    whole = list(range(columns[0], columns[0] + len(columns)))
    shown = f"range({whole[0]}, {whole[-1] + 1})" if columns == whole else f"{columns}"
    return f"read_csv({path!r}, {shown}, {spec.delimiter!r}, {spec.header:d}, {spec.limit})"
