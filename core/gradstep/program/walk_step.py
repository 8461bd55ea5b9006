"""Inside a Step: group by group, parameter by parameter, term by term, symbols bound to numbers."""

from __future__ import annotations

import re
from contextlib import closing
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gradstep.optim.whole import WholeOptimizer
from gradstep.program.actions import FLAGS
from gradstep.program.micro_step import MicroStep, kept

if TYPE_CHECKING:
    from collections.abc import Generator

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim import Optimizer
    from gradstep.optim.term import UpdateVisit
    from gradstep.program.live import Live
    from gradstep.program.micro_step import Arrays
    from gradstep.program.operation import Step

__all__ = ["walk_step"]

_SYMBOL = re.compile(r"[A-Za-z_]\w*")

_PARTS = MappingProxyType(
    {
        "betas": ("beta1", "beta2"),
        "eps": ("eps1", "eps2"),
        "etas": ("etaminus", "etaplus"),
        "step_sizes": ("step_size_min", "step_size_max"),
    }
)
"""What formulas call the parts of hyper-parameters that are pairs."""

_STANDS_FOR = MappingProxyType(
    {
        "ascent_grad": "grad",
        "decayed_grad": "grad",
        "nesterov_grad": "grad",
        "decayed_param": "param",
        "max_exp_avg_sq": "exp_avg_sq",
        "sma_length": "rho",
    }
)
"""Terms that later formulas mean when they say `grad`, `param` and the like."""

_ADVANCED = ("step", "mu_product")
"""Counters that formulas mean as of this step; others are as the step before has left them."""


def walk_step(live: Live, operation: Step) -> Generator[MicroStep, None, None]:
    """Let an optimizer step, and give each group, each parameter, and each term of its update."""
    name = operation.optimizer
    optimizer = live.optimizer(name)
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
        self._advanced = [name for name in _ADVANCED if name in spec.counters]
        self._group = group
        self._state = optimizer.state[parameter]
        self._follows_buffer = group.get("nesterov") is False

    def bind(self, visit: UpdateVisit, path: tuple[str, ...]) -> MicroStep:
        """Return the step of a term, and let its symbol stand for what it has become."""
        values, term = self._values, visit.term
        for name in self._advanced:
            values[name] = self._state[name]._array.copy()
        read = [name for name in _SYMBOL.findall(visit.formula.text) if name in values]
        step = MicroStep(
            "term",
            term,
            path,
            visit.formula,
            kept((name, values[name]) for name in dict.fromkeys(read)),
            kept([(term, visit.array)]),
        )
        if term not in self._group:  # the term `weight_decay` is not what formulas call so
            values[term] = step.outputs[term]
        if term == "momentum_buffer" and self._follows_buffer:
            values["grad"] = values["nesterov_grad"] = values[term]
        elif term in _STANDS_FOR:
            values[_STANDS_FOR[term]] = values[term]
        return step


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
