"""The command palette: search an action by some of its letters, trigger it with Enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QKeySequence, QPixmap
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGraphicsDropShadowEffect,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
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
    """Return how well `pattern` matches `text` as a subsequence; None when it does not.

    Letters at the start of a word count most, then consecutive letters.

    Example:
        >>> match_score("sb", "Step Back") > match_score("sb", "Send a bug report")
        True
        >>> match_score("xyz", "Step Back") is None
        True
    """
    if not pattern:
        return 0
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
    """A field and the list of matching actions, over the window's content.

    Args:
        actions: The actions to search; disabled ones are listed but cannot be triggered.
        parent: The window that it opens in.
    """

    def __init__(self, actions: Sequence[QAction], parent: QWidget) -> None:
        super().__init__(parent.window())
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._actions = tuple(actions)
        self._field = QLineEdit(self, placeholderText=self.tr("Search actions"))
        self._field.setAccessibleName(self.tr("Search actions"))
        self._field.setClearButtonEnabled(True)
        self._field.textChanged.connect(self._filter)
        self._field.installEventFilter(self)
        self._list = QTreeWidget(self)
        self._list.setColumnCount(2)
        self._list.setHeaderHidden(True)
        self._list.setRootIsDecorated(False)
        self._list.setUniformRowHeights(True)
        self._list.header().setStretchLastSection(False)
        self._list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self._list.setAccessibleName(self.tr("Matching actions"))
        self._list.setAlternatingRowColors(True)
        self._list.itemActivated.connect(lambda _item, _column: self._do())
        self._list.itemClicked.connect(lambda _item, _column: self._do())
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
        """The listed titles, the best match first."""
        return tuple(item.text(0) for item in self._items())

    def open(self) -> None:
        """Show it near the top of its window, with the focus in the field."""
        self.move((self.window().width() - self.width()) // 2, TOP)
        self.show()
        self.raise_()
        self._field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass keys from the field to the list, and close when the focus moves elsewhere."""
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

    def _items(self) -> list[QTreeWidgetItem]:
        items = (self._list.topLevelItem(row) for row in range(self._list.topLevelItemCount()))
        return [item for item in items if item is not None]

    def _filter(self, pattern: str) -> None:
        scored = []
        for place, action in enumerate(self._actions):
            score = match_score(pattern, action.text().replace("&", ""))
            if score is not None:
                scored.append((not action.isEnabled(), -score, place, action))
        self._list.clear()
        for disabled, _score, _place, action in sorted(scored, key=lambda entry: entry[:3]):
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            item = QTreeWidgetItem([action.text().replace("&", ""), keys])
            item.setIcon(0, _blank() if action.icon().isNull() else action.icon())
            item.setData(0, Qt.ItemDataRole.UserRole, action)
            item.setToolTip(0, action.toolTip())
            if disabled:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            self._list.addTopLevelItem(item)
        for item in self._items()[:1]:
            self._list.setCurrentItem(item)

    def _do(self) -> None:
        item = self._list.currentItem()
        action = None if item is None else item.data(0, Qt.ItemDataRole.UserRole)
        if action is not None and action.isEnabled():
            self.close()
            action.trigger()


def _blank() -> QIcon:
    """Return an empty icon, so that all titles are aligned."""
    pixmap = QPixmap(16, 16)
    pixmap.fill(Qt.GlobalColor.transparent)
    return QIcon(pixmap)
