"""Plans: which lanes update the parameters of one group that have a gradient."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gradstep.autograd.row_sparse import rows_of_gradient
from gradstep.errors import TensorError
from gradstep.optim.parameter_batch import Lane, Scratch
from gradstep.optim.storage import STATELESS, Segment, StateSpec, segments_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim.per_parameter import WholeLane

__all__ = ["GroupPlan"]

_MOST_DIVISIONS = 8


class _Division:
    """The lanes that update a group while its parameters stay as they are.

    Args:
        params: The group's parameters.
        lanes: What updates those that have a gradient.
    """

    __slots__ = ("_lanes_with_state", "_params", "lanes")

    def __init__(self, params: Sequence[Tensor], lanes: list[Lane]) -> None:
        self._params = [(one, one._array, one._grad is None) for one in params]
        self._lanes_with_state = [lane for lane in lanes if lane.has_state]
        self.lanes = lanes

    def holds(self, params: Sequence[Tensor], state: Mapping[Tensor, dict[str, Any]]) -> bool:
        """Whether the same parameters have a gradient, and all live where they did."""
        if len(params) != len(self._params):
            return False
        place = 0
        for parameter, array, idle in self._params:
            if (
                params[place] is not parameter
                or parameter._array is not array
                or (parameter._grad is None) is not idle
            ):
                return False
            place += 1  # noqa: SIM113 - zip or enumerate would cost as much as the rest
        for lane in self._lanes_with_state:  # noqa: SIM110 - all() would make a generator
            if not lane.ready(state):
                return False
        return True


class GroupPlan:
    """Divides one parameter group into lanes, and keeps the division while it holds.

    Args:
        group: The parameter group; its `params` may change.
        scratch: The optimizer's scratch memory by dtype.

    Attributes:
        refusing: The optimizer's name when it takes no row-sparse gradients, else empty.
    """

    __slots__ = (
        "_divisions",
        "_latest",
        "_places",
        "_scratch",
        "_spec",
        "group",
        "refusing",
    )

    def __init__(self, group: dict[str, Any], scratch: dict[np.dtype[Any], Scratch]) -> None:
        self.group = group
        self.refusing = ""
        self._scratch = scratch
        self._places: dict[Tensor, tuple[Segment, int]] = {}
        self._divisions: dict[tuple[int, ...], _Division] = {}  # it keeps its tensors' ids alive
        self._latest = _Division((), [])
        self._follow(STATELESS)

    def lanes(
        self,
        state: dict[Tensor, dict[str, Any]],
        spec: StateSpec,
    ) -> Sequence[Lane | WholeLane]:
        """Return lanes that update every parameter with a gradient, small ones many at once.

        Args:
            state: The optimizer's state; completed where entries are missing.
            spec: What the algorithm keeps per parameter.
        """
        if spec is not self._spec and spec != self._spec:
            self._follow(spec)
        if self._latest.holds(self.group["params"], state):
            return self._latest.lanes
        active = _active(self.group["params"])
        self.check(active)
        key = tuple(map(id, active))
        found = self._divisions.get(key)
        if found is None or not found.holds(self.group["params"], state):
            lanes = list(self._divide(active, state))
            if len(self._divisions) >= _MOST_DIVISIONS:
                self._divisions.clear()
            found = self._divisions[key] = _Division(self.group["params"], lanes)
        self._latest = found
        return found.lanes

    def create(self, state: dict[Tensor, dict[str, Any]], spec: StateSpec) -> None:
        """Complete the state of every parameter of the group."""
        self._follow(spec)
        for parameter in self.group["params"]:
            segment, slot = self._place(parameter)
            segment.settle(slot, self._own(state, parameter), spec)

    def single_lane(
        self, parameter: Tensor, state: dict[Tensor, dict[str, Any]], spec: StateSpec
    ) -> Lane | WholeLane:
        """Return a lane that updates one parameter as a whole."""
        self.check([parameter])
        self._follow(spec)
        segment, slot = self._place(parameter)
        created = segment.settle(slot, self._own(state, parameter), spec)
        return self._lane(segment, slot, slot + 1, state, created, whole=True)

    def _own(self, state: dict[Tensor, dict[str, Any]], parameter: Tensor) -> dict[str, Any]:
        """Return the entry of a parameter; where nothing is kept, none is made, as in torch."""
        return state.get(parameter, {}) if self._spec == STATELESS else state[parameter]

    def check(self, parameters: Iterable[Tensor]) -> None:
        """Refuse gradients that know their rows, where the optimizer does."""
        if self.refusing and any(
            rows_of_gradient(parameter._grad) is not None for parameter in parameters
        ):
            raise TensorError(
                f"{self.refusing} does not support sparse gradients, "
                "please consider SparseAdam instead",
                "or leave out sparse=True",
            )

    def _follow(self, spec: StateSpec) -> None:
        """Keep other state from now on; the lanes so far are of no use."""
        self._spec = spec
        self._forget()

    def _forget(self) -> None:
        self._divisions.clear()
        self._latest = _Division((), [])

    def _divide(
        self, parameters: Sequence[Tensor], state: dict[Tensor, dict[str, Any]]
    ) -> Iterator[Lane]:
        """Divide parameters into lanes; one that occurs n times is in n of them."""
        for turn in _turns(parameters):
            yield from self._runs(turn, state)

    def _runs(
        self, parameters: Sequence[Tensor], state: dict[Tensor, dict[str, Any]]
    ) -> Iterator[Lane]:
        """Divide different parameters into runs of neighbours that are in the same situation."""
        runs: dict[Segment, list[tuple[int, int, tuple[frozenset[str], list[float]]]]] = {}
        for parameter in parameters:
            segment, slot = self._place(parameter)
            created = segment.settle(slot, self._own(state, parameter), self._spec)
            counters = [segment.counters[name].item(slot) for name in self._spec.counters]
            situation = (created, counters)
            own = runs.setdefault(segment, [])
            if own and own[-1][1:] == (slot, situation):
                own[-1] = (own[-1][0], slot + 1, situation)
            else:
                own.append((slot, slot + 1, situation))
        for segment, own in runs.items():
            for start, stop, (created, _) in own:
                yield self._lane(segment, start, stop, state, created, whole=False)

    def _lane(
        self,
        segment: Segment,
        start: int,
        stop: int,
        state: dict[Tensor, dict[str, Any]],
        created: frozenset[str],
        *,
        whole: bool,
    ) -> Lane:
        scratch = self._scratch.get(segment.dtype)
        if scratch is None:
            scratch = self._scratch[segment.dtype] = Scratch(segment.dtype)
        return Lane(segment, start, stop, state, self._spec, created, scratch, whole=whole)

    def _place(self, parameter: Tensor) -> tuple[Segment, int]:
        """Return where the state of `parameter` lives, after a new division if it has no place."""
        place = self._places.get(parameter)
        if place is None or not place[0].fits():
            self._forget()
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


def _turns(parameters: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    """Yield the parameters; one that occurs n times is in the first n lists."""
    left = Counter(parameters)
    while left:
        yield list(left)
        left = Counter({parameter: times - 1 for parameter, times in left.items() if times > 1})
