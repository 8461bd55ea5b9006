"""Load a data set of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from gradstep.errors import ProgramError
from gradstep.program.datasets import generated
from gradstep.program.datasets.arrays import are_class_labels, numbers, parse_npy
from gradstep.program.datasets.csv_table import first_rows, parse_csv
from gradstep.program.datasets.dataset import PreparedDataset, Table, prepare
from gradstep.program.resources import resource
from gradstep.program.schema import data_sets
from gradstep.program.schema.limits import MAX_ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import DTypeLike

    from gradstep.program.document.files import Files

__all__ = ["load_dataset"]

_GENERATED: Mapping[type[data_sets.DataSpec], Callable[..., Table]] = {
    data_sets.StraightLine: generated.line,
    data_sets.Polynomial: generated.polynomial,
    data_sets.Sine: generated.sine,
    data_sets.Moons: generated.moons,
    data_sets.Circles: generated.circles,
    data_sets.Spirals: generated.spirals,
    data_sets.Blobs: generated.blobs,
    data_sets.Xor: generated.xor,
    data_sets.Gaussian: generated.gaussian,
}
_DIGITS_PIXELS = 64


def load_dataset(
    name: str, spec: data_sets.DataSpec, files: Files, *, seed: int, dtype: DTypeLike
) -> PreparedDataset:
    """Load the data set `name` of a program.

    Args:
        name: Its name, which also seeds the random kinds.
        spec: Its specification in the document.
        files: The source of its files.
        seed: The program's seed; the data set's own seed takes precedence.
        dtype: The program's dtype.

    Returns:
        Inputs and targets.

    Raises:
        ProgramError: If it cannot be loaded; the error names the place in the document.

    Example:
        >>> from gradstep.program.document.files import FolderFiles
        >>> iris = load_dataset("i", data_sets.Iris(), FolderFiles(None), seed=0, dtype="float32")
        >>> iris.inputs.shape, iris.classes
        ((150, 4), ('setosa', 'versicolor', 'virginica'))
    """
    place = f"$.data.{name}"
    own = [seed, crc32(name.encode())] if spec.seed is None else [spec.seed]
    draw = np.random.RandomState(own)
    make = _GENERATED.get(type(spec))
    if make is not None:
        _check_size(spec, place)
        table = make(spec, draw)
    else:
        table = _read(spec, files, place)
    return prepare(table, spec, place, dtype, draw)


def _check_size(spec: data_sets.DataSpec, place: str) -> None:
    """Reject a generated data set that is too large, before it is allocated."""
    rows: int = getattr(spec, "samples", 1)
    width = 2
    if isinstance(spec, data_sets.Blobs):
        width = spec.features * (1 + spec.centers // rows)
    elif isinstance(spec, data_sets.Gaussian):
        width = spec.inputs + spec.targets
    elif isinstance(spec, data_sets.Polynomial):
        width = len(spec.coefficients)
    if rows * width > MAX_ELEMENTS:
        raise ProgramError(
            place,
            f"the data set has {rows * width:,} numbers",
            f"use at most {MAX_ELEMENTS:,} numbers",
        )


def _read(spec: data_sets.DataSpec, files: Files, place: str) -> Table:
    match spec:
        case data_sets.Inline():
            return _inline(spec, place)
        case data_sets.Csv():
            return _csv(spec, files, place)
        case data_sets.Npy():
            return _npy(spec, files, place)
        case data_sets.Digits():
            return _digits(place)
        case data_sets.Iris():
            bundled = data_sets.Csv(path="iris.csv", target="species", classes=True)
        case _:
            bundled = data_sets.Csv(path="diabetes.csv", target="progression")
    return parse_csv(resource(f"data/{bundled.path}").read_bytes(), bundled, place)


def _inline(spec: data_sets.Inline, place: str) -> Table:
    inputs = numbers(spec.inputs, f"{place}.inputs")
    if inputs.ndim == 1:
        inputs = inputs[:, None]
    if spec.targets is None:
        return Table(inputs, None)
    targets: Any = numbers(spec.targets, f"{place}.targets")
    if are_class_labels(spec.targets):
        targets = targets.astype(np.int64)
    return Table(inputs, _check_row_count(targets, inputs, f"{place}.targets"))


def _csv(spec: data_sets.Csv, files: Files, place: str) -> Table:
    take = first_rows(spec)
    raw = files.read(spec.path, f"{place}.path", take)
    if spec.validation_path is None:
        return parse_csv(raw, spec, place)
    held_out = files.read(spec.validation_path, f"{place}.validation_path", take)
    return parse_csv(raw, spec, place, held_out)


def _npy(spec: data_sets.Npy, files: Files, place: str) -> Table:
    inputs, targets = _arrays(files, spec.inputs, spec.targets, place, "")
    if spec.validation_inputs is None:
        if spec.validation_targets is not None:
            raise ProgramError(
                place, "validation_targets without validation_inputs", "name both files"
            )
        return Table(inputs, targets)
    if (spec.targets is None) != (spec.validation_targets is None):
        raise ProgramError(place, "one of the two parts has no targets", "give both or neither")
    more, more_targets = _arrays(
        files, spec.validation_inputs, spec.validation_targets, place, "validation_"
    )
    for one, other in ((inputs, more), (targets, more_targets)):
        if one is not None and one.shape[1:] != other.shape[1:]:
            raise ProgramError(
                place,
                f"a training row has the shape {one.shape[1:]}, a validation row {other.shape[1:]}",
                "save rows of the same shape",
            )
    joined = None if targets is None else np.concatenate([targets, more_targets])
    return Table(np.concatenate([inputs, more]), joined, held_out=len(more))


def _arrays(
    files: Files, inputs_path: str, targets_path: str | None, place: str, prefix: str
) -> tuple[Any, Any]:
    """Return the inputs and targets in two files, of which the second may be None."""
    where = f"{place}.{prefix}inputs"
    inputs = parse_npy(files.read(inputs_path, where), inputs_path, where)
    inputs = inputs.astype(np.float64).reshape(len(inputs), *(inputs.shape[1:] or (1,)))
    if targets_path is None:
        return inputs, None
    where = f"{place}.{prefix}targets"
    targets = parse_npy(files.read(targets_path, where), targets_path, where)
    return inputs, _check_row_count(targets, inputs, where)


def _check_row_count(targets: Any, inputs: Any, place: str) -> Any:  # noqa: ANN401 - arrays
    if len(targets) != len(inputs):
        raise ProgramError(
            place, f"{len(targets)} targets for {len(inputs)} inputs", "give one target per row"
        )
    return targets


def _digits(place: str) -> Table:
    rows = parse_npy(resource("data/digits.npy").read_bytes(), "digits.npy", place)
    levels = rows[:, :_DIGITS_PIXELS].astype(np.float64)
    return Table(levels, rows[:, _DIGITS_PIXELS], classes=tuple("0123456789"))
