"""NumberDelegate: lets a number in a table be typed over, and takes nothing but numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QLineEdit, QStyledItemDelegate

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex
    from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

__all__ = ["NumberDelegate"]


class NumberDelegate(QStyledItemDelegate):
    """Opens a field over a cell; Enter writes, Escape leaves the number as it was."""

    def createEditor(
        self,
        parent: QWidget,
        _option: QStyleOptionViewItem,
        _index: QModelIndex | QPersistentModelIndex,
    ) -> QWidget:
        """Return a field for one number, written as in code."""
        field = QLineEdit(parent)
        field.setFont(parent.font())
        field.setFrame(False)
        field.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        field.setAccessibleName(self.tr("New value"))
        validator = QDoubleValidator(field)
        validator.setLocale(QLocale.c())
        field.setValidator(validator)
        return field
