"""Samplers: the order of indices, and their batches."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from gradstep.autograd.creation import as_tensor
from gradstep.errors import ArgumentError
from gradstep.random import Generator, default_generator
from gradstep_torch.ops.sampling import multinomial

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence, Sized

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
    "draw_seed",
]

_CHUNK = 32
"""With replacement, torch draws this many indices at once."""


def draw_seed(generator: Generator | None) -> int:
    """Draw a seed as torch's loaders do: an integer of 63 bits."""
    return int((generator or default_generator).long_words(1)[0]) & ((1 << 63) - 1)


class Sampler:
    """The base of samplers; a subclass defines `__iter__`, which yields indices."""


class SequentialSampler(Sampler):
    """All indices in order.

    Args:
        data_source: The data set.
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Indices in random order.

    Args:
        data_source: The data set.
        replacement: Whether an index may repeat.
        num_samples: The number to draw; the length of the data set if None.
        generator: The generator to draw from; one seeded from the default one if None.

    Example:
        >>> import gradstep_torch as torch
        >>> _ = torch.manual_seed(0)
        >>> sorted(RandomSampler(range(4)))
        [0, 1, 2, 3]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        if num_samples is not None and (not isinstance(num_samples, int) or num_samples <= 0):
            raise ArgumentError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )
        if num_samples is None and not len(data_source):
            raise ArgumentError(
                "num_samples should be a positive integer value, but got num_samples=0",
                "there is nothing to draw from",
            )
        self.data_source = data_source
        self.replacement = replacement
        self.generator = generator
        self._num_samples = num_samples

    @property
    def num_samples(self) -> int:
        """The number of indices per pass."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        size, count = len(self.data_source), self.num_samples
        generator = self.generator or Generator().manual_seed(draw_seed(None))
        if self.replacement:
            for start in range(0, count, _CHUNK):
                yield from generator.integers(0, size, (min(_CHUNK, count - start),)).tolist()
            return
        for _ in range(count // size if size else 0):
            yield from generator.permutation(size).tolist()
        yield from generator.permutation(size)[: count % size if size else 0].tolist()

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """A given subset of the indices, in random order.

    Args:
        indices: The indices.
        generator: The generator to draw from; the default one if None.
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        order = (self.generator or default_generator).permutation(len(self.indices))
        return iter([self.indices[place] for place in order.tolist()])

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn at random with given weights.

    Args:
        weights: One per index, none negative; they need not sum to 1.
        num_samples: The number to draw.
        replacement: Whether an index may repeat.
        generator: The generator to draw from; the default one if None.

    Example:
        >>> list(WeightedRandomSampler([0.0, 0.0, 1.0], 4))
        [2, 2, 2, 2]
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        if isinstance(num_samples, bool) or not isinstance(num_samples, int) or num_samples <= 0:
            raise ArgumentError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )
        if not isinstance(replacement, bool):
            raise ArgumentError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        self.weights = as_tensor(weights, dtype="float64")
        if self.weights.ndim != 1:
            raise ArgumentError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Groups the indices of another sampler into lists.

    Args:
        sampler: The source of indices.
        batch_size: The length of a list.
        drop_last: Whether to drop a last list that is shorter.

    Example:
        >>> list(BatchSampler(SequentialSampler(range(5)), 2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size <= 0:
            raise ArgumentError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        self.sampler: Iterable[int] = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)  # type: ignore[arg-type]  # only called if it has a length
        return whole if self.drop_last or not rest else whole + 1
