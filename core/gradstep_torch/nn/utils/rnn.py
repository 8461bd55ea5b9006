"""Padding and packing of sequences of different lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import creation
from gradstep.autograd.ops.indexing import index_select
from gradstep.autograd.ops.join import unbind
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentTypeError, TensorError
from gradstep.nn.rnn import PackedSequence

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

__all__ = [
    "PackedSequence",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpad_sequence",
]


def pad_sequence(
    sequences: Sequence[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Return sequences stacked in one tensor, the shorter ones padded.

    Args:
        sequences: Of shape (length, ...) each.
        batch_first: Whether the batch comes before the length.
        padding_value: The value of the padding.
        padding_side: "right" or "left".

    Raises:
        TensorError: There are none, or the sizes after the length differ.

    Example:
        >>> import gradstep_torch as torch
        >>> pad_sequence([torch.ones(2), torch.ones(3)], batch_first=True)
        tensor([[1., 1., 0.],
                [1., 1., 1.]])
    """
    if not sequences or isinstance(sequences, Tensor):
        raise TensorError(
            "pad_sequence: expected a non-empty list of Tensors", "give the sequences in a list"
        )
    if padding_side not in {"left", "right"}:
        raise TensorError(f"padding_side is 'right' or 'left', not {padding_side!r}")
    longest = max(len(sequence) for sequence in sequences)
    rest = sequences[0].shape[1:]
    padded = creation.full(
        (len(sequences), longest, *rest), padding_value, dtype=sequences[0].dtype
    )
    for row, sequence in enumerate(sequences):
        if sequence.shape[1:] != rest:
            raise TensorError(
                f"The size of sequence {row} after its first dimension is "
                f"{list(sequence.shape[1:])}, that of the first is {list(rest)}; they must match"
            )
        length = len(sequence)
        place = slice(0, length) if padding_side == "right" else slice(longest - length, longest)
        padded[row, place] = sequence
    return padded if batch_first else padded.transpose(0, 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """Return the sequences that `pad_sequence` padded.

    Example:
        >>> import gradstep_torch as torch
        >>> unpad_sequence(torch.ones(2, 3), torch.tensor([1, 3]), batch_first=True)
        [tensor([1.]), tensor([1., 1., 1.])]
    """
    rows = unbind(padded_sequences, 0 if batch_first else 1)
    return [row[:length] for row, length in zip(rows, _plain(lengths).tolist(), strict=True)]


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | Sequence[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Return padded sequences without their padding.

    Args:
        input: Of shape (length, batch, ...), or (batch, length, ...) with `batch_first`.
        lengths: The length of each sequence.
        batch_first: Whether the batch comes first.
        enforce_sorted: Whether the longest must come first; False sorts them.

    Raises:
        TensorError: A length is 0 or too large, their number is not the batch size, or they are
            not sorted although `enforce_sorted` is set.

    Example:
        >>> import gradstep_torch as torch
        >>> padded = torch.tensor([[1, 2, 0], [3, 4, 5]])
        >>> pack_padded_sequence(padded, [2, 3], batch_first=True, enforce_sorted=False).data
        tensor([3, 1, 4, 2, 5])
    """
    counts = _plain(lengths)
    steps = input.transpose(0, 1) if batch_first else input
    longest, batch = steps.shape[:2]
    if counts.shape != (batch,):
        raise TensorError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {counts.size} "
            f"(batch_size={batch})"
        )
    if (counts <= 0).any():
        raise TensorError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    if (counts > longest).any():
        raise TensorError(
            f"Expected lengths of at most {longest}, the length of the input, but got "
            f"{counts.max()}"
        )
    sorted_indices = unsorted_indices = None
    if enforce_sorted:
        if (np.diff(counts) > 0).any():
            raise TensorError(
                "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True",
                "pass enforce_sorted=False",
            )
    else:
        order = np.argsort(-counts, kind="stable")
        sorted_indices, unsorted_indices = wrap(order), wrap(np.argsort(order))
        counts = counts[order]
        steps = index_select(steps, 1, sorted_indices)
    present = _present(counts)
    data = steps[: len(present)][wrap(present)]
    return PackedSequence(data, wrap(present.sum(1)), sorted_indices, unsorted_indices)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return packed sequences as a padded tensor, and their lengths.

    Args:
        sequence: The output of `pack_padded_sequence` or of a recurrent network.
        batch_first: Whether the batch comes first.
        padding_value: The value of the padding.
        total_length: The length of the result; that of the longest sequence if None.

    Raises:
        TensorError: A sequence is longer than `total_length`.

    Example:
        >>> import gradstep_torch as torch
        >>> packed = pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
        >>> pad_packed_sequence(packed, batch_first=True)
        (tensor([[1, 2],
                [3, 0]]), tensor([2, 1]))
    """
    sizes = _plain(sequence.batch_sizes)
    longest, batch = len(sizes), int(sizes[0])
    if total_length is not None and total_length < longest:
        raise TensorError(
            "Expected total_length to be at least the length of the longest sequence in input, "
            f"but got total_length={total_length} and max sequence length being {longest}"
        )
    present = np.arange(batch) < sizes[:, None]
    counts = wrap(present.sum(0))
    length = longest if total_length is None else total_length
    padded = creation.full(
        (length, batch, *sequence.data.shape[1:]), padding_value, dtype=sequence.data.dtype
    )
    steps, rows = np.nonzero(present)
    padded[wrap(steps), wrap(rows)] = sequence.data
    if sequence.unsorted_indices is not None:
        padded = index_select(padded, 1, sequence.unsorted_indices)
        counts = index_select(counts, 0, sequence.unsorted_indices)
    return padded.transpose(0, 1) if batch_first else padded, counts


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Return sequences of different lengths, packed."""
    lengths = [len(sequence) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def _present(counts: NDArray[Any]) -> NDArray[np.bool_]:
    """Return for each step which sequences reach it."""
    found: NDArray[np.bool_] = np.arange(counts.max())[:, None] < counts
    return found


def _plain(lengths: Tensor | Sequence[int]) -> NDArray[Any]:
    array = lengths._array if isinstance(lengths, Tensor) else np.asarray(lengths)
    if array.dtype.kind not in "iu":
        raise ArgumentTypeError(
            f"lengths are integers, got {array.dtype}", "convert them with .long()"
        )
    return array.astype(np.int64)
