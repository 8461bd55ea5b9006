"""What of a Fit is drawn: the chosen rows, as points, images or counts, and what marks mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF

from gradstep_gui.plotting.confusion_matrix import Counts
from gradstep_gui.plotting.fit_legend import Mark
from gradstep_gui.plotting.fit_plot import PlottedExamples, Regions
from gradstep_gui.plotting.image_sheet import SheetImages
from gradstep_gui.views.data.words import caption_of, marks_batch
from gradstep_gui.widgets.number_format import number_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.history.records.fit import Fit, Picture

__all__ = [
    "chosen_rows",
    "counts_of",
    "images_of",
    "marks_batch",
    "marks_of",
    "parts_of",
    "points_of",
]

_MOST_NAMED = 7
"""Classes of more than these have the same colours, and are not named in the legend."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("DataView", text)


def parts_of(fit: Fit, picture: Picture) -> tuple[str, ...]:
    """Return which rows can be chosen for a picture; the first stands for all."""
    parts = [part for part in ("training", "held_out") if "held_out" in fit.scores]
    if marks_batch(fit):
        parts.append("batch")
    if fit.classes and picture != "confusion":
        parts.append("wrong")
    return ("", *parts)


def chosen_rows(fit: Fit, part: str) -> NDArray[Any]:
    """Return the places of the examples of a part."""
    assert fit.held_out is not None  # it has examples
    assert fit.in_batch is not None
    assert fit.truth is not None
    masks = {
        "training": ~fit.held_out,
        "held_out": fit.held_out,
        "batch": fit.in_batch,
        "wrong": fit.truth != fit.predicted,
    }
    return np.flatnonzero(masks[part]) if part in masks else np.arange(len(fit.truth))


def points_of(fit: Fit, picture: Picture, chosen: NDArray[Any]) -> PlottedExamples:
    """Return examples as points of a line, of regions, or of true and predicted values."""
    assert fit.held_out is not None  # it has examples
    assert fit.in_batch is not None
    assert fit.truth is not None
    assert fit.predicted is not None
    held_out, in_batch = fit.held_out[chosen], fit.in_batch[chosen] & marks_batch(fit)
    if picture == "values":
        names = _tr("true"), _tr("predicted")
        return PlottedExamples(
            fit.truth[chosen], fit.predicted[chosen], held_out, in_batch, names, is_exact=True
        )
    assert fit.inputs is not None  # lines and regions have them
    x = fit.inputs[chosen, 0]
    if picture == "line":
        target = _tr("probability of {0}").format(fit.classes[1]) if fit.classes else _tr("target")
        names = fit.input_names[0], target
        classes = fit.truth[chosen] if fit.classes else None
        return PlottedExamples(
            x, fit.truth[chosen], held_out, in_batch, names, classes, curve=fit.curve
        )
    assert fit.grid is not None  # regions have it
    grid = fit.grid
    rect = QRectF(grid.left, grid.bottom, grid.right - grid.left, grid.top - grid.bottom)
    is_surface = picture == "surface"
    return PlottedExamples(
        x,
        fit.inputs[chosen, 1],
        held_out,
        in_batch,
        (fit.input_names[0], fit.input_names[1]),
        None if is_surface else fit.truth[chosen],
        regions=Regions(rect, grid.shares, grid.values),
        levels=fit.truth[chosen] if is_surface else None,
        scale=_scale_of(fit),
    )


def _scale_of(fit: Fit) -> tuple[float, float]:
    """Return the lowest and the highest target, which stay where they are as the model learns."""
    assert fit.truth is not None  # it has examples
    finite = fit.truth[np.isfinite(fit.truth)]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)


def images_of(fit: Fit, chosen: NDArray[Any]) -> SheetImages:
    """Return examples as images with captions."""
    assert fit.inputs is not None  # images have them
    assert fit.truth is not None
    assert fit.predicted is not None
    assert fit.in_batch is not None
    right = (fit.truth == fit.predicted)[chosen].tolist() if fit.classes else [None] * len(chosen)
    return SheetImages(
        fit.inputs[chosen],
        tuple(caption_of(fit, at) for at in chosen.tolist()),
        tuple(right),
        tuple((fit.in_batch[chosen] & marks_batch(fit)).tolist()),
    )


def counts_of(fit: Fit, part: str) -> Counts:
    """Return the counts of a part by class; without a part, of all rows."""
    wanted = (part,) if part else ("training", "held_out")
    size = len(fit.classes)
    total = np.zeros((size, size), np.int64)
    for name, score in fit.scores.items():
        if name in wanted and score.counts is not None:
            total += score.counts
    batch = fit.scores["batch"].counts if marks_batch(fit) else None
    return Counts(fit.classes, total, batch if part in {"", "training"} else None)


def marks_of(fit: Fit, picture: Picture) -> tuple[Mark, ...]:
    """Return what the marks of a picture mean."""
    batch = [_tr("in the current batch")] if marks_batch(fit) else []
    if picture == "images":
        wrong = [Mark("wrong", _tr("wrong: predicted, and what it is"))] if fit.classes else []
        return (*wrong, *(Mark("corner", text) for text in batch))
    rings = [Mark("ring", text) for text in batch]
    if picture == "confusion":
        return tuple(Mark("ring", _tr("of these in the current batch")) for _ in batch)
    if picture == "surface":
        ends = tuple(number_text(end, 3) for end in _scale_of(fit))
        scale = _tr("predicted, and in points true: {0} to {1}").format(*ends)
        rim = [Mark("rim", _tr("held out"))] if "held_out" in fit.scores else []
        return (Mark("scale", scale), *rim, *rings)
    is_named = picture == "regions" and len(fit.classes) <= _MOST_NAMED
    names = fit.classes if is_named or (picture == "line" and fit.classes) else ()
    training = _tr("training") if "held_out" in fit.scores else _tr("data")
    if "batch" in fit.scores and not batch:
        training = _tr("{0}, all in the current batch").format(training)
    points = [Mark("point", _tr("class {0}").format(n), at) for at, n in enumerate(names)]
    points = points or [Mark("point", training)]
    hollow = [Mark("hollow", _tr("held out"))] if "held_out" in fit.scores else []
    lines = {
        "line": [Mark("curve", _tr("predicted"))],
        "values": [Mark("exact", _tr("predicted exactly"))],
    }
    return (*points, *hollow, *rings, *lines.get(picture, []))
