"""Facts about modes: training in evaluation mode, and evaluation in training mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.replaced_tensors import renamed
from gradstep.history.records.snapshot import STALE
from gradstep.program.operation import Backward, Forward, RebuildModule, SetMode, Step, ZeroGrad
from gradstep.program.schema.layers.basic import (
    BatchNorm1d,
    BatchNorm2d,
    Dropout,
    Dropout1d,
    Dropout2d,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation
    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = ["ModeRule"]

_MODE_DEPENDENT = (BatchNorm1d, BatchNorm2d, Dropout, Dropout1d, Dropout2d)
"""Layers that behave differently in training and in evaluation."""


@dataclass(frozen=True, slots=True)
class _EvaluatedForward:
    """A Forward that was computed while `modules` were in evaluation mode.

    They are given with the Event that put them there. `gradients` are the tensors that a Backward
    through it has reached.
    """

    modules: Mapping[str, int]
    forward: int
    gradients: frozenset[str] = frozenset()


class ModeRule:
    """Tracks the mode of the modules whose behaviour depends on it.

    Args:
        spec: The program's document.
    """

    __slots__ = ("_evaluated", "_forwards", "_held_out", "_leaves_out", "_mode_dependent")

    def __init__(self, spec: ProgramSpec) -> None:
        dependent = {
            name
            for name, layers in spec.modules.items()
            if any(
                isinstance(layer, _MODE_DEPENDENT) and getattr(layer, "p", 1.0) > 0
                for layer in layers
            )
        }
        self._mode_dependent = {
            name: tuple(module for module in spec.modules_of(name) if module in dependent)
            if getattr(loss, "mode", "current") == "current"
            else ()  # it chooses the mode itself
            for name, loss in spec.computed.items()
        }
        self._held_out = frozenset(
            name
            for name, loss in spec.computed.items()
            if name in spec.metrics or loss.rows == "validation"
        )
        self._leaves_out = bool({"frozen_backbone", "adversarial"} & set(spec.intent))
        self._evaluated: dict[str, int] = {}
        self._forwards: dict[str, _EvaluatedForward] = {}

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        if not any(self._mode_dependent.values()):
            return {}
        return {
            SetMode: self._set_mode,
            RebuildModule: self._rebuild,
            Forward: self._forward,
            Backward: self._backward,
            Step: self._step,
            ZeroGrad: self._zero_grad,
        }

    def _set_mode(self, seen: AppliedEvent) -> tuple[()]:
        operation = seen.operation
        assert isinstance(operation, SetMode)
        every = {module for modules in self._mode_dependent.values() for module in modules}
        for module in every if operation.module is None else {operation.module}:
            if operation.training:
                self._evaluated.pop(module, None)
            else:
                self._evaluated.setdefault(module, seen.index)
        return ()

    def _rebuild(self, seen: AppliedEvent) -> tuple[()]:
        operation = seen.operation
        assert isinstance(operation, RebuildModule)
        self._evaluated.pop(operation.module, None)
        for loss, done in self._forwards.items():
            left = frozenset(renamed(dict.fromkeys(done.gradients), seen))
            self._forwards[loss] = _EvaluatedForward(done.modules, done.forward, left)
        return ()

    def _forward(self, seen: AppliedEvent) -> Iterator[Observation]:
        loss = seen.operation_target()
        modules = self._mode_dependent[loss]
        if loss in self._held_out:
            trained = tuple(module for module in modules if module not in self._evaluated)
            if trained:
                yield Observation("mode-left-train", trained, (seen.index,), loss)
            return
        self._computed(loss, seen.index)

    def _computed(self, loss: str, index: int, gradients: frozenset[str] = frozenset()) -> None:
        """Note that a loss was computed, and in which mode its modules were."""
        modules = self._mode_dependent[loss]
        evaluated = {name: self._evaluated[name] for name in modules if name in self._evaluated}
        self._forwards.pop(loss, None)
        if evaluated:
            self._forwards[loss] = _EvaluatedForward(evaluated, index, gradients)

    def _backward(self, seen: AppliedEvent) -> tuple[()]:
        loss = seen.operation_target()
        done = self._forwards.get(loss)
        if done is not None:
            gradients = done.gradients.union(seen.reads_writes.written_gradients)
            self._forwards[loss] = _EvaluatedForward(done.modules, done.forward, gradients)
        return ()

    def _step(self, seen: AppliedEvent) -> Iterator[Observation]:
        """Yield the modules in evaluation mode that learn from what was computed in that mode."""
        used, losses = frozenset(seen.reads_writes.read_gradients), seen.reads_writes.written_losses
        if losses:  # it has computed them, and the gradients, itself
            used = frozenset(seen.reads_writes.written_gradients)
        for loss in losses:
            self._computed(loss, seen.index, used)
        if self._leaves_out:
            return
        for done in self._forwards.values():
            trained_by = {name for name in done.gradients & used if not name.endswith(STALE)}
            modules = tuple(
                module
                for module in done.modules
                if any(name.startswith(f"{module}.") for name in trained_by)
            )
            if modules:
                since = min(done.modules[module] for module in modules)
                events = dict.fromkeys((since, done.forward, seen.index))
                yield Observation("mode-left-eval", modules, tuple(events))

    def _zero_grad(self, seen: AppliedEvent) -> tuple[()]:
        cleared = seen.reads_writes.written_gradients
        for loss, done in self._forwards.items():
            left = done.gradients.difference(cleared)
            self._forwards[loss] = _EvaluatedForward(done.modules, done.forward, left)
        return ()
