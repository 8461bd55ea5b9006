"""The texts of the data tab: scores, and one example or cell in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep_gui.widgets.number_format import count_text, counted_text, number_text

if TYPE_CHECKING:
    from gradstep.history.records.fit import Fit, FitScore, Part, Picture

__all__ = [
    "caption_of",
    "cell_text",
    "example_text",
    "marks_batch",
    "part_title",
    "picture_title",
    "score_text",
]

_PER_CENT = 100
_REPORTED: tuple[Part, ...] = ("training", "held_out", "batch")


def _tr(text: str) -> str:
    return QCoreApplication.translate("DataView", text)


def picture_title(picture: Picture) -> str:
    """Return the title of a picture's tab."""
    return {
        "line": _tr("Line"),
        "regions": _tr("Regions"),
        "surface": _tr("Surface"),
        "images": _tr("Images"),
        "confusion": _tr("Confusion Matrix"),
        "values": _tr("Predicted against True"),
    }[picture]


def part_title(part: str) -> str:
    """Return the title of an entry that chooses rows."""
    return {
        "": _tr("All Rows"),
        "training": _tr("Training Rows"),
        "held_out": _tr("Held-Out Rows"),
        "batch": _tr("Current Batch"),
        "wrong": _tr("Wrong Ones"),
    }[part]


def marks_batch(fit: Fit) -> bool:
    """Return whether the rows of the current batch are marked: not where it has all of them."""
    scores = fit.scores
    if "batch" not in scores or "training" not in scores:
        return "batch" in scores
    return scores["batch"].examples < scores["training"].examples


def score_text(fit: Fit) -> str:
    """Return how well each part of the rows is predicted, in a sentence."""
    parts = [
        _part_text(part, fit.scores[part], is_classes=bool(fit.classes))
        for part in _REPORTED
        if part in fit.scores and (part != "batch" or marks_batch(fit))
    ]
    if not parts:
        return ""
    lead = _tr("Right: {0}.") if fit.classes else _tr("Root mean squared error: {0}.")
    text = lead.format(("; " if fit.classes else ", ").join(parts))
    rows = 0 if fit.rows is None else len(set(fit.rows.tolist()))
    if rows < fit.total:
        sample = _tr("A sample of {0} of {1} rows.")
        text += " " + sample.format(count_text(rows), count_text(fit.total))
    return text


def _part_text(part: Part, score: FitScore, *, is_classes: bool) -> str:
    name = {
        "training": _tr("training"),
        "held_out": _tr("held out"),
        "batch": _tr("in the current batch"),
    }[part]
    if not is_classes or score.accuracy is None:
        return f"{number_text(score.rmse, 4)} ({name})"
    right = round(score.accuracy * score.examples)
    share = number_text(_PER_CENT * score.accuracy, 3)
    of = _tr("{0} of {1} ({2}), {3}\N{NO-BREAK SPACE}%")
    return of.format(count_text(right), count_text(score.examples), name, share)


def caption_of(fit: Fit, at: int) -> str:
    """Return what an image is taken for, and what it is if that is wrong."""
    assert fit.predicted is not None  # it has examples
    assert fit.truth is not None
    predicted, truth = fit.predicted[at], fit.truth[at]
    if not fit.classes:
        return number_text(float(predicted), 3)
    found = _class_name(fit, int(predicted))
    if predicted == truth:
        return found
    return _tr("{0}, is {1}").format(found, _class_name(fit, int(truth)))


def example_text(fit: Fit, at: int) -> str:
    """Return everything about one example: its row, its target and what is predicted."""
    assert fit.rows is not None  # it has examples
    assert fit.held_out is not None
    assert fit.in_batch is not None
    assert fit.truth is not None
    assert fit.predicted is not None
    where = _tr("held out") if fit.held_out[at] else _tr("training")
    if fit.in_batch[at]:
        where = _tr("{0}, in the current batch").format(where)
    if fit.classes:
        truth = _class_name(fit, int(fit.truth[at]))
        predicted = _class_name(fit, int(fit.predicted[at]))
        share = math.nan if fit.shares is None else float(fit.shares[at])
        if math.isfinite(share):
            predicted = f"{predicted} ({number_text(_PER_CENT * share, 3)}\N{NO-BREAK SPACE}%)"
        verdict = _tr("right") if fit.truth[at] == fit.predicted[at] else _tr("wrong")
        text = _tr("Row {0} ({1}): true {2}, predicted {3}: {4}.")
        return text.format(count_text(int(fit.rows[at])), where, truth, predicted, verdict)
    text = _tr("Row {0} ({1}): true {2}, predicted {3}.")
    return text.format(
        count_text(int(fit.rows[at])),
        where,
        number_text(float(fit.truth[at])),
        number_text(float(fit.predicted[at])),
    )


def cell_text(fit: Fit, count: int, truth: int, predicted: int) -> str:
    """Return in words how many examples of a class are taken for a class."""
    examples = counted_text(count, _tr("{0} example"), _tr("{0} examples"))
    names = fit.classes[truth], fit.classes[predicted]
    if truth == predicted:
        return _tr("{0} of class {1} predicted right.").format(examples, names[0])
    return _tr("{0} of class {1} predicted as {2}.").format(examples, *names)


def _class_name(fit: Fit, number: int) -> str:
    return fit.classes[number] if number >= 0 else "NaN"
