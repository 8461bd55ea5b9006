"""BatchIterator: yields the batches of a data set, epoch after epoch."""

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
    """Yields the batches of a data set, epoch after epoch.

    Args:
        name: The data set's name.
        spec: Its batch size, and whether it is shuffled.
        dataset: Its rows.

    Attributes:
        epoch: The epoch of the last batch, from 1; 0 before the first batch.
        position: The number of rows of the epoch already used.
        order: The order of the epoch's rows; None without shuffling. Never written to, only
            replaced, so that captured states may share it.
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
        """The number of rows in the next batches; the last of an epoch may have fewer."""
        return self._batch

    @batch_size.setter
    def batch_size(self, size: int | None) -> None:
        rows = self.dataset.training
        self._batch = rows if size is None else min(size, rows)

    @property
    def count(self) -> int:
        """The number of batches of the current size in an epoch."""
        rows = self.dataset.training
        return rows // self._batch if self._drop_last else -(-rows // self._batch)

    @property
    def left(self) -> int:
        """The number of batches left of an epoch that has begun; 0 before the first batch."""
        rows = self.dataset.training - self.position if self.epoch else 0
        return rows // self._batch if self._drop_last else -(-rows // self._batch)

    @property
    def shuffles_next(self) -> bool:
        """Whether the next batch begins an epoch with a new random order."""
        return self._shuffle and self._at_end()

    @property
    def epochs(self) -> int:
        """The number of complete epochs."""
        return self.epoch if self._at_end() else max(self.epoch - 1, 0)

    def progress(self, ahead: int = 0) -> tuple[int, bool]:
        """Return the number of batches used of an epoch, and whether the epoch is complete.

        Args:
            ahead: How many batches later.
        """
        epoch, position = self.epoch, self.position
        for _ in range(ahead):
            if self._ends(epoch, position):
                epoch, position = epoch + 1, 0
            position = min(position + self._batch, self.dataset.training)
        return -(-position // self._batch), epoch > 0 and self._ends(epoch, position)

    def skip(self) -> None:
        """Advance past the next batch without drawing an order, as a clock of epochs."""
        if self._at_end():
            self.epoch += 1
            self.position = 0
        self.position = min(self.position + self._batch, self.dataset.training)

    def next(self) -> Batch:
        """Return the next batch, from the next epoch if this one is over."""
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
            span = start, stop
            rows = self._rows.get(span) or self._rows.setdefault(span, tuple(range(start, stop)))
        return Batch(self.name, rows, self.epoch, -(-start // self._batch) + 1, self.count)

    def ended_at(self, batch: Batch) -> bool:
        """Return whether a batch is the one that was delivered last."""
        start = self.position - len(batch.rows)
        if (batch.data, batch.epoch) != (self.name, self.epoch) or start < 0:
            return False
        expected = range(start, self.position)
        if self.order is not None:
            expected = self.order[start : self.position].tolist()
        return batch.rows == tuple(expected)

    def held_out(self) -> Batch:
        """Return all held-out rows as one batch."""
        rows = tuple(range(self.dataset.training, len(self.dataset.inputs)))
        return Batch(self.name, rows, self.epoch, 1, 1)

    def all_training(self) -> Batch:
        """Return all training rows as one batch."""
        return Batch(self.name, tuple(range(self.dataset.training)), self.epoch, 1, 1)

    def max_batch_rows(self, *, held_out: bool) -> int:
        """Return the number of rows in the largest batch."""
        return len(self.dataset.inputs) - self.dataset.training if held_out else self._batch

    def state(self) -> tuple[int, int, NDArray[np.int64] | None, int]:
        """Return the epoch, the position, the order and the batch size, for `restore`."""
        return self.epoch, self.position, self.order, self._batch

    def restore(self, state: Sequence[Any]) -> None:
        """Restore a state; one without a batch size gets the document's."""
        self.epoch, self.position, self.order, *batch = state
        self._batch = batch[0] if batch else self._spec_batch

    def next_rows(self, state: Sequence[Any]) -> tuple[int, NDArray[np.int64] | None]:
        """Return the rows already used and the order, as of a state, for the next batch.

        Where the next batch begins an epoch, both are those of every beginning: 0 and None.
        """
        epoch, position, order, *_ = state
        return (0, None) if self._ends(epoch, position) else (position, order)

    def _at_end(self) -> bool:
        """Return whether the epoch has no batch left."""
        return self._ends(self.epoch, self.position)

    def _ends(self, epoch: int, position: int) -> bool:
        left = self.dataset.training - position
        return epoch == 0 or left < (self._batch if self._drop_last else 1)
