"""DataLoader: goes through a data set in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.errors import ArgumentError
from gradstep_torch.utils.data.collate import default_collate
from gradstep_torch.utils.data.dataset import TensorDataset
from gradstep_torch.utils.data.iterable import IterableDataset, Stream
from gradstep_torch.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    SequentialSampler,
    draw_seed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.random import Generator

__all__ = ["DataLoader"]


class DataLoader:
    """Goes through a data set in batches, in order or shuffled; for one seed in torch's order.

    Args:
        dataset: What to go through: anything with a length and items.
        batch_size: Samples in a batch; None yields single samples as they are.
        shuffle: Whether to draw a new order for each pass.
        sampler: Where the indices come from instead.
        batch_sampler: Where lists of indices come from instead.
        num_workers: Accepted for torch's sake; loading is done where it is asked for.
        collate_fn: Makes a batch of a list of samples.
        pin_memory: Accepted for torch's sake.
        drop_last: Whether to leave out a last batch that is smaller.
        generator: Where to draw the order from; the default one if None.

    Raises:
        ArgumentError: Options that exclude each other.

    Example:
        >>> import gradstep_torch as torch
        >>> loader = DataLoader(TensorDataset(torch.arange(5)), batch_size=2)
        >>> [batch.tolist() for batch, in loader]
        [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[int] | None = None,
        batch_sampler: Iterable[list[int]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,  # noqa: ARG002 - there are no workers
        multiprocessing_context: object = None,  # noqa: ARG002 - likewise
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",  # noqa: ARG002 - there is one device
        in_order: bool = True,  # noqa: ARG002 - it always is
    ) -> None:
        for name, number in (("num_workers", num_workers), ("timeout", timeout)):
            if number < 0:
                raise ArgumentError(f"{name} option should be non-negative, but it is {number}")
        if not num_workers and (prefetch_factor is not None or persistent_workers):
            name = "persistent_workers" if persistent_workers else "prefetch_factor"
            raise ArgumentError(f"{name} option needs num_workers > 0", "leave it out")
        if sampler is not None and shuffle:
            raise ArgumentError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ArgumentError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, "
                    "and drop_last"
                )
            batch_size = None
        if batch_size is None and drop_last:
            raise ArgumentError(
                "batch_size=None option disables auto-batching and is mutually exclusive with "
                "drop_last"
            )
        self.dataset = dataset
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        self.drop_last = drop_last
        self.generator = generator
        if isinstance(dataset, IterableDataset):
            sampler = Stream(dataset, shuffle, sampler, batch_sampler)
        self.sampler = sampler = _sampler_of(dataset, sampler, shuffle, generator)
        if batch_sampler is None and batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.batch_sampler = batch_sampler
        self.collate_fn = collate_fn

    def __iter__(self) -> Iterator[Any]:
        draw_seed(self.generator)  # torch draws a seed for its workers, even when it has none
        return self._batches()

    def _batches(self) -> Iterator[Any]:
        if self.batch_sampler is None:
            streams = isinstance(self.sampler, Stream)
            for index in self.sampler:
                sample: Any = index if streams else self.dataset[index]
                yield sample if self.collate_fn is None else self.collate_fn(sample)
            return
        for indices in self.batch_sampler:
            yield self._batch(indices)

    def _batch(self, indices: list[Any]) -> Any:
        if isinstance(self.sampler, Stream):  # it gives the samples themselves
            return (self.collate_fn or default_collate)(indices)
        if self.collate_fn is None and type(self.dataset) is TensorDataset:
            return [tensor[indices] for tensor in self.dataset.tensors]  # the same, at once
        samples = [self.dataset[index] for index in indices]
        return (self.collate_fn or default_collate)(samples)

    def __len__(self) -> int:
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]  # samplers of the user's own may have none


def _sampler_of(
    dataset: Any,
    given: Iterable[Any] | None,
    shuffle: bool | None,
    generator: Generator | None,
) -> Iterable[Any]:
    """Return where the indices come from."""
    if given is not None:
        return given
    return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
