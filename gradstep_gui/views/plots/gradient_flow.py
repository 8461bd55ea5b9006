"""The size of the gradient of each layer at the present moment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.tensor import ParameterRecord

__all__ = ["gradient_flow"]


def gradient_flow(snapshot: Snapshot) -> tuple[tuple[str, float | None], ...]:
    """Return the root mean square of `.grad` of each layer, in the order of the model.

    Returns:
        Pairs of a layer and the value: over all elements of its tensors that have a gradient. None
        if none has one; NaN if an element is not finite. A free tensor is its own layer.
    """
    layers: dict[str, list[ParameterRecord]] = {}
    for name, parameter in snapshot.parameters.items():
        if not parameter.is_buffer:
            layers.setdefault(name.rpartition(".")[0] or name, []).append(parameter)
    return tuple((name, _root_mean_square(held)) for name, held in layers.items())


def _root_mean_square(held: list[ParameterRecord]) -> float | None:
    gradients = [parameter.gradient for parameter in held if parameter.gradient is not None]
    count = sum(math.prod(gradient.shape) for gradient in gradients)
    if not count:
        return None
    if any(gradient.nan_count or gradient.inf_count for gradient in gradients):
        return math.nan
    return math.hypot(*(gradient.norm for gradient in gradients)) / math.sqrt(count)
