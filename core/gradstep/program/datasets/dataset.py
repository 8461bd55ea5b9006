"""PreparedDataset: inputs and targets as arrays, split into training rows and held-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import ProgramError

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import DTypeLike, NDArray

    from gradstep.program.schema.data_sets import DataSpec

__all__ = ["PreparedDataset", "Table", "prepare"]


@dataclass(frozen=True, slots=True)
class Table:
    """The raw inputs and targets of a data set: float64, or int64 for class labels.

    Attributes:
        inputs: Of shape (rows, ...).
        targets: Of shape (rows,) for class labels, else (rows, ...); None without targets.
        input_names: The names of the input columns, if they have names.
        classes: The names of the classes, if the labels have names.
        held_out: The number of held-out rows, which come last; 0 to draw them.
    """

    inputs: NDArray[Any]
    targets: NDArray[Any] | None
    input_names: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    held_out: int = 0


@dataclass(frozen=True, slots=True)
class PreparedDataset:
    """A data set, ready for batches.

    Attributes:
        inputs: Of shape (rows, ...), in the program's dtype.
        targets: In the program's dtype, or int64 class labels; None without targets.
        training: The number of training rows, which come first; the other rows are held out.
        input_names: The names of the input columns, if they have names.
        classes: The names of the classes, if the labels have names.
        shift: What `standardize` subtracted from each input column; None if it did nothing.
        scale: What it then divided by.
    """

    inputs: NDArray[Any]
    targets: NDArray[Any] | None
    training: int
    input_names: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    shift: NDArray[Any] | None = None
    scale: NDArray[Any] | None = None

    def original(self, inputs: NDArray[Any]) -> NDArray[Any]:
        """Return standardized inputs, rows first, as they were before.

        Example:
            >>> one = np.ones(1)
            >>> data = PreparedDataset(np.array([[-1.0], [1.0]]), None, 2, shift=2 * one, scale=one)
            >>> data.original(data.inputs).tolist()
            [[1.0], [3.0]]
        """
        if self.shift is None or self.scale is None:
            return inputs
        original: NDArray[Any] = inputs * self.scale + self.shift
        return original


def prepare(
    table: Table, spec: DataSpec, place: str, dtype: DTypeLike, draw: RandomState
) -> PreparedDataset:
    """Limit, split, fill in and standardize a table.

    Held-out rows are those of a second file, or drawn at random, since files are often sorted by
    class. The rows are then reordered, with the training rows first. A missing number becomes the
    mean of its column's training rows.

    Args:
        table: The raw data.
        spec: The specification in the document.
        place: The place of the data set in the document.
        dtype: The dtype of the inputs, and of targets that are not labels.
        draw: The random state that draws the held-out rows.

    Raises:
        ProgramError: If no training rows are left.

    Example:
        >>> from gradstep.program.schema.data_sets import StraightLine
        >>> table = Table(np.array([[1.0], [3.0], [9.0]]), None)
        >>> draw = np.random.RandomState(0)
        >>> spec = StraightLine(limit=2, standardize=True)
        >>> prepare(table, spec, "$.data.d", "float32", draw).inputs
        array([[-1.], [ 1.]], dtype=float32)
    """
    inputs, targets, training = _limited(table, spec.limit)
    if table.held_out and spec.validation:
        raise ProgramError(
            f"{place}.validation",
            "the held-out rows come from a file, and a fraction cannot be drawn as well",
            'remove "validation"',
        )
    if not table.held_out:
        training -= int(training * spec.validation)
    if training < len(inputs) and not table.held_out:
        order = draw.permutation(len(inputs))
        inputs, targets = inputs[order], None if targets is None else targets[order]
    if not training:
        raise ProgramError(place, "no training rows are left", "use more rows")
    if spec.drop_last and spec.batch_size is not None and spec.batch_size > training:
        raise ProgramError(
            f"{place}.batch_size",
            f"{spec.batch_size} is more than the {training} rows, and drop_last leaves nothing",
            f"use at most {training}",
        )
    missing = np.isnan(inputs)
    if missing.any():
        inputs = np.where(missing, _means(inputs[:training], table.input_names, place), inputs)
    shift = scale = None
    if spec.standardize:
        shift = inputs[:training].mean(axis=0)
        deviation = inputs[:training].std(axis=0)
        # A constant column becomes 0 instead of 0/0.
        scale = np.where(deviation > 0, deviation, 1.0)
        inputs = (inputs - shift) / scale
    if targets is not None and targets.dtype.kind == "f":
        targets = targets.astype(dtype)
    return PreparedDataset(
        np.ascontiguousarray(inputs, dtype),
        None if targets is None else np.ascontiguousarray(targets),
        training,
        table.input_names,
        table.classes,
        shift,
        scale,
    )


def _limited(table: Table, limit: int | None) -> tuple[NDArray[Any], NDArray[Any] | None, int]:
    """Return the first rows of each part of a table, and how many of them are training rows."""
    split = len(table.inputs) - table.held_out
    training = split if limit is None else min(limit, split)
    parts = slice(training), slice(split, None if limit is None else split + limit)

    def kept(values: NDArray[Any]) -> NDArray[Any]:
        if not table.held_out:
            return values[parts[0]]
        return np.concatenate([values[part] for part in parts])

    return kept(table.inputs), None if table.targets is None else kept(table.targets), training


def _means(training: NDArray[Any], names: tuple[str, ...], place: str) -> NDArray[Any]:
    """Return the mean of the known numbers in each column."""
    known = ~np.isnan(training)
    counts = known.sum(axis=0)
    if not counts.all():
        name = names[int(np.argmin(counts))]
        raise ProgramError(
            place, f"column {name!r} has no value in any training row", "leave the column out"
        )
    means: NDArray[Any] = np.where(known, training, 0.0).sum(axis=0) / counts
    return means
