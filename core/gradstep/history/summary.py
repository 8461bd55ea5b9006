"""Summaries: the statistics of an array, in as few passes as possible."""

from __future__ import annotations

from math import isfinite, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.history.records.tensor import TensorRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["frozen_copy", "summarise", "unrecorded"]

_SMALLEST = 1e-30
"""Sums of squares below this may have lost digits of a float32 array, or all of them."""


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
    norm = sqrt(square)
    if flat.size:
        mean, low, high = float(flat.mean()), float(flat.min()), float(flat.max())
        if square < _SMALLEST or not isfinite(square):
            norm = _scaled_norm(flat, max(abs(low), abs(high)))
    else:
        mean = low = high = nan
    return TensorRecord(array.shape, array.dtype.name, norm, mean, low, high, nans, infs, kept)


def _scaled_norm(values: NDArray[Any], largest: float) -> float:
    """Return the norm of values whose squares are too small, or too large, to be numbers.

    A gradient that vanishes is not one of zeros.

    Example:
        >>> import numpy as np
        >>> values = np.array([3e-30, 4e-30], np.float32)
        >>> float(values.dot(values)), f"{_scaled_norm(values, 4e-30):.3g}"
        (0.0, '5e-30')
    """
    if not largest:
        return 0.0
    scaled = values.astype(np.float64) / largest
    return largest * sqrt(float(scaled.dot(scaled)))


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
