"""EmbeddingBag: an embedding whose rows are reduced per bag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from gradstep.autograd import creation
from gradstep.errors import RejectedArgumentError, UnsupportedError
from gradstep.nn import init
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter
from gradstep_torch.nn import functional

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = ["EmbeddingBag"]


class EmbeddingBag(Module):
    """The sum, mean or maximum of the rows at the indices of each bag.

    Args:
        num_embeddings: The number of rows.
        embedding_dim: The length of a row.
        max_norm: Not supported; only None.
        norm_type: Of `max_norm`.
        scale_grad_by_freq: Not supported; only False.
        mode: "sum", "mean" or "max".
        sparse: Whether the weight's gradient records which rows were looked up, for `SparseAdam`.
        include_last_offset: Whether the last offset is the end of the last bag.
        padding_idx: A row that is ignored, starts as zeros, and gets no gradient.
        device: Only the CPU.
        dtype: Of the weight; the default type if None.

    Attributes:
        weight: Of shape (num_embeddings, embedding_dim), drawn from a standard normal
            distribution.

    Example:
        >>> import gradstep_torch as torch
        >>> EmbeddingBag(10, 3)(torch.tensor([[1, 2], [4, 1]])).shape
        gradstep.Size([2, 3])
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        for name, asked in (("max_norm", max_norm), ("scale_grad_by_freq", scale_grad_by_freq)):
            if asked:
                raise UnsupportedError(f"EmbeddingBag does not support {name}", "omit it")
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise RejectedArgumentError(
                    "padding_idx must be within num_embeddings",
                    f"got {padding_idx} of {num_embeddings} rows",
                )
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.norm_type = norm_type
        self.padding_idx = padding_idx
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset
        if _weight is None:
            made = creation.empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
            self.weight = Parameter(made)
            self.reset_parameters()
        else:
            self.weight = Parameter(_weight)

    def reset_parameters(self) -> None:
        """Draw new values for the rows."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight._array[self.padding_idx] = 0
            self.weight._version_counter[0] += 1

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        *,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """Return an EmbeddingBag with the given rows, by default frozen.

        Raises:
            RejectedArgumentError: They are not a matrix.
        """
        if embeddings.ndim != 2:  # noqa: PLR2004 - a matrix
            raise RejectedArgumentError(
                "Embeddings parameter is expected to be 2-dimensional, got "
                f"{list(embeddings.shape)}"
            )
        rows, columns = embeddings.shape
        made = cls(
            rows,
            columns,
            mode=mode,
            sparse=sparse,
            _weight=embeddings,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        made.weight.requires_grad = not freeze
        return made

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        """Return a row for each bag.

        Args:
            input: Indices, of shape (bags, indices), or those of all bags in one dimension.
            offsets: Where each bag begins in `input` of one dimension.
            per_sample_weights: A factor per index; only for mode "sum".
        """
        return functional.embedding_bag(
            input,
            self.weight,
            offsets,
            mode=self.mode,
            sparse=self.sparse,
            per_sample_weights=per_sample_weights,
            include_last_offset=self.include_last_offset,
            padding_idx=self.padding_idx,
        )

    def extra_repr(self) -> str:
        """Return the sizes and the mode."""
        text = f"{self.num_embeddings}, {self.embedding_dim}, mode={self.mode!r}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"
