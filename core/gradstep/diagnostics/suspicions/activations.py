"""Suspicions about dead and saturated units."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.diagnostics.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.history.debuggee import Debuggee

__all__ = ["activation_suspicions"]

_SOME = 0.01
"""A unit is dead if it is active in a smaller share of the rows, and saturated if it is beyond its
range in at least this share."""

_LAYER = 0.5
"""Share of dead or saturated units above which a layer is reported."""

_TANH = 9.5
_SIGMOID = (-23.0, 17.0)
"""Inputs beyond which the slope is 0 in single precision."""

_LEAST_ROWS = 20
"""With fewer rows, a unit may be inactive by chance."""


def activation_suspicions(
    program: Debuggee, event: int, *, learns: bool = False
) -> Iterator[Observation]:
    """Check the activations of each layer on the data.

    Args:
        program: The live program.
        event: The Event just done.
        learns: Whether some loss has decreased. A network that has learned to decide has units that
            are saturated, and rightly so.
    """
    seen: set[str] = set()
    spec = program.spec
    for loss in spec.losses:
        layers = (
            type(layer).__name__ for part in spec.modules_of(loss) for layer in spec.modules[part]
        )
        if _RULES.keys().isdisjoint(layers):
            continue
        for name, kind, before, after in program.layer_activations(loss):
            rule = _RULES.get(kind)
            if rule is None or name in seen or len(before) < _LEAST_ROWS:
                continue
            seen.add(name)
            found, share = rule(before, after)
            if share > _LAYER and not (learns and found == "saturated-activation"):
                yield Observation(found, (name,), (event,), value=100 * share)


def _dead(_before: NDArray[Any], after: NDArray[Any]) -> tuple[str, float]:
    active = _by_unit(after > 0).mean(axis=0)
    return "dead-relu", float((active < _SOME).mean())


def _saturated_tanh(before: NDArray[Any], _after: NDArray[Any]) -> tuple[str, float]:
    beyond = _by_unit(np.abs(before) > _TANH).mean(axis=0)
    return "saturated-activation", float((beyond >= _SOME).mean())


def _saturated_sigmoid(before: NDArray[Any], _after: NDArray[Any]) -> tuple[str, float]:
    low, high = _SIGMOID
    beyond = _by_unit((before < low) | (before > high)).mean(axis=0)
    return "saturated-activation", float((beyond >= _SOME).mean())


def _by_unit(values: NDArray[Any]) -> NDArray[Any]:
    """Return values with a column for each unit: a feature, or a channel of images."""
    if values.ndim < 2:  # noqa: PLR2004 - rows of one value each
        return values.reshape(-1, 1)
    return np.moveaxis(values, 1, -1).reshape(-1, values.shape[1])


_RULES: Mapping[str, Callable[[NDArray[Any], NDArray[Any]], tuple[str, float]]] = MappingProxyType(
    {"ReLU": _dead, "Tanh": _saturated_tanh, "Sigmoid": _saturated_sigmoid}
)
