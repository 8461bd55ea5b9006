"""For algorithms that need a parameter whole: as a matrix, or for its norm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.row_sparse import rows_of_gradient
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.optim.batching import GroupPlan
from gradstep.optim.optimizer import Optimizer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from gradstep.optim.parameter_batch import Scratch
    from gradstep.optim.storage import StateSpec

__all__ = ["WholeBlock", "WholeLane", "WholeOptimizer", "WholePlan", "lerp"]


class WholeBlock:
    """What such an algorithm sees: one parameter, in its own shape.

    Attributes:
        data: The parameter's values; the algorithm updates them in place.
        grad: Its gradient; never written.
        state: The arrays by name; updated in place.
        counters: The counters by name, of this step: `step` is 1 in the first.
        rows: The rows that the gradient has; None when it may have any.
    """

    __slots__ = ("counters", "data", "grad", "rows", "state")

    def __init__(
        self, data: NDArray[Any], grad: NDArray[Any], rows: NDArray[np.intp] | None = None
    ) -> None:
        self.data = data
        self.grad = grad
        self.rows = rows
        self.state: dict[str, NDArray[Any]] = {}
        self.counters: dict[str, float] = {}


class WholeLane:
    """One parameter, updated as a whole and where it lies.

    Args:
        parameter: Has a gradient.
        state: Its state; missing entries are made.
        shapes: The arrays the algorithm keeps, with their shapes.
        counters: The numbers it keeps, with their first values.
    """

    __slots__ = ("_parameter", "_state", "_tensors", "blocks")

    gathered = False
    """Whether the block is a copy, which goes back when the update is done: it is not."""

    def __init__(
        self,
        parameter: Tensor,
        state: dict[str, Any],
        shapes: Mapping[str, tuple[int, ...]],
        counters: Mapping[str, float],
    ) -> None:
        for name, value in counters.items():
            if name not in state:
                state[name] = wrap(np.array(value, np.float32))
        for name, shape in shapes.items():
            if name not in state:
                state[name] = wrap(np.zeros(shape, parameter._array.dtype))
        self._parameter = parameter
        self._state = state
        self._tensors = list(shapes)

    def begin(
        self,
        advance: Callable[[dict[str, float], dict[str, Any]], dict[str, float]],
        group: dict[str, Any],
    ) -> list[WholeBlock]:
        """Advance the counters, count the writes to come, and return the parameter as one block."""
        self._parameter._version_counter[0] += 1
        for value in self._state.values():
            if isinstance(value, Tensor):
                value._version_counter[0] += 1
        gradient = self._parameter._grad._array  # type: ignore[union-attr]  # lanes have one
        rows = rows_of_gradient(self._parameter._grad)
        block = WholeBlock(self._parameter._array, gradient, rows)
        for name in self._tensors:
            block.state[name] = self._state[name]._array
        if "step" in self._state:
            tensor = self._state["step"]
            counters = advance({"step": tensor.item()}, group)
            tensor._array[...] = counters["step"]
            block.counters = {"step": tensor.item()}
        return [block]

    def put_back(self) -> None:
        """There is nothing to put back."""


class WholeOptimizer(Optimizer):
    """An optimizer whose `_update` gets a `WholeBlock` for each parameter."""

    def _shapes(self, shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:  # noqa: ARG002 - for subclasses
        """Return the arrays kept for a parameter of some shape, with their own shapes."""
        return {}

    def state_shape(self, entry: str, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of a state array for a parameter of some shape."""
        return self._shapes(shape).get(entry, shape)

    def is_state(self, entries: Mapping[str, Any]) -> bool:
        """Whether all entries are arrays, and counters numbers among them."""
        return all(isinstance(kept, (np.ndarray, list)) for kept in entries.values()) and (
            np.ndim(entries.get("step", 0.0)) == 0
        )

    def _plan(self, group: dict[str, Any]) -> GroupPlan:
        plan = WholePlan(group, self._scratch, self._shapes)
        plan.refusing = self._refusing
        return plan


class WholePlan(GroupPlan):
    """Gives each parameter a lane of its own.

    Args:
        group: The parameter group.
        scratch: The optimizer's scratch memory, of which such lanes need none.
        shapes: Tells the state arrays and their shapes for a parameter of some shape.
    """

    __slots__ = ("_shapes",)

    def __init__(
        self,
        group: dict[str, Any],
        scratch: dict[np.dtype[Any], Scratch],
        shapes: Callable[[tuple[int, ...]], Mapping[str, tuple[int, ...]]],
    ) -> None:
        super().__init__(group, scratch)
        self._shapes = shapes

    def lanes(
        self,
        state: dict[Tensor, dict[str, Any]],
        spec: StateSpec,
    ) -> list[WholeLane]:
        """Return a lane for each parameter that has a gradient."""
        return [
            self.single_lane(parameter, state, spec)
            for parameter in self.group["params"]
            if parameter._grad is not None
        ]

    def single_lane(
        self, parameter: Tensor, state: dict[Tensor, dict[str, Any]], spec: StateSpec
    ) -> WholeLane:
        """Return a lane that updates one parameter."""
        self.check([parameter])
        shapes = self._shapes(parameter._array.shape)
        return WholeLane(parameter, state[parameter], shapes, spec.counters)


def lerp(start: NDArray[Any], end: NDArray[Any], weight: float) -> NDArray[Any]:
    """Return what lies `weight` of the way from start to end, computed from the nearer of them.

    Example:
        >>> lerp(np.array([1.0]), np.array([3.0]), 0.75)
        array([2.5])
    """
    kind, way = start.dtype.type, end - start
    near = weight < 0.5  # noqa: PLR2004 - half way
    middle: NDArray[Any] = (
        start + kind(weight) * way if near else end - (kind(1) - kind(weight)) * way
    )
    return middle
