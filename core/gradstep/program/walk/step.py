"""Micro-steps of a Step: each group, each parameter, and each term of its update."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gradstep.optim.optimizer import PerParameterOptimizer
from gradstep.program.micro_step import MicroStep, array_copies
from gradstep.program.operations.training import NON_HYPERPARAMETERS, state_addresses
from gradstep.program.walk.closure import walk_step_with_closure

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.formula import Formula
    from gradstep.optim import Optimizer
    from gradstep.optim.terms import UpdateVisit
    from gradstep.program.micro_step import Arrays, Walk
    from gradstep.program.operation import Step
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["walk_step"]

_MATRIX = 2

_PARTS = MappingProxyType(
    {
        "betas": ("beta1", "beta2"),
        "eps": ("eps1", "eps2"),
        "etas": ("etaminus", "etaplus"),
        "step_sizes": ("step_size_min", "step_size_max"),
        "ns_coefficients": ("a", "b", "c"),
    }
)
"""The names that formulas use for the elements of paired hyperparameters."""

_ADVANCED = ("step", "mu_product")
"""Counters whose formulas use the value of this step; others use that of the previous step."""


def walk_step(live: LiveObjects, operation: Step) -> Walk:
    """Run an optimizer's step and yield each group, each parameter, and each term of its update."""
    name = operation.optimizer
    optimizer = live.optimizer(name)
    if optimizer.needs_closure:
        (group,) = optimizer.param_groups
        yield MicroStep("group", "group 0", (name,), inputs=array_copies(_options(group).items()))
        yield from walk_step_with_closure(live, operation, _options(group))
        return
    moved: tuple[str, ...] = ()  # addresses written after the previous parameter's last term
    for number, group in enumerate(optimizer.param_groups):
        inside = (name, f"group {number}")
        moving = [at for at, held in enumerate(group["params"]) if held._grad is not None]
        if moving:
            options = array_copies(_options(group).items())
            yield MicroStep("group", inside[1], (name,), inputs=options, writes=moved)
        for index in moving:
            parameter = group["params"][index]
            address = live.addresses[parameter]
            symbols = _ParameterSymbols(optimizer, group, parameter)
            yield MicroStep("parameter", address, inside, inputs=symbols.before, writes=moved)
            with closing(optimizer.visits_of(number, index)) as visits:
                for visit in visits:
                    moved = tuple(state_addresses(live, name, (parameter,)))
                    yield symbols.bind(visit, (*inside, address), moved)


class _ParameterSymbols:
    """The current values of the symbols in a parameter's formulas during its update.

    Attributes:
        before: The parameter, its gradient and its state before the update; state that does not
            exist yet has its initial value.
    """

    def __init__(self, optimizer: Optimizer, group: dict[str, Any], parameter: Tensor) -> None:
        spec = optimizer._spec(group)
        held = optimizer.state.get(parameter, {})
        shape, dtype = parameter._array.shape, parameter._array.dtype
        first = {name: np.full(shape, fill, dtype) for name, fill in spec.buffers.items()}
        if isinstance(optimizer, PerParameterOptimizer):
            own = optimizer._shapes(shape)
            first |= {name: np.zeros(size, dtype) for name, size in own.items()}
        first |= {name: np.array(fill, np.float32) for name, fill in spec.counters.items()}
        now = {name: held[name]._array for name in first if name in held}
        gradient = cast("Tensor", parameter._grad)
        tensors = {"param": parameter._array, "grad": gradient._array}
        self.before: Arrays = array_copies({**tensors, **first, **now}.items())
        self._values: dict[str, Any] = {**_options(group), **self.before}
        if len(shape) == _MATRIX:
            self._values |= zip(("rows", "columns"), shape, strict=True)
        self._advanced = [name for name in _ADVANCED if name in spec.counters]
        self._state = optimizer.state[parameter]

    def bind(
        self, visit: UpdateVisit, path: tuple[str, ...], writes: tuple[str, ...]
    ) -> Callable[[], MicroStep]:
        """Return a function that makes a term's step, and set the term's symbol to its value."""
        values, formula = self._values, visit.formula
        for name in self._advanced:
            values[name] = self._state[name]._array.copy()
        read = [(name, values[name]) for name in formula.names if name in values]
        made = values[formula.makes] = np.array(visit.array)
        return partial(_term, visit.term, path, formula, read, made, writes)


def _term(
    name: str,
    path: tuple[str, ...],
    formula: Formula,
    read: list[tuple[str, Any]],
    made: NDArray[Any],
    writes: tuple[str, ...],
) -> MicroStep:
    return MicroStep(
        "term", name, path, formula, array_copies(read), array_copies([(name, made)]), writes=writes
    )


def _options(group: dict[str, Any]) -> dict[str, Any]:
    """Return the hyperparameters of a group by their names in formulas."""
    found: dict[str, Any] = {}
    for name, value in group.items():
        if name in NON_HYPERPARAMETERS or value is None:
            continue
        if name in _PARTS and isinstance(value, (tuple, list)):
            found |= zip(_PARTS[name], value, strict=True)
        else:
            found[name] = value
    return found
