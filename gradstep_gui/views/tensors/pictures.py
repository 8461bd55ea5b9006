"""The tiny pictures of tensors: heat maps, each made once for every version of its tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtGui import QImage

from gradstep_gui.widgets.arrays.matrix_image import block_mean, colourise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.history.records.tensor import TensorRecord

__all__ = ["Pictures", "as_matrix"]

_MOST_KEPT = 256
_MATRIX = 2


def as_matrix(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as a matrix: a vector as one row, and more dimensions below one another.

    Example:
        >>> as_matrix(np.zeros(3)).shape, as_matrix(np.zeros((2, 3, 4))).shape
        ((1, 3), (6, 4))
    """
    return array.reshape(1, -1) if array.ndim < _MATRIX else array.reshape(-1, array.shape[-1])


def _range(matrix: NDArray[np.float64]) -> tuple[float, float]:
    finite = matrix[np.isfinite(matrix)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


class Pictures:
    """Heat maps by address.

    Example:
        >>> from gradstep.history.summary import summarise
        >>> record = summarise(np.eye(3), whole=True)
        >>> picture = Pictures().of("w", record, 64, 16)
        >>> picture.width(), picture.height()
        (3, 3)
    """

    def __init__(self) -> None:
        self._made: dict[str, tuple[TensorRecord, tuple[int, int], QImage]] = {}

    def of(self, address: str, record: TensorRecord, width: int, height: int) -> QImage | None:
        """Return the picture of a tensor; None when its values are not here.

        Args:
            address: Its address.
            record: Its values and statistics.
            width: The most pixels in a row.
            height: The most pixels in a column.
        """
        array, size = record.array, (width, height)
        if array is None or not array.size:
            return None
        known = self._made.pop(address, None)
        if known is None or known[0] is not record or known[1] != size:
            matrix = block_mean(as_matrix(array), height, width)
            # The means of blocks differ less than the elements: they get all of the colours.
            low, high = _range(matrix)
            colours = colourise(matrix, low, high)
            rows, columns = colours.shape
            drawn = QImage(colours.data, columns, rows, columns * 4, QImage.Format.Format_RGB32)
            known = record, size, drawn.copy()  # QImage does not own NumPy's memory
        self._made[address] = known  # the last used at the end
        if len(self._made) > _MOST_KEPT:
            del self._made[next(iter(self._made))]
        return known[2]
