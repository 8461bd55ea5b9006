"""Attribution: one parameter's update, told apart into what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import UnsupportedError
from gradstep.optim.inverse_hessian import Vectors
from gradstep.optim.lbfgs import LBFGS
from gradstep.optim.term import term_of
from gradstep.optim.traced_array import Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.optim.optimizer import Optimizer
    from gradstep.optim.parameter_batch import Block
    from gradstep.optim.per_parameter import WholeBlock

__all__ = ["CURVATURE", "DECAY", "GRADIENT", "MEMORY", "Share", "attribute", "attribute_search"]

GRADIENT = "gradient"
MEMORY = "momentum memory"
DECAY = "weight decay"
CURVATURE = "curvature memory"
"""What L-BFGS adds to the gradient because of earlier steps and what they did to the gradient."""

MOVING_STATE = ("momentum_buffer", "exp_avg")
"""The state that carries movement from step to step; all other state only scales a step."""


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """What one source adds to a parameter's change.

    Attributes:
        value: Its part of the change, of the parameter's shape, in float64.
        terms: The keys in `TERMS` of what it goes through in the update, in order.
    """

    value: NDArray[np.float64]
    terms: tuple[str, ...]


def attribute(
    optimizer: Optimizer,
    group: int,
    index: int,
    gradient: Mapping[str, NDArray[Any]] = MappingProxyType({}),
) -> dict[str, Share]:
    r"""Update one parameter that has a gradient, and return what its change is made of.

    The update is the optimizer's own, run on arrays that remember what they are made of. What
    scales a step (denominators, norms, step sizes) is taken as it is, so that the rest is linear:

    .. math:: \theta_t - \theta_{t-1} = \sum_s \Delta_s

    with the sources :math:`s`: the parts of the gradient, the momentum that earlier steps have left
    ("momentum memory"), and the parameter itself ("weight decay"). A power or a sign of a sum is
    shared out in proportion.

    Args:
        optimizer: Moves the parameter, as its `step` does.
        group: Index of the parameter group.
        index: Index of the parameter in its group.
        gradient: What adds up to the gradient, by name, of the parameter's shape; all of it is
            "gradient" when nothing is given.

    Returns:
        The shares by source, those that are zero throughout left out. They add up to the change but
        for rounding.

    Raises:
        UnsupportedError: L-BFGS, whose step needs a closure: see `attribute_search`.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = gradstep.optim.SGD([x], lr=0.5, momentum=0.5)
        >>> for _ in range(2):
        ...     x.grad = gradstep.tensor([2.0])
        ...     shares = attribute(optimizer, 0, 0)
        >>> {source: share.value.tolist() for source, share in shares.items()}
        {'gradient': [-1.0], 'momentum memory': [-0.5]}
        >>> shares["gradient"].terms
        ('momentum_buffer', 'update.momentum', 'param')
    """
    if isinstance(optimizer, LBFGS):
        raise UnsupportedError(
            "LBFGS updates nothing from gradients that are there", "use attribute_search"
        )
    own = optimizer.param_groups[group]
    parameter = own["params"][index]
    before = parameter._array.astype(np.float64)
    lane: Any = optimizer._lane_of(parameter, own)
    after: dict[str, NDArray[np.float64]] = {}
    terms: dict[str, dict[str, None]] = {}
    for block in lane.begin(optimizer._advance, own):
        _remember(block, gradient or {GRADIENT: block.grad})
        for term, sources in _walk(optimizer, block, own):
            for source in sources:
                terms.setdefault(source, {})[term] = None
        after |= {name: part.reshape(before.shape) for name, part in block.data.named.items()}
    if lane.gathered:
        lane.put_back()
    if DECAY in after:
        after[DECAY] = after[DECAY] - before
    order = [*(gradient or (GRADIENT,)), MEMORY, DECAY]
    return {
        name: Share(after[name], tuple(terms[name]))
        for name in order
        if name in after and after[name].any()
    }


def attribute_search(
    optimizer: LBFGS,
    index: int,
    closure: Callable[[], Any],
    gradient: Callable[[], Mapping[str, NDArray[Any]]] | None = None,
) -> dict[str, Share]:
    r"""Carry out a step that evaluates the loss, and return what moves one parameter.

    Such a step adds up :math:`\alpha_k p_k` over its iterations, where the direction is the
    gradient scaled, and what the remembered steps and changes of the gradient add to it. The
    products of vectors that weigh them are taken as factors.

    Args:
        optimizer: Moves all its parameters, as its `step` does.
        index: Index of the parameter.
        closure: As `step` takes it.
        gradient: Tells what adds up to the gradient that was just evaluated, by name, as vectors of
            all parameters; all of it is "gradient" when None.

    Returns:
        The shares by source, those that are zero throughout left out. They add up to the change but
        for rounding.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([3.0, 1.0], requires_grad=True)
        >>> optimizer = LBFGS([x], max_iter=4)
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = (x * x).sum() + x.prod()
        ...     loss.backward()
        ...     return loss
        >>> shares = attribute_search(optimizer, 0, closure)
        >>> {source: share.value.round(4).tolist() for source, share in shares.items()}
        {'gradient': [-2.7122, -1.0824], 'curvature memory': [-0.2877, 0.0824]}
    """
    named: dict[str, NDArray[np.float64]] = {}
    terms: dict[str, dict[str, None]] = {}
    for key, value in optimizer.iterations(closure, _Remembering(gradient)):
        if not isinstance(value, Parts) or term_of(key) == "grad":
            continue
        for source, part in value.named.items():
            own = optimizer.parts(part)[index]
            if own.any():
                terms.setdefault(source, {})[key] = None
            if key == "param":
                named[source] = named.get(source, 0.0) + own
    order = sorted(named, key=CURVATURE.__eq__)
    return {name: Share(named[name], tuple(terms[name])) for name in order if named[name].any()}


class _Remembering(Vectors):
    """Gives the vectors of a step as arrays that remember what they are made of."""

    def __init__(self, gradient: Callable[[], Mapping[str, NDArray[Any]]] | None) -> None:
        self._parts = gradient

    def gradient(self, array: NDArray[Any]) -> NDArray[Any]:
        return Parts.of(array, {GRADIENT: array} if self._parts is None else self._parts())

    def memory(self, array: NDArray[Any]) -> NDArray[Any]:
        return Parts.of(array.view(), {CURVATURE: array})

    def values(self, array: NDArray[Any]) -> NDArray[Any]:
        return Parts.of(array)


def _remember(block: Block | WholeBlock, gradient: Mapping[str, NDArray[Any]]) -> None:
    """Let a block's arrays remember the sources from here on."""
    shape = block.data.shape
    parts = {
        name: np.broadcast_to(part, part.shape).reshape(shape) for name, part in gradient.items()
    }
    block.data = Parts.of(block.data, {DECAY: block.data.astype(np.float64)})
    block.grad = Parts.of(block.grad, parts)
    block.state = {
        name: Parts.of(array, {MEMORY: array.astype(np.float64)} if name in MOVING_STATE else {})
        for name, array in block.state.items()
    }
    if hasattr(block, "scratch"):
        block.scratch = [Parts.of(array) for array in block.scratch]


def _walk(
    optimizer: Optimizer, block: Block | WholeBlock, group: dict[str, Any]
) -> Iterator[tuple[str, list[str]]]:
    """Give each term of the update, with the sources that are in it."""
    for term, value in optimizer._update(block, group):
        if isinstance(value, Parts):
            yield term, [name for name, part in value.named.items() if part.any()]
