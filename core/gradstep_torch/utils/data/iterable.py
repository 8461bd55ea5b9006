"""Data sets that give their samples one after the other, without numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.errors import ArgumentError, UnsupportedError
from gradstep_torch.utils.data.dataset import Dataset

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["IterableDataset", "Stream"]


class IterableDataset(Dataset):
    """The base of data sets that only know what comes next; a subclass defines `__iter__`.

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
            f"{type(self).__name__} does not say what its samples are", "define __iter__"
        )


class Stream:
    """Stands for a sampler where samples have no numbers: it gives the samples themselves.

    Args:
        dataset: Where the samples come from.
        shuffle: Refused: an order cannot be drawn.
        sampler: Refused, as there are no indices.
        batch_sampler: Likewise.

    Raises:
        ArgumentError: One of these was asked for.
    """

    def __init__(
        self, dataset: IterableDataset, shuffle: object, sampler: object, batch_sampler: object
    ) -> None:
        asked = {"shuffle": shuffle, "sampler": sampler, "batch_sampler": batch_sampler}
        for name, value in asked.items():
            if value:
                raise ArgumentError(
                    f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                    f"{name}={value}",
                    "leave it out, or give the samples in that order",
                )
        self._dataset = dataset

    def __iter__(self) -> Iterator[Any]:
        return iter(self._dataset)

    def __len__(self) -> int:
        return len(self._dataset)  # type: ignore[arg-type]  # a data set of the user's may have none
