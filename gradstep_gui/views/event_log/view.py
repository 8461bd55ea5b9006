"""The event log dock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gradstep.history.records.what_if import Edits
from gradstep.program.operation import LoadState
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.event_log.cells import EventColumn, index_text
from gradstep_gui.views.event_log.details import EventDetails
from gradstep_gui.views.event_log.model import EVERYTHING, FAILED, EventModel
from gradstep_gui.views.labels import KIND_TITLES, kind_title
from gradstep_gui.widgets.buttons import ToggleButton
from gradstep_gui.widgets.fonts import digits_font
from gradstep_gui.widgets.number_format import count_text
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.tables.cells import CELL_MARGINS, CellDelegate
from gradstep_gui.widgets.tables.fitted_columns import FittedColumns
from gradstep_gui.widgets.tables.table import on_enter, style_table

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QResizeEvent

    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["EventLogView"]

_LINE_WIDTH, _MOST_LINE_WIDTH = 120, 240
_WIDTHS: tuple[dict[int, int], ...] = (
    {
        EventColumn.INDEX: 62,
        EventColumn.ITERATION: 62,
        EventColumn.OPERATION: 160,
        EventColumn.LOSS: 90,
    },
    {},
    {EventColumn.WROTE: 146},
    {EventColumn.READ: 146},
    {EventColumn.OUTCOME: 68},
)
_LINES = 1
"""The group of widths to which the column of lines is added, for a script."""
_WIDE = 700


class EventLogView(DockView):
    """Every Event in a table, with the details of the selected one."""

    what_if_requested = Signal(int)
    """The user asks for a what-if from this Event."""

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "event_log", parent)
        self._model = controller
        self._scrolling = False
        self.model = EventModel(controller, self)
        self.filter = self._make_filter()  # before the table in the tab order
        self.follow = ToggleButton(
            self.tr("Follow"), self.tr("Keep the current event visible"), self
        )
        self.follow.setChecked(True)
        self.table = self._make_table()
        self.menu = QMenu(self)
        self.menu.setToolTipsVisible(True)
        self.details = EventDetails(self)
        self.follow.toggled.connect(self._go_to_current)
        self._count = QLabel(self)
        self._count.setFont(digits_font(self.font()))

        bar = QHBoxLayout()
        bar.setContentsMargins(4, 4, 4, 0)
        bar.addWidget(self.filter)
        bar.addWidget(self.follow)
        bar.addStretch(1)
        bar.addWidget(self._count)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.addWidget(self.table)
        self._splitter.addWidget(self.details)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 1)
        content = QWidget(self)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(bar)
        column.addWidget(self._splitter, 1)
        self.place = Placeholder(
            content,
            self.tr("Open a program to see its events here."),
            self,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show a Snapshot."""
        self.place.show_content()
        self.model.show(snapshot)
        words = self.tr("event {0} of {1}").format(
            count_text(snapshot.event_index), count_text(snapshot.event_count)
        )
        self._count.setText(words)
        longest = index_text(snapshot.event_count, is_current=True, is_hit=True)
        width = self.table.fontMetrics().horizontalAdvance(longest) + CELL_MARGINS
        self._columns.make_room(EventColumn.INDEX, width)
        has_lines = snapshot.abilities.has_lines
        if has_lines and snapshot.event is not None:
            width = self.table.fontMetrics().horizontalAdvance(snapshot.event.operation.at)
            self._columns.want(EventColumn.LINE, min(_MOST_LINE_WIDTH, width + CELL_MARGINS))
        self._columns.set_group(_LINES, {EventColumn.LINE: _LINE_WIDTH} if has_lines else {})
        self._go_to_current()
        self._show_selected()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the details beside the table where there is room, else below it."""
        wide = event.size().width() >= _WIDE
        self._splitter.setOrientation(
            Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        )
        super().resizeEvent(event)
        self._go_to_current()

    def _make_table(self) -> QTableView:
        table = QTableView(self)
        table.setModel(self.model)
        table.setItemDelegate(CellDelegate(table))
        style_table(table, self.tr("Events"))
        header = table.horizontalHeader()
        growing = (EventColumn.READ, EventColumn.WROTE)
        self._columns = FittedColumns(table, header, _WIDTHS, growing)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        table.clicked.connect(self._seek)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._show_menu)
        table.selectionModel().currentRowChanged.connect(self._show_selected)
        table.verticalScrollBar().valueChanged.connect(self._scrolled)
        on_enter(table, lambda row: self._seek(self.model.index(row, 0)))
        return table

    def _make_filter(self) -> QComboBox:
        box = QComboBox(self)
        for part in (box, box.view()):
            part.setAccessibleName(self.tr("Filter events"))
        box.addItem(self.tr("All Events"), EVERYTHING)
        box.addItem(self.tr("Failed Events"), FAILED)
        for kind in KIND_TITLES:
            box.addItem(kind_title(kind), kind)
        box.currentIndexChanged.connect(self._filter_changed)
        return box

    def _filter_changed(self) -> None:
        self.model.set_filter(self.filter.currentData())
        self._go_to_current()

    def _seek(self, index: QModelIndex) -> None:
        if index.isValid():
            self.controller.seek(self.model.event_index(index.row()))

    def _show_menu(self, place: QPoint) -> None:
        index = self.table.indexAt(place)
        if index.isValid() and self.fill_menu(index.row()):
            self.menu.popup(self.table.viewport().mapToGlobal(place))

    def fill_menu(self, row: int) -> bool:
        """Fill the menu for the Event in a row; return False when there is nothing to offer."""
        event = self.model.event_at(row)
        self.menu.clear()
        if event is None or self.controller.state.work != "paused":
            return False
        index = event.index
        go = self.menu.addAction(self.tr("Go to Event {0}").format(count_text(index)))
        go.triggered.connect(lambda: self.controller.seek(index))
        self._offer_loading(index)
        self.menu.addSeparator()
        skip = self.menu.addAction(self.tr("What If Skipped"))
        skip.setObjectName("event_log.what_if_skip")
        skip.triggered.connect(lambda: self._model.branches.what_if(Edits(skip=(index,))))
        ask = self.menu.addAction(self.tr("What If from Here…"))
        ask.setObjectName("event_log.what_if_ask")
        ask.triggered.connect(lambda: self.what_if_requested.emit(index))
        snapshot = self.controller.snapshot
        for entry in (skip, ask):
            _grey(entry, "" if snapshot is None else snapshot.abilities.document)
        return True

    def _offer_loading(self, index: int) -> None:
        """Offer to load the state after a past Event."""
        snapshot = self.controller.snapshot
        if snapshot is None or index > snapshot.event_index:
            return
        self.menu.addSeparator()
        for words, name, operation in (
            (self.tr("Load the State After This Event"), "load", LoadState(index)),
            (self.tr("Load Modules Only"), "load_modules", LoadState(index, ("modules",))),
        ):
            entry = self.menu.addAction(words)
            entry.setObjectName(f"event_log.{name}")
            entry.triggered.connect(
                lambda _checked=False, chosen=operation: self.controller.apply(chosen)
            )
            _grey(entry, snapshot.abilities.diverge)

    def _go_to_current(self) -> None:
        row = self.model.current_row()
        if self.follow.isChecked() and row >= 0:
            self._scrolling = True
            self.table.selectRow(row)
            self.table.scrollTo(self.model.index(row, 0))
            self._scrolling = False

    def _scrolled(self) -> None:
        """Stop following when the user scrolls away from the current Event."""
        if self._scrolling:
            return
        row = self.model.current_row()
        first = self.table.rowAt(0)
        last = self.table.rowAt(self.table.viewport().height() - 1)
        in_sight = first <= row and (last < 0 or row <= last)
        self.follow.setChecked(in_sight)

    def _show_selected(self) -> None:
        index = self.table.currentIndex()
        event = self.model.event_at(index.row()) if index.isValid() else None
        if event is None:
            self.details.show_start()
        else:
            self.details.show_event(event)


def _grey(entry: QAction, obstacle: str) -> None:
    """Disable an entry that something prevents, and say so in its tooltip."""
    if obstacle:
        entry.setEnabled(False)
        entry.setToolTip(obstacle)
