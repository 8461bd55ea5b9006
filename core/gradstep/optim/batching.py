"""Batching: which parameters of a group are updated together; cached while it holds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gradstep.autograd.row_sparse import rows_of_gradient
from gradstep.errors import TensorError
from gradstep.optim.parameter_batch import ParameterBatch, Scratch
from gradstep.optim.state_storage import STATELESS, Segment, StateSpec, segments_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim.parameter_batch import UpdateBatch

__all__ = ["GroupBatching"]

_MAX_CACHED = 8


class _CachedBatches:
    """The batches of a group, valid while its parameters and their state stay where they are.

    Args:
        params: The group's parameters.
        batches: Update those that have a gradient.
    """

    __slots__ = ("_params", "_stateful", "batches")

    def __init__(self, params: Sequence[Tensor], batches: list[ParameterBatch]) -> None:
        self._params = [(one, one._array, one._grad is None) for one in params]
        self._stateful = [batch for batch in batches if batch.has_state]
        self.batches = batches

    def are_valid(self, params: Sequence[Tensor], state: Mapping[Tensor, dict[str, Any]]) -> bool:
        """Whether the same parameters have a gradient, and no array was replaced."""
        if len(params) != len(self._params):
            return False
        place = 0
        for parameter, array, lacks_gradient in self._params:
            if (
                params[place] is not parameter
                or parameter._array is not array
                or (parameter._grad is None) is not lacks_gradient
            ):
                return False
            place += 1  # noqa: SIM113 - zip or enumerate would cost as much as the rest
        for batch in self._stateful:  # noqa: SIM110 - all() would make a generator
            if not batch.ready(state):
                return False
        return True


class GroupBatching:
    """Divides one parameter group into batches, and caches them while they are valid.

    Args:
        group: The parameter group; its `params` may change.
        scratch: The optimizer's scratch memory by dtype.
        dense_only: The optimizer's name if it takes no row-sparse gradients, else empty.
    """

    __slots__ = (
        "_cached",
        "_dense_only",
        "_latest",
        "_places",
        "_scratch",
        "_spec",
        "group",
    )

    def __init__(
        self, group: dict[str, Any], scratch: dict[np.dtype[Any], Scratch], dense_only: str = ""
    ) -> None:
        self.group = group
        self._dense_only = dense_only
        self._scratch = scratch
        self._places: dict[Tensor, tuple[Segment, int]] = {}
        # by the ids of the parameters, which it keeps alive
        self._cached: dict[tuple[int, ...], _CachedBatches] = {}
        self._latest = _CachedBatches((), [])
        self._use_spec(STATELESS)

    def batches(
        self,
        state: dict[Tensor, dict[str, Any]],
        spec: StateSpec,
    ) -> Sequence[UpdateBatch]:
        """Return batches of all parameters with a gradient, small ones many at once.

        Args:
            state: The optimizer's state; missing entries are created.
            spec: What the algorithm keeps per parameter.
        """
        if spec is not self._spec and spec != self._spec:
            self._use_spec(spec)
        if self._latest.are_valid(self.group["params"], state):
            return self._latest.batches
        active = _active(self.group["params"])
        self.check(active)
        key = tuple(map(id, active))
        found = self._cached.get(key)
        if found is None or not found.are_valid(self.group["params"], state):
            batches = list(self._divide(active, state))
            if len(self._cached) >= _MAX_CACHED:
                self._cached.clear()
            found = self._cached[key] = _CachedBatches(self.group["params"], batches)
        self._latest = found
        return found.batches

    def create(self, state: dict[Tensor, dict[str, Any]], spec: StateSpec) -> None:
        """Create the missing state of every parameter of the group."""
        self._use_spec(spec)
        for parameter in self.group["params"]:
            segment, slot = self._place(parameter)
            segment.adopt(slot, self._own(state, parameter), spec)

    def single_batch(
        self, parameter: Tensor, state: dict[Tensor, dict[str, Any]], spec: StateSpec
    ) -> UpdateBatch:
        """Return a batch of one parameter, in one block."""
        self.check([parameter])
        self._use_spec(spec)
        segment, slot = self._place(parameter)
        created = segment.adopt(slot, self._own(state, parameter), spec)
        return self._batch(segment, slot, slot + 1, state, created, one_block=True)

    def _own(self, state: dict[Tensor, dict[str, Any]], parameter: Tensor) -> dict[str, Any]:
        """Return the state of a parameter; a stateless optimizer gets no entry, as in torch."""
        return state.get(parameter, {}) if self._spec == STATELESS else state[parameter]

    def check(self, parameters: Iterable[Tensor]) -> None:
        """Raise if a gradient is row-sparse and the optimizer takes dense ones only."""
        if self._dense_only and any(
            rows_of_gradient(parameter._grad) is not None for parameter in parameters
        ):
            raise TensorError(
                f"{self._dense_only} does not support sparse gradients, "
                "please consider SparseAdam instead",
                "or create the Embedding without sparse=True",
            )

    def _use_spec(self, spec: StateSpec) -> None:
        """Keep other state from now on, which makes all batches invalid."""
        self._spec = spec
        self._clear_cache()

    def _clear_cache(self) -> None:
        self._cached.clear()
        self._latest = _CachedBatches((), [])

    def _divide(
        self, parameters: Sequence[Tensor], state: dict[Tensor, dict[str, Any]]
    ) -> Iterator[ParameterBatch]:
        """Divide parameters into batches; one that occurs n times is in n of them."""
        for distinct in _without_repeats(parameters):
            yield from self._runs(distinct, state)

    def _runs(
        self, parameters: Sequence[Tensor], state: dict[Tensor, dict[str, Any]]
    ) -> Iterator[ParameterBatch]:
        """Divide distinct parameters into runs of neighbours with equal counters and new state."""
        runs: dict[Segment, list[tuple[int, int, tuple[frozenset[str], list[float]]]]] = {}
        for parameter in parameters:
            segment, slot = self._place(parameter)
            created = segment.adopt(slot, self._own(state, parameter), self._spec)
            counters = [segment.counters[name].item(slot) for name in self._spec.counters]
            condition = (created, counters)
            own = runs.setdefault(segment, [])
            if own and own[-1][1:] == (slot, condition):
                own[-1] = (own[-1][0], slot + 1, condition)
            else:
                own.append((slot, slot + 1, condition))
        for segment, own in runs.items():
            for start, stop, (created, _) in own:
                yield self._batch(segment, start, stop, state, created, one_block=False)

    def _batch(
        self,
        segment: Segment,
        start: int,
        stop: int,
        state: dict[Tensor, dict[str, Any]],
        created: frozenset[str],
        *,
        one_block: bool,
    ) -> ParameterBatch:
        scratch = self._scratch.get(segment.dtype)
        if scratch is None:
            scratch = self._scratch[segment.dtype] = Scratch(segment.dtype)
        return ParameterBatch(
            segment, start, stop, state, self._spec, created, scratch, one_block=one_block
        )

    def _place(self, parameter: Tensor) -> tuple[Segment, int]:
        """Return the segment and slot of a parameter's state; a new one makes new segments."""
        place = self._places.get(parameter)
        if place is None or not place[0].fits():
            self._clear_cache()
            self._places = {
                member: (segment, slot)
                for segment in segments_for(self.group["params"])
                for slot, member in enumerate(segment.parameters)
            }
            place = self._places[parameter]
        return place


def _active(parameters: Sequence[Tensor]) -> list[Tensor]:
    """Return the parameters that have a gradient."""
    return [parameter for parameter in parameters if parameter._grad is not None]


def _without_repeats(parameters: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    """Yield lists of distinct parameters; one that occurs n times is in the first n lists."""
    remaining = Counter(parameters)
    while remaining:
        yield list(remaining)
        remaining = Counter({one: times - 1 for one, times in remaining.items() if times > 1})
