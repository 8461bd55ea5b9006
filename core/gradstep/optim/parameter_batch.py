"""Batches: neighbouring parameters that an algorithm updates as one flat array."""

from __future__ import annotations

from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from gradstep.autograd.scalar_arrays import ScalarArrayCache
from gradstep.optim.state_storage import BLOCK_SIZE, aligned_zeros

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim.state_storage import Segment, StateSpec

__all__ = ["Block", "ParameterBatch", "Scratch", "UpdateBatch"]


class Scratch:
    """Temporary memory of one dtype, shared by all batches of an optimizer."""

    __slots__ = ("_arrays", "_dtype", "numbers")

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        self._arrays = [np.empty(0, dtype)] * 4
        self.numbers = ScalarArrayCache(dtype)

    def take(self, size: int) -> list[NDArray[Any]]:
        """Return four arrays of `size` elements that do not overlap."""
        if size > BLOCK_SIZE:  # one big parameter: too rare to keep the memory
            return [np.empty(size, self._dtype) for _ in self._arrays]
        if size > self._arrays[0].size:
            self._arrays = [aligned_zeros(size, self._dtype) for _ in self._arrays]
        return [array[:size] for array in self._arrays]


_NOTHING: Final[frozenset[str]] = frozenset()
_NO_COUNTERS: Final[Mapping[str, float]] = MappingProxyType({})


class Block:
    """What an algorithm gets: flat arrays of equal length, of several parameters or part of one.

    Attributes:
        data: The parameters' values; the algorithm updates them in place.
        grad: Their gradients; never written.
        state: The buffers by name; updated in place.
        scratch: Four arrays of the same length for intermediate results.
        counters: The counters by name, of this step: `step` is 1 in the first.
        previous: The counters as they were before this step.
        created: Names of the state entries that were created for this step.
        numbers: Floats as 0-d arrays of the right dtype.
    """

    __slots__ = (
        "counters",
        "created",
        "data",
        "grad",
        "numbers",
        "part",
        "previous",
        "scratch",
        "state",
    )

    counters: Mapping[str, float]
    previous: Mapping[str, float]
    grad: NDArray[Any]

    def __init__(
        self,
        part: slice,
        data: NDArray[Any],
        state: dict[str, NDArray[Any]],
        scratch: Scratch,
    ) -> None:
        self.part = part
        self.data = data
        self.state = state
        self.scratch = scratch.take(len(data))
        self.numbers = scratch.numbers
        self.created = _NOTHING
        self.counters = self.previous = _NO_COUNTERS


class UpdateBatch(Protocol):
    """Parameters that are updated together, as an optimizer sees them."""

    @property
    def gathered(self) -> bool:
        """Whether the blocks are copies that `put_back` writes back after the update."""

    def begin(
        self,
        advance: Callable[[dict[str, float], dict[str, Any]], dict[str, float]],
        group: dict[str, Any],
    ) -> Sequence[Any]:
        """Fetch gradients, advance counters and versions, and return the blocks to update.

        Args:
            advance: Returns the counters of a step from those before it and the group.
            group: The parameter group.
        """

    def put_back(self) -> None:
        """Write gathered data back to the parameters."""


