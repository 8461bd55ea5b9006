"""PreparedDataset: inputs and targets as arrays, split in rows to train on and rows held out."""

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
    """What a kind gives: inputs and targets in float64 or, for class labels, int64.

    Attributes:
        inputs: Of shape (rows, ...).
        targets: Of shape (rows,) for class labels, else (rows, ...); None when there are none.
        input_names: Names of the input columns, where they have any.
        classes: Names of the classes, where the targets are labels with names.
    """

    inputs: NDArray[Any]
    targets: NDArray[Any] | None
    input_names: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedDataset:
    """A data set, ready for batches.

    Attributes:
        inputs: Of shape (rows, ...), in the program's dtype.
        targets: In the program's dtype, or int64 class labels; None when there are none.
        training: How many rows, from the first, are there to train on; the others are held out.
        input_names: Names of the input columns, where they have any.
        classes: Names of the classes, where the targets are labels with names.
    """

    inputs: NDArray[Any]
    targets: NDArray[Any] | None
    training: int
    input_names: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


def prepare(
    table: Table, spec: DataSpec, place: str, dtype: DTypeLike, draw: RandomState
) -> PreparedDataset:
    """Limit, split and standardize a table.

    Rows to hold out are drawn at random, since files are often sorted by class; the rows are then
    numbered anew, those to train on first.

    Args:
        table: What the kind gave.
        spec: What the document wants of it.
        place: Where the data set stands in the document.
        dtype: Of the inputs, and of targets that are not labels.
        draw: Draws which rows are held out.

    Raises:
        ProgramError: If nothing is left to train on.

    Example:
        >>> from gradstep.program.schema.data_sets import StraightLine
        >>> table = Table(np.array([[1.0], [3.0], [9.0]]), None)
        >>> draw = np.random.RandomState(0)
        >>> spec = StraightLine(limit=2, standardize=True)
        >>> prepare(table, spec, "$.data.d", "float32", draw).inputs
        array([[-1.], [ 1.]], dtype=float32)
    """
    inputs = table.inputs[: spec.limit]
    targets = None if table.targets is None else table.targets[: spec.limit]
    training = len(inputs) - int(len(inputs) * spec.validation)
    if training < len(inputs):
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
    if spec.standardize:
        mean = inputs[:training].mean(axis=0)
        deviation = inputs[:training].std(axis=0)
        # A column that never changes stays at 0 instead of becoming 0/0.
        inputs = (inputs - mean) / np.where(deviation > 0, deviation, 1.0)
    if targets is not None and targets.dtype.kind == "f":
        targets = targets.astype(dtype)
    return PreparedDataset(
        np.ascontiguousarray(inputs, dtype),
        None if targets is None else np.ascontiguousarray(targets),
        training,
        table.input_names,
        table.classes,
    )
