"""A stack of panels that share their x axis, its range and its cursor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QVBoxLayout, QWidget

from gradstep_gui.plotting.panel import Panel

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from PySide6.QtGui import QKeyEvent

__all__ = ["PlotStack", "Range"]

Range = Literal["all", "recent", "free"]
"""The visible part of the x axis: all, the latest part, or what the user zoomed to."""

_LEAST_SPAN = 4.0
_RIGHT_MARGIN = 0.02


class PlotStack(QWidget):
    """Panels that share their x axis: iterations.

    Args:
        titles: The title of each panel, by its key, from top to bottom.
        format_value: Formats a value for the legends.
        parent: The parent widget.

    Attributes:
        sheet: All panels, including those scrolled out of sight.
    """

    iteration_chosen = Signal(float)
    """The user double-clicked this iteration, or pressed Enter with the cursor there."""

    range_changed = Signal(str)
    """The `Range` changed."""

    cursor_moved = Signal(object)
    """The cursor is at this iteration; None when there is no cursor."""

    menu_requested = Signal(object)
    """The user opened the context menu at this place of the screen (`QPoint`)."""

    def __init__(
        self,
        titles: Mapping[str, str],
        format_value: Callable[[float], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.panels = {key: Panel(title, format_value) for key, title in titles.items()}
        self._range: Range = "all"
        self._recent = 100
        self._end = 0.0
        self._now: float | None = None
        self._cursor: float | None = None
        self._present: dict[str, str] = {}
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setChildrenCollapsible(False)
        self._filler = QWidget()
        self.sheet = QWidget()
        self.sheet.installEventFilter(self)
        for holder, parts in (
            (self.sheet, (self._splitter, self._filler)),
            (self, (_scrolled(self.sheet),)),
        ):
            layout = QVBoxLayout(holder)
            layout.setContentsMargins(0, 0, 0, 0)
            for part in parts:
                layout.addWidget(part)
        for panel in self.panels.values():
            self._adopt(panel)
        self._line_up()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._place_bottom_axis()
        self._apply_range()

    @property
    def range(self) -> Range:
        """The visible part of the x axis."""
        return self._range

    @property
    def cursor_iteration(self) -> float | None:
        """The iteration under the cursor."""
        return self._cursor

    @property
    def now(self) -> float | None:
        """The current iteration when it is not the last."""
        return self._now

    def show_all(self) -> None:
        """Show every iteration, also as new ones are added."""
        self._set_range("all")

    def show_recent(self, count: int) -> None:
        """Show the latest `count` iterations, also as new ones are added."""
        self._recent = count
        self._set_range("recent")

    def refresh(
        self, end: float, now: float | None = None, present: Mapping[str, str] | None = None
    ) -> None:
        """Draw everything.

        Args:
            end: The last iteration.
            now: The current iteration when it is not the last; else None.
            present: Current values as text, for legends while there is no cursor; the others are
                taken from the curves.
        """
        self._end, self._now, self._present = end, now, dict(present or {})
        for panel in self.panels.values():
            panel.canvas.set_now(now)
        self._apply_range()

    def set_changed(self, keys: Collection[str], kind: str) -> None:
        """Mark the curves that an Operation of this kind just changed."""
        for panel in self.panels.values():
            panel.set_changed([key for key in keys if key in panel.keys], kind)

    def offer(self, key: str, *, offered: bool) -> None:
        """Show a panel, or hide it because the program has no curves for it."""
        if self.panels[key].isHidden() == offered:
            self.panels[key].setVisible(offered)
            self._place_bottom_axis()
            self._forget_sizes()

    @property
    def folded(self) -> tuple[str, ...]:
        """The keys of the panels of which only the header is visible."""
        return tuple(key for key, panel in self.panels.items() if panel.is_folded)

    def fold(self, keys: Collection[str]) -> None:
        """Collapse these panels, and expand all others."""
        for key, panel in self.panels.items():
            panel.set_folded(key in keys)
        self._forget_sizes()

    def _forget_sizes(self) -> None:
        """Have everything around this computed anew, also while it is hidden.

        Qt passes a change of size on through visible widgets only, and docks would get the room
        that is left beside panels that are folded.
        """
        place: QWidget | None = self._splitter
        while place is not None and not place.isWindow():
            if (layout := place.layout()) is not None:
                layout.invalidate()
            place.updateGeometry()
            place = place.parentWidget()

    def minimumSizeHint(self) -> QSize:
        """Return the height of all panels, so that docks shrink before these scroll."""
        return self.sheet.minimumSizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Update the size hint when the panels need another height."""
        if watched is self.sheet and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        """Line the legends up again in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            QTimer.singleShot(0, self, self._line_up)  # the panels get it after this

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor with Left and Right; Enter seeks there, Escape removes it."""
        key = event.key()
        if key in {Qt.Key.Key_Left, Qt.Key.Key_Right}:
            here = self._end if self._now is None else self._now
            at = here if self._cursor is None else self._cursor
            step = -1 if key == Qt.Key.Key_Left else 1
            self._set_cursor(min(max(round(at + step), 0), round(self._end)))
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self._cursor is not None:
            self.iteration_chosen.emit(self._cursor)
        elif key == Qt.Key.Key_Escape:
            self._set_cursor(None)
        else:
            super().keyPressEvent(event)

    def _adopt(self, panel: Panel) -> None:
        self._splitter.addWidget(panel)
        canvas = panel.canvas
        canvas.chosen.connect(self.iteration_chosen)
        canvas.hovered.connect(self._set_cursor)
        canvas.panned.connect(self._on_pan)
        canvas.reset.connect(self.show_all)
        canvas.menu_requested.connect(self.menu_requested)
        panel.folded.connect(self._place_bottom_axis)

    def _line_up(self) -> None:
        """Give all titles the same width."""
        widest = max(panel.title_width() for panel in self.panels.values())
        for panel in self.panels.values():
            panel.set_title_width(widest)

    def _place_bottom_axis(self) -> None:
        offered = [panel for panel in self.panels.values() if not panel.isHidden()]
        opened = [panel for panel in offered if not panel.is_folded]
        for panel in self.panels.values():
            panel.canvas.set_bottom_axis(bool(opened) and panel is opened[-1])
        self._filler.setVisible(not opened)

    def _set_cursor(self, x: float | None) -> None:
        if x is not None:
            x = min(max(x, 0.0), self._end)
        self._cursor = x
        for panel in self.panels.values():
            panel.canvas.set_cursor(x)
            self._show_values(panel)
        self.cursor_moved.emit(x)

    def _set_range(self, name: Range) -> None:
        changed = name != self._range
        self._range = name
        self._apply_range()
        if changed:
            self.range_changed.emit(name)

    def _on_pan(self, low: float, high: float) -> None:
        if self._range != "free":
            self._range = "free"
            self.range_changed.emit("free")
        self._draw(low, high)

    def _apply_range(self) -> None:
        first = next(iter(self.panels.values())).canvas
        if self._range == "free":
            self._draw(*first.x_range())
            return
        shown = self._end if self._range == "all" else min(self._end, self._recent)
        end = _stepped(self._end, shown)
        low = 0.0 if self._range == "all" else max(0.0, end - self._recent)
        high = max(end, low + _LEAST_SPAN)
        self._draw(low - _RIGHT_MARGIN * (high - low) / 2, high + _RIGHT_MARGIN * (high - low))

    def _draw(self, low: float, high: float) -> None:
        for panel in self.panels.values():
            if not (panel.is_folded or panel.isHidden()):
                panel.canvas.set_range(low, high)
                panel.canvas.refresh()
            self._show_values(panel)

    def _show_values(self, panel: Panel) -> None:
        here = self._end if self._now is None else self._now
        if self._cursor is None:
            panel.show_values_at(here, self._present)
        else:
            panel.show_values_at(self._cursor)


def _stepped(end: float, shown: float) -> float:
    """Return the end of the x axis, which does not move with each point: axes are slow to draw.

    It moves by whole iterations, and in long runs by a fiftieth of the axis or so.

    Args:
        end: The last iteration.
        shown: How many iterations are visible.

    Example:
        >>> _stepped(3.25, 3.25), _stepped(1000, 1000), _stepped(1001, 1001), _stepped(1001, 50)
        (4.0, 1008.0, 1008.0, 1001.0)
    """
    step = max(1.0, 2.0 ** math.floor(math.log2(max(shown, 1.0))) / 32)
    return math.ceil(end / step) * step


def _scrolled(content: QWidget) -> QScrollArea:
    """Return a scroll area for the content."""
    area = QScrollArea()
    area.setWidget(content)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the stack has the keys
    return area
