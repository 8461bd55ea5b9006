"""The optimizer inspector dock."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, Qt
from PySide6.QtWidgets import QSplitter, QTreeView, QVBoxLayout, QWidget

from gradstep.history.records.tensor import TensorRecord
from gradstep.program.operation import SetHyperparameter
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.labels import caption_text, is_tiny
from gradstep_gui.views.optimizer_inspector.settings import GroupSettings
from gradstep_gui.views.optimizer_inspector.state_tree import (
    OptimizerTensorModel,
    StateColumn,
    has_no_state,
)
from gradstep_gui.widgets.arrays.array_view import ArrayView
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.low_scroll import LowScroll
from gradstep_gui.widgets.number_format import scalar_text
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.tables.cells import CellDelegate
from gradstep_gui.widgets.tables.fitted_columns import FittedColumns
from gradstep_gui.widgets.tables.table import style_tree
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QPoint

    from gradstep.history.records.event import Event
    from gradstep.history.records.snapshot import OptimizerRecord, Snapshot
    from gradstep.history.records.tensor import ParameterRecord
    from gradstep.program.listing import Listing
    from gradstep_gui.views.model import ViewModel
    from gradstep_gui.views.optimizer_inspector.state_tree import BufferRow

__all__ = ["OptimizerInspectorView"]

_MOST_INLINE = 64
_HANDLES = 20
"""The height of what is between the parts."""

_WIDTHS: tuple[dict[int, int], ...] = (
    {StateColumn.NAME: 160, StateColumn.VALUE: 100},
    {StateColumn.MINIMUM: 70, StateColumn.MAXIMUM: 70},
)
"""The first two are as wide as "momentum_buffer" and a norm, which nothing else must cut."""


class OptimizerInspectorView(DockView):
    """One group of one optimizer: its settings, its tensors, and the values of one buffer."""

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "optimizer_inspector", parent)
        self._snapshot: Snapshot | None = None
        self._listing: Listing | None = None
        self._address = ""
        controller.selected_changed.connect(self._follow)
        self.settings = GroupSettings(controller, self)
        self.settings.chosen.connect(self._show)
        self.model = OptimizerTensorModel(self)
        self.tree = self._make_tree()
        self.array_view = ArrayView(self)
        self.array_view.menu_requested.connect(
            lambda index, place: self.value_menu_requested.emit(self._address, index, place)
        )
        self.array_place = Placeholder(self.array_view, "", self)
        self._caption = ElidedLabel(self)
        self._caption.setFont(emphasis_font(self.font()))
        values = QWidget(self)
        values_column = QVBoxLayout(values)
        values_column.setContentsMargins(8, 4, 8, 6)
        values_column.setSpacing(4)
        values_column.addWidget(self._caption)
        values_column.addWidget(self.array_place, 1)
        self.place = Placeholder(
            LowScroll(_Content(self.settings, self.tree, values), self),
            self.tr("Open a program to see its optimizers here."),
            self,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)

    @property
    def address(self) -> str:
        """The address of the buffer whose values are shown; empty when there is none."""
        return self._address

    def select(self, address: str) -> None:
        """Select a buffer by its address."""
        index = self.model.index_of_buffer(address)
        if index.isValid():
            self.tree.setCurrentIndex(index)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show a Snapshot."""
        before, self._snapshot = self._snapshot, snapshot
        others, self._listing = self._listing, self.controller.listing
        if before is not None and others is self._listing and _is_alike(before, snapshot):
            return
        if not snapshot.optimizers:
            is_script = snapshot.abilities.has_lines
            sentence = (
                self.tr("The script has not used an optimizer yet.")
                if is_script
                else self.tr("This program has no optimizer.")
            )
            self.place.show_sentence(sentence)
            return
        self.place.show_content()
        self.settings.show_moment(snapshot)
        self._show()

    def _follow(self, tensor: str) -> None:
        """Select a buffer of a tensor, of the same kind as before if possible."""
        before, key = _parts(self._address)
        of_tensor = [each for each in self.model.buffers if _parts(each.address)[0] == tensor]
        if before != tensor and of_tensor:
            same_kind = [buffer for buffer in of_tensor if buffer.key == key]
            self.select(self._first(same_kind or of_tensor))

    def _first(self, buffers: Sequence[BufferRow]) -> str:
        """Return the address of the first array: it is more useful than a step count."""
        addresses = [buffer.address for buffer in buffers]
        arrays = [each for each in addresses if isinstance(self.model.value(each), TensorRecord)]
        return next(iter(arrays or addresses), "")

    def _make_tree(self) -> QTreeView:
        tree = QTreeView(self)
        tree.setModel(self.model)
        tree.setItemDelegate(CellDelegate(tree))
        style_tree(tree, self.tr("Held tensors and their state"))
        FittedColumns(tree, tree.header(), _WIDTHS)
        tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tree.customContextMenuRequested.connect(self._point_at_row)
        tree.selectionModel().currentChanged.connect(self._current_changed)
        self.model.rowsInserted.connect(self._rows_inserted)
        return tree

    def _point_at_row(self, place: QPoint) -> None:
        address = self.model.address_at(self.tree.indexAt(place))
        if address:
            self.value_menu_requested.emit(address, (), self.tree.viewport().mapToGlobal(place))

    def _rows_inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        self.tree.expand(parent)
        if not parent.isValid():
            for place in range(first, last + 1):
                self.tree.setFirstColumnSpanned(place, parent, True)
                self.tree.expand(self.model.index(place, 0))

    def _show(self) -> None:
        snapshot, optimizer, group = self._snapshot, self.settings.optimizer, self.settings.group
        if snapshot is None or optimizer is None or group is None:
            return
        self.model.show(snapshot, optimizer, group)
        self.tree.viewport().update()
        if self._address not in [buffer.address for buffer in self.model.buffers]:
            self._address = ""
            self._follow(self.controller.selected)
            if not self._address:
                self.select(self._first(self.model.buffers))
        self._show_array(optimizer)
        self._ask()

    def _current_changed(self, current: QModelIndex) -> None:
        buffer = self.model.buffer_at(current)
        optimizer = self.settings.optimizer
        if buffer is not None and optimizer is not None and buffer.address != self._address:
            self._address = buffer.address
            if self.tree.hasFocus():  # the user selected it
                self.controller.select(_parts(buffer.address)[0])
            self._show_array(optimizer)
            self._ask()

    def _show_array(self, optimizer: OptimizerRecord) -> None:
        value = self.model.value(self._address)
        self._caption.setVisible(value is not None)
        tensor, key = _parts(self._address)
        self._caption.setText(self.tr("{0} of {1}").format(key, tensor))
        if value is None:
            self.array_place.show_sentence(self._why_empty(optimizer))
        elif not isinstance(value, TensorRecord):
            self.array_place.show_sentence(f"{key} = {scalar_text(value)}")
        elif not value.is_recorded:
            self.array_place.show_sentence(
                self.tr("{0} was not recorded here.").format(self._address)
            )
        elif value.array is None:
            self.array_place.show_sentence(self.tr("Loading {0}…").format(self._address))
        else:
            self.array_view.show_array(value.array, caption_text(value))
            self.array_place.show_content()

    def _why_empty(self, optimizer: OptimizerRecord) -> str:
        group = self.settings.group
        if group is not None and has_no_state(optimizer, group):
            text = self.tr("{0} keeps no state for these tensors while momentum is 0.")
        elif optimizer.steps == 0:
            text = self.tr("No state yet: {0} creates it in the first Step.")
        elif self._snapshot is not None and self._snapshot.abilities.diverge:
            text = self.tr("{0} has no state for these tensors.")  # a script may have any class
        else:
            text = self.tr("{0} has no state for these tensors: no Step found a gradient.")
        return text.format(optimizer.kind)

    def _ask(self) -> None:
        tiny = [
            buffer.address
            for buffer in self.model.buffers
            if isinstance(value := self.model.value(buffer.address), TensorRecord)
            and is_tiny(value)
        ]
        self.want([*tiny[:_MOST_INLINE], *filter(None, [self._address])])


