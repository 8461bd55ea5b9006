"""Buttons: one that is on or off, one for an Operation, and dialog buttons without icons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QToolButton,
    QWidget,
)

from gradstep_gui.theme import KindColors, blend, theme_of

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QPaintEvent
    from PySide6.QtWidgets import QDialog, QWidget

__all__ = ["OperationButton", "ToggleButton", "remove_button_icons"]


class ToggleButton(QToolButton):
    """A checkable button on the ground of a selection while it is on.

    Fusion only darkens a button that is on, which nobody sees in a dark window.

    Args:
        text: Its words.
        tip: What it does.
        parent: Its owner.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> ToggleButton("All", "Show every iteration").isCheckable()
        True
    """

    def __init__(self, text: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setCheckable(True)
        self.toggled.connect(self._dress)

    def changeEvent(self, event: QEvent) -> None:
        """Take over the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._dress()

    def _dress(self) -> None:
        theme = theme_of(self.palette())
        ground = QColor(theme.selection if self.isChecked() else theme.raised)
        if self.palette().color(QPalette.ColorRole.Button) == ground:
            return  # setting a palette is itself a change of palette
        palette = QPalette()
        if self.isChecked():
            palette.setColor(QPalette.ColorRole.Button, ground)
        self.setPalette(palette)


ICON = 24
SIDE, LEAST_SIDE = 14, 4
TOP = 7
GAP = 3
RADIUS = 6.0
MARK = 3.0
NOTE = 0.72
"""Heights and widths in logical pixels; the mark is the bar of the Operation that comes next, the
note in the corner has letters of that share of the label's."""


class OperationButton(QToolButton):
    """Icon above label on a tinted ground; a bar below marks the Operation that comes next.

    A note in its corner says in which manner it is done.

    Args:
        action: What it triggers; its text, tooltip, icon and enabledness are the button's.
        kind: The kind of Operation, for the colours; empty for a plain button.
        parent: Its owner.
    """

    def __init__(self, action: QAction, kind: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = kind
        self._next = False
        self._note = ""
        self.show_action(action)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    @property
    def marked_next(self) -> bool:
        """Whether this is the Operation that the program's loop has next."""
        return self._next

    def show_action(self, action: QAction) -> None:
        """Trigger another action from now on."""
        for before in self.actions():
            self.removeAction(before)
        self.setDefaultAction(action)
        self.setAccessibleName(self._label())
        self.updateGeometry()

    def mark_next(self, marked: bool) -> None:
        """Mark it as the Operation that comes next, or take the mark away."""
        if marked != self._next:
            self._next = marked
            self.setAccessibleDescription(self.tr("comes next in the loop") if marked else "")
            self.update()

    def note(self, words: str) -> None:
        """Say in the corner in which manner it is done; nothing when that is the usual one."""
        if words != self._note:
            self._note = words
            self.setAccessibleName(" ".join(filter(None, (self._label(), words))))
            self.update()

    def sizeHint(self) -> QSize:
        """Return room for icon, label and mark."""
        return self._size(SIDE)

    def minimumSizeHint(self) -> QSize:
        """Return room for the same with less air at the sides: a label is never cut."""
        return self._size(LEAST_SIDE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw ground, icon, label, mark and focus ring."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        colors = self._colors()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        self._paint_ground(painter, area, colors)
        tag = self._tag(area)
        icon_area = QRectF((self.width() - tag.width() - ICON) / 2, TOP, ICON, ICON).toRect()
        mode = QIcon.Mode.Normal if self.isEnabled() else QIcon.Mode.Disabled
        self.icon().paint(painter, icon_area, Qt.AlignmentFlag.AlignCenter, mode)
        painter.setPen(self.palette().color(self.foregroundRole()))
        words = QRectF(0, TOP + ICON + GAP, self.width(), self.height() - 2 * TOP - ICON - GAP)
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, self._label())
        if self._note:
            self._paint_note(painter, tag, colors)
        ring = QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_KeyboardFocusChange
        if option.state & ring == ring:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.palette().accent().color(), 2))
            painter.drawRoundedRect(area, RADIUS, RADIUS)

    def _size(self, side: int) -> QSize:
        metrics = QFontMetrics(self.font())
        width = max(ICON, metrics.horizontalAdvance(self._label())) + 2 * side
        return QSize(width, TOP + ICON + GAP + metrics.height() + TOP)

    def _paint_ground(self, painter: QPainter, area: QRectF, colors: KindColors) -> None:
        usable = self.isEnabled()
        theme = theme_of(self.palette())
        ground = QColor(colors.soft if usable else theme.window)
        if usable and self.isChecked():
            ground = QColor(theme.selection)
        elif usable and self.isDown():
            ground = QColor(blend(colors.strong, colors.soft, 0.22))
        elif usable and self.underMouse():
            ground = QColor(blend(colors.strong, colors.soft, 0.10))
        line = QColor(colors.strong if usable and self._kind else theme.border)
        if usable and self.isChecked():
            line = QColor(theme.accent)
        line.setAlphaF(0.45 if usable and self._kind else 1.0)
        painter.setBrush(ground)
        painter.setPen(QPen(line, 1))
        painter.drawRoundedRect(area, RADIUS, RADIUS)
        if self._next and usable:
            mark = QPen(QColor(colors.strong), MARK)
            mark.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(mark)
            left = QPointF(area.left() + RADIUS, area.bottom() - 1)
            painter.drawLine(left, QPointF(area.right() - RADIUS, area.bottom() - 1))

    def _tag(self, area: QRectF) -> QRectF:
        """Return where the note stands; empty without one."""
        if not self._note:
            return QRectF()
        metrics = QFontMetrics(self._note_font())
        width, height = metrics.horizontalAdvance(self._note) + 8, metrics.height()
        return QRectF(area.right() - width - 3, area.top() + 3, width, height)

    def _note_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * NOTE)
        return font

    def _paint_note(self, painter: QPainter, tag: QRectF, colors: KindColors) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.strong if self.isEnabled() else colors.soft))
        painter.drawRoundedRect(tag, tag.height() / 2, tag.height() / 2)
        painter.setFont(self._note_font())
        painter.setPen(QColor(theme_of(self.palette()).base if self.isEnabled() else colors.strong))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, self._note)

    def _colors(self) -> KindColors:
        theme = theme_of(self.palette())
        return theme.kind(self._kind) if self._kind else KindColors(theme.muted, theme.raised)

    def _label(self) -> str:
        return self.text().replace("&", "")


def remove_button_icons(dialog: QDialog) -> None:
    """Take the pictures off a dialog's buttons: drawn for light grounds, they vanish on dark ones.

    A style of ours could say so for all dialogs, but Qt would then ask Python at each stroke.
    """
    for button in dialog.findChildren(QPushButton):
        button.setIcon(QIcon())
