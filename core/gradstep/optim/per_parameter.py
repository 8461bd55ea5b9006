"""Batches of one parameter in its own shape, for algorithms that use its rows or its norm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.row_sparse import rows_of_gradient
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.optim.batching import GroupBatching

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from gradstep.optim.parameter_batch import Scratch
    from gradstep.optim.state_storage import StateSpec

__all__ = ["ParameterBlock", "PerParameterBatching", "SingleParameterBatch", "lerp"]


class ParameterBlock:
    """What a per-parameter algorithm gets: one parameter, in its own shape.

    Attributes:
        data: The parameter's values; the algorithm updates them in place.
        grad: Its gradient; never written.
        state: The arrays by name; updated in place.
        counters: The counters by name, of this step: `step` is 1 in the first.
        rows: The rows of a row-sparse gradient; None for a dense one.
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


class SingleParameterBatch:
    """One parameter, updated in place and in its own shape.

    Args:
        parameter: Has a gradient.
        state: Its state; missing entries are created.
        shapes: The arrays the algorithm keeps, with their shapes.
        counters: The numbers it keeps, with their initial values.
    """

    __slots__ = ("_parameter", "_state", "_tensors", "blocks")

    gathered = False
    """Whether the block is a copy that is written back after the update."""

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
    ) -> list[ParameterBlock]:
        """Advance counters and versions, and return the parameter as one block."""
        self._parameter._version_counter[0] += 1
        for value in self._state.values():
            if isinstance(value, Tensor):
                value._version_counter[0] += 1
        gradient = self._parameter._grad._array  # type: ignore[union-attr]  # it has one
        rows = rows_of_gradient(self._parameter._grad)
        block = ParameterBlock(self._parameter._array, gradient, rows)
        for name in self._tensors:
            block.state[name] = self._state[name]._array
        if "step" in self._state:
            tensor = self._state["step"]
            counters = advance({"step": tensor.item()}, group)
            tensor._array[...] = counters["step"]
            block.counters = {"step": tensor.item()}
        return [block]

    def put_back(self) -> None:
        """Do nothing: the parameter was updated in place."""


class PerParameterBatching(GroupBatching):
    """Gives each parameter of a group a batch of its own.

    Args:
        group: The parameter group.
        scratch: The optimizer's scratch memory, which these batches do not use.
        dense_only: As for `GroupBatching`.
        shapes: Returns the state arrays and their shapes for a parameter's shape.
    """

    __slots__ = ("_shapes",)

    def __init__(
        self,
        group: dict[str, Any],
        scratch: dict[np.dtype[Any], Scratch],
        dense_only: str,
        shapes: Callable[[tuple[int, ...]], Mapping[str, tuple[int, ...]]],
    ) -> None:
        super().__init__(group, scratch, dense_only)
        self._shapes = shapes

    def batches(
        self,
        state: dict[Tensor, dict[str, Any]],
        spec: StateSpec,
    ) -> list[SingleParameterBatch]:
        """Return a batch of each parameter that has a gradient."""
        return [
            self.single_batch(parameter, state, spec)
            for parameter in self.group["params"]
            if parameter._grad is not None
        ]

    def single_batch(
        self, parameter: Tensor, state: dict[Tensor, dict[str, Any]], spec: StateSpec
    ) -> SingleParameterBatch:
        """Return a batch of one parameter."""
        self.check([parameter])
        shapes = self._shapes(parameter._array.shape)
        return SingleParameterBatch(parameter, state[parameter], shapes, spec.counters)


def lerp(start: NDArray[Any], end: NDArray[Any], weight: float) -> NDArray[Any]:
    """Return the linear interpolation from `start` to `end`, computed from the nearer of them.

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
