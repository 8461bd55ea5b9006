"""Fields of one line: a filter, an expression, and a number or a list of numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QColor, QFontDatabase, QPainter, QPalette
from PySide6.QtWidgets import QLineEdit, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import digits_font
from gradstep_gui.widgets.number_format import number_text, value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QFocusEvent, QKeyEvent, QPaintEvent, QResizeEvent
    from PySide6.QtWidgets import QWidget

__all__ = ["ExpressionField", "FilterField", "ValueField", "matches", "parse_value"]


def matches(name: str, wanted: str) -> bool:
    """Return whether every word of `wanted` occurs in `name`, ignoring case.

    Example:
        >>> matches("model.0.weight", "MODEL weight"), matches("model.0.bias", "weight")
        (True, False)
    """
    low = name.lower()
    return all(word in low for word in wanted.lower().split())


class FilterField(QLineEdit):
    """A line edit with a clear button; Escape clears it.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> FilterField("Filter tensors").placeholderText()
        'Filter tensors'
    """

    def __init__(self, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self.setClearButtonEnabled(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Clear on Escape; pass on an Escape when the field is empty."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


class ExpressionField(QLineEdit):
    """A field for an expression, which commits on Enter or focus loss and reverts on Escape.

    Args:
        name: What it is for, for screen readers.
        parent: The parent widget.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> field = ExpressionField("Condition")
        >>> field.show_text("loss > 10")
        >>> field.text()
        'loss > 10'
    """

    committed = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self.font().pointSizeF())
        self.setFont(font)
        self.setAccessibleName(name)
        self.editingFinished.connect(self._commit)

    def show_text(self, text: str) -> None:
        """Show a text, unless the user is editing it."""
        self._shown = text
        if self.text() != text and not (self.isModified() and self.hasFocus()):
            self.setText(text)
            self.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Revert on Escape."""
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setText(self._shown)
        else:
            super().keyPressEvent(event)

    def _commit(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.setCursorPosition(0)
            self.committed.emit(self.text().strip())


_BAR = 3
_MARGINS = 19
_FEW = 4


def parse_value(text: str, old: float | Sequence[float]) -> float | list[float]:
    """Parse a number, or as many numbers as the old value has.

    Args:
        text: The text.
        old: The value to replace, which decides what is expected.

    Returns:
        The new value.

    Raises:
        ValueError: It is something else; the message is for the user.

    Example:
        >>> parse_value("1e-3", 0.1), parse_value("0.9, 0.99", (0.9, 0.999))
        (0.001, [0.9, 0.99])
    """
    if isinstance(old, int | float):
        return _number(text)
    numbers = [_number(part) for part in text.strip(" []()").split(",") if part.strip()]
    if len(numbers) != len(old):
        message = QCoreApplication.translate("ValueField", "enter {0} numbers, such as {1}")
        raise ValueError(message.format(len(old), value_text(tuple(old))))
    return numbers


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        message = QCoreApplication.translate(
            "ValueField", "“{0}” is not a number; enter one such as 0.01 or 1e-3"
        )
        raise ValueError(message.format(text.strip())) from None
    if not math.isfinite(number):
        message = QCoreApplication.translate("ValueField", "“{0}” is not a finite number")
        raise ValueError(message.format(text.strip()))
    return number


class ValueField(QLineEdit):
    """A field for numbers, which commits on Enter or focus loss and reverts on Escape.

    It emits `entered(value)`, or `rejected(message)` when the text is not a value.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> field = ValueField()
        >>> field.show_value(0.01)
        >>> field.text()
        '0.01'
    """

    entered = Signal(object)
    rejected = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value: float | Sequence[float] = 0.0
        self._mark = ""
        self._obstacle = ""
        self.setFont(digits_font(self.font()))
        self.setTextMargins(_BAR + 2, 0, 0, 0)
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("0.9, 0.999") + _MARGINS)
        self.editingFinished.connect(self._commit)

    def show_value(self, value: float | Sequence[float]) -> None:
        """Show a value, unless the user is editing it."""
        self._value = value
        if not self.isModified():
            self._show_text()

    def set_obstacle(self, obstacle: str) -> None:
        """Set why the value cannot be edited, for the tooltip; empty if it can be."""
        if obstacle != self._obstacle:
            self._obstacle = obstacle
            self.setReadOnly(bool(obstacle))
            self._paint_ground()
            self._show_text()

    @property
    def mark(self) -> str:
        """The kind of Operation that just changed the value; empty for none."""
        return self._mark

    def set_mark(self, kind: str) -> None:
        """Mark the value as just changed by a kind of Operation; empty for none."""
        if kind != self._mark:
            self._mark = kind
            self._paint_ground()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a bar at the left of a marked value, because colour alone is not enough."""
        super().paintEvent(event)
        if self._mark:
            colour = QColor(theme_of(self.palette()).kind(self._mark).strong)
            QPainter(self).fillRect(3, 4, _BAR, self.height() - 8, colour)

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        is_painted = self._mark or self._obstacle
        if event.type() == QEvent.Type.PaletteChange and is_painted:
            self._paint_ground()

    def _paint_ground(self) -> None:
        """Show the mark, or that the field cannot be edited, by the colour behind the value."""
        palette = QPalette()
        if self._mark or self._obstacle:
            colour = self.palette().color(QPalette.ColorRole.Window)
            if self._mark:
                colour = QColor(theme_of(self.palette()).kind(self._mark).soft)
            if colour == self.palette().color(QPalette.ColorRole.Base):
                return  # setting a palette is itself a change of palette
            palette.setColor(QPalette.ColorRole.Base, colour)
        self.setPalette(palette)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Revert on Escape."""
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self._show_text()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many digits as fit."""
        super().resizeEvent(event)
        if not self.isModified():
            self._show_text()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show all digits for editing."""
        if not self.isModified():
            self.setText(value_text(self._value))
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show the value again."""
        super().focusOutEvent(event)
        self._show_text()

    def _show_text(self) -> None:
        """Show the value, with fewer digits when there is no room and it is not being edited."""
        text = value_text(self._value)
        self.setToolTip("\n".join(filter(None, (text, self._obstacle))))
        room = self.width() - _MARGINS
        if not self.hasFocus() and isinstance(self._value, int | float):
            cut = self.fontMetrics().horizontalAdvance(text) > room
            text = number_text(float(self._value), digits=_FEW) if cut else text
        self.setText(text)
        self.setCursorPosition(0)

    def _commit(self) -> None:
        if not self.isModified():
            return
        self.setModified(False)
        try:
            value = parse_value(self.text(), self._value)
        except ValueError as error:
            self.rejected.emit(str(error))
            return
        if value_text(value) != value_text(self._value):
            self.entered.emit(value)
