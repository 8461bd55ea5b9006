"""A view of an array: heat map, legend, the element under the pointer, and all numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSpinBox, QSplitter, QVBoxLayout, QWidget

from gradstep_gui.widgets.arrays.array_table import ArrayTable
from gradstep_gui.widgets.arrays.heat_map import HeatMap
from gradstep_gui.widgets.arrays.legend_bar import LegendBar
from gradstep_gui.widgets.fonts import digits_font
from gradstep_gui.widgets.number_format import full_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from PySide6.QtGui import QResizeEvent

__all__ = ["ArrayView"]

_MATRIX = 2


class ArrayView(QWidget):
    """Shows an array of any shape as heat map and numbers; with more than two axes, one slice.

    Example:
        >>> import numpy as np
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> view = ArrayView()
        >>> view.show_array(np.zeros((3, 4, 5)))
        >>> view.heat_map.matrix_shape, view.slices
        ((4, 5), 3)
    """

    picked = Signal(tuple)
    """The index of the element that the user picked."""

    entered = Signal(tuple, float)
    """An element was edited: its index and the new number."""

    menu_requested = Signal(tuple, QPoint)
    """The context menu of an element is wanted: its index, and the place on the screen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._array: NDArray[Any] = np.zeros((0, 0))
        self._caption = ""
        self._place = (-1, -1)
        self.heat_map = HeatMap(self)
        self.table = ArrayTable(self)
        self.legend = LegendBar(self)
        self.readout = QLabel(self)
        self.readout.setFont(digits_font(self.font()))
        self.readout.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.readout.setAccessibleName(self.tr("Element under the pointer"))
        self.readout.setToolTip(self.tr("Point at an element to see its value"))
        self.readout.setWordWrap(True)
        self._slice = QSpinBox(self)
        self._slice.setPrefix(self.tr("slice "))
        self._slice.setAccessibleName(self.tr("Slice along the leading axes"))
        self._slice.valueChanged.connect(self._show_slice)
        self._slice.hide()

        picture = QWidget(self)
        column = QVBoxLayout(picture)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.legend)
        column.addWidget(self.heat_map, 1)
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.addWidget(picture)
        self._splitter.addWidget(self.table)
        self._splitter.setChildrenCollapsible(False)
        above = QHBoxLayout()
        above.addWidget(self.readout, 1)
        above.addWidget(self._slice)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(above)
        layout.addWidget(self._splitter, 1)

        self.heat_map.hovered.connect(self._show_element)
        self.heat_map.picked.connect(self.table.go_to)
        self.table.entered.connect(
            lambda row, column, value: self.entered.emit(self._index(row, column), value)
        )
        self.table.selectionModel().currentChanged.connect(
            lambda current, _previous: self._pick(current.row(), current.column())
        )
        for part in (self.heat_map, self.table):
            part.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.heat_map.customContextMenuRequested.connect(self._ask_of_picture)
        self.table.customContextMenuRequested.connect(self._ask_of_table)
        self._show_slice()

    @property
    def slices(self) -> int:
        """The number of slices along the leading axes; 1 with two axes or fewer."""
        return self._slice.maximum() + 1

    def show_array(self, array: NDArray[Any], caption: str = "") -> None:
        """Show an array; a vector is shown as one row, a scalar as one cell.

        Args:
            array: The values.
            caption: The text to show while no element is under the pointer.
        """
        self._caption = caption
        if array is self._array:
            self._show_element(*self._place)
            return
        if array.shape != self._array.shape:
            self._place = (-1, -1)
            self._slice.setValue(0)
        self._array = array
        lead = array.shape[:-_MATRIX] if array.ndim > _MATRIX else ()
        self._slice.setMaximum(max(0, int(np.prod(lead, dtype=np.int64)) - 1))
        self._slice.setVisible(array.ndim > _MATRIX)
        self._show_slice()

    def go_to(self, place: Sequence[int]) -> None:
        """Select an element.

        Args:
            place: Its index in the array; ignored when there is no such element.
        """
        if len(place) != self._array.ndim or not place:
            return
        lead = self._array.shape[:-_MATRIX]
        if lead:
            self._slice.setValue(int(np.ravel_multi_index(tuple(place[:-_MATRIX]), lead)))
        self.table.go_to(place[-_MATRIX] if len(place) > 1 else 0, place[-1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put heat map and numbers side by side, or one above the other when it is tall."""
        wide = event.size().width() > event.size().height()
        self._splitter.setOrientation(
            Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        )
        super().resizeEvent(event)

    def _matrix(self) -> NDArray[Any]:
        if self._array.ndim < _MATRIX:
            return self._array.reshape(1, -1)
        if self._array.ndim == _MATRIX:
            return self._array
        flat: NDArray[Any] = self._array.reshape(-1, *self._array.shape[-_MATRIX:])
        matrix: NDArray[Any] = flat[self._slice.value()]
        return matrix

    def _show_slice(self) -> None:
        matrix = self._matrix()
        finite = np.isfinite(self._array)
        usual = self._array if finite.all() else self._array[finite]
        odd = self._array[~finite]
        low, high = (float(usual.min()), float(usual.max())) if usual.size else (np.nan, np.nan)
        self.heat_map.show_matrix(matrix, low, high)
        self.table.show_matrix(matrix)
        nan, plus_inf = int(np.isnan(odd).sum()), int(np.isposinf(odd).sum())
        self.legend.show_range(
            low, high, nan=nan, plus_inf=plus_inf, minus_inf=odd.size - nan - plus_inf
        )
        self.legend.setVisible(bool(self._array.size))
        self._show_element(*self._place)

    def _show_element(self, row: int, column: int) -> None:
        self._place = (row, column)
        if row < 0 or column < 0:
            self._set_readout(self._hint())
            return
        place = self._index(row, column)
        index = f"[{', '.join(map(str, place))}]" if place else ""
        self._set_readout(f"{index} = {full_text(self._matrix()[row, column])}".strip())

    def _set_readout(self, text: str) -> None:
        """Show the element under the pointer, also to screen readers."""
        self.readout.setText(text)
        self.heat_map.setAccessibleDescription(text)

    def _pick(self, row: int, column: int) -> None:
        self._show_element(row, column)
        if row >= 0 and column >= 0:
            self.picked.emit(self._index(row, column))

    def _ask_of_picture(self, place: QPoint) -> None:
        row, column = self.heat_map.pointer
        self._ask(row, column, self.heat_map.mapToGlobal(place))

    def _ask_of_table(self, place: QPoint) -> None:
        current = self.table.currentIndex()
        self._ask(current.row(), current.column(), self.table.viewport().mapToGlobal(place))

    def _ask(self, row: int, column: int, place: QPoint) -> None:
        index = self._index(row, column) if row >= 0 and column >= 0 else ()
        self.menu_requested.emit(index, place)

    def _index(self, row: int, column: int) -> tuple[int, ...]:
        """Return the index in the array of a cell of the current slice."""
        if self._array.ndim < _MATRIX:
            return (column,) if self._array.ndim else ()
        lead = self._array.shape[:-_MATRIX]
        before = np.unravel_index(self._slice.value(), lead) if lead else ()
        return (*(int(index) for index in before), row, column)

    def _hint(self) -> str:
        if not self._array.size:
            return self.tr("empty")
        return self._caption or self.tr("Point at an element to see its value")
