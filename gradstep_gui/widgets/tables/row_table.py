"""How tables and trees of rows look, and how Enter chooses a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from gradstep_gui.widgets.fonts import digits_font

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QTreeView

__all__ = ["ROW_PADDING", "on_enter", "style_table", "style_tree"]

ROW_PADDING = 8
"""Pixels of a row that its text leaves empty."""

_INDENT = 14


def style_table(table: QTableView, name: str) -> None:
    """Let a table show and select rows.

    Args:
        table: The table.
        name: What it is, for those who cannot see it.
    """
    table.setAccessibleName(name)
    table.setFont(digits_font(table.font()))
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setAlternatingRowColors(True)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + ROW_PADDING)
    table.horizontalHeader().setHighlightSections(False)


def style_tree(tree: QTreeView, name: str) -> None:
    """Let a tree look like the tables.

    Args:
        tree: The tree.
        name: What it is, for those who cannot see it.
    """
    tree.setAccessibleName(name)
    tree.setFont(digits_font(tree.font()))
    tree.setAlternatingRowColors(True)
    tree.setUniformRowHeights(True)
    tree.setIndentation(_INDENT)


def on_enter(table: QTableView, chosen: Callable[[int], object]) -> None:
    """Call `chosen` with the current row when somebody presses Enter on it."""

    def choose() -> None:
        if table.currentIndex().isValid():
            chosen(table.currentIndex().row())

    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        shortcut = QShortcut(QKeySequence(key), table)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(choose)
