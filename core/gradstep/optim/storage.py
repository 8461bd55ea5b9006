"""Where optimizer state lives: flat arrays, of which the tensors in `state` are views.

The state of small parameters lies side by side, so that an update of many of them is one update
of one array. A big parameter has a segment of its own.
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
"""Elements an algorithm works on at once: few enough for its arrays to stay in the cache."""
SMALL_SIZE = 4_096
"""Parameters of at most this many elements are updated together (calls cost more than copies)."""


_CACHE_LINE = 64


def aligned_zeros(size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a flat array that begins at a cache line: elsewhere, a vector unit reads two for one.

    Args:
        size: How many elements.
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
"""What algorithms keep that keep nothing."""


class Segment:
    """Flat state arrays for some parameters of one group and dtype.

    Args:
        parameters: Different tensors of one dtype.
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

    def settle(self, slot: int, state: dict[str, Any], spec: StateSpec) -> frozenset[str]:
        """Make the state of one parameter live here: created if missing, copied in if elsewhere.

        Args:
            slot: The parameter's index in `parameters`.
            state: The parameter's own state, completed in place.
            spec: What the algorithm wants to find in it.

        Returns:
            The names of the entries that did not exist before.
        """
        created = set()
        for name, fill in (*spec.counters.items(), *spec.buffers.items()):
            view = self.views[slot].get(name)
            if view is None:
                view = self.views[slot][name] = self._new_view(slot, name, name in spec.counters)
            if _place(state, name, view, fill, self.versions[slot]):
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


def _place(
    state: dict[str, Any], name: str, view: NDArray[Any], fill: float, version: list[int]
) -> bool:
    """Let `state[name]` be a tensor over `view`; returns whether it had to be made."""
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
        parameters: The group's parameters; one that occurs twice gets one place.
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
