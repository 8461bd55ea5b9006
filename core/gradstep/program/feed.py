"""Feed: a data set and the place in its order, from which the next batch is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.program.effect import Batch
from gradstep.random import default_generator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gradstep.program.data_spec import DataSpec
    from gradstep.program.datasets import Dataset

__all__ = ["Feed"]


class Feed:
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
        "_rows",
        "_shuffle",
        "count",
        "dataset",
        "epoch",
        "name",
        "order",
        "position",
    )

    def __init__(self, name: str, spec: DataSpec, dataset: Dataset) -> None:
        self.name = name
        self.dataset = dataset
        rows = dataset.training
        self._batch = rows if spec.batch_size is None else min(spec.batch_size, rows)
        self._shuffle = spec.shuffle
        self.count = rows // self._batch if spec.drop_last else -(-rows // self._batch)
        self._rows: dict[int, tuple[int, ...]] = {}
        self.epoch = 0
        self.position = 0
        self.order: NDArray[np.int64] | None = None

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
            rows = self._rows.get(start) or self._rows.setdefault(start, tuple(range(start, stop)))
        return Batch(self.name, rows, self.epoch, start // self._batch + 1, self.count)

    def held_out(self) -> Batch:
        """Return all rows that are not there to train on, as one batch."""
        rows = tuple(range(self.dataset.training, len(self.dataset.inputs)))
        return Batch(self.name, rows, self.epoch, 1, 1)

    def rows_at_most(self, *, held_out: bool) -> int:
        """Return how many rows the largest batch has."""
        return len(self.dataset.inputs) - self.dataset.training if held_out else self._batch

    def place(self) -> tuple[int, int, NDArray[np.int64] | None]:
        """Return where it is, for `go_to`."""
        return self.epoch, self.position, self.order

    def go_to(self, place: tuple[int, int, NDArray[Any] | None]) -> None:
        """Go back to a place."""
        self.epoch, self.position, self.order = place

    def _at_end(self) -> bool:
        done = -(-self.position // self._batch)
        return self.epoch == 0 or done >= self.count
