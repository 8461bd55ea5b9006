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
    """A checkable button that has the background of a selection while it is checked.

    Fusion only darkens a checked button, which is invisible in a dark window.

    Args:
        text: The label.
        tip: The tooltip.
        parent: The parent widget.

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
        self.toggled.connect(self._apply_theme)

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._apply_theme()

    def _apply_theme(self) -> None:
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
"""Sizes in logical pixels; the mark is the bar of the next Operation, the
note in the corner has a font of this share of the label's size."""


class OperationButton(QToolButton):
    """Icon above label on a tinted background; a bar below marks the next Operation.

    A note in its corner names the current mode, such as train or eval.

    Args:
        action: The action that it triggers and shows.
        kind: The kind of Operation, for the colours; empty for a plain button.
        parent: The parent widget.
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
        """Whether this is the next Operation of the loop."""
        return self._next

    def show_action(self, action: QAction) -> None:
        """Set the action."""
        for before in self.actions():
            self.removeAction(before)
        self.setDefaultAction(action)
        self.setAccessibleName(self._label())
        self.updateGeometry()

    def mark_next(self, marked: bool) -> None:
        """Mark it as the next Operation, or remove the mark."""
        if marked != self._next:
            self._next = marked
            self.setAccessibleDescription(self.tr("next in the loop") if marked else "")
            self.update()

    def note(self, words: str) -> None:
        """Show a note in the corner; empty for none."""
        if words != self._note:
            self._note = words
            self.setAccessibleName(" ".join(filter(None, (self._label(), words))))
            self.update()

    def sizeHint(self) -> QSize:
        """Return the size of icon, label and mark."""
        return self._size(SIDE)

    def minimumSizeHint(self) -> QSize:
        """Return the same with less padding: a label is never cut."""
        return self._size(LEAST_SIDE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw background, icon, label, mark and focus ring."""
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
        """Return the rectangle of the note; empty without one."""
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
    """Remove the icons of a dialog's buttons, which are invisible on dark backgrounds.

    A custom style could do it for all dialogs, but Qt would then call Python for every stroke.
    """
    for button in dialog.findChildren(QPushButton):
        button.setIcon(QIcon())
