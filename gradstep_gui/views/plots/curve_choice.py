"""The columns that a program offers for plotting, and the default choice."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from gradstep_gui.plotting import columns
from gradstep_gui.views.labels import not_recorded_text
from gradstep_gui.widgets.number_format import number_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from gradstep.history.records.snapshot import ModuleRecord, Snapshot
    from gradstep.history.records.tensor import ParameterRecord, TensorRecord

__all__ = [
    "addresses_of",
    "default_choice",
    "layers_of",
    "offered",
    "signature",
    "texts_of",
    "values_of",
]

ELEMENTS = 12
"""Programs with up to this many trainable elements are drawn element by element."""

NORMS = 10
"""The number of norms drawn by default."""


def signature(snapshot: Snapshot) -> tuple[object, ...]:
    """Return what identifies the curves of a program: names and shapes."""
    shapes = tuple((name, p.value.shape) for name, p in snapshot.parameters.items())
    return (*snapshot.losses, *sorted(snapshot.metrics), *shapes)


def default_choice(snapshot: Snapshot) -> tuple[str, ...]:
    """Return every loss, and all elements of a small program's tensors, or else their norms."""
    losses = [columns.loss(name) for name in snapshot.losses]
    trainable = [p for p in snapshot.parameters.values() if _is_trainable(p)]
    if sum(math.prod(p.value.shape) for p in trainable) <= ELEMENTS:
        chosen = [column for p in trainable for column in _elements(p)]
    else:
        chosen = [columns.norm(p.name) for p in trainable[:NORMS]]
    return (*losses, *chosen)


def offered(snapshot: Snapshot, names: Collection[str]) -> tuple[str, ...]:
    """Return the columns to choose from, in the order of the program.

    Args:
        snapshot: Any Snapshot of the program.
        names: Every column that can be requested; empty when not known yet.
    """
    recorded: dict[str, list[str]] = {}
    for name in names:
        found = columns.parse(name) if name.startswith("element/") else None
        if found is not None and not found.gradient:
            recorded.setdefault(found.name, []).append(name)
    rows: list[str] = [columns.loss(name) for name in snapshot.losses]
    outputs = map(columns.output, layers_of(snapshot.modules))
    rows += [column for column in outputs if not names or column in names]
    for tensor, parameter in snapshot.parameters.items():
        if not names:
            recorded[tensor] = list(_elements(parameter)) if _is_small(parameter) else []
        if not names or columns.norm(tensor) in names:
            rows.append(columns.norm(tensor))
            rows += recorded.get(tensor, [])
    return tuple(rows)


def layers_of(modules: Iterable[ModuleRecord]) -> tuple[str, ...]:
    """Return the full names of modules and all that they contain, in their order."""
    return tuple(name for module in modules for name in (module.name, *layers_of(module.children)))


def addresses_of(chosen: Sequence[str]) -> set[str]:
    """Return the addresses of the arrays that contain the chosen elements.

    Example:
        >>> sorted(addresses_of(["element/x[0]", "norm/w", "loss/loss"]))
        ['x', 'x.grad']
    """
    tensors = {c.name for c in map(columns.parse, chosen) if c.kind == "element"}
    return {address for name in tensors for address in (name, f"{name}.grad")}


def values_of(
    snapshot: Snapshot, chosen: Sequence[str], stale: Collection[str] = ()
) -> dict[str, float]:
    """Return the values of columns in a Snapshot; NaN where there is none.

    A Snapshot has no outputs of layers; these columns are skipped.

    Args:
        snapshot: The Snapshot.
        chosen: The columns.
        stale: Losses whose value is old; they are skipped.
    """
    parsed = {column: columns.parse(column) for column in chosen}
    values = {
        column: _value(snapshot, found)
        for column, found in parsed.items()
        if found.kind != "output" and not (found.kind == "loss" and found.name in stale)
    }
    return {column: math.nan if value is None else value for column, value in values.items()}


def texts_of(snapshot: Snapshot, chosen: Sequence[str]) -> dict[str, str]:
    """Return the values of columns as text; unknown ones are skipped."""
    texts = {}
    for column in chosen:
        found = columns.parse(column)
        if found.kind == "output":
            continue
        record = None if found.kind == "loss" else _record(snapshot, found)
        if record is not None and not record.is_recorded:
            texts[column] = not_recorded_text()
            continue
        value = _value(snapshot, found)
        if value is None or not math.isnan(value) or _is_odd(snapshot, found):
            texts[column] = number_text(value)
    return texts


def _value(snapshot: Snapshot, column: columns.SeriesName) -> float | None:
    """Return a column's value: None when there is none, NaN when it is not loaded."""
    if column.kind == "loss":
        return snapshot.losses.get(column.name)
    record = _record(snapshot, column)
    if record is None:
        return None
    if column.kind == "norm":
        return math.nan if record.nan_count + record.inf_count else record.norm
    if not _is_within(column.index, record.shape):  # the column is of an earlier program
        return None
    return math.nan if record.array is None else float(record.array[column.index])


def _is_within(index: Sequence[int], shape: Sequence[int]) -> bool:
    return len(index) == len(shape) and all(i < n for i, n in zip(index, shape, strict=True))


def _is_odd(snapshot: Snapshot, column: columns.SeriesName) -> bool:
    """Return whether NaN is the value itself, and not an array that is not loaded."""
    if column.kind == "loss":
        return True
    record = _record(snapshot, column)
    return record is not None and (column.kind == "norm" or record.array is not None)


def _record(snapshot: Snapshot, column: columns.SeriesName) -> TensorRecord | None:
    parameter = snapshot.parameters.get(column.name)
    if parameter is None:
        return None
    return parameter.gradient if column.gradient else parameter.value


def _is_trainable(parameter: ParameterRecord) -> bool:
    return not parameter.is_buffer and (parameter.requires_grad or bool(parameter.held_by))


def _is_small(parameter: ParameterRecord) -> bool:
    return math.prod(parameter.value.shape) <= ELEMENTS


def _elements(parameter: ParameterRecord) -> tuple[str, ...]:
    shape = parameter.value.shape
    every = itertools.product(*map(range, shape)) if shape else [()]
    return tuple(columns.element(parameter.name, index) for index in every)
