"""The cells of the explain dock: the parts of a gradient, and which groups hold a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from gradstep_gui.widgets.number_format import count_text, number_text
from gradstep_gui.widgets.tables.cells import Cell

if TYPE_CHECKING:
    from gradstep.history.records.explanation import (
        Binding,
        Contribution,
        Explanation,
        MomentumPart,
        Status,
    )
    from gradstep.history.records.snapshot import BatchRecord

__all__ = [
    "binding_rows",
    "gradient_rows",
    "momentum_parts",
    "momentum_rows",
    "norm_cell",
    "share_cell",
    "tensors_of",
]

_DIGITS = 3
_ALL_DIGITS = 17
_FACTORS_FROM = 10
"""From this share on, a part is shown as a multiple of the whole instead of in percent."""

Table = tuple[tuple[str, ...], list[tuple[Cell, ...]]]

_WORDS = {
    "held": QT_TRANSLATE_NOOP("ExplainRows", "✓ held"),
    "stale": QT_TRANSLATE_NOOP("ExplainRows", "⚠ stale"),
    "orphan": QT_TRANSLATE_NOOP("ExplainRows", "⚠ orphan"),
    "foreign": QT_TRANSLATE_NOOP("ExplainRows", "⚠ foreign"),
    "duplicate": QT_TRANSLATE_NOOP("ExplainRows", "⚠ duplicate"),
    "frozen": QT_TRANSLATE_NOOP("ExplainRows", "▪ frozen"),
}
_HINTS = {
    "held": QT_TRANSLATE_NOOP("ExplainRows", "The group holds this tensor."),
    "stale": QT_TRANSLATE_NOOP(
        "ExplainRows", "The group holds an old tensor that its module has replaced."
    ),
    "orphan": QT_TRANSLATE_NOOP("ExplainRows", "No optimizer holds it, so no Step updates it."),
    "foreign": QT_TRANSLATE_NOOP(
        "ExplainRows", "An optimizer holds it, but no loss depends on it."
    ),
    "duplicate": QT_TRANSLATE_NOOP(
        "ExplainRows", "It is held more than once, so it is updated more than once."
    ),
    "frozen": QT_TRANSLATE_NOOP("ExplainRows", "It does not require a gradient."),
}


def _tr(text: str) -> str:
    return QCoreApplication.translate("ExplainRows", text)


def share_cell(share: float | None) -> Cell:
    """Return the cell of a share in whole percent; empty when there is none.

    Parts that cancel each other have shares of many times the whole: those are factors.
    """
    if share is None:
        return Cell("", number=True)
    percent = 100 * share
    if abs(share) >= _FACTORS_FROM:
        factor = number_text(share, _DIGITS) if abs(share) >= 10**_DIGITS else f"{share:.0f}"
        hint = _tr("{0} times the whole: the parts nearly cancel each other").format(
            number_text(share, _DIGITS)
        )
        return Cell(f"{factor} ×".replace("-", "−", 1), hint, number=True)
    text = f"{percent:.0f} %"
    if text in ("0 %", "-0 %"):
        text = "0 %" if share == 0 else _tr("~0 %")
    return Cell(text.replace("-", "−"), f"{percent:.6g} %", number=True)


def norm_cell(norm: float) -> Cell:
    """Return the cell of a norm, with all digits in the tooltip."""
    return Cell(number_text(norm, _DIGITS), number_text(norm, _ALL_DIGITS), number=True)


def gradient_rows(parts: tuple[Contribution, ...]) -> Table:
    """Return a row for each Event that contributed to a gradient."""
    titles = (_tr("Event"), _tr("Source"), _tr("Batch"), _tr("Share"), _tr("Norm"))
    return titles, [_gradient_row(part) for part in parts]


def _gradient_row(part: Contribution) -> tuple[Cell, ...]:
    hint = _tr("Click to go to Event {0}").format(count_text(part.event))
    origin = {
        "backward": Cell(part.loss, hint, swatch="backward"),
        "step": Cell(_tr("{0}, in the Step").format(part.loss), hint, swatch="step"),
        "clip": Cell(_tr("clipping"), hint, swatch="clip_grad_norm"),
        "earlier": Cell(_tr("earlier events"), hint, "muted"),
    }[part.kind]
    return (
        Cell(f"#{count_text(part.event)}", hint, number=True),
        origin,
        _batch_cell(part.batch),
        share_cell(part.share),
        norm_cell(part.norm),
    )


def momentum_parts(why: Explanation) -> tuple[MomentumPart, ...]:
    """Return the earlier gradients in the momentum that moved a tensor, the latest first."""
    return tuple(part for term in why.terms for part in term.parts)


def momentum_rows(parts: tuple[MomentumPart, ...]) -> Table:
    """Return a row for each earlier gradient that moved a tensor through the momentum."""
    titles = (_tr("Step"), _tr("Source"), _tr("Batch"), _tr("Share"), _tr("Norm"))
    return titles, [_momentum_row(part) for part in parts]


def _momentum_row(part: MomentumPart) -> tuple[Cell, ...]:
    place = part.event or part.step
    hint = (
        _tr("All steps before the ones listed")
        if place is None
        else _tr("Click to go to Event {0}").format(count_text(place))
    )
    source = {
        "gradient": Cell(part.loss, hint, swatch="backward"),
        "weight decay": Cell(_tr("weight decay"), hint, swatch="step"),
        "earlier": Cell(_tr("earlier steps"), hint, "muted"),
    }[part.kind]
    step = "" if part.step is None else f"#{count_text(part.step)}"
    return (
        Cell(step, hint, number=True),
        source,
        _batch_cell(part.batch),
        share_cell(part.share),
        norm_cell(part.norm),
    )


def _batch_cell(batch: BatchRecord | None) -> Cell:
    if batch is None:
        return Cell("", number=True)
    rows = _tr("rows {0}").format(", ".join(map(str, batch.rows[:40])))
    return Cell(f"{count_text(batch.number)}/{count_text(batch.count)}", rows, number=True)


def tensors_of(bindings: tuple[Binding, ...]) -> tuple[str, ...]:
    """Return the tensors of the matrix, a row for each."""
    return tuple(dict.fromkeys(item.tensor for item in bindings))


def binding_rows(bindings: tuple[Binding, ...], optimizers: tuple[tuple[str, int], ...]) -> Table:
    """Return a row for each tensor and a column for each parameter group.

    Args:
        bindings: Which groups hold which tensors.
        optimizers: Every optimizer with its number of groups.
    """
    groups = [(name, group) for name, count in optimizers for group in range(count)]
    several = {name for name, count in optimizers if count > 1}
    titles = [f"{name}[{group}]" if name in several else name for name, group in groups]
    status: dict[str, dict[tuple[str, int | None], Status]] = {}
    for item in bindings:
        status.setdefault(item.tensor, {})[item.optimizer, item.group] = item.status
    rows = [
        (_tensor_cell(tensor, found), *(_cell(found.get(group)) for group in groups))
        for tensor, found in status.items()
    ]
    return (_tr("Tensor"), *titles), rows


def _tensor_cell(tensor: str, found: dict[tuple[str, int | None], Status]) -> Cell:
    loose = found.get(("", None))
    if loose is None:
        return Cell(tensor, tensor)
    tone = "warning" if loose == "orphan" else ""
    return Cell(tensor, f"{tensor}\n{_tr(_HINTS[loose])}", tone, after=_tr(_WORDS[loose]))  # type: ignore[arg-type] # a Tone


def _cell(status: Status | None) -> Cell:
    if status is None:
        return Cell("–", _tr("Not in this group."), "muted")
    tone = {"held": "", "frozen": "muted"}.get(status, "warning")
    return Cell(_tr(_WORDS[status]), _tr(_HINTS[status]), tone)  # type: ignore[arg-type] # a Tone
