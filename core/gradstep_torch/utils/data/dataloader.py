"""DataLoader: iterates over a data set in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import creation
from gradstep.autograd.ops.join import stack
from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentError, ArgumentTypeError
from gradstep_torch.utils.data.dataset import IterableDataset, TensorDataset
from gradstep_torch.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    SequentialSampler,
    draw_seed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gradstep.random import Generator

__all__ = ["DataLoader", "default_collate"]


def default_collate(batch: Sequence[Any]) -> Any:
    """Return samples as one batch: tensors stacked, containers batched element by element.

    Args:
        batch: Samples of one structure: tensors, arrays, numbers, strings, tuples, lists, dicts.

    Raises:
        ArgumentError: Sequences of different lengths.
        ArgumentTypeError: Something that cannot be put in a tensor.

    Example:
        >>> default_collate([(1.5, 0), (2.5, 1)])
        [tensor([1.5000, 2.5000], dtype=gradstep.float64), tensor([0, 1])]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch))
    if isinstance(first, np.ndarray | np.generic):
        return creation.from_numpy(np.stack([np.asarray(sample) for sample in batch]))
    if isinstance(first, int | float):
        return creation.tensor(batch, dtype="float64" if isinstance(first, float) else None)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, dict):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, tuple | list):
        if len({len(sample) for sample in batch}) > 1:
            raise ArgumentError("each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise ArgumentTypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first).__name__}",
        "pass a collate_fn",
    )


class DataLoader:
    """Iterates over a data set in batches, in order or shuffled; with a seed, in torch's order.

    Args:
        dataset: Anything with a length and items, or an IterableDataset.
        batch_size: Samples per batch; None yields single samples.
        shuffle: Whether to draw a new order for each pass.
        sampler: The source of indices, instead of `shuffle`.
        batch_sampler: The source of lists of indices, instead of `batch_size`.
        num_workers: Ignored; samples are loaded in the calling thread.
        collate_fn: Makes a batch of a list of samples.
        pin_memory: Ignored.
        drop_last: Whether to drop a last batch that is smaller.
        generator: The generator of the order; the default one if None.

    Raises:
        ArgumentError: The options exclude each other.

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
            raise ArgumentError(f"{name} option needs num_workers > 0", "omit it")
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
            sampler = _Stream(dataset, shuffle, sampler, batch_sampler)
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
            streams = isinstance(self.sampler, _Stream)
            for index in self.sampler:
                sample: Any = index if streams else self.dataset[index]
                yield sample if self.collate_fn is None else self.collate_fn(sample)
            return
        for indices in self.batch_sampler:
            yield self._batch(indices)

    def _batch(self, indices: list[Any]) -> Any:
        if isinstance(self.sampler, _Stream):  # it yields the samples themselves
            return (self.collate_fn or default_collate)(indices)
        if self.collate_fn is None and type(self.dataset) is TensorDataset:
            return [tensor[indices] for tensor in self.dataset.tensors]  # the same, in one read
        samples = [self.dataset[index] for index in indices]
        return (self.collate_fn or default_collate)(samples)

    def __len__(self) -> int:
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]  # samplers of the user's own may have none


class _Stream:
    """The stand-in for a sampler of an IterableDataset: yields the samples themselves.

    Args:
        dataset: The source of samples.
        shuffle: Not supported: there are no indices to shuffle.
        sampler: Not supported, likewise.
        batch_sampler: Not supported, likewise.

    Raises:
        ArgumentError: One of these is set.
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
                    "omit it, or yield the samples in that order",
                )
        self._dataset = dataset

    def __iter__(self) -> Iterator[Any]:
        return iter(self._dataset)

    def __len__(self) -> int:
        return len(self._dataset)  # type: ignore[arg-type]  # the data set may have no length


def _sampler_of(
    dataset: Any,
    given: Iterable[Any] | None,
    shuffle: bool | None,
    generator: Generator | None,
) -> Iterable[Any]:
    """Return the source of indices."""
    if given is not None:
        return given
    return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
