"""What landscapes a program offers, and the sentences about them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication

from gradstep_gui.widgets.number_format import count_text, number_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gradstep.history.records.landscape import Landscape, LandscapePlan
    from gradstep.history.records.snapshot import Snapshot

__all__ = [
    "MOST_LISTED",
    "count_of",
    "elements_of",
    "place_text",
    "plan_text",
    "signature_of",
    "training_losses",
]

MOST_LISTED = 64
"""Elements that are offered by name; others can be typed."""

_FEW_S = 1.0


def signature_of(snapshot: Snapshot) -> tuple[object, ...]:
    """Return what is another one for another program."""
    shapes = [(name, item.value.shape) for name, item in snapshot.parameters.items()]
    return tuple(shapes), tuple(snapshot.losses)


def count_of(snapshot: Snapshot) -> int:
    """Return how many numbers are trained."""
    return sum(int(np.prod(item.value.shape)) for item in _trained(snapshot))


def elements_of(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the names of the first elements that are trained, as requests have them."""
    return tuple(islice(_elements(snapshot), MOST_LISTED))


def training_losses(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the losses that are no metrics."""
    return tuple(name for name in snapshot.losses if name not in snapshot.metrics)


def plan_text(plan: LandscapePlan) -> str:
    """Return what a landscape shows, and how long it takes to compute."""
    points = _tr("{0} points").format(count_text(plan.size))
    if len(plan.axes) != 1:
        points = _tr("{0} × {0} points").format(count_text(plan.size))
    shown = {
        "elements": _tr("The loss over {0}, while all other parameters stay as they are").format(
            _tr(" and ").join(plan.axes)
        ),
        "principal": _tr("The loss over the two directions along which the trajectory varies most"),
        "random": _tr(
            "The loss over two random directions, each filter of which is as long as the weight's"
        ),
    }[plan.request.kind]
    return _tr("{shown}: {points}, each one Forward; {time}.").format(
        shown=shown, points=points, time=_time_text(plan.seconds)
    )


def place_text(landscape: Landscape, point: tuple[float, float], loss: float | None) -> str:
    """Return a point and the loss there."""
    places = [
        f"{axis} = {number_text(value, 4)}"
        for axis, value in zip(_short(landscape.axes), point, strict=False)
    ]
    value = _tr("not computed") if loss is None else f"≈ {number_text(loss, 4)}"
    return f"{', '.join(places)}: {landscape.loss} {value}"


def _short(axes: Sequence[str]) -> list[str]:
    """Return the names of axes without what is in brackets after them."""
    return [axis.partition(" (")[0] for axis in axes]


def _time_text(seconds: float) -> str:
    if seconds < _FEW_S:
        return _tr("less than a second")
    return _tr("about {0} s").format(number_text(seconds, 2))


def _trained(snapshot: Snapshot) -> list:  # type: ignore[type-arg]  # of ParameterRecord
    return [
        item
        for item in snapshot.parameters.values()
        if item.requires_grad and not item.is_buffer and item.value.dtype.startswith("float")
    ]


def _elements(snapshot: Snapshot) -> Iterator[str]:
    for item in _trained(snapshot):
        shape = item.value.shape
        if int(np.prod(shape)) == 1:
            yield item.name
            continue
        for index in np.ndindex(shape):
            yield f"{item.name}[{', '.join(map(str, index))}]"


def _tr(text: str) -> str:
    return QCoreApplication.translate("LandscapeView", text)
