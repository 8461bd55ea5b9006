"""Embedding: a trained table of rows, looked up by index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from gradstep.autograd import creation
from gradstep.errors import RejectedArgumentError, UnsupportedError
from gradstep.nn import functional, init
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = ["Embedding"]


class Embedding(Module):
    """A trained vector for each index from 0 on.

    Args:
        num_embeddings: The number of rows.
        embedding_dim: The length of a row.
        padding_idx: A row that starts as zeros and gets no gradient.
        max_norm: Not supported; only None.
        norm_type: Of `max_norm`.
        scale_grad_by_freq: Not supported; only False.
        sparse: Whether the weight's gradient records which rows were looked up, for `SparseAdam`.
        device: Only the CPU.
        dtype: Of the weight; the default type if None.

    Attributes:
        weight: Of shape (num_embeddings, embedding_dim), drawn from a standard normal
            distribution.

    Example:
        >>> import gradstep
        >>> Embedding(10, 3)(gradstep.tensor([[1, 2], [4, 1]])).shape
        gradstep.Size([2, 2, 3])
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        for name, asked in (
            ("max_norm", max_norm is not None),
            ("scale_grad_by_freq", scale_grad_by_freq),
        ):
            if asked:
                raise UnsupportedError(f"Embedding does not support {name}", "omit it")
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise RejectedArgumentError(
                    "Padding_idx must be within num_embeddings",
                    f"got {padding_idx} of {num_embeddings} rows",
                )
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.norm_type = norm_type
        self.sparse = sparse
        if _weight is None:
            made = creation.empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
            self.weight = Parameter(made, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    def reset_parameters(self) -> None:
        """Draw new values for the rows."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight._array[self.padding_idx] = 0
            self.weight._version_counter[0] += 1

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None
    ) -> Self:
        """Return an Embedding with given rows.

        Args:
            embeddings: Of shape (rows, features).
            freeze: Whether to exclude them from training.
            padding_idx: A row that gets no gradient.

        Raises:
            TensorError: They are not a matrix.
        """
        if embeddings._array.ndim != 2:  # noqa: PLR2004 - a matrix
            raise RejectedArgumentError(
                "Embeddings parameter is expected to be 2-dimensional, got "
                f"{list(embeddings._array.shape)}"
            )
        rows, columns = embeddings._array.shape
        return cls(rows, columns, padding_idx, _weight=embeddings, _freeze=freeze)

    def forward(self, input: Tensor) -> Tensor:
        """Return the rows at the indices in `input`."""
        return functional.embedding(input, self.weight, self.padding_idx, sparse=self.sparse)

    def extra_repr(self) -> str:
        """Return the sizes."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return f"{text}, sparse=True" if self.sparse else text
