"""Storage of optimizer state: flat arrays, of which the tensors in `state` are views.

The state of small parameters is adjacent in one segment, so that many of them are updated as one
array. A big parameter has a segment of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from gradstep.autograd.tensor import Tensor, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "BLOCK_SIZE",
    "SMALL_SIZE",
    "STATELESS",
    "Segment",
    "StateSpec",
    "aligned_zeros",
    "segments_for",
]

BLOCK_SIZE = 49_152
"""Elements that are updated at once: few enough for all arrays to stay in the cache."""
SMALL_SIZE = 4_096
"""Parameters up to this size are updated together: calls cost more than copies."""


_CACHE_LINE = 64


def aligned_zeros(size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a flat array aligned to a cache line, so that no vector load crosses two.

    Args:
        size: Number of elements.
        dtype: Their type.

    Example:
        >>> aligned_zeros(1000, np.dtype("float32")).ctypes.data % 64
        0
    """
    nbytes = size * dtype.itemsize
    memory = np.zeros(nbytes + _CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % _CACHE_LINE
    return memory[start : start + nbytes].view(dtype)


class StateSpec(NamedTuple):
    """The state an algorithm keeps per parameter, under the options of one group.

    Attributes:
        buffers: Arrays of the parameter's shape: name to initial value.
        counters: Numbers (0-d float32 tensors in `state`): name to initial value.
    """

    buffers: dict[str, float]
    counters: dict[str, float]


STATELESS: Final = StateSpec({}, {})
"""The state of algorithms that keep none."""


class Segment:
    """Flat state arrays of some parameters of one group and dtype.

    Args:
        parameters: Distinct tensors of one dtype.
    """

    __slots__ = ("buffers", "counters", "dtype", "offsets", "parameters", "versions", "views")

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        self.parameters = list(parameters)
        self.dtype: np.dtype[Any] = parameters[0]._array.dtype
        self.offsets = [0]
        for parameter in parameters:
            self.offsets.append(self.offsets[-1] + parameter._array.size)
        self.buffers: dict[str, NDArray[Any]] = {}
        self.counters: dict[str, NDArray[Any]] = {}
        self.versions: list[list[int]] = [[0] for _ in parameters]
        self.views: list[dict[str, NDArray[Any]]] = [{} for _ in parameters]

    def fits(self) -> bool:
        """Whether the parameters still have the sizes and the dtype this was made for."""
        return all(
            parameter._array.dtype == self.dtype
            and parameter._array.size == self.offsets[slot + 1] - self.offsets[slot]
            for slot, parameter in enumerate(self.parameters)
        )

    def adopt(self, slot: int, state: dict[str, Any], spec: StateSpec) -> frozenset[str]:
        """Move the state of one parameter into this segment, and create what is missing.

        Args:
            slot: The parameter's index in `parameters`.
            state: The parameter's state, changed in place.
            spec: The entries that the algorithm keeps.

        Returns:
            The names of the entries that were created.
        """
        created = set()
        for name, fill in (*spec.counters.items(), *spec.buffers.items()):
            view = self.views[slot].get(name)
            if view is None:
                view = self.views[slot][name] = self._new_view(slot, name, name in spec.counters)
            if _adopt_entry(state, name, view, fill, self.versions[slot]):
                created.add(name)
        return frozenset(created)

    def _new_view(self, slot: int, name: str, counter: bool) -> NDArray[Any]:
        if counter:
            if name not in self.counters:
                self.counters[name] = np.zeros(len(self.parameters), np.float32)
            return self.counters[name][slot : slot + 1].reshape(())
        if name not in self.buffers:
            self.buffers[name] = aligned_zeros(self.offsets[-1], self.dtype)
        start, stop = self.offsets[slot : slot + 2]
        return self.buffers[name][start:stop].reshape(self.parameters[slot]._array.shape)


def _adopt_entry(
    state: dict[str, Any], name: str, view: NDArray[Any], fill: float, version: list[int]
) -> bool:
    """Make `state[name]` a tensor over `view`; return whether it was created."""
    present = state.get(name)
    if isinstance(present, Tensor):
        if present._array is not view:
            view[...] = present._array
            present._array = view
            present._version_counter = version
        return False
    view[...] = fill if present is None else present
    state[name] = tensor = wrap(view)
    tensor._version_counter = version
    return present is None


def segments_for(parameters: Sequence[Tensor]) -> list[Segment]:
    """Divide the parameters of one group into segments: big ones alone, small ones together.

    Args:
        parameters: The group's parameters; one that occurs twice gets one slot.
    """
    segments: list[list[Tensor]] = []
    pending: list[Tensor] = []
    size = 0
    for parameter in dict.fromkeys(parameters):
        array = parameter._array
        if array.size > SMALL_SIZE:
            segments.append([parameter])
            continue
        if pending and (
            array.dtype != pending[0]._array.dtype
            or size + array.size > BLOCK_SIZE
            or (
                array.base is not None
                and any(np.may_share_memory(array, p._array) for p in pending)
            )
        ):
            segments.append(pending)
            pending, size = [], 0
        pending.append(parameter)
        size += array.size
    if pending:
        segments.append(pending)
    return [Segment(chosen) for chosen in segments]
