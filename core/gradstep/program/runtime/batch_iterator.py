"""BatchIterator: a data set and the place in its order, from which the next batch is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.program.operation_effect import Batch
from gradstep.random import default_generator

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from gradstep.program.datasets.dataset import PreparedDataset
    from gradstep.program.schema.data_sets import DataSpec

__all__ = ["BatchIterator"]


class BatchIterator:
    """Gives the batches of a data set, epoch after epoch.

    Args:
        name: The data set's name.
        spec: Its batch size, and whether it is shuffled.
        dataset: Its rows.

    Attributes:
        epoch: The epoch of the batch last given, from 1; 0 before the first.
        position: How many rows of the epoch were given.
        order: The order of the epoch's rows; None when they come as they are. Never written to,
            only replaced, so that captured states may share it.
    """

    __slots__ = (
        "_batch",
        "_drop_last",
        "_rows",
        "_shuffle",
        "_spec_batch",
        "dataset",
        "epoch",
        "name",
        "order",
        "position",
    )

    def __init__(self, name: str, spec: DataSpec, dataset: PreparedDataset) -> None:
        self.name = name
        self.dataset = dataset
        rows = dataset.training
        self._spec_batch = rows if spec.batch_size is None else min(spec.batch_size, rows)
        self._batch = self._spec_batch
        self._shuffle = spec.shuffle
        self._drop_last = spec.drop_last
        self._rows: dict[tuple[int, int], tuple[int, ...]] = {}
        self.epoch = 0
        self.position = 0
        self.order: NDArray[np.int64] | None = None

    @property
    def batch_size(self) -> int:
        """How many rows the next batches have; the last of an epoch may have fewer."""
        return self._batch

    @batch_size.setter
    def batch_size(self, size: int | None) -> None:
        rows = self.dataset.training
        self._batch = rows if size is None else min(size, rows)

    @property
    def count(self) -> int:
        """How many batches of the present size an epoch has."""
        rows = self.dataset.training
        return rows // self._batch if self._drop_last else -(-rows // self._batch)

    @property
    def draws_next(self) -> bool:
        """Whether the next batch begins an epoch whose order has to be drawn."""
        return self._shuffle and self._at_end()

    def next(self) -> Batch:
        """Return the next batch; begins the next epoch when this one is over."""
        if self._at_end():
            self.epoch += 1
            self.position = 0
            if self._shuffle:
                self.order = default_generator.permutation(self.dataset.training)
        start = self.position
        stop = min(start + self._batch, self.dataset.training)
        self.position = stop
        if self.order is not None:
            rows = tuple(self.order[start:stop].tolist())
        else:
            place = start, stop
            rows = self._rows.get(place) or self._rows.setdefault(place, tuple(range(start, stop)))
        return Batch(self.name, rows, self.epoch, -(-start // self._batch) + 1, self.count)

    def held_out(self) -> Batch:
        """Return all rows that are not there to train on, as one batch."""
        rows = tuple(range(self.dataset.training, len(self.dataset.inputs)))
        return Batch(self.name, rows, self.epoch, 1, 1)

    def rows_at_most(self, *, held_out: bool) -> int:
        """Return how many rows the largest batch has."""
        return len(self.dataset.inputs) - self.dataset.training if held_out else self._batch

    def place(self) -> tuple[int, int, NDArray[np.int64] | None, int]:
        """Return where it is, and with which batch size, for `go_to`."""
        return self.epoch, self.position, self.order, self._batch

    def go_to(self, place: Sequence[Any]) -> None:
        """Go back to a place; one without a batch size has that of the document."""
        self.epoch, self.position, self.order, *batch = place
        self._batch = batch[0] if batch else self._spec_batch

    def _at_end(self) -> bool:
        """Tell whether what is left of the epoch makes no batch."""
        left = self.dataset.training - self.position
        return self.epoch == 0 or left < (self._batch if self._drop_last else 1)
