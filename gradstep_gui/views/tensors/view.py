"""The tensors dock."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QListView, QVBoxLayout

from gradstep.history.records.tensor import TensorRecord
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.tensors.delegate import CardDelegate
from gradstep_gui.views.tensors.model import ROW_ROLE, CardModel
from gradstep_gui.widgets.fields import FilterField
from gradstep_gui.widgets.placeholder import Placeholder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QResizeEvent
    from PySide6.QtWidgets import QWidget

    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.tensor import ParameterRecord
    from gradstep_gui.views.model import ViewModel

__all__ = ["TensorsView"]

FILTERED_FROM = 9
"""The number of tensors from which on the filter is shown."""

_MOST_ELEMENTS = 2_000_000
"""Elements that are requested for pictures of visible cards: 8 MB an Event."""

_FEW, _LARGEST, _LETTERS = 12, 1.6, 36
"""So many tensors are set in larger type, at most so much larger, for lines of so many letters."""

_ROUNDED = 0.95
"""Lines and letters are rounded up to pixels: what would just fit would not."""

_SCROLL_MS = 60
"""How long a scroll must rest before the values of the cards in sight are requested."""


class TensorsView(DockView):
    """One card a tensor: `data`, `grad` and optimizer state, with what just changed marked.

    Only the cards in sight are drawn, and only their values are requested.
    """

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "tensors", parent)
        self._snapshot: Snapshot | None = None
        self._needed: tuple[object, QSize] = (None, QSize())
        controller.selected_changed.connect(self.select)
        self.filter = FilterField(self.tr("Filter tensors by name"), self)
        self.filter.textChanged.connect(self._refill)
        self.filter.setVisible(False)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self._find)
        self.model = CardModel(self)
        self.list = self._make_list()
        self.delegate = CardDelegate(self.list, self.model)
        self.list.setItemDelegate(self.delegate)
        self._soon = QTimer(self, interval=_SCROLL_MS, singleShot=True)
        self._soon.timeout.connect(self._ask)
        self.list.verticalScrollBar().valueChanged.connect(lambda _: self._soon.start())
        self.place = Placeholder(
            self.list, self.tr("Open a program to see its tensors here."), self
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.filter)
        layout.addWidget(self.place, 1)

    @property
    def selected(self) -> str:
        """The name of the tensor whose card is selected; empty for none."""
        row = self.model.row_at(self.list.currentIndex())
        return "" if row is None else row.tensor

    @Slot(str)
    def select(self, name: str) -> None:
        """Select the card of a tensor."""
        index = self.model.index_of(name)
        if index.isValid() and name != self.selected:
            self.list.setCurrentIndex(index)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show a Snapshot."""
        self._snapshot = snapshot
        count = len(snapshot.parameters)
        self.filter.setVisible(count >= FILTERED_FROM or bool(self.filter.text()))
        if not count:
            self.place.show_sentence(self.tr("This program has no tensors."))
            return
        self._refill()
        self._fit_type()
        self._ask()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the type, and request the values of the cards that have come in sight."""
        super().resizeEvent(event)
        self._fit_type()
        self._soon.start()

    def changeEvent(self, event: QEvent) -> None:
        """Measure the cards again in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._needed = (None, QSize())
            self.delegate.measure()
            self._fit_type()

    def _make_list(self) -> QListView:
        made = QListView(self)
        made.setModel(self.model)
        made.setAccessibleName(self.tr("Tensors"))
        made.setFrameShape(QFrame.Shape.NoFrame)
        made.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        made.verticalScrollBar().setSingleStep(24)
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        made.setResizeMode(QListView.ResizeMode.Adjust)
        made.setMouseTracking(False)
        made.viewport().setAutoFillBackground(False)
        made.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        made.customContextMenuRequested.connect(self._request_menu)
        made.selectionModel().currentChanged.connect(self._current_changed)
        return made

    def _fit_type(self) -> None:
        """Set a few tensors in larger type, if there is room: they are the picture then."""
        if self._snapshot is None or len(self._snapshot.parameters) > _FEW:
            self.delegate.measure(1.0)
            return
        room, rows = self.place.size(), self.model.rows
        # As wide as they have ever been, so that the type does not change with every value.
        key, known = (tuple(row.tensor for row in rows), room), self._needed
        needed = self.delegate.natural_size(rows)
        if known[0] == key:
            needed = needed.expandedTo(known[1])
        self._needed = key, needed
        usual = _LETTERS * self.fontMetrics().averageCharWidth()
        scale = min(
            room.width() / max(needed.width(), usual), room.height() / max(needed.height(), 1)
        )
        self.delegate.measure(min(_LARGEST, max(1.0, _ROUNDED * scale)))

    @Slot()
    def _refill(self) -> None:
        if self._snapshot is None:
            return
        before = self.selected
        self.model.show_snapshot(self._snapshot, self.filter.text())
        if self.model.rowCount():
            self.place.show_content()
        else:
            self.place.show_sentence(
                self.tr("No tensor has “{0}” in its name.").format(self.filter.text())
            )
        self.select(self.controller.selected or before)
        self.list.viewport().update()

    @Slot()
    def _find(self) -> None:
        self.filter.setVisible(True)
        self.filter.setFocus()

    @Slot(QModelIndex)
    def _current_changed(self, current: QModelIndex) -> None:
        row = self.model.row_at(current)
        if row is not None and row.tensor and row.tensor != self.controller.selected:
            self.controller.select(row.tensor)

    def _request_menu(self, place: QPoint) -> None:
        """Request the menu of the value at a place of the list."""
        index = self.list.indexAt(place)
        row = self.model.row_at(index)
        card = None if row is None else self.model.card(row.tensor)
        if card is None:
            return
        line = self.delegate.line_at(self.list.visualRect(index), place.y(), card)
        address = card.name if line is None or not line.address else line.address
        self.list.setCurrentIndex(index)
        self.value_menu_requested.emit(address, (), self.list.viewport().mapToGlobal(place))

    @Slot()
    def _ask(self) -> None:
        """Request the values of the cards in sight, as far as there is room for them."""
        if self._snapshot is None:
            return
        left, wanted = _MOST_ELEMENTS, []
        for name in self._names_in_sight():
            record = self._snapshot.parameters.get(name)
            for address, size in () if record is None else _values(record):
                if size <= left:
                    left -= size
                    wanted.append(address)
        self.want(wanted)

    def _names_in_sight(self) -> Iterator[str]:
        view = self.list.viewport()
        first = self.list.indexAt(view.rect().topLeft())
        start = first.row() if first.isValid() else 0
        for place in range(start, self.model.rowCount()):
            index = self.model.index(place, 0)
            if self.list.visualRect(index).top() > view.height():
                break
            if tensor := index.data(ROW_ROLE).tensor:
                yield tensor


def _values(record: ParameterRecord) -> Iterator[tuple[str, int]]:
    """Yield the addresses on the card of a tensor, and how many elements each has."""
    yield record.name, math.prod(record.value.shape)
    if not record.is_buffer:
        yield f"{record.name}.grad", math.prod(record.value.shape)
    for holder, state in record.buffers.items():
        for key, value in state.items():
            if isinstance(value, TensorRecord):
                yield f"{holder}/{record.name}/{key}", math.prod(value.shape)
