"""Row-sparse gradients of embedding tables, of which only some rows were looked up.

torch stores such a gradient as row values and row indices. Here it is a full array, zero elsewhere,
that also stores the row indices. All code that reads gradients can read it, and `SparseAdam` can
still distinguish a row that was not looked up from one whose gradient is zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.tensor import Tensor, wrap

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RowSparse", "rows_of_gradient", "wrap_gradient"]

_SCALING = frozenset((np.multiply, np.divide, np.clip, np.minimum, np.maximum))
_SAME = frozenset((np.negative, np.positive))


class RowSparse(np.ndarray[Any, Any]):
    """A NumPy array that is zero outside of known rows.

    A sum has the rows of both terms and a multiple has the same rows; any other result is a plain
    array. Any other write into the array resets `rows` to None.

    Attributes:
        rows: The indices of the rows that may be nonzero, sorted and unique; None if unknown.

    Example:
        >>> one, other = (RowSparse.of(np.eye(3) * (np.arange(3) == at), [at]) for at in (0, 2))
        >>> (one + 2 * other).rows.tolist(), type(one + np.ones((3, 3))).__name__
        ([0, 2], 'ndarray')
    """

    rows: NDArray[np.intp] | None

    @classmethod
    def of(cls, array: NDArray[Any], rows: Any) -> RowSparse:  # noqa: ANN401 - integers
        """Return a view of `array` with these row indices."""
        made = array.view(cls)
        made.rows = np.asarray(rows, np.intp)
        return made

    def __array_finalize__(self, _source: object) -> None:
        self.rows = None

    def copy(self, order: Any = "C") -> RowSparse:  # noqa: ANN401 - NumPy's argument
        """Return a copy with the same rows."""
        made = np.array(self, order=order).view(RowSparse)
        made.rows = self.rows
        return made

    def __array_ufunc__(
        self,
        ufunc: np.ufunc,
        method: str,
        *inputs: Any,  # noqa: ANN401 - NumPy's protocol
        out: tuple[Any, ...] = (),
        **options: Any,  # noqa: ANN401 - likewise
    ) -> Any:  # noqa: ANN401 - likewise
        rows = _rows_after(ufunc, inputs) if method == "__call__" else None
        if out:
            options["out"] = tuple(_plain(target) for target in out)
        value = getattr(ufunc, method)(*map(_plain, inputs), **options)
        if not out:
            return value if rows is None else RowSparse.of(value, rows)
        if isinstance(out[0], RowSparse):
            out[0].rows = rows
        return out[0]


def wrap_gradient(array: NDArray[Any]) -> Tensor:
    """Return a gradient as a tensor that keeps its row indices."""
    made = wrap(array)
    if isinstance(array, RowSparse) and array.rows is not None:
        made._array = array
    return made


def rows_of_gradient(gradient: Tensor | None) -> NDArray[np.intp] | None:
    """Return the row indices of a gradient; None if unknown, or if there is no gradient."""
    return None if gradient is None else getattr(gradient._array, "rows", None)


def _plain(value: Any) -> Any:  # noqa: ANN401 - passed through
    return value.view(np.ndarray) if isinstance(value, RowSparse) else value


def _rows_after(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> NDArray[np.intp] | None:
    first, *others = (getattr(value, "rows", None) for value in inputs)
    if ufunc in _SAME:
        return first
    if ufunc is np.add and first is not None and others[0] is not None:
        return np.union1d(first, others[0])
    if ufunc in _SCALING:
        known = [rows for rows in (first, *others) if rows is not None]
        numbers = sum(np.ndim(value) == 0 for value in inputs)
        return known[0] if known and numbers == len(inputs) - 1 else None
    return None
