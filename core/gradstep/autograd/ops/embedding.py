"""Embedding lookup and one-hot encoding."""

from __future__ import annotations

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.dtypes import scalar_name
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.assignment import scatter_to_zeros
from gradstep.autograd.row_sparse import RowSparse
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError, TensorIndexError

__all__ = ["embedding"]


class EmbeddingBackward0(Node):
    """Rows of a table by index; the indices are saved, `context` is shape, padding row, sparse."""

    __slots__ = ()
    sources = (None,)
    rule = "weight: grad, added at the chosen rows, 0 elsewhere"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Add the gradient to the rows that were looked up."""
        shape, padding, sparse = self.context
        numbers = saved[0]
        if padding is not None:
            grad = grad * (numbers != padding)[..., None]
        added = scatter_to_zeros(grad, shape, numbers)
        if sparse and isinstance(added, np.ndarray):
            added = RowSparse.of(added, np.unique(numbers[numbers != padding]))
        return (added,)


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, *, sparse: bool = False
) -> Tensor:
    """Return the rows of `weight` at the indices in `input`.

    Args:
        input: Integer indices, of any shape.
        weight: Of shape (rows, features).
        padding_idx: A row that gets no gradient; counted from the end if negative.
        sparse: Whether to make the gradient row-sparse; see `row_sparse`.

    Raises:
        TensorError: The indices are not integers, or the weight is not a matrix.
        TensorIndexError: An index is out of range.

    Example:
        >>> import gradstep
        >>> embedding(gradstep.tensor([1, 0]), gradstep.tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor([[3., 4.],
                [1., 2.]])
    """
    numbers, table = input._array, weight._array
    if numbers.dtype.kind not in "iu":
        raise TensorError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got gradstep.{scalar_name(numbers.dtype)}Tensor instead (while "
            "checking arguments for embedding)",
            "convert it with .long()",
        )
    if table.ndim != 2:  # noqa: PLR2004 - a matrix
        raise TensorError(f"'weight' must be 2-D, got {list(table.shape)}")
    rows = len(table)
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise TensorIndexError(
                "padding_idx must be within num_embeddings", f"got {padding_idx} of {rows}"
            )
        padding_idx %= rows
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < rows):
        wrong = numbers[(numbers < 0) | (numbers >= rows)].flat[0]
        raise TensorIndexError(
            f"index out of range in self: {wrong}", f"there are {rows} rows, 0 to {rows - 1}"
        )
    numbers = numbers.copy()  # later in-place changes must not reach the graph
    out = wrap(table[numbers])
    if grad_mode.current.enabled and weight._requires_grad:
        record(
            EmbeddingBackward0,
            out,
            (weight._grad_fn or weight,),
            (numbers,),
            context=(table.shape, padding_idx, sparse),
        )
    return out
