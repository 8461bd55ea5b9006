"""Attribution: one parameter's update as a sum of parts, one for each source."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradstep.errors import UnsupportedError
from gradstep.optim.lbfgs import LBFGS, Vectors
from gradstep.optim.terms import term_of
from gradstep.optim.traced_array import TracedArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.optim.optimizer import Optimizer
    from gradstep.optim.parameter_batch import Block
    from gradstep.optim.per_parameter import ParameterBlock

__all__ = [
    "CURVATURE",
    "DECAY",
    "GRADIENT",
    "MEMORY",
    "MOVING_STATE",
    "Attribution",
    "MemoryParts",
    "Share",
    "attribute",
    "attribute_search",
]

GRADIENT = "gradient"
MEMORY = "momentum memory"
DECAY = "weight decay"
CURVATURE = "curvature memory"
"""What L-BFGS adds to the gradient from its memory of earlier steps."""

MOVING_STATE = ("momentum_buffer", "exp_avg")
"""State that carries movement from step to step; all other state only scales a step."""

MemoryParts: TypeAlias = "Mapping[str, Mapping[str, NDArray[np.float64]]]"
"""Named parts that add up to each state array in `MOVING_STATE`, by the array's name."""


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """The share of one source in a parameter's change.

    Attributes:
        value: The share, of the parameter's shape, in float64.
        terms: The keys in `TERMS` of the terms that contain the source, in order.
    """

    value: NDArray[np.float64]
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Attribution:
    """The result of `attribute`.

    Attributes:
        shares: The shares of the change by source, without those that are all zero.
        memory: The parts of the moving state after the step. What was in it before keeps its names,
            and the rest carries the names of the sources.
    """

    shares: dict[str, Share]
    memory: MemoryParts


def attribute(
    optimizer: Optimizer,
    group: int,
    index: int,
    gradient: Mapping[str, NDArray[Any]] = MappingProxyType({}),
    memory: MemoryParts = MappingProxyType({}),
) -> Attribution:
    r"""Update one parameter that has a gradient, and return the shares of its change.

    The update is the optimizer's own code, run on traced arrays. Factors (denominators, norms, step
    sizes) are taken as constants, so that the rest is linear:

    .. math:: \theta_t - \theta_{t-1} = \sum_s \Delta_s

    with the sources :math:`s`: the parts of the gradient, the momentum of earlier steps ("momentum
    memory"), and the parameter itself ("weight decay"). A power or a sign of a sum is divided in
    proportion.

    Args:
        optimizer: Moves the parameter, as its `step` does.
        group: Index of the parameter group.
        index: Index of the parameter in its group.
        gradient: Parts of the gradient by name, of the parameter's shape; by default the whole
            gradient is one part, "gradient".
        memory: Parts of the moving state by name, as an earlier call returned them; by default each
            state array is one part, "momentum memory".

    Returns:
        The shares by source, which add up to the change except for rounding, and the parts of the
        moving state.

    Raises:
        UnsupportedError: The optimizer is L-BFGS, whose step needs a closure: use
            `attribute_search`.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = gradstep.optim.SGD([x], lr=0.5, momentum=0.5)
        >>> for _ in range(2):
        ...     x.grad = gradstep.tensor([2.0])
        ...     shares = attribute(optimizer, 0, 0).shares
        >>> {source: share.value.tolist() for source, share in shares.items()}
        {'gradient': [-1.0], 'momentum memory': [-0.5]}
        >>> shares["gradient"].terms
        ('momentum_buffer', 'update.momentum', 'param')
    """
    if isinstance(optimizer, LBFGS):
        raise UnsupportedError("a step of LBFGS computes its own gradients", "use attribute_search")
    own = optimizer.param_groups[group]
    parameter = own["params"][index]
    before = parameter._array.astype(np.float64)
    batch: Any = optimizer._batch_of(parameter, own)
    after: dict[str, NDArray[np.float64]] = {}
    terms: dict[str, dict[str, None]] = {}
    kept: dict[str, dict[str, NDArray[np.float64]]] = {}
    for block in batch.begin(optimizer._advance, own):
        _trace(block, gradient or {GRADIENT: block.grad}, memory)
        for term, sources in _walk(optimizer, block, own):
            for source in sources:
                terms.setdefault(source, {})[term] = None
        after |= {name: part.reshape(before.shape) for name, part in block.data.parts.items()}
        kept |= {
            key: {
                name: part.reshape(array.shape) for name, part in array.parts.items() if part.any()
            }
            for key, array in block.state.items()
            if key in MOVING_STATE
        }
    if batch.gathered:
        batch.put_back()
    if DECAY in after:
        after[DECAY] = after[DECAY] - before
    older = dict.fromkeys(name for parts in memory.values() for name in parts)
    order = dict.fromkeys([*(gradient or (GRADIENT,)), MEMORY, *older, DECAY])
    shares = {
        name: Share(after[name], tuple(terms[name]))
        for name in order
        if name in after and after[name].any()
    }
    return Attribution(shares, kept)


