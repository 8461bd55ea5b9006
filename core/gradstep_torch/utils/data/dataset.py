"""Data sets: indexed, and as streams."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from math import floor, isclose
from typing import TYPE_CHECKING, Any

from gradstep.autograd.tensor import Tensor
from gradstep.errors import (
    TENSOR_REMEDY,
    ArgumentError,
    ArgumentTypeError,
    RejectedArgumentError,
    TensorIndexError,
    UnsupportedError,
)
from gradstep.random import Generator, default_generator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["ConcatDataset", "Dataset", "IterableDataset", "Subset", "TensorDataset", "random_split"]


class Dataset:
    """The base of data sets; a subclass defines `__getitem__` and `__len__`."""

    def __getitem__(self, index: Any) -> Any:
        raise UnsupportedError(
            f"{type(self).__name__} does not define its items", "define __getitem__"
        )

    def __add__(self, other: Dataset) -> ConcatDataset:
        return ConcatDataset([self, other])


class TensorDataset(Dataset):
    """Tensors of equal length; an item is a tuple with a row of each.

    Args:
        *tensors: Tensors whose first dimension counts the samples.

    Raises:
        ArgumentError: The first dimensions differ.

    Example:
        >>> import gradstep_torch as torch
        >>> data = TensorDataset(torch.ones(3, 2), torch.zeros(3))
        >>> len(data), data[0]
        (3, (tensor([1., 1.]), tensor(0.)))
    """

    def __init__(self, *tensors: Tensor) -> None:
        for tensor in tensors:
            if not isinstance(tensor, Tensor):
                raise ArgumentTypeError(
                    f"TensorDataset takes tensors, not {type(tensor).__name__}", TENSOR_REMEDY
                )
            if not tensor._array.ndim:
                raise TensorIndexError(
                    "TensorDataset takes tensors with rows, not a 0-d one", "give it a dimension"
                )
        if len({tensor._array.shape[:1] for tensor in tensors}) > 1:
            sizes = [list(tensor._array.shape) for tensor in tensors]
            raise RejectedArgumentError(
                f"Size mismatch between tensors: {sizes}",
                "give every tensor the same number of rows",
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0]._array)


class Subset(Dataset):
    """A subset of a data set.

    Args:
        dataset: The whole data set.
        indices: The indices of its items, in order.
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: int) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset):
    """Several data sets, concatenated.

    Args:
        datasets: At least one.
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise RejectedArgumentError("datasets should not be an empty iterable")
        self.cumulative_sizes = list(accumulate(map(len, self.datasets)))

    def __getitem__(self, index: int) -> Any:
        size = len(self)
        if not -size <= index < size:
            raise TensorIndexError(f"index {index} is out of range of {size} samples")
        place = index % size
        which = bisect_right(self.cumulative_sizes, place)
        return self.datasets[which][place - (self.cumulative_sizes[which - 1] if which else 0)]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]


class IterableDataset(Dataset):
    """The base of data sets without indices; a subclass defines `__iter__`.

    Example:
        >>> from gradstep_torch.utils.data import DataLoader
        >>> class Squares(IterableDataset):
        ...     def __iter__(self):
        ...         return (n * n for n in range(5))
        >>> list(DataLoader(Squares(), batch_size=2))
        [tensor([0, 1]), tensor([4, 9]), tensor([16])]
    """

    def __iter__(self) -> Iterator[Any]:
        raise UnsupportedError(
            f"{type(self).__name__} does not define its samples", "define __iter__"
        )


def random_split(
    dataset: Any,
    lengths: Sequence[float],
    generator: Generator | None = None,
) -> list[Subset]:
    """Split a data set at random into parts that do not overlap.

    Args:
        dataset: The data set to split.
        lengths: The number of samples of each part, or its fraction.
        generator: The generator to draw from; the default one if None.

    Raises:
        ArgumentError: The lengths do not sum to the length of the data set.

    Example:
        >>> [len(part) for part in random_split(range(10), [0.75, 0.25])]
        [8, 2]
    """
    whole = len(dataset)
    if isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for index, share in enumerate(lengths):
            if not 0 <= share <= 1:
                raise ArgumentError(f"Fraction at index {index} is not between 0 and 1: {share}")
        sizes = [floor(whole * share) for share in lengths]
        for index in range(whole - sum(sizes)):
            sizes[index % len(sizes)] += 1
    else:
        sizes = [int(length) for length in lengths]
    if sum(sizes) != whole:
        raise ArgumentError(
            "Sum of input lengths does not equal the length of the input dataset: "
            f"{sum(sizes)}, it has {whole}"
        )
    order = (generator or default_generator).permutation(whole).tolist()
    return [
        Subset(dataset, order[end - size : end])
        for end, size in zip(accumulate(sizes), sizes, strict=True)
    ]
