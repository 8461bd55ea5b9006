"""Suspicions about the rows of a data set: labels, classes, columns and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.diagnostics.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from gradstep.history.debuggee import Debuggee

__all__ = ["class_entropy", "data_suspicions", "nearest_label_agreement"]

ROWS = 4096
"""Rows that show which columns are looked at in full, evenly spread over the data set."""

MAJORITY = 0.9
"""Share of the largest class above which classes are unbalanced."""

SORTED = 0.5
"""Share of the batches that may hold one class alone."""

NEIGHBOURS = 256
"""Rows whose nearest neighbours are compared."""

_LEAST_ROWS = 50
"""With fewer rows, most of this happens by chance."""

_LEAST_OF_ONE = 10
"""With fewer rows, all may have one label by chance."""

_MANY_COLUMNS = 32
"""Columns from which some may be constant or equal, as the pixels of images are."""


def data_suspicions(program: Debuggee) -> Iterator[Observation]:
    """Check the data set of each training loss, once however many losses use it.

    Args:
        program: The program as it was built.
    """
    seen: set[str] = set()
    for name, loss in program.spec.losses.items():
        if loss.data is None or loss.data in seen or loss.rows != "training":
            continue
        seen.add(loss.data)
        spec = program.spec.data[loss.data]
        inputs, targets = program.examples(name)
        if inputs is None or len(inputs) < _LEAST_ROWS:
            yield from _single_class(loss.data, _labels(targets))
            continue
        if inputs.ndim == 2 and inputs.dtype.kind == "f":  # noqa: PLR2004 - rows of columns
            yield from _columns(loss.data, inputs, standardized=spec.standardize)
        labels = _labels(targets)
        if labels is None:
            continue
        weighted = any(
            getattr(other.criterion, field, None) is not None
            for other in program.spec.losses.values()
            for field in ("weight", "pos_weight")
        )
        if not weighted:
            yield from _balance(loss.data, labels)
        if not spec.shuffle and spec.batch_size is not None:
            yield from _order(loss.data, labels, spec.batch_size)
        if labels.min() == 1 and loss.criterion is not None and loss.criterion.takes_class_labels:
            note = f"The labels are {labels.min()} to {labels.max()}"
            yield Observation("labels-from-one", (loss.data,), note=note, value=1.0)


def _labels(targets: NDArray[Any] | None) -> NDArray[np.int64] | None:
    """Return targets as one class label a row; None if they are values."""
    if targets is None or targets.size != len(targets):
        return None
    flat = targets.reshape(-1)
    binary = flat.dtype.kind == "f" and bool(np.isin(flat, (0, 1)).all())
    return flat.astype(np.int64) if binary or flat.dtype.kind in "iu" else None


def _columns(
    data: str, inputs: NDArray[np.floating], *, standardized: bool
) -> Iterator[Observation]:
    """Look for input columns that are constant, or equal to another.

    A sample of the rows shows which columns may be; all rows decide.
    """
    some = inputs[:: max(1, len(inputs) // ROWS)]
    maybe = np.flatnonzero(np.ptp(some, axis=0) == 0)
    constant = [at for at in maybe.tolist() if (inputs[:, at] == inputs[0, at]).all()]
    width = inputs.shape[1]
    # Of the pixels of an image, some never change, or change together; the others say enough.
    least = width // 2 if width >= _MANY_COLUMNS else 0
    if len(constant) > least and not standardized:
        note = f"{len(constant)} of {width} columns"
        yield Observation("constant-inputs", (data,), note=note, value=float(len(constant)))
    twins = _twins(inputs, some, frozenset(constant))
    if twins > least:
        yield Observation("duplicated-inputs", (data,), value=float(twins))


def _twins(
    inputs: NDArray[np.floating], some: NDArray[np.floating], constant: Collection[int]
) -> int:
    """Return how many columns that are not constant repeat an earlier one in every row."""
    alike: dict[bytes, list[int]] = {}
    twins = 0
    for at, column in enumerate(np.ascontiguousarray(some.T)):
        if at not in constant:
            known = alike.setdefault(column.tobytes(), [])
            if any(np.array_equal(inputs[:, at], inputs[:, other]) for other in known):
                twins += 1
            else:
                known.append(at)
    return twins


def _balance(data: str, labels: NDArray[np.int64]) -> Iterator[Observation]:
    """Look for a class that holds almost all rows."""
    classes, counts = np.unique(labels, return_counts=True)
    share = float(counts.max() / len(labels))
    if share > MAJORITY:
        note = f"{counts.max():,} of {len(labels):,} rows have the label {classes[counts.argmax()]}"
        yield Observation("class-imbalance", (data,), note=note, value=100 * share)


def _single_class(data: str, labels: NDArray[np.int64] | None) -> Iterator[Observation]:
    """Look for a few rows that all have one label, which is no accident from ten rows on."""
    if labels is not None and len(labels) >= _LEAST_OF_ONE and (labels == labels[0]).all():
        yield from _balance(data, labels)


def _order(data: str, labels: NDArray[np.int64], size: int) -> Iterator[Observation]:
    """Look for rows that are sorted by class, so that a batch holds one class alone."""
    batches = [labels[at : at + size] for at in range(0, len(labels) - size + 1, size)]
    if size < len(np.unique(labels)) * 2 or len(np.unique(labels)) == 1 or len(batches) <= 1:
        return  # small batches hold one class by chance
    share = float(np.mean([len(np.unique(batch)) == 1 for batch in batches]))
    if share > SORTED:
        yield Observation("sorted-rows", (data,), value=100 * share)


def class_entropy(targets: NDArray[Any] | None) -> float | None:
    """Return the loss of predicting the class frequencies; None for targets that are not labels.

    Example:
        >>> round(class_entropy(np.array([0, 1, 2])), 4)
        1.0986
    """
    labels = _labels(targets)
    if labels is None or not len(labels):
        return None
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return float(-(shares * np.log(shares)).sum())


def nearest_label_agreement(
    inputs: NDArray[Any] | None, targets: NDArray[Any] | None
) -> tuple[float, float, float] | None:
    """Return how often a row has the label of the row nearest to it.

    Whatever a model learns, it is from labels that agree for similar inputs. This holds for classes
    that no line separates, too.

    Args:
        inputs: Inputs, rows first.
        targets: Targets, rows first.

    Returns:
        The share of rows that agree, the share that would by chance, and the standard deviation of
        the latter; None if there are too few rows, or no labels.
    """
    labels = _labels(targets)
    if inputs is None or labels is None or len(labels) < _LEAST_ROWS:
        return None
    apart = max(1, len(labels) // NEIGHBOURS)
    rows = inputs[::apart].reshape(len(inputs[::apart]), -1).astype(np.float64)
    labels = labels[::apart]
    squares = (rows**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * rows @ rows.T
    np.fill_diagonal(distances, np.inf)
    agree = float((labels == labels[distances.argmin(axis=1)]).mean())
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    chance = float((shares**2).sum())
    return agree, chance, float(np.sqrt(chance * (1 - chance) / len(labels)))
