"""The command palette: find an action by typing some of its letters, do it with Enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGraphicsDropShadowEffect,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QAction

__all__ = ["CommandPalette", "match_score"]

WIDTH = 520
HEIGHT = 380
TOP = 84
SHADOW = 30


def match_score(pattern: str, text: str) -> int | None:
    """Return how well the letters of `pattern` occur in `text` in order; None when they do not.

    Letters that begin a word count most, then those that follow the letter before.

    Example:
        >>> match_score("sb", "Step Back") > match_score("sb", "Send a bug report")
        True
        >>> match_score("xyz", "Step Back") is None
        True
    """
    score, place, lowered = 0, -1, text.lower()
    for letter in pattern.lower().replace(" ", ""):
        found = lowered.find(letter, place + 1)
        if found < 0:
            return None
        starts_word = found == 0 or not lowered[found - 1].isalnum()
        score += 8 if starts_word else 4 if found == place + 1 else 1
        place = found
    return score * 4 - len(text) // 8


class CommandPalette(QFrame):
    """A field and the list of the actions that match what is typed, over the window's content.

    Args:
        actions: What can be found. Those that are disabled are shown, but cannot be done.
        parent: The window it opens inside of.
    """

    def __init__(self, actions: Sequence[QAction], parent: QWidget) -> None:
        super().__init__(parent.window())
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._actions = tuple(actions)
        self._field = QLineEdit(self, placeholderText=self.tr("Type the name of an action"))
        self._field.setAccessibleName(self.tr("Name of an action"))
        self._field.setClearButtonEnabled(True)
        self._field.textChanged.connect(self._filter)
        self._field.installEventFilter(self)
        self._list = QListWidget(self)
        self._list.setAccessibleName(self.tr("Matching actions"))
        self._list.setAlternatingRowColors(True)
        self._list.setUniformItemSizes(True)
        self._list.itemActivated.connect(lambda _item: self._do())
        self._list.itemClicked.connect(lambda _item: self._do())
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.addWidget(self._field)
        column.addWidget(self._list)
        self.setAccessibleName(self.tr("Command palette"))
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(SHADOW)
        shadow.setOffset(0, SHADOW / 6)
        self.setGraphicsEffect(shadow)
        self.resize(WIDTH, HEIGHT)
        self._filter("")

    @property
    def titles(self) -> tuple[str, ...]:
        """The names on show, the best match first."""
        return tuple(self._item_action(row).text().replace("&", "") for row in self._rows())

    def open(self) -> None:
        """Show it near the top of its window, ready to type."""
        self.move((self.window().width() - self.width()) // 2, TOP)
        self.show()
        self.raise_()
        self._field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let keys in the field act on the list, and close when the focus goes elsewhere."""
        if event.type() == QEvent.Type.FocusOut and not self.isAncestorOf(
            QApplication.focusWidget() or self
        ):
            self.close()
        if watched is self._field and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.KeyPress and event.key() in {
                Qt.Key.Key_Down,
                Qt.Key.Key_Up,
                Qt.Key.Key_PageDown,
                Qt.Key.Key_PageUp,
            }:
                self._list.keyPressEvent(event)
                return True
            if event.type() == QEvent.Type.KeyPress and event.key() in {
                Qt.Key.Key_Return,
                Qt.Key.Key_Enter,
            }:
                self._do()
                return True
            if event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
                self.close()
                return True
        return super().eventFilter(watched, event)

    def _rows(self) -> range:
        return range(self._list.count())

    def _item_action(self, row: int) -> QAction:
        action: QAction = self._list.item(row).data(Qt.ItemDataRole.UserRole)
        return action

    def _filter(self, pattern: str) -> None:
        scored = []
        for place, action in enumerate(self._actions):
            score = match_score(pattern, action.text().replace("&", ""))
            if score is not None:
                scored.append((not action.isEnabled(), -score, place, action))
        self._list.clear()
        for disabled, _score, _place, action in sorted(scored, key=lambda entry: entry[:3]):
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            title = action.text().replace("&", "")
            item = QListWidgetItem(action.icon(), f"{title}    {keys}" if keys else title)
            item.setData(Qt.ItemDataRole.UserRole, action)
            item.setToolTip(action.toolTip())
            if disabled:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            self._list.addItem(item)
        self._list.setCurrentRow(0)

    def _do(self) -> None:
        row = self._list.currentRow()
        if row >= 0 and self._item_action(row).isEnabled():
            action = self._item_action(row)
            self.close()
            action.trigger()
