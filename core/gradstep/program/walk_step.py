"""Inside a Step: group by group, parameter by parameter, term by term, symbols bound to numbers."""

from __future__ import annotations

from contextlib import closing
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gradstep.optim.whole import WholeOptimizer
from gradstep.program.actions import FLAGS
from gradstep.program.micro_step import MicroStep, kept
from gradstep.program.walk_closure import walk_evaluating

if TYPE_CHECKING:
    from collections.abc import Generator

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim import Optimizer
    from gradstep.optim.term import UpdateVisit
    from gradstep.program.live import Live
    from gradstep.program.micro_step import Arrays
    from gradstep.program.operation import Step

__all__ = ["walk_step"]

_MATRIX = 2

_PARTS = MappingProxyType(
    {
        "betas": ("beta1", "beta2"),
        "eps": ("eps1", "eps2"),
        "etas": ("etaminus", "etaplus"),
        "step_sizes": ("step_size_min", "step_size_max"),
    }
)
"""What formulas call the parts of hyper-parameters that are pairs."""

_ADVANCED = ("step", "mu_product")
"""Counters that formulas mean as of this step; others are as the step before has left them."""


def walk_step(live: Live, operation: Step) -> Generator[MicroStep, None, None]:
    """Let an optimizer step, and give each group, each parameter, and each term of its update."""
    name = operation.optimizer
    optimizer = live.optimizer(name)
    if optimizer.needs_closure:
        (group,) = optimizer.param_groups
        yield MicroStep("group", "group 0", (name,), inputs=kept(_options(group).items()))
        yield from walk_evaluating(live, operation, _options(group))
        return
    for number, group in enumerate(optimizer.param_groups):
        inside = (name, f"group {number}")
        moving = [at for at, held in enumerate(group["params"]) if held._grad is not None]
        if moving:
            yield MicroStep("group", inside[1], (name,), inputs=kept(_options(group).items()))
        for index in moving:
            parameter = group["params"][index]
            address = live.addresses[parameter]
            symbols = _Symbols(optimizer, group, parameter)
            yield MicroStep("parameter", address, inside, inputs=kept(symbols.before.items()))
            with closing(optimizer.visits_of(number, index)) as visits:
                for visit in visits:
                    yield symbols.bind(visit, (*inside, address))


class _Symbols:
    """The numbers that the symbols of a parameter's formulas stand for, as its update goes on.

    Attributes:
        before: The parameter, its gradient and its state before the update; state that the update
            is about to make has its first value.
    """

    def __init__(self, optimizer: Optimizer, group: dict[str, Any], parameter: Tensor) -> None:
        spec = optimizer._spec(group)
        held = optimizer.state.get(parameter, {})
        shape, dtype = parameter._array.shape, parameter._array.dtype
        first = {name: np.full(shape, fill, dtype) for name, fill in spec.buffers.items()}
        if isinstance(optimizer, WholeOptimizer):
            own = optimizer._shapes(shape)
            first |= {name: np.zeros(size, dtype) for name, size in own.items()}
        first |= {name: np.array(fill, np.float32) for name, fill in spec.counters.items()}
        now = {name: held[name]._array for name in first if name in held}
        gradient = cast("Tensor", parameter._grad)
        tensors = {"param": parameter._array, "grad": gradient._array}
        self.before: Arrays = kept({**tensors, **first, **now}.items())
        self._values: dict[str, Any] = {**_options(group), **self.before}
        if len(shape) == _MATRIX:
            self._values |= zip(("rows", "columns"), shape, strict=True)
        self._advanced = [name for name in _ADVANCED if name in spec.counters]
        self._state = optimizer.state[parameter]

    def bind(self, visit: UpdateVisit, path: tuple[str, ...]) -> MicroStep:
        """Return the step of a term, and let its symbol stand for what it has become."""
        values, formula = self._values, visit.formula
        for name in self._advanced:
            values[name] = self._state[name]._array.copy()
        read = [(name, values[name]) for name in formula.names if name in values]
        made = kept([(visit.term, visit.array)])
        values[formula.makes] = made[visit.term]
        return MicroStep("term", visit.term, path, formula, kept(read), made)


def _options(group: dict[str, Any]) -> dict[str, Any]:
    """Return the hyper-parameters of a group by the names that formulas use."""
    found: dict[str, Any] = {}
    for name, value in group.items():
        if name in FLAGS or value is None:
            continue
        if name in _PARTS and isinstance(value, (tuple, list)):
            found |= zip(_PARTS[name], value, strict=True)
        else:
            found[name] = value
    return found
