"""A canvas with a header: title, legend, and buttons to collapse it or make it logarithmic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gradstep_gui.plotting.canvas import Canvas
from gradstep_gui.plotting.legend import Legend, LegendEntry
from gradstep_gui.plotting.style import CurveStyle
from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.buttons import ToggleButton
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.number_format import counted_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from gradstep_gui.plotting.curve import Curve

__all__ = ["NO_VALUE", "Panel"]

NO_VALUE = "\N{EN DASH}"
"""The value where a curve has a gap: a `.grad` of None, a loss not computed, or NaN."""

_INTERPOLATED = "@points"
_UNBOUNDED = 16_777_215
_LEAST_CANVAS = 60


class Panel(QWidget):
    """One of several plots that share their x axis.

    Args:
        title: The title.
        format_value: Formats a value for the legend.
        parent: The parent widget.
    """

    folded = Signal(bool)
    """It was collapsed (True) or expanded (False)."""

    def __init__(
        self, title: str, format_value: Callable[[float], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.title = title
        self.canvas = Canvas()
        self.legend = Legend()
        self._format = format_value
        self._drawn: dict[str, Curve] = {}
        self._folded = False
        self._fold = QToolButton()
        self._log = ToggleButton(
            self.tr("log"), self.tr("Logarithmic axis; values of 0 and below are not drawn")
        )
        self._assemble()

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns it draws."""
        return tuple(entry.key for entry in self.legend.entries)

    @property
    def is_folded(self) -> bool:
        """Whether only the header is visible."""
        return self._folded

    def set_folded(self, folded: bool) -> None:
        """Collapse or expand it."""
        if folded != self._folded:
            self._folded = folded
            self._apply_fold()
            self.folded.emit(folded)

    @property
    def is_log(self) -> bool:
        """Whether its y axis is logarithmic."""
        return self._log.isChecked()

    def set_log(self, log: bool) -> None:
        """Make its y axis logarithmic, or linear."""
        self._log.setChecked(log)

    def title_width(self) -> int:
        """Return the preferred width of the title."""
        return self._fold.sizeHint().width()

    def set_title_width(self, width: int) -> None:
        """Set the width of the title, so that the legends of all panels line up."""
        self._fold.setFixedWidth(width)

    def set_curves(
        self,
        shown: Sequence[tuple[str, str, CurveStyle, Curve]],
        ghosts: Sequence[tuple[str, str, CurveStyle, Curve]] = (),
        left_out: int = 0,
    ) -> None:
        """Draw these curves: each with its key, label and style.

        Args:
            shown: The curves of the current branch, and what belongs to them.
            ghosts: Those of other branches, with keys that end with "@" and the id. Of several
                curves, a branch has one entry in the legend.
            left_out: How many branches are not drawn, which the legend says.
        """
        every = (*shown, *ghosts)
        self._drawn = {key: curve for key, _, _, curve in every}
        self.canvas.set_curves({key: (curve, style) for key, _, style, curve in every})
        entries = [LegendEntry(*one[:3]) for one in shown]
        columns = {key.partition("@")[0] for key, *_ in ghosts}
        named: dict[str, LegendEntry] = {}
        for key, name, style, _ in ghosts:
            listed = key if len(columns) == 1 else f"@{key.partition('@')[2]}"
            named.setdefault(listed, LegendEntry(listed, name, style))
        entries += named.values()
        if left_out and shown:
            more = counted_text(left_out, self.tr("{0} older run"), self.tr("{0} older runs"))
            style = CurveStyle(theme_of(self.palette()).muted, is_ghost=True)
            entries.append(LegendEntry("@", self.tr("not drawn: {0}").format(more), style))
        self.legend.set_entries(tuple(entries))
        self._note_interpolated()

    def set_changed(self, keys: Collection[str], kind: str) -> None:
        """Mark the curves that an Operation of this kind just changed."""
        self.canvas.set_changed(keys, kind)
        self.legend.set_marks(frozenset(keys), kind)

    def show_values_at(self, x: float, present: Mapping[str, str] | None = None) -> None:
        """Show the values of the rows nearest to x; a dash where there is none.

        Of a curve that is measured in every k-th iteration, the last value up to x.

        Args:
            x: The iteration.
            present: Values as text that are shown instead.
        """
        values = dict(present or {})
        for key, curve in self._drawn.items():
            if key in values:
                continue
            row = curve.nearest(x)
            if row is not None:
                value = curve.point(row)[1]
                if math.isnan(value) and curve.is_sparse:
                    last = curve.last_finite(x)
                    value = math.nan if last is None else last
                values[key] = NO_VALUE if math.isnan(value) else self._format(value)
        self.legend.set_values(values)
        self._note_interpolated()

    def _note_interpolated(self) -> None:
        """Have the legend say what a dotted line is, as soon as there is one."""
        entries = [entry for entry in self.legend.entries if entry.key != _INTERPOLATED]
        if any(curve.is_interpolated for curve in self._drawn.values()):
            muted = theme_of(self.palette()).muted
            style = CurveStyle(muted, Qt.PenStyle.DotLine, is_ghost=True)
            label = self.tr("values are known at the points only")
            entries.append(LegendEntry(_INTERPOLATED, label, style))
        self.legend.set_entries(tuple(entries))

    def _assemble(self) -> None:
        self._fold.setFont(emphasis_font(self._fold.font()))
        self._fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._fold.setText(self.title)
        self._fold.setAutoRaise(True)
        self._fold.setArrowType(Qt.ArrowType.DownArrow)
        self._fold.setAccessibleName(self.tr("Show {title}").format(title=self.title))
        self._log.setAccessibleName(self.tr("Logarithmic axis of {title}").format(title=self.title))
        self.canvas.setMinimumHeight(_LEAST_CANVAS)
        header = QHBoxLayout()
        header.setContentsMargins(4, 2, 4, 2)
        header.addWidget(self._fold, alignment=Qt.AlignmentFlag.AlignTop)
        header.addWidget(self.legend, stretch=1)
        header.addWidget(self._log, alignment=Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(header)
        layout.addWidget(self.canvas, stretch=1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._fold.clicked.connect(lambda: self.set_folded(not self._folded))
        self._log.toggled.connect(self._on_log)
        self.legend.hovered.connect(self.canvas.set_emphasis)

    def _apply_fold(self) -> None:
        opened = not self._folded
        self._fold.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
        self.canvas.setVisible(opened)
        self._log.setVisible(opened)
        vertical = QSizePolicy.Policy.Expanding if opened else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Expanding, vertical)
        self.setMaximumHeight(_UNBOUNDED if opened else self.sizeHint().height())

    def _on_log(self, log: bool) -> None:
        self.canvas.set_log(log)
        self.canvas.refresh()
