"""Summaries: the statistics of an array, in as few passes as possible."""

from __future__ import annotations

from math import isfinite, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.history.records.tensor import TensorRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["frozen_copy", "summarise", "unrecorded"]


def summarise(array: NDArray[Any], *, whole: bool) -> TensorRecord:
    """Return the record of an array.

    Args:
        array: The live array; no reference to it is kept.
        whole: Include a read-only copy of it.

    Example:
        >>> import numpy as np
        >>> record = summarise(np.array([3.0, -4.0, np.nan]), whole=False)
        >>> record.norm, record.mean, record.minimum, record.maximum, record.nan_count
        (5.0, -0.5, -4.0, 3.0, 1)
    """
    kept = frozen_copy(array) if whole else None
    flat = array.reshape(-1)
    if flat.dtype.kind != "f":
        flat = flat.astype(np.float64)
    square = float(flat.dot(flat)) if flat.size else 0.0
    nans = infs = 0
    # A finite sum of squares has no NaN and no Inf in it: one pass instead of three. One that is
    # not finite may also be due to an overflow.
    if not isfinite(square):
        nans, infs = int(np.isnan(flat).sum()), int(np.isinf(flat).sum())
        flat = flat[np.isfinite(flat)].astype(np.float64)
        square = float(flat.dot(flat)) if flat.size else nan
    if flat.size:
        mean, low, high = float(flat.mean()), float(flat.min()), float(flat.max())
    else:
        mean = low = high = nan
    return TensorRecord(
        array.shape, array.dtype.name, sqrt(square), mean, low, high, nans, infs, kept
    )


def unrecorded(shape: tuple[int, ...], dtype: str) -> TensorRecord:
    """Return the record of a tensor whose values are not known.

    Example:
        >>> unrecorded((2,), "float32").is_recorded
        False
    """
    return TensorRecord(shape, dtype, nan, nan, nan, nan, 0, 0, is_recorded=False)


def frozen_copy(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only copy."""
    copy = array.copy()
    copy.flags.writeable = False
    return copy
