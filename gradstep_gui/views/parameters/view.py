"""The parameters dock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHeaderView, QSplitter, QTreeView, QVBoxLayout, QWidget

from gradstep.program.operation import SetValue
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.labels import is_tiny
from gradstep_gui.views.parameters.cells import ParameterColumn
from gradstep_gui.views.parameters.details import TensorDetails
from gradstep_gui.views.parameters.tree_model import ParameterModel
from gradstep_gui.widgets.fields import FilterField
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.tables.cells import CellDelegate
from gradstep_gui.widgets.tables.fitted_columns import FittedColumns
from gradstep_gui.widgets.tables.table import style_tree

if TYPE_CHECKING:
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["ParametersView"]

_MOST_INLINE = 64
"""The number of tiny tensors whose values are requested; of others, the norm is shown."""

_WIDTHS: tuple[dict[int, int], ...] = (
    {ParameterColumn.NAME: 104, ParameterColumn.DATA: 102, ParameterColumn.GRAD: 104},
    {ParameterColumn.SHAPE: 68},
    {ParameterColumn.HELD_BY: 104},
    {ParameterColumn.VERSION: 60},
    {ParameterColumn.REQUIRES_GRAD: 100},
)


class ParametersView(DockView):
    """The tree of modules and tensors above the values of the selected tensor.

    It emits `tensor_menu_requested` with the place on the screen for a menu of the selected tensor.
    """

    tensor_menu_requested = Signal(QPoint)

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "parameters", parent)
        self._snapshot: Snapshot | None = None
        self._selected = ""
        controller.selected_changed.connect(self.select)
        self.model = ParameterModel(self)
        self.filter = FilterField(self.tr("Filter tensors by name"), self)
        self.filter.textChanged.connect(self._refill)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self.filter.setFocus)
        self.tree = self._make_tree()
        self.details = TensorDetails(self)
        self.details.address_changed.connect(self._ask)
        self.details.entered.connect(self._write)
        self.details.value_menu_requested.connect(self.value_menu_requested)

        above = QWidget(self)
        column = QVBoxLayout(above)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.filter)
        column.addWidget(self.tree, 1)
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.addWidget(above)
        splitter.addWidget(self.details)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 1)
        self.place = Placeholder(
            splitter, self.tr("Open a program to see its parameters here."), self
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)

    @property
    def selected(self) -> str:
        """The full name of the selected tensor; empty when none is."""
        return self._selected

    def select(self, name: str) -> None:
        """Select a tensor by its full name."""
        index = self.model.index_of_tensor(name)
        if index.isValid():
            self.tree.setCurrentIndex(index)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show a Snapshot."""
        self._snapshot = snapshot
        if not snapshot.parameters:
            self.place.show_sentence(self.tr("This program has no tensors."))
            return
        self.place.show_content()
        self._refill()
        self.select(self.controller.selected)  # a hidden view misses selections
        if not self._selected or self._selected not in snapshot.parameters:
            self.select(next(iter(snapshot.parameters)))
        self._show_selected()
        self._ask()

    def _write(self, tensor: str, index: tuple[int, ...], value: float) -> None:
        """Write an edited element, unless something is running."""
        if self.controller.state.work == "paused":
            self.controller.apply(SetValue(tensor, value, index or None))

    def _make_tree(self) -> QTreeView:
        tree = QTreeView(self)
        tree.setModel(self.model)
        tree.setItemDelegate(CellDelegate(tree))
        style_tree(tree, self.tr("Modules and tensors"))
        header = tree.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        FittedColumns(
            tree,
            header,
            _WIDTHS,
            growing=(ParameterColumn.NAME, ParameterColumn.DATA, ParameterColumn.GRAD),
        )
        tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tree.customContextMenuRequested.connect(self._request_menu)
        tree.selectionModel().currentChanged.connect(self._current_changed)
        self.model.rowsInserted.connect(self._rows_inserted)
        return tree

    def _request_menu(self, place: QPoint) -> None:
        """Request the menu of the tensor at a place of the tree; modules have none."""
        name = self.model.tensor_name(self.tree.indexAt(place))
        if name:
            self.select(name)
            self.tensor_menu_requested.emit(self.tree.viewport().mapToGlobal(place))

    def _refill(self) -> None:
        if self._snapshot is not None:
            self.model.show(self._snapshot, self.filter.text())
            self.tree.viewport().update()

    def _rows_inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        self.tree.expand(parent)
        for place in range(first, last + 1):
            index = self.model.index(place, 0, parent)
            if not self.model.tensor_name(index):
                self.tree.setFirstColumnSpanned(place, parent, True)
                self._rows_inserted(index, 0, self.model.rowCount(index) - 1)

    def _current_changed(self, current: QModelIndex) -> None:
        name = self.model.tensor_name(current)
        if name and name != self._selected:
            self._selected = name
            self.controller.select(name)
            self._show_selected()
            self._ask()

    def _show_selected(self) -> None:
        if self._snapshot is not None:
            record = self._snapshot.parameters.get(self._selected)
            self.details.show_record(record, self._snapshot.abilities.edit)

    def _ask(self) -> None:
        if self._snapshot is None:
            return
        tiny: list[str] = []
        for name, record in self._snapshot.parameters.items():
            if is_tiny(record.value) and len(tiny) < _MOST_INLINE:
                tiny += (name, f"{name}.grad")
        self.want([*tiny, *filter(None, [self.details.address])])
