"""Landscapes: the loss over one or two directions of the parameters, as records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "MOST_POINTS",
    "Arrow",
    "BranchPath",
    "Landscape",
    "LandscapeArrows",
    "LandscapeMoment",
    "LandscapePlan",
    "LandscapeRequest",
    "StoredLandscape",
]

MOST_POINTS = 257
"""The most points of an axis: more cannot be distinguished on a screen."""

_Text = Annotated[str, Meta(max_length=500)]
_Bound = Annotated[float, Meta(ge=-1e30, le=1e30)]
_Count = Annotated[int, Meta(ge=0, le=2**53)]


class LandscapeRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which landscape is wanted.

    Attributes:
        loss: The loss; the first that trains when empty.
        kind: What the axes are: single elements, the principal directions of the trajectory, or
            random directions that are normalised filter by filter.
        elements: The elements of the axes, one or two, such as "x[0]"; empty for the first two.
        rows: The rows of data that the loss is computed on: the batch of its last Forward, or all.
        size: Points of each axis; 0 for as many as take a few seconds.
        seed: The seed of random directions.
        bounds: The lowest and the highest value of each axis; empty to choose them.
    """

    loss: _Text = ""
    kind: Literal["elements", "principal", "random"] = "elements"
    elements: Annotated[tuple[_Text, ...], Meta(max_length=2)] = ()
    rows: Literal["batch", "all"] = "batch"
    size: Annotated[int, Meta(ge=0, le=MOST_POINTS)] = 0
    seed: Annotated[int, Meta(ge=0, lt=2**32)] = 0
    bounds: Annotated[tuple[_Bound, ...], Meta(max_length=4)] = ()


class StoredLandscape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A landscape in a session, which need not be computed again.

    Attributes:
        request: What was asked.
        signature: The digest of all that determines it: values, directions, rows, masks.
        event: The Event after which it was computed.
        bounds: The lowest and the highest value of each axis.
        shape: Points of each axis, the last axis first, as in `values`.
        values: The losses, little-endian float32.
    """

    request: LandscapeRequest
    signature: Annotated[bytes, Meta(min_length=16, max_length=16)]
    event: _Count
    bounds: Annotated[tuple[_Bound, ...], Meta(min_length=2, max_length=4)]
    shape: Annotated[
        tuple[Annotated[int, Meta(ge=2, le=MOST_POINTS)], ...], Meta(min_length=1, max_length=2)
    ]
    values: Annotated[bytes, Meta(max_length=4 * MOST_POINTS**2)]


@dataclass(frozen=True, slots=True, eq=False)
class BranchPath:
    """Where a branch went in the plane of a landscape, one point an iteration.

    Attributes:
        branch: The branch's number.
        name: Its name.
        iterations: How many iterations were complete at each point.
        x: The first coordinate; NaN between two parts of a path, where values were set by hand.
        y: The second; zeros where there is one axis.
    """

    branch: int
    name: str
    iterations: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Landscape:
    """The loss over one or two directions of the parameters.

    Attributes:
        request: What was asked.
        loss: The name of the loss.
        event: The Event after which it was computed.
        axes: The names of the one or two axes.
        x: The points of the first axis.
        y: Those of the second; empty where there is one.
        values: The losses, `[y, x]`, or `[x]`; NaN where it is not computed, or not a number.
        done: How many points are computed.
        total: How many there are.
        notes: Sentences on what was held, and how layers that behave randomly were treated.
        paths: Where the branches went, unless Snapshots bring them.
        is_whole: Whether the axes are all parameters, so that it is the same at every moment.
        obstacle: Why it cannot be computed; empty if it can.
    """

    request: LandscapeRequest
    loss: str
    event: int
    axes: tuple[str, ...]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    values: NDArray[np.float64]
    done: int = 0
    total: int = 0
    notes: tuple[str, ...] = ()
    paths: tuple[BranchPath, ...] = ()
    is_whole: bool = False
    obstacle: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether every point is computed."""
        return self.done >= self.total


@dataclass(frozen=True, slots=True)
class LandscapePlan:
    """What computing a landscape would take.

    Attributes:
        request: What was asked.
        axes: What the axes would be called.
        size: Points of each axis.
        seconds: How long it would take, measured with one Forward.
        obstacle: Why it cannot be computed; empty if it can.
    """

    request: LandscapeRequest
    axes: tuple[str, ...] = ()
    size: int = 0
    seconds: float = 0.0
    obstacle: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class LandscapeMoment:
    """Where the present moment is in a landscape.

    Attributes:
        request: The request of that landscape.
        event: The Event.
        iteration: How many iterations are complete.
        point: The coordinates; None where values are not numbers.
        paths: Where the branches went, the current one first; empty where that takes a replay.
    """

    request: LandscapeRequest
    event: int
    iteration: int
    point: tuple[float, float] | None
    paths: tuple[BranchPath, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrow:
    """A change in the plane of a landscape.

    Attributes:
        start: Where it begins.
        change: How far it goes along each axis.
        norm: The norm of the whole vector; the plane shows only a part of it.
    """

    start: tuple[float, float]
    change: tuple[float, float]
    norm: float


@dataclass(frozen=True, slots=True)
class LandscapeArrows:
    """The gradient of the last Backward, and the change of the last Step.

    Attributes:
        request: The request of the landscape.
        event: The Event after which they were asked for.
        gradient: `-x.grad`, where the Backward was; None without a gradient.
        step: The change of the last Step; None before the first.
        is_stale: Whether the landscape is another one at this moment.
    """

    request: LandscapeRequest
    event: int
    gradient: Arrow | None = None
    step: Arrow | None = None
    is_stale: bool = False