def attribute_search(
    optimizer: LBFGS,
    index: int,
    closure: Callable[[], Any],
    gradient: Callable[[], Mapping[str, NDArray[Any]]] | None = None,
) -> dict[str, Share]:
    r"""Carry out a step of L-BFGS, and return the shares of one parameter's change.

    Such a step adds up :math:`\alpha_k p_k` over its iterations. A direction is the scaled gradient
    plus a combination of kept steps and gradient changes; its coefficients are taken as constants.

    Args:
        optimizer: Moves all its parameters, as its `step` does.
        index: Index of the parameter.
        closure: As `step` takes it.
        gradient: Returns the parts of the gradient that was just computed, by name, as vectors of
            all parameters; None takes the whole gradient as one part, "gradient".

    Returns:
        The shares by source, without those that are all zero. They add up to the change, except
        for rounding.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([3.0, 1.0], requires_grad=True)
        >>> optimizer = LBFGS([x], max_iter=4)
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = (x * x).sum() + x[0] * x[1]
        ...     loss.backward()
        ...     return loss
        >>> shares = attribute_search(optimizer, 0, closure)
        >>> {source: share.value.round(4).tolist() for source, share in shares.items()}
        {'gradient': [-2.7122, -1.0824], 'curvature memory': [-0.2877, 0.0824]}
    """
    values: dict[str, NDArray[np.float64]] = {}
    terms: dict[str, dict[str, None]] = {}
    for key, value in optimizer.iterations(closure, _TracedVectors(gradient)):
        if not isinstance(value, TracedArray) or term_of(key) == "grad":
            continue
        for source, part in value.parts.items():
            own = optimizer.split(part)[index]
            if own.any():
                terms.setdefault(source, {})[key] = None
            if key == "param":
                values[source] = values.get(source, 0.0) + own
    order = sorted(values, key=CURVATURE.__eq__)
    return {name: Share(values[name], tuple(terms[name])) for name in order if values[name].any()}


class _TracedVectors(Vectors):
    """Gives the vectors of a step as traced arrays."""

    def __init__(self, gradient: Callable[[], Mapping[str, NDArray[Any]]] | None) -> None:
        self._parts = gradient

    def gradient(self, array: NDArray[Any]) -> NDArray[Any]:
        return TracedArray.of(array, {GRADIENT: array} if self._parts is None else self._parts())

    def memory(self, array: NDArray[Any]) -> NDArray[Any]:
        return TracedArray.of(array.view(), {CURVATURE: array})

    def values(self, array: NDArray[Any]) -> NDArray[Any]:
        return TracedArray.of(array)


def _trace(
    block: Block | ParameterBlock, gradient: Mapping[str, NDArray[Any]], memory: MemoryParts
) -> None:
    """Replace a block's arrays by traced ones."""
    shape = block.data.shape
    parts = {
        name: np.broadcast_to(part, part.shape).reshape(shape) for name, part in gradient.items()
    }
    block.data = TracedArray.of(block.data, {DECAY: block.data.astype(np.float64)})
    block.grad = TracedArray.of(block.grad, parts)
    block.state = {
        name: TracedArray.of(array, _memory_parts(name, array, memory))
        for name, array in block.state.items()
    }
    if hasattr(block, "scratch"):
        block.scratch = [TracedArray.of(array) for array in block.scratch]


def _memory_parts(
    name: str, array: NDArray[Any], memory: MemoryParts
) -> Mapping[str, NDArray[np.float64]]:
    if name not in MOVING_STATE:
        return {}
    if name not in memory:
        return {MEMORY: array.astype(np.float64)}
    return {source: part.reshape(array.shape) for source, part in memory[name].items()}


def _walk(
    optimizer: Optimizer, block: Block | ParameterBlock, group: dict[str, Any]
) -> Iterator[tuple[str, list[str]]]:
    """Yield each term of the update with the sources that it contains."""
    for term, value in optimizer._update(block, group):
        if isinstance(value, TracedArray):
            yield term, [name for name, part in value.parts.items() if part.any()]
