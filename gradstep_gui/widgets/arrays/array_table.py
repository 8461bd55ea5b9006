"""A table of numbers that formats only the visible cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QLocale,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QDoubleValidator, QFontMetrics, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QTableView,
    QWidget,
)

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import digits_font
from gradstep_gui.widgets.model_index import DISPLAY, NO_INDEX, ModelIndex
from gradstep_gui.widgets.number_format import full_text, number_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from PySide6.QtCore import QObject
    from PySide6.QtGui import QKeyEvent, QResizeEvent
    from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

__all__ = ["ArrayTable", "ArrayTableModel", "NumberDelegate"]

DIGITS = 4
"""Significant digits of a number in the table; tooltips and copies have all."""

ROOMIEST = 2
"""The largest width of a column, in widths of its longest number."""


class ArrayTableModel(QAbstractTableModel):
    """The numbers of a matrix, by row and column.

    Attributes:
        editable: Whether numbers can be edited; `entered` then reports row, column and new number,
            and the model keeps the old number until another matrix is shown.
        why_not: Why they cannot be edited, for the tooltips; empty to say nothing.

    Example:
        >>> import numpy as np
        >>> model = ArrayTableModel()
        >>> model.show_matrix(np.array([[1.5, np.nan]]))
        >>> [model.data(model.index(0, column)) for column in range(model.columnCount())]
        ['1.5', 'NaN']
    """

    entered = Signal(int, int, float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.editable = False
        self.why_not = ""
        self._matrix: NDArray[Any] = np.zeros((0, 0))
        self._titles: tuple[str, ...] = ()
        self._shape: tuple[int, ...] | None = None

    def show_matrix(
        self,
        matrix: NDArray[Any],
        titles: Sequence[str] = (),
        shape: tuple[int, ...] | None = None,
    ) -> None:
        """Show a matrix of shape (rows, columns); one of the same shape only redraws.

        Args:
            matrix: The numbers.
            titles: The titles of columns instead of their indices.
            shape: The shape of the tensor, when the rows are its elements.
        """
        named = tuple(titles), shape
        if matrix.shape != self._matrix.shape or named != (self._titles, self._shape):
            self.beginResetModel()
            self._matrix = matrix
            self._titles, self._shape = named
            self.endResetModel()
            return
        self._matrix = matrix
        if matrix.size:
            rows, columns = matrix.shape
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, columns - 1))

    def text_of(self, rows: slice, columns: slice) -> str:
        """Return numbers as text: tabs between columns, newlines between rows."""
        return "\n".join(
            "\t".join(full_text(value) for value in row) for row in self._matrix[rows, columns]
        )

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else int(self._matrix.shape[0])

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else int(self._matrix.shape[1])

    def data(  # noqa: PLR0911 - one case a role
        self, index: ModelIndex, role: int = DISPLAY
    ) -> Any:  # noqa: ANN401 - the type depends on the role
        """Return the number as text, its tooltip or its colour."""
        if not index.isValid():
            return None
        value = self._matrix[index.row(), index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return number_text(float(value), DIGITS)
            case Qt.ItemDataRole.EditRole:
                return full_text(value)
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                return self._hint(index.row(), index.column(), value, role)
            case Qt.ItemDataRole.TextAlignmentRole:
                return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            case Qt.ItemDataRole.ForegroundRole if not np.isfinite(value):
                return QColor(theme_of(QGuiApplication.palette()).error)
        return None

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        """Return whether a number can be selected and edited."""
        known = super().flags(index)
        return known | Qt.ItemFlag.ItemIsEditable if self.editable else known

    def setData(
        self,
        index: ModelIndex,
        value: Any,  # noqa: ANN401 - the content of an editor
        role: int = Qt.ItemDataRole.EditRole,
    ) -> bool:
        """Report an edited number, if it changed."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        typed = float(value)
        if typed == float(self._matrix[index.row(), index.column()]):
            return False
        self.entered.emit(index.row(), index.column(), typed)
        return True

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = DISPLAY) -> Any:  # noqa: ANN401 - the type depends on the role
        """Return a title, or the index of a row or column, counted from 0 as in code."""
        if role == Qt.ItemDataRole.DisplayRole:
            across = orientation == Qt.Orientation.Horizontal
            if across and self._titles:
                return self._titles[section]
            return str(section) if across or self._shape is None else self._element(section)
        return super().headerData(section, orientation, role)

    def _hint(self, row: int, column: int, value: Any, role: int) -> str:  # noqa: ANN401 - a number of NumPy's
        """Return the index and all digits of a number, with a hint in the tooltip."""
        hint = f"{self._place(row, column)}  {full_text(value)}"
        more = self.tr("Double-click to edit.") if self.editable else self.why_not
        if not more or role != Qt.ItemDataRole.ToolTipRole:
            return hint
        return f"{hint}\n{more}"

    def _place(self, row: int, column: int) -> str:
        if not self._titles:
            return f"[{row}, {column}]"
        title = self._titles[column].replace("\n", " ")
        return f"{title} {row if self._shape is None else self._element(row)}"

    def _element(self, row: int) -> str:
        """Return the index of the element in a row, as text."""
        index = np.unravel_index(row, self._shape or ())
        return f"[{', '.join(map(str, index))}]"