class _Content(QWidget):
    """The settings above the state and the values, which are left out where that is too low."""

    def __init__(self, settings: QWidget, tree: QWidget, values: QWidget) -> None:
        super().__init__()
        self._values = values
        self._others = (settings, tree)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(settings)  # first, so that the Tab key comes to it first
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.addWidget(tree)
        splitter.addWidget(values)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 1)
        column.addWidget(splitter, 1)

    def event(self, event: QEvent) -> bool:
        """Show the values where there is room for them, whatever has changed."""
        if event.type() in {QEvent.Type.LayoutRequest, QEvent.Type.Resize}:
            seen = self.parentWidget() or self
            parts = (*self._others, self._values)
            needed = sum(_least_height(part, seen.width()) for part in parts) + _HANDLES
            self._values.setVisible(needed <= seen.height())
        return super().event(event)


def _least_height(part: QWidget, width: int) -> int:
    """Return the height that a part needs at least, also for texts that wrap in this width."""
    layout = part.layout()
    wrapped = layout.minimumHeightForWidth(width) if layout is not None else 0
    return max(part.minimumSizeHint().height(), wrapped)


def _is_alike(before: Snapshot, now: Snapshot) -> bool:
    """Return whether two Snapshots look the same here, as a Forward leaves them."""
    return (
        _event_of(before) == _event_of(now)
        and before.abilities == now.abilities
        and before.findings == now.findings
        and before.optimizers == now.optimizers
        and before.parameters.keys() == now.parameters.keys()
        and all(map(_has_same_state, before.parameters.values(), now.parameters.values()))
    )


def _event_of(snapshot: Snapshot) -> Event | None:
    """Return the Event of a moment when it changed something here, or should have."""
    event, optimizers = snapshot.event, tuple(f"{name}/" for name in snapshot.optimizers)
    if event is None or isinstance(event.operation, SetHyperparameter):
        return event
    return event if any(name.startswith(optimizers) for name in snapshot.changed) else None


def _has_same_state(one: ParameterRecord, other: ParameterRecord) -> bool:
    """Return whether the optimizers hold the very same records for a tensor."""
    if one is other:
        return True
    return one.buffers.keys() == other.buffers.keys() and all(
        state.keys() == others.keys() and all(map(is_, state.values(), others.values()))
        for state, others in zip(one.buffers.values(), other.buffers.values(), strict=True)
    )


def _parts(address: str) -> tuple[str, str]:
    """Return the tensor and the key of a buffer."""
    tensor, _, key = address.partition("/")[2].rpartition("/")
    return tensor, key
