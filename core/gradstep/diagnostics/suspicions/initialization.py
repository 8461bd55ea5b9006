"""Suspicions about initial values: units that start equal, and activations of unusual size."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.history.live_values import array_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gradstep.history.debuggee import Debuggee

__all__ = ["InitializationCheck"]

_LOW, _HIGH = 0.5, 2.0
"""The usual range of the standard deviation of activations."""

_HUGE = 10 * _HIGH
"""A standard deviation that is reported even while the loss decreases."""

_ACTIVATIONS = (
    *("ReLU", "LeakyReLU", "ELU", "GELU", "SELU", "CELU", "ReLU6", "Hardtanh", "PReLU", "Mish"),
    *("Softsign", "SiLU", "Softplus", "Tanh", "Sigmoid"),
)


class _Spread(NamedTuple):
    """The standard deviation of a layer's activations after an Event."""

    layer: str
    spread: float
    event: int


_USUAL = _Spread("", 1.0, 0)


class InitializationCheck:
    """Remembers the activations of a model when training began.

    A small standard deviation is not unusual by itself: the default initial values of torch give
    0.3 and less in networks that learn well. So it is reported only if the loss does not decrease.
    """

    __slots__ = ("_spreads",)

    def __init__(self) -> None:
        self._spreads: dict[str, _Spread] = {}

    def fork(self, event: int) -> InitializationCheck:
        """Return a copy with what was recorded up to an Event: a branch may begin differently."""
        other = InitializationCheck()
        other._spreads = {
            loss: found for loss, found in self._spreads.items() if found.event <= event
        }
        return other

    def look(self, program: Debuggee, event: int, *, scaled: bool = False) -> Iterator[Observation]:
        """Record the activations, and look for huge ones and equal units, when training has begun.

        Args:
            program: The live program.
            event: The Event just done.
            scaled: Whether the scale of the data explains huge activations.
        """
        for name, loss in program.spec.losses.items():
            if loss.rows == "training" and program.spec.modules_of(name):
                self._remember(program, name, event)
        yield from _alike(program, event)
        widest = dict.fromkeys((found.layer, found.spread) for found in self._spreads.values())
        for layer, spread in () if scaled else widest:
            if spread > _HUGE:
                note = (
                    f"When training began, the activations of {layer} had a standard deviation of "
                    f"{spread:.3g}, more than ten times the usual {_HIGH:.3g}"
                )
                yield Observation("poor-initialisation", (layer,), (event,), note, spread, _HUGE)

    def without_progress(self, losses: Collection[str], event: int) -> Iterator[Observation]:
        """Yield the unusual activations behind losses that do not decrease.

        Args:
            losses: Names of the losses that have not decreased at all.
            event: The Event just done.
        """
        for name in losses:
            layer, spread, _ = self._spreads.get(name, _USUAL)
            if not _LOW <= spread <= _HIGH:
                note = (
                    f"When training began, the activations of {layer} had a standard deviation of "
                    f"{spread:.3g}, and {name} has not decreased since"
                )
                limit = _LOW if spread < _LOW else _HIGH
                yield Observation("poor-initialisation", (layer,), (event,), note, spread, limit)

    def _remember(self, program: Debuggee, loss: str, event: int) -> None:
        """Record the hidden layer whose activations have the most unusual size."""
        outputs = [(name, kind, after) for name, kind, _, after in program.layer_activations(loss)]
        for name, kind, after in outputs[:-1]:
            spread = float(after.std())
            if kind in _ACTIVATIONS and np.isfinite(spread):
                known = self._spreads.get(loss, _USUAL).spread
                if _distance(spread) > _distance(known):
                    self._spreads[loss] = _Spread(name, spread, event)


def _alike(program: Debuggee, event: int) -> Iterator[Observation]:
    """Look for hidden layers whose units all have the same weights: they will never differ."""
    weighted = {
        module: [
            number
            for number in range(len(layers))
            if f"{module}.{number}.weight" in program.tensors
            and array_of(program.tensors[f"{module}.{number}.weight"]).ndim > 1
        ]
        for module, layers in program.spec.modules.items()
    }
    seen: set[str] = set()
    for loss in program.spec.losses.values():
        places = [f"{module}.{number}" for module in loss.chain for number in weighted[module]]
        found = [
            place
            for place, _ in pairwise(places)
            if place not in seen and _equal_units(program, place)
        ]
        seen.update(found)
        if found:
            units = len(array_of(program.tensors[f"{found[0]}.weight"]))
            which = f"{units} units of" if len(found) == 1 else "units of each of"
            note = (
                f"The {which} {joined_names(tuple(found))} have the same weights after some "
                "iterations of training: they compute the same and get the same gradient, so they "
                "will never differ"
            )
            subjects = tuple(f"{place}.weight" for place in found)
            yield Observation("poor-initialisation", subjects, (event,), note)


def _equal_units(program: Debuggee, place: str) -> bool:
    found = (program.tensors.get(f"{place}.{part}") for part in ("weight", "bias"))
    arrays = [array_of(tensor) for tensor in found if tensor is not None]
    return all(len(array) > 1 and bool((array == array[:1]).all()) for array in arrays)


def _distance(spread: float) -> float:
    return abs(float(np.log(max(spread, 1e-300))))
