"""Buttons: on or off, for an Operation or a movement, and dialog buttons without icons."""

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
from gradstep_gui.widgets.fonts import scaled

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QPaintEvent
    from PySide6.QtWidgets import QDialog, QWidget

__all__ = [
    "ActionButton",
    "MovementButton",
    "OperationButton",
    "ToggleButton",
    "remove_button_icons",
]


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


ICON, SMALL_ICON = 24, 16
SIDE, LEAST_SIDE = 14, 4
SMALL_SIDE, SMALL_TOP = 7, 4
TOP = 7
GAP = 3
RADIUS = 6.0
MARK = 3.0
NOTE = 0.72
"""Sizes in logical pixels at the desktop's font size; the mark is the bar of the next Operation,
the note in the corner has a font of this share of the label's size."""


class ActionButton(QToolButton):
    """A flat button with the icon and the short name of an Action.

    Args:
        action: The action that it triggers and shows.
        parent: The parent widget.
    """

    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.show_action(action)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def show_action(self, action: QAction) -> None:
        """Set the action."""
        for before in self.actions():
            self.removeAction(before)
        self.setDefaultAction(action)
        self.setAccessibleName(self._label())
        self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        """Take the room of another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def _label(self) -> str:
        return self.text().replace("&", "")

    def _colors(self) -> KindColors:
        theme = theme_of(self.palette())
        return KindColors(theme.muted, theme.raised)

    def _border(self, colors: KindColors) -> QColor:
        """Return the colour of the border of a button that is neither checked nor disabled."""
        _ = colors
        return QColor(theme_of(self.palette()).border)

    def _area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)

    def _paint_ground(self, painter: QPainter) -> None:
        usable, colors = self.isEnabled(), self._colors()
        theme = theme_of(self.palette())
        ground = QColor(colors.soft if usable else theme.window)
        if usable and self.isChecked():
            ground = QColor(theme.selection)
        elif usable and self.isDown():
            ground = QColor(blend(colors.strong, colors.soft, 0.22))
        elif usable and self.underMouse():
            ground = QColor(blend(colors.strong, colors.soft, 0.10))
        line = self._border(colors) if usable else QColor(theme.border)
        if usable and self.isChecked():
            line = QColor(theme.accent)
        painter.setBrush(ground)
        painter.setPen(QPen(line, 1))
        painter.drawRoundedRect(self._area(), RADIUS, RADIUS)

    def _paint_icon(self, painter: QPainter, area: QRectF) -> None:
        mode = QIcon.Mode.Normal if self.isEnabled() else QIcon.Mode.Disabled
        self.icon().paint(painter, area.toRect(), Qt.AlignmentFlag.AlignCenter, mode)

    def _paint_label(self, painter: QPainter, area: QRectF) -> None:
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, self._label())

    def _paint_focus(self, painter: QPainter) -> None:
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        ring = QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_KeyboardFocusChange
        if option.state & ring == ring:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.palette().accent().color(), 2))
            painter.drawRoundedRect(self._area(), RADIUS, RADIUS)


class MovementButton(ActionButton):
    """A small button: the icon beside the label."""

    def sizeHint(self) -> QSize:
        """Return the size of icon and label."""
        metrics = QFontMetrics(self.font())
        icon, gap = scaled(SMALL_ICON, self.font()), scaled(GAP + 1, self.font())
        width = icon + gap + metrics.horizontalAdvance(self._label()) + 2 * SMALL_SIDE
        return QSize(width, max(icon, metrics.height()) + 2 * SMALL_TOP)

    def minimumSizeHint(self) -> QSize:
        """Return the same: a label is never cut."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw background, icon, label and focus ring."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        icon, gap = scaled(SMALL_ICON, self.font()), scaled(GAP + 1, self.font())
        self._paint_icon(painter, QRectF(SMALL_SIDE, (self.height() - icon) / 2, icon, icon))
        words = QRectF(self.rect()).adjusted(SMALL_SIDE + icon + gap, 0, -SMALL_SIDE, 0)
        painter.setPen(self.palette().color(self.foregroundRole()))
        upright = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(words, int(upright), self._label())
        self._paint_focus(painter)


class OperationButton(ActionButton):
    """Icon above label on a tinted background; a bar below marks the next Operation.

    A note in its corner names the current mode, such as train or eval.

    Args:
        action: The action that it triggers and shows.
        kind: The kind of Operation, for the colours; empty for a plain button.
        parent: The parent widget.
    """

    def __init__(self, action: QAction, kind: str, parent: QWidget | None = None) -> None:
        self._kind = kind
        self._next = False
        self._note = ""
        super().__init__(action, parent)

    @property
    def marked_next(self) -> bool:
        """Whether this is the next Operation of the loop."""
        return self._next

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
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        area, icon = self._area(), scaled(ICON, self.font())
        tag = self._tag(area)
        self._paint_icon(painter, QRectF((self.width() - tag.width() - icon) / 2, TOP, icon, icon))
        words = QRectF(0, TOP + icon + GAP, self.width(), self.height() - 2 * TOP - icon - GAP)
        self._paint_label(painter, words)
        if self._note:
            self._paint_note(painter, tag, self._colors())
        self._paint_focus(painter)

    def _size(self, side: int) -> QSize:
        metrics, icon = QFontMetrics(self.font()), scaled(ICON, self.font())
        width = max(icon, metrics.horizontalAdvance(self._label())) + 2 * side
        return QSize(width, TOP + icon + GAP + metrics.height() + TOP)

    def _paint_ground(self, painter: QPainter) -> None:
        super()._paint_ground(painter)
        if self._next and self.isEnabled():
            area = self._area()
            mark = QPen(QColor(self._colors().strong), MARK)
            mark.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(mark)
            left = QPointF(area.left() + RADIUS, area.bottom() - 1)
            painter.drawLine(left, QPointF(area.right() - RADIUS, area.bottom() - 1))

    def _border(self, colors: KindColors) -> QColor:
        if not self._kind:
            return super()._border(colors)
        line = QColor(colors.strong)
        line.setAlphaF(0.45)
        return line

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
        return theme_of(self.palette()).kind(self._kind) if self._kind else super()._colors()


def remove_button_icons(dialog: QDialog) -> None:
    """Remove the icons of a dialog's buttons, which are invisible on dark backgrounds.

    A custom style could do it for all dialogs, but Qt would then call Python for every stroke.
    """
    for button in dialog.findChildren(QPushButton):
        button.setIcon(QIcon())
