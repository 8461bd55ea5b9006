"""Which curve is in which panel, with which label and style."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from itertools import count, takewhile
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.names import steps_of
from gradstep_gui.plotting import columns
from gradstep_gui.plotting.style import CurveStyle, style_of
from gradstep_gui.widgets.number_format import number_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gradstep_gui.plotting.curve import Curve
    from gradstep_gui.plotting.curve_set import CurveSet
    from gradstep_gui.plotting.ghosts import Ghosts
    from gradstep_gui.plotting.smoothing import SmoothedCurves
    from gradstep_gui.plotting.stack import PlotStack
    from gradstep_gui.theme import Theme

__all__ = [
    "is_of_loss",
    "is_of_output",
    "is_of_tensor",
    "style_panels",
    "styles_of",
    "write_empty_texts",
]

_NON_FINITE = frozenset(map(number_text, (math.nan, math.inf, -math.inf)))


def is_of_loss(column: str) -> bool:
    """Return whether a column is of a loss or metric."""
    return column.startswith("loss/")


def is_of_output(column: str) -> bool:
    """Return whether a column is of a layer's output."""
    return column.startswith("output/")


def is_of_tensor(column: str) -> bool:
    """Return whether a column is of a tensor, which has a `.grad`."""
    return not (is_of_loss(column) or is_of_output(column))


def styles_of(chosen: Sequence[str], theme: Theme) -> dict[str, CurveStyle]:
    """Return a style for each chosen column; losses, tensors and outputs are counted separately.

    Example:
        >>> from gradstep_gui.theme import LIGHT
        >>> styles = styles_of(["loss/loss", "norm/w", "norm/b"], LIGHT)
        >>> styles["loss/loss"] == styles["norm/w"], styles["norm/w"] == styles["norm/b"]
        (True, False)
    """
    ranks: dict[tuple[bool, bool], count[int]] = defaultdict(count)
    kinds = {column: (is_of_loss(column), is_of_output(column)) for column in chosen}
    return {column: style_of(next(ranks[kind]), theme) for column, kind in kinds.items()}


def style_panels(
    stack: PlotStack,
    curves: CurveSet,
    chosen: Sequence[str],
    theme: Theme,
    ghosts: Ghosts,
    smoothed: SmoothedCurves,
    metrics: Collection[str],
) -> None:
    """Put the chosen curves into their panels; a tensor has the same style in all of them.

    The same curves of other branches are drawn as ghosts, and smoothed losses in front of their
    own, which are then faint. Metrics are drawn like losses, in a panel with an axis of its own.
    """
    styles = styles_of(chosen, theme)
    computed = [column for column in chosen if is_of_loss(column)]
    measured = [column for column in computed if columns.parse(column).name in metrics]
    losses = [column for column in computed if column not in measured]
    tensors = [column for column in chosen if is_of_tensor(column)]
    outputs = [column for column in chosen if is_of_output(column)]
    stack.offer("outputs", offered=bool(outputs))
    for key, shown in (
        ("loss", [(column, column) for column in losses]),
        ("metrics", [(column, column) for column in measured]),
        ("outputs", [(column, column) for column in outputs]),
        ("grad", [(columns.gradient_of(column), column) for column in tensors]),
        ("parameters", [(column, column) for column in tensors]),
    ):
        panel = stack.panels[key]
        prefix = _common_prefix({columns.parse(column).name for _, column in shown})
        entries = [
            (
                drawn,
                columns.parse(named).label.replace(prefix, "", 1),
                styles[named],
                curves[drawn],
            )
            for drawn, named in shown
        ]
        if key in {"loss", "metrics"} and smoothed.weight:
            entries = [pair for entry in entries for pair in _smoothly(*entry, smoothed)]
        drawn = [column for column, _ in shown]
        panel.set_curves(
            entries, ghosts.entries(drawn, theme), ghosts.left_out(drawn) + ghosts.unread
        )


def write_empty_texts(stack: PlotStack, present: Mapping[str, str], *, has_losses: bool) -> None:
    """Write into each panel why nothing would be drawn in it.

    Args:
        stack: The panels.
        present: The values of this moment as text, by column.
        has_losses: Whether there are losses to choose; a script has none before its first Backward.
    """
    for key, panel in stack.panels.items():
        shown = [entry.key for entry in panel.legend.entries]
        can_choose = key != "loss" or has_losses
        if any(present.get(column) in _NON_FINITE for column in shown):
            text = QCoreApplication.translate("PlotsView", "The values are NaN or infinite.")
        else:
            text = _empty_text(key, chosen=bool(shown) or not can_choose)
        panel.canvas.set_empty_text(text)


def _smoothly(
    column: str, label: str, style: CurveStyle, curve: Curve, smoothed: SmoothedCurves
) -> list[tuple[str, str, CurveStyle, Curve]]:
    """Return a curve, faint, and its moving average."""
    name = QCoreApplication.translate("PlotsView", "{loss}, smoothed").format(loss=label)
    return [
        (column, label, replace(style, is_faint=True), curve),
        (f"{column}~smoothed", name, style, smoothed[column]),
    ]


def _common_prefix(names: Collection[str]) -> str:
    """Return the module path that all names share, which legends omit."""
    parts = [steps_of(name)[:-1] for name in names]
    if len(parts) <= 1:
        return ""
    shared = takewhile(lambda column: len(set(column)) == 1, zip(*parts, strict=False))
    return "".join(f"{column[0]}." for column in shared)


def _empty_text(key: str, *, chosen: bool) -> str:
    if not chosen:
        return QCoreApplication.translate(
            "PlotsView", "No curves selected: press Curves and check what to draw."
        )
    return {
        "loss": QCoreApplication.translate("PlotsView", "No loss yet: Forward computes one."),
        "metrics": QCoreApplication.translate("PlotsView", "No metric computed yet."),
        "outputs": QCoreApplication.translate(
            "PlotsView", "No output yet: recorded from the next Forward on."
        ),
        "grad": QCoreApplication.translate("PlotsView", ".grad is None: Backward computes it."),
        "parameters": QCoreApplication.translate("PlotsView", "No values yet."),
    }[key]