class ParameterBatch:
    """The parameters in slots `start` to `stop` of a segment, updated as one flat array.

    A single contiguous parameter is updated in place, in blocks. Several are gathered into memory
    of the batch, updated there, and put back. The arithmetic of each element is the same either
    way, so the results are equal bit for bit.

    Args:
        segment: Holds the state.
        start: The first slot.
        stop: The slot after the last.
        state: The optimizer's state; the entries of these parameters are in the segment.
        spec: Which state the algorithm uses.
        created: Names of state entries that did not exist before this step.
        scratch: Temporary memory.
        one_block: Do not divide a big parameter into blocks, so that each term is one array.
    """

    __slots__ = (
        "_counters",
        "_created",
        "_entries",
        "_grads",
        "_home",
        "_moves",
        "_owners",
        "_versions",
        "blocks",
        "gathered",
        "has_state",
        "parameters",
    )

    def __init__(
        self,
        segment: Segment,
        start: int,
        stop: int,
        state: Mapping[Tensor, dict[str, Any]],
        spec: StateSpec,
        created: frozenset[str],
        scratch: Scratch,
        *,
        one_block: bool,
    ) -> None:
        self.parameters = segment.parameters[start:stop]
        arrays = [parameter._array for parameter in self.parameters]
        self._versions = [parameter._version_counter for parameter in self.parameters]
        self._counters = {name: segment.counters[name][start:stop] for name in spec.counters}
        kept = (*spec.counters, *spec.buffers)
        self._owners = [(one, state[one]) for one in self.parameters] if kept else []
        self.has_state = bool(kept)
        self._created = created
        if kept:
            self._versions += segment.versions[start:stop]
        self._entries = [(own, name, own[name]._array) for _, own in self._owners for name in kept]
        self.gathered = len(arrays) > 1 or not arrays[0].flags.c_contiguous
        first = segment.offsets[start]
        size = segment.offsets[stop] - first
        if self.gathered:
            self._home = aligned_zeros(size, segment.dtype)
            self._grads = aligned_zeros(size, segment.dtype)
        else:
            self._home = arrays[0].reshape(-1)
            self._grads = self._home  # the gradient is read in place, too
        self._moves = [
            (
                parameter,
                parameter._array,
                self._home[a - first : b - first].reshape(parameter._array.shape),
                self._grads[a - first : b - first].reshape(parameter._array.shape),
            )
            for parameter, a, b in zip(
                self.parameters,
                segment.offsets[start:stop],
                segment.offsets[start + 1 : stop + 1],
                strict=True,
            )
        ]
        length = max(1, size) if one_block or self.gathered else _block_length(size)
        self.blocks = []
        for begin in range(0, size, length):
            part = slice(begin, min(begin + length, size))
            buffers = {
                name: segment.buffers[name][first + part.start : first + part.stop]
                for name in spec.buffers
            }
            self.blocks.append(Block(part, self._home[part], buffers, scratch))

    def ready(self, state: Mapping[Tensor, dict[str, Any]]) -> bool:
        """Whether no state array was replaced, and all counters are equal."""
        for parameter, own in self._owners:
            if state.get(parameter) is not own:
                return False
        try:
            for own, name, array in self._entries:
                if own[name]._array is not array:
                    return False
        except (KeyError, AttributeError):  # it was removed, or replaced by something else
            return False
        return len(self.parameters) == 1 or all(map(_uniform, self._counters.values()))

    def begin(
        self,
        advance: Callable[[dict[str, float], dict[str, Any]], dict[str, float]],
        group: dict[str, Any],
    ) -> list[Block]:
        """Fetch data and gradients, advance counters and versions, and return the blocks.

        Versions are advanced before the writes, so that a batch in place needs no further call.
        """
        for version in self._versions:
            version[0] += 1
        grad = self._gather() if self.gathered else self.parameters[0]._grad._array  # type: ignore[union-attr]  # it has one
        if grad.ndim != 1:
            grad = grad.reshape(-1)
        if len(self.blocks) == 1:
            self.blocks[0].grad = grad
        else:
            for block in self.blocks:
                block.grad = grad[block.part]
        if self.has_state:
            self._begin_state(advance, group)
        return self.blocks

    def _gather(self) -> NDArray[Any]:
        """Copy the data of all parameters, and return their gradients."""
        for parameter, array, home, own_grad in self._moves:
            home[...] = array
            own_grad[...] = parameter._grad._array  # type: ignore[union-attr]  # likewise
        return self._grads

    def _begin_state(
        self,
        advance: Callable[[dict[str, float], dict[str, Any]], dict[str, float]],
        group: dict[str, Any],
    ) -> None:
        """Advance the counters, and give the blocks their counters and created entries."""
        previous: dict[str, float] = {}
        counters: dict[str, float] = {}
        if self._counters:
            previous = {name: array.item(0) for name, array in self._counters.items()}
            counters = advance(previous, group)
            for name, value in counters.items():
                array = self._counters[name]
                array.fill(value)
                counters[name] = array.item(0)  # rounded to float32, as torch reads it
        for block in self.blocks:
            block.counters = counters
            block.previous = previous
            block.created = self._created
        self._created = _NOTHING

    def put_back(self) -> None:
        """Write gathered data back to the parameters."""
        for _, array, home, _ in self._moves:
            array[...] = home


def _block_length(size: int) -> int:
    """Return the number of elements in a block, such that all are about equal."""
    count = max(1, ceil(size / BLOCK_SIZE))
    return max(1, ceil(size / (count * _UNIT))) * _UNIT


_UNIT: Final = 64  # elements: blocks begin where cache lines do, whatever the element type


def _uniform(counter: NDArray[Any]) -> bool:
    values = counter.tolist()
    return bool(values.count(values[0]) == len(values))