class ArrayTable(QTableView):
    """Shows a matrix as numbers; a million cells cost no more than those on the screen.

    Example:
        >>> import numpy as np
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> table = ArrayTable()
        >>> table.show_matrix(np.zeros((2000, 200)))
        >>> table.model().rowCount()
        2000
    """

    entered = Signal(int, int, float)
    """A number was edited: its row, its column, and the new number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._numbers = ArrayTableModel(self)
        self._numbers.entered.connect(self.entered)
        self.setItemDelegate(NumberDelegate(self))
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.setModel(self._numbers)
        self.setAccessibleName(self.tr("Numbers"))
        self.setFont(digits_font(self.font()))
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)  # else the Tab key stays in the table
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setWordWrap(False)
        metrics = QFontMetrics(self.font())
        self._narrowest = self._width_of("-0.000e+00")
        for header, size in (
            (self.horizontalHeader(), self._narrowest),
            (self.verticalHeader(), metrics.height() + 6),
        ):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setDefaultSectionSize(size)
            header.setMinimumSectionSize(8)
            header.setHighlightSections(True)

    def set_editable(self, editable: bool, why_not: str = "") -> None:
        """Allow or forbid editing numbers; the tooltips say why not."""
        self._numbers.editable, self._numbers.why_not = editable, why_not

    def show_matrix(
        self,
        matrix: NDArray[Any],
        titles: Sequence[str] = (),
        shape: tuple[int, ...] | None = None,
    ) -> None:
        """Show a matrix of shape (rows, columns).

        Args:
            matrix: The numbers.
            titles: The titles of columns instead of their indices.
            shape: The shape of the tensor, when the rows are its elements.
        """
        self._numbers.show_matrix(matrix, titles, shape)
        self._narrowest = max(map(self._width_of, ("-0.000e+00", *titles)))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many whole columns as fit, and keep the current cell visible."""
        super().resizeEvent(event)
        self._fit()
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())

    def _width_of(self, text: str) -> int:
        metrics = QFontMetrics(self.font())
        return max(map(metrics.horizontalAdvance, text.split("\n"))) + 10

    def _fit(self) -> None:
        room = self.viewport().width()
        whole = min(room // self._narrowest, self._numbers.columnCount())
        size = min(room // max(1, whole), ROOMIEST * self._narrowest)
        self.horizontalHeader().setDefaultSectionSize(max(size, self._narrowest))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the selected numbers with all digits, in a form that spreadsheets accept."""
        if not event.matches(QKeySequence.StandardKey.Copy):
            super().keyPressEvent(event)
            return
        chosen = self.selectionModel().selection()
        if not chosen.isEmpty():
            block = chosen.first()
            QGuiApplication.clipboard().setText(
                self._numbers.text_of(
                    slice(block.top(), block.bottom() + 1), slice(block.left(), block.right() + 1)
                )
            )

    def go_to(self, row: int, column: int) -> None:
        """Make one element current and visible."""
        index = self._numbers.index(row, column)
        self.setCurrentIndex(index)
        self.scrollTo(index)


class NumberDelegate(QStyledItemDelegate):
    """Opens an editor that accepts only numbers; Enter commits, Escape cancels."""

    def createEditor(
        self,
        parent: QWidget,
        _option: QStyleOptionViewItem,
        _index: ModelIndex,
    ) -> QWidget:
        """Return an editor for one number, in the notation of code."""
        field = QLineEdit(parent)
        field.setFont(parent.font())
        field.setFrame(False)
        field.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        field.setAccessibleName(self.tr("New value"))
        validator = QDoubleValidator(field)
        validator.setLocale(QLocale.c())
        field.setValidator(validator)
        return field
