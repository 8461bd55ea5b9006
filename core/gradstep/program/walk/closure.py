"""Micro-steps of a Step that evaluates its loss: evaluations, iterations, each parameter's terms.

Such a step computes with vectors over all parameters. Each vector is shown parameter by parameter;
a number, such as a dot product, is computed from the whole vectors.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.optim.closure import EVALUATING
from gradstep.optim.terms import term_of
from gradstep.program.micro_step import MicroStep, array_copies
from gradstep.program.operation import Backward, Forward, ZeroGrad
from gradstep.program.operations.closure import LossClosure
from gradstep.program.walk.backward import walk_backward
from gradstep.program.walk.forward import walk_forward
from gradstep.program.walk.gradients import walk_zero_grad

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping

    from gradstep.autograd.tensor import Tensor
    from gradstep.formula import Formula
    from gradstep.program.micro_step import Arrays, Walk
    from gradstep.program.operation import Operation, Step
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["walk_step_with_closure"]

_READS = {
    "loss": ("param",),
    "loss.found": ("step_length",),
    "grad.found": ("step_length",),
    "trial_loss": ("trial_length",),
    "projected": ("grad",),
    "direction": ("scaled",),
}
"""The inputs of terms whose formulas are prose."""

_OF_A_PAIR = frozenset({"alpha", "projected.pair", "beta", "direction.pair"})
"""Terms of the two loops over the kept steps and the changes of the gradient that they caused."""

_CARRIED_OVER = {"prev_grad": "prev_flat_grad", "direction": "d", "step_length": "t"}
"""Values carried over from the previous iteration: the symbol, and the key in the state."""


def walk_step_with_closure(live: LiveObjects, operation: Step, options: Mapping[str, Any]) -> Walk:
    """Run an optimizer's step and yield its evaluations and iterations, with their micro-steps.

    Args:
        live: The program.
        operation: The Step of an optimizer with one parameter group.
        options: Its hyperparameters by symbol.
    """
    optimizer: Any = live.optimizers[operation.optimizer]
    closure, symbols = LossClosure(live, operation), _SearchSymbols(optimizer, options)
    addresses = [live.addresses[member] for member in optimizer.param_groups[0]["params"]]
    path: tuple[str, ...] = (operation.optimizer, "group 0")
    at = "loss"
    live.save_graph_values()
    optimizer.has_stepped = True
    with closing(optimizer.iterations(partial(_evaluation, live, closure))) as computed:
        for key, value in computed:
            if key == EVALUATING:
                if value is None:
                    title, formula = f"evaluation {closure.count}", optimizer.TERMS[at]
                    inputs = symbols.of(_READS[at])
                    yield MicroStep("evaluation", title, path, formula, inputs, writes=None)
                else:
                    yield value.inside((*path, f"evaluation {closure.count}"))
                continue
            term, formula = term_of(key), optimizer.TERMS[key]
            if term == "iteration":
                path = (*path[:2], f"iteration {value}")
                symbols.carry_over()
                yield MicroStep(
                    "iteration",
                    path[2],
                    path[:2],
                    inputs=symbols.of(("param", "grad")),
                    writes=None,
                )
                continue
            at = "trial_loss" if term == "trial_length" else "loss"
            place = path
            if key in _OF_A_PAIR:
                symbols.bind_pair(key)
                place = (*path, f"pair {symbols.pair + 1}")
            if isinstance(value, np.ndarray):
                for index, part in enumerate(optimizer.split(value)):
                    if term == "param":
                        names = ("step_length", "param", "grad", "direction")
                        inputs = symbols.of(names, index)
                        yield MicroStep(
                            "parameter", addresses[index], path, inputs=inputs, writes=None
                        )
                    inputs = symbols.of(_READS.get(key, formula.names), index)
                    within = (*place, addresses[index])
                    made = array_copies([(term, part)])
                    yield MicroStep("term", term, within, formula, inputs, made, writes=None)
            else:
                inputs = symbols.of(_READS.get(key, formula.names))
                made = array_copies([(term, value)])
                yield MicroStep("term", term, place, formula, inputs, made, writes=None)
            symbols.note(formula, value)


@dataclass(frozen=True, slots=True)
class _EvaluationStep:
    """An Operation of an evaluation, or a micro-step of that Operation."""

    operation: ZeroGrad | Forward | Backward
    step: MicroStep | Callable[[], MicroStep] | None = None

    def inside(self, path: tuple[str, ...]) -> MicroStep | Callable[[], MicroStep]:
        """Return it as a micro-step inside the evaluation, or a function that makes one."""
        title = _title(self.operation)
        if self.step is None:
            return MicroStep("operation", title, path, writes=None, within=self.operation)
        return partial(self._step_at, (*path, title))

    def _step_at(self, path: tuple[str, ...]) -> MicroStep:
        step = self.step if isinstance(self.step, MicroStep) else self.step()  # type: ignore[misc]  # not None here
        place = (*path, *step.path[1:])
        return replace(step, path=place, within=self.operation, given_back=())


def _evaluation(
    live: LiveObjects, closure: LossClosure
) -> Generator[_EvaluationStep | None, None, Tensor]:
    """Evaluate a closure micro-step by micro-step; None marks the start."""
    for operation in closure.operations():
        if isinstance(operation, ZeroGrad):
            yield None
        yield _EvaluationStep(operation)
        for step in _WALKS[type(operation)](live, operation):
            yield _EvaluationStep(operation, step)
    return closure.total()


def _title(operation: ZeroGrad | Forward | Backward) -> str:
    """Return the title of an Operation of an evaluation, as a script would write it."""
    if isinstance(operation, ZeroGrad):
        return f"{operation.optimizer}.zero_grad()"
    if isinstance(operation, Forward):
        return f"{operation.loss} = forward()"
    return f"{operation.loss}.backward()"


_WALKS: Mapping[type[Operation], Callable[[LiveObjects, Any], Walk]] = MappingProxyType(
    {ZeroGrad: walk_zero_grad, Forward: walk_forward, Backward: walk_backward}
)


class _SearchSymbols:
    """The current values of the formulas' symbols during the step.

    Attributes:
        pair: The index of the kept step that the loops over these have reached.
    """

    def __init__(self, optimizer: Any, options: Mapping[str, Any]) -> None:  # noqa: ANN401 - LBFGS
        self._split = optimizer.split
        self._single = len(optimizer.param_groups[0]["params"]) == 1
        self._state = optimizer.state[optimizer.param_groups[0]["params"][0]]
        self._values: dict[str, Any] = {**options, "param": optimizer.values()}
        self._alphas: dict[int, float] = {}
        self.pair = 0

    def carry_over(self) -> None:
        """Set symbols to the values that the previous iteration left in the state."""
        for name, entry in _CARRIED_OVER.items():
            kept_value = self._state.get(entry)
            if kept_value is not None:
                self._values[name] = getattr(kept_value, "_array", kept_value)

    def bind_pair(self, key: str) -> None:
        """Set the symbols of the pair that a term is about.

        The first loop goes from the latest pair to the earliest, the second one back.
        """
        count = len(self._state["old_stps"])
        if key == "alpha":
            first = not self._alphas
            self.pair = count - 1 if first else self.pair - 1
            if first:
                self._values["projected"] = -self._values["grad"]
        elif key == "projected.pair":
            self._alphas[self.pair] = self._values["alpha"]
        elif key == "beta":
            first = len(self._alphas) == count
            self.pair = 0 if first else self.pair + 1
            self._values["alpha"] = self._alphas.pop(self.pair)
            if first:
                self._values["direction"] = self._values["scaled"]
        self._values["kept_change"] = self._state["old_dirs"][self.pair]._array
        self._values["kept_step"] = self._state["old_stps"][self.pair]._array

    def note(self, formula: Formula, value: Any) -> None:  # noqa: ANN401 - a vector or a number
        """Set the symbol of a term to its new value."""
        self._values[formula.makes] = np.array(value)

    def of(self, names: Iterable[str], index: int | None = None) -> Arrays:
        """Return the values of symbols, for one parameter or for all together."""
        if index is None and self._single:
            index = 0
        return array_copies(
            (name, self._part(self._values[name], index)) for name in names if name in self._values
        )

    def _part(self, value: Any, index: int | None) -> Any:  # noqa: ANN401 - as above
        is_vector = isinstance(value, np.ndarray) and value.ndim
        return self._split(value)[index] if is_vector and index is not None else value
