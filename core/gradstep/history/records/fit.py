"""Fit: how the outputs of a model compare with the targets of its data, at one moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["Fit", "FitChoice", "FitGrid", "FitScore", "Part", "Picture"]

Picture: TypeAlias = Literal["line", "regions", "surface", "images", "confusion", "values"]
"""What can be drawn: the curve over one input; over two the decision regions, or the surface of
predicted values; the images; the confusion matrix; the predicted values against the true ones."""

Part: TypeAlias = Literal["training", "held_out", "batch"]
"""Which rows of a data set: all training rows, all held-out rows, or those of the current batch."""


@dataclass(frozen=True, slots=True)
class FitChoice:
    """A loss whose output can be compared with targets, and the data set of the targets."""

    loss: str
    data: str


@dataclass(frozen=True, slots=True, eq=False)
class FitGrid:
    """What the model computes at every point of a plane of two inputs.

    Attributes:
        left: The first input of the first column.
        right: The first input of the last column.
        bottom: The second input of the first row.
        top: The second input of the last row.
        shares: The probability of each class, of shape (rows, columns, classes), from the bottom
            up; NaN where the output is not finite. None for values.
        values: The predicted values, of shape (rows, columns), in the same order; None for classes.
    """

    left: float
    right: float
    bottom: float
    top: float
    shares: NDArray[Any] | None = None
    values: NDArray[Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FitScore:
    """How well some examples are predicted.

    Attributes:
        examples: The number of examples.
        accuracy: The fraction of them whose class is right; None for values.
        rmse: The root of the mean squared difference, in units of the targets; None for classes.
        counts: The number of examples by their true class (rows) and the predicted one (columns);
            those whose output is not finite are in no column. None for values.
    """

    examples: int
    accuracy: float | None = None
    rmse: float | None = None
    counts: NDArray[Any] | None = None


def _no_scores() -> Mapping[Part, FitScore]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """How the outputs of a model compare with the targets of its data, at one moment.

    An example is one pair of a target and its prediction: a row has several of them if its target
    has several numbers.

    Attributes:
        event: The Event after which it was computed.
        obstacle: Why there is nothing to show; empty if there is.
        choices: The losses that it can be computed for.
        loss: The one that it is computed for.
        data: The name of the data set.
        pictures: What can be drawn of it, the most telling one first; empty with an obstacle.
        total: The number of rows of the data set; the examples may be a sample of them.
        rows: The row of each example; training rows come first in a data set.
        held_out: Whether the row of each example is held out.
        in_batch: Whether the batch of the last Forward had the row of each example.
        truth: The target of each example: a value, or the number of a class.
        predicted: What the model predicts: a value, or the number of a class, -1 where its output
            is not finite.
        shares: The probability that the model gives to the predicted class; empty for values.
        classes: The names of the classes; empty for values.
        inputs: The inputs of each example: for a line in one column, on a plane in two, for images
            as (height, width) or (height, width, channels) before they were standardized; None for
            other pictures.
        input_names: The names of these columns.
        curve: Inputs in order, and what is predicted for them, or the probability of the second
            class; None for other pictures.
        grid: The output between the examples; None for other pictures than of a plane.
        scores: How well the training rows, the held-out rows and the current batch are predicted.
    """

    event: int
    obstacle: str = ""
    choices: tuple[FitChoice, ...] = ()
    loss: str = ""
    data: str = ""
    pictures: tuple[Picture, ...] = ()
    total: int = 0
    rows: NDArray[Any] | None = None
    held_out: NDArray[Any] | None = None
    in_batch: NDArray[Any] | None = None
    truth: NDArray[Any] | None = None
    predicted: NDArray[Any] | None = None
    shares: NDArray[Any] | None = None
    classes: tuple[str, ...] = ()
    inputs: NDArray[Any] | None = None
    input_names: tuple[str, ...] = ()
    curve: tuple[NDArray[Any], NDArray[Any]] | None = None
    grid: FitGrid | None = None
    scores: Mapping[Part, FitScore] = field(default_factory=_no_scores)
