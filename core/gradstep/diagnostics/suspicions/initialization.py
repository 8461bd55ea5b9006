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
_BOUNDED = ("Tanh", "Sigmoid", "Hardtanh", "ReLU6", "Softsign")
"""Layers whose outputs have a usual size, however large their inputs are."""


class _Spread(NamedTuple):
    """The standard deviation of a layer's activations, or of what goes into it."""

    layer: str
    place: str
    spread: float


_USUAL = _Spread("", "", 1.0)


class InitializationCheck:
    """Remembers the activations of a model right before its first Step.

    A small standard deviation is not unusual by itself: the default initial values of torch give
    0.3 and less in networks that learn well. So it is reported only if the loss does not decrease.
    """

    __slots__ = ("_measured_at", "_spreads")

    def __init__(self) -> None:
        self._spreads: dict[str, _Spread] = {}
        self._measured_at: int | None = None

    @property
    def is_measured(self) -> bool:
        """Whether the first Step has come."""
        return self._measured_at is not None

    def fork(self, event: int) -> InitializationCheck:
        """Return a copy for a branch that leaves after an Event: it may begin differently."""
        other = InitializationCheck()
        if self._measured_at is not None and self._measured_at < event:
            other._measured_at, other._spreads = self._measured_at, dict(self._spreads)
        return other

    def measure(self, program: Debuggee, event: int, *, begins: bool) -> None:
        """Measure the activations before a Step.

        Args:
            program: The live program.
            event: The last Event.
            begins: Whether it is the first Step; else there is nothing to measure any more.
        """
        self._measured_at = event
        for name, loss in program.spec.losses.items() if begins else ():
            if loss.rows == "training" and program.spec.modules_of(name):
                self._remember(program, name)

    def look(self, program: Debuggee, event: int, *, scaled: bool = False) -> Iterator[Observation]:
        """Look for huge activations and equal units, when training has begun.

        Args:
            program: The live program.
            event: The Event just done.
            scaled: Whether the scale of the data explains huge activations.
        """
        yield from _alike(program, event)
        for found in () if scaled else dict.fromkeys(self._spreads.values()):
            if found.spread > _HUGE:
                note = (
                    f"When training began, {found.place} had a standard deviation of "
                    f"{found.spread:.3g}, more than ten times the usual {_HIGH:.3g}"
                )
                yield Observation(
                    "poor-initialisation", (found.layer,), (event,), note, found.spread, _HUGE
                )

    def without_progress(self, losses: Collection[str], event: int) -> Iterator[Observation]:
        """Yield the unusual activations behind losses that do not decrease.

        Args:
            losses: Names of the losses that have not decreased at all.
            event: The Event just done.
        """
        for name in losses:
            found = self._spreads.get(name, _USUAL)
            if not _LOW <= found.spread <= _HIGH:
                note = (
                    f"When training began, {found.place} had a standard deviation of "
                    f"{found.spread:.3g}, and averaged over iterations {name} has fallen by less "
                    "than a tenth since"
                )
                limit = _LOW if found.spread < _LOW else _HIGH
                yield Observation(
                    "poor-initialisation", (found.layer,), (event,), note, found.spread, limit
                )

    def _remember(self, program: Debuggee, loss: str) -> None:
        """Record the hidden layer whose activations have the most unusual size.

        Of a layer whose outputs are bounded, the inputs show that they are huge.
        """
        for name, kind, before, after in list(program.layer_activations(loss))[:-1]:
            if kind not in _ACTIVATIONS:
                continue
            found = _Spread(name, f"the activations of {name}", float(after.std()))
            if kind in _BOUNDED and float(before.std()) > _HUGE:
                found = _Spread(name, f"the inputs of {name}", float(before.std()))
            known = self._spreads.get(loss, _USUAL).spread
            if np.isfinite(found.spread) and _distance(found.spread) > _distance(known):
                self._spreads[loss] = found


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
