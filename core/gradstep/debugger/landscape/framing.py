"""Framing: which part of a plane is worth computing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gradstep.debugger.landscape.plane import DirectionPlane, ElementPlane
from gradstep.debugger.landscape.trajectories import box_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.debugger.landscape.plane import Plane
    from gradstep.history.records.landscape import BranchPath
    from gradstep.program.runtime.loss_probe import LossProbe

__all__ = ["bounds_around", "near"]

_MARGIN = 0.12
_NARROWEST = 1e-6
_FLATTEST = 4
"""The longer side of a picture is at most this many times the shorter one."""

_FAR = 1000.0
"""Points of a diverging path that are this many times farther away than the start do not count."""

_FIRST_PROBE, _FARTHEST_PROBE = 0.05, 8.0
"""How far the loss is followed downhill, in multiples of the size of the values."""

_DIFFERENCE = 1e-3
"""The step of a difference quotient, in the same unit."""

_SMALLEST = 0.5
"""The least distance from zero that is shown on both sides."""


def bounds_around(
    tensors: Mapping[str, Tensor],
    plane: Plane,
    probe: LossProbe,
    present: Sequence[float],
    paths: Sequence[BranchPath],
) -> tuple[float, ...]:
    """Return the part with the paths, the present point, and where the loss goes down from it.

    A plane of elements shows zero, and as much on its other side as the start is away from it: a
    valley is then seen before anything has moved, and stays the same while it is descended.

    Returns:
        The lowest and the highest value of each axis.
    """
    count = len(present)
    if not np.isfinite(present).all():
        present = [0.0] * count
    size = max(1.0, float(np.linalg.norm(present)))
    seen = near(paths, [edge for at in present for edge in (at - size, at + size)])
    boxes = [[(at, at) for at in present], box_of(seen, count)]
    if isinstance(plane, ElementPlane):
        boxes.append([(at, at) for at in _downhill(tensors, plane, probe, present)])
        start = next(((path.x[0], path.y[0])[:count] for path in seen if len(path.x)), present)
        edges = [max(abs(float(at)), _SMALLEST) for at in start]
        boxes.append([(-edge, edge) for edge in edges])
    elif isinstance(plane, DirectionPlane) and plane.extent:
        boxes.append([(-plane.extent, plane.extent)] * count)
    sides = [
        (min(low for low, _ in values), max(high for _, high in values))
        for values in zip(*(box for box in boxes if box), strict=True)
    ]
    widest = max(high - low for low, high in sides)
    found: list[float] = []
    for low, high in sides:
        half = (0.5 + _MARGIN) * max(high - low, widest / _FLATTEST, _NARROWEST)
        found += [(low + high) / 2 - half, (low + high) / 2 + half]
    return tuple(found)


def near(paths: Sequence[BranchPath], bounds: Sequence[float]) -> list[BranchPath]:
    """Return paths without points that are very far away, as those of a run that diverged."""
    reach = _FAR * max(map(abs, bounds), default=1.0)
    found = []
    for path in paths:
        with np.errstate(invalid="ignore"):
            far = (np.abs(path.x) > reach) | (np.abs(path.y) > reach)
        x, y = np.where(far, np.nan, path.x), np.where(far, np.nan, path.y)
        found.append(replace(path, x=x, y=y))
    return found


def _downhill(
    tensors: Mapping[str, Tensor], plane: Plane, probe: LossProbe, present: Sequence[float]
) -> tuple[float, ...]:
    """Return where the loss stops falling, in the direction that is steepest at the present point.

    If it never does, as on a slope, the values decide how far to look.
    """

    def at(point: NDArray[np.float64]) -> float:
        plane.write(tensors, point.tolist())
        return probe()

    here = np.array(present)
    size = max(1.0, float(np.linalg.norm(here)))
    steps = _DIFFERENCE * size * np.eye(len(here))
    slope = np.array([at(here + step) - at(here - step) for step in steps])
    norm = float(np.linalg.norm(slope))
    if not np.isfinite(norm) or norm == 0:
        return tuple(present)
    way, lowest, far = -slope / norm, at(here), _FIRST_PROBE * size
    while (value := at(here + far * way)) < lowest:
        lowest, far = value, 2 * far
        if far > _FARTHEST_PROBE * size:
            far = size
            break
    return tuple((here + far * way).tolist())
