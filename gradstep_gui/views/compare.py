"""The compare dock: where two branches first differ, and their losses and metrics."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSplitter, QVBoxLayout, QWidget

from gradstep_gui.plotting.curve import Curve
from gradstep_gui.plotting.panel import Panel
from gradstep_gui.plotting.style import CurveStyle, branch_color, dashes_of, style_of
from gradstep_gui.theme import theme_of
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.widgets.number_format import count_text, number_text
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.tables.cells import Cell, Title
from gradstep_gui.widgets.tables.table import CellTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.history.records.comparison import Comparison
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.records import BranchComparison, Curves
    from gradstep_gui.theme import Theme
    from gradstep_gui.views.model import ViewModel

__all__ = ["CompareView"]

_MARGIN = 0.02
_LEAST_CANVAS = 40
"""Smaller than in the plots dock, because this dock shares its height with others. For the same
reason the text is beside the curves and can be scrolled."""
_LEAST_WORDS = 160
_DIGITS = 8
"""The number of digits that a column of the table has room for at least."""


class CompareView(DockView):
    """The result of the last comparison.

    Args:
        controller: The controller, which holds the comparison; a click on an Event seeks there.
    """

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "compare", parent)
        self._branches = controller.branches
        self._shown: BranchComparison | None = None
        self.sentence = QLabel(self)
        self.sentence.setWordWrap(True)
        self.sentence.setMargin(8)
        self.sentence.setMinimumWidth(1)  # a long name must not widen the dock
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.sentence.setTextFormat(Qt.TextFormat.RichText)
        self.sentence.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.sentence.setAccessibleName(self.tr("First difference"))
        self.sentence.linkActivated.connect(self._go)
        self.panel = Panel(self.tr("Loss"), number_text, self)
        self.table = CellTable(self.tr("Both branches at the same iterations"), self)
        self.table.share_width(_DIGITS)
        self.metrics = Panel(self.tr("Metrics"), number_text, self)
        self.metrics.hide()
        plots = QWidget(self)
        stack = QVBoxLayout(plots)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        for panel in (self.panel, self.metrics):
            panel.canvas.setMinimumHeight(_LEAST_CANVAS)
            stack.addWidget(panel)
        self.table.setMinimumHeight(_LEAST_CANVAS)
        words = QScrollArea(self)
        words.setWidget(self.sentence)
        words.setWidgetResizable(True)
        words.setFrameShape(QFrame.Shape.NoFrame)
        words.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        words.setAccessibleName(self.sentence.accessibleName())
        words.setMinimumWidth(_LEAST_WORDS)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setChildrenCollapsible(False)
        for part, share in ((words, 28), (plots, 32), (self.table, 40)):
            split.addWidget(part)
            split.setStretchFactor(split.count() - 1, share)
        split.setSizes([280, 320, 400])
        self.place = Placeholder(split, self._empty_text(), self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)
        controller.branches.compared.connect(self._write)

    def render(self, _snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show the last comparison, which does not depend on the current moment."""
        self._write()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._shown is not None:
            self._draw(self._shown)

    def _write(self) -> None:
        compared = self._branches.comparison
        if not self.isVisible():
            return
        if compared is None:
            self._shown = None
            self.place.show_sentence(self._empty_text())
            return
        if compared is self._shown:
            return
        self._shown = compared
        self.place.show_content()
        self._draw(compared)
        self._tabulate(compared.comparison)

    def _empty_text(self) -> str:
        snapshot = self.controller.snapshot
        if snapshot is not None and snapshot.abilities.document:
            return self.tr(
                "No branches compared yet.\n\nSelect a branch in Branches and press Compare. "
                "Experiment > Overlay Sessions… draws the losses of other recordings, and "
                "gradstep compare, in a terminal, finds where two of them differ first."
            )
        return self.tr(
            "No branches compared yet.\n\nUse Experiment > What If…, or select a branch in "
            "Branches and press Compare."
        )

    def _draw(self, compared: BranchComparison) -> None:
        found, theme = compared.comparison, theme_of(self.palette())
        self.sentence.setText(self._html(found, theme.accent, theme.muted))
        snapshot = self.controller.snapshot
        metrics = frozenset() if snapshot is None else snapshot.metrics
        every = [x for curves in compared.curves for x, _ in curves.values()]
        end = max([1.0, *(x[-1] for x in every if len(x))])
        for panel, is_metric in ((self.panel, False), (self.metrics, True)):
            chosen = [
                {
                    column: points
                    for column, points in curves.items()
                    if (column.removeprefix("loss/") in metrics) is is_metric
                }
                for curves in compared.curves
            ]
            entries = _entries(found.names, compared.branches[1], chosen, theme)
            panel.set_curves(entries)
            panel.canvas.set_bottom_axis(shown=is_metric or not metrics)
            panel.canvas.set_range(-_MARGIN * end, (1 + _MARGIN) * end)
            panel.canvas.refresh()
            panel.show_values_at(end)
            if is_metric:  # computed in some iterations only
                latest = {key: number_text(curve.last_finite(end)) for key, *_, curve in entries}
                panel.legend.set_values(latest)
        self.metrics.setVisible(bool(metrics))
        self.panel.canvas.set_empty_text(self.tr("Neither branch has a loss yet."))
        self.metrics.canvas.set_empty_text(self.tr("Neither branch has a metric yet."))

    def _html(self, found: Comparison, accent: str, muted: str) -> str:
        rest = found.sentence.removeprefix(found.headline)
        text = f"<b>{escape(found.headline, quote=False)}</b>{escape(rest, quote=False)}"
        event = found.events.a if found.events is not None else None
        if event:
            words = self.tr("Go to Event {number}").format(number=count_text(event))
            text += f"<br><a href='{event}' style='color:{accent}'>{words}</a>"
        details = "".join(
            f"<br><span style='color:{muted}'>{escape(detail, quote=False)}</span>"
            for detail in found.details
        )
        return text + details

    def _tabulate(self, found: Comparison) -> None:
        columns = found.rows[0].values if found.rows else {}
        losses = [name for name in columns if name.startswith("loss/")]
        titles = [Title(self.tr("Iteration"), self.tr("Complete iterations on both branches"))]
        for column in losses:
            name = column.removeprefix("loss/")
            for letter, branch in zip("AB", found.names, strict=True):
                hint = self.tr("On branch {name}").format(name=branch)
                titles.append(Title(f"{name} {letter}", hint))
        titles.append(
            Title(
                self.tr("Distance"),
                self.tr("Euclidean distance between all tensors of both, except gradients"),
            )
        )
        rows = [
            (
                Cell(count_text(row.iteration), number=True),
                *(_cell(value) for name in losses for value in row.values[name]),
                _cell(row.distance),
            )
            for row in found.rows
        ]
        self.table.show_rows(titles, rows)

    def _go(self, link: str) -> None:
        branch = self._shown.branches[0] if self._shown is not None else None
        current = next((item.id for item in self._branches.records if item.is_current), None)
        if branch is not None and branch != current:
            self._branches.checkout(branch)
        self.controller.seek(int(link))


def _entries(
    names: Sequence[str], other: int, runs: Sequence[Curves], theme: Theme
) -> list[tuple[str, str, CurveStyle, Curve]]:
    """Return the curves of two branches: a branch has a colour, and each curve dashes.

    The colour of the other one, of this id, is that of its curves in the plots.
    """
    entries = []
    for place, (name, curves) in enumerate(zip(names, runs, strict=True)):
        several = len(curves) > 1
        color = branch_color(other, theme) if place else style_of(0, theme).color
        for rank, (column, (x, y)) in enumerate(curves.items()):
            curve = Curve()
            curve.extend(x, y)
            label = f"{'AB'[place]}: {name}"
            if several:
                label = f"{label}, {column.removeprefix('loss/')}"
            style = CurveStyle(color, dashes_of(place * len(curves) + rank), is_ghost=bool(place))
            entries.append((f"{place}/{column}", label, style, curve))
    return entries


def _cell(value: float) -> Cell:
    text = number_text(None if value != value else value)  # noqa: PLR0124 - NaN means no value
    return Cell(text, number=True)
