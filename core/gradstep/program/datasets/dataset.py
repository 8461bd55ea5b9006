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
        targets: In the program's dtype, or int64 class labels; None without targets.
        training: The number of training rows, which come first; the other rows are held out.
        input_names: The names of the input columns, if they have names.
        classes: The names of the classes, if the labels have names.
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

    Held-out rows are drawn at random, since files are often sorted by class. The rows are then
    reordered, with the training rows first.

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
        # A constant column becomes 0 instead of 0/0.
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
