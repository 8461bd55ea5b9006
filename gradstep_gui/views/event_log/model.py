"""The model of the event log, which reads only the Events that are visible."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, QTimer

from gradstep_gui.theme import kind_of
from gradstep_gui.views.event_log.cells import EventColumn, RowContext, event_cell, start_cell
from gradstep_gui.widgets.model_index import DISPLAY, NO_INDEX, ModelIndex
from gradstep_gui.widgets.tables.cells import Title

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from gradstep.history.records.event import Event
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["EVERYTHING", "FAILED", "EventModel"]

EVERYTHING, FAILED = "", "failed"
"""Filters besides the kinds of Operations."""

_NUMBERS = {EventColumn.INDEX, EventColumn.ITERATION, EventColumn.LOSS}
_PAGE = 64
_MOST_CACHED = 64 * _PAGE
"""Events that are kept because they were shown; a long run shows others in each picture."""
_SCAN = 4000
"""Events scanned at a time while a filter is applied: a few milliseconds of work."""


class EventModel(QAbstractTableModel):
    """Row 0 is the start, row n is Event n; with a filter, only the Events that pass it."""

    def __init__(self, controller: ViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._snapshot: Snapshot | None = None
        self._rows = 0
        self._shown: tuple[object, ...] | None = None
        self._cache: dict[int, Event] = {}
        self._filter = EVERYTHING
        self._passed = array("q")
        self._scanned = 0
        self._scanned_log: int | None = None
        self._scanner = QTimer(self, interval=0)
        self._scanner.timeout.connect(self._scan)
        tr = self.tr
        self._titles = (
            Title(tr("Event"), tr("Counted from 1; the arrow marks the current event")),
            Title(tr("Iteration"), tr("Iterations completed before it")),
            Title(tr("Operation"), tr("What ran, and on what")),
            Title(tr("Line"), tr("The line of the script that did it")),
            Title(tr("Outcome"), tr("ok or failed; a failed operation changes nothing")),
            Title(tr("Loss"), tr("The loss that it computed")),
            Title(tr("Read"), tr("What it read")),
            Title(tr("Wrote"), tr("What it wrote, or the error and its remedy")),
        )

    @property
    def cursor(self) -> int:
        """The index of the current Event."""
        return 0 if self._snapshot is None else self._snapshot.event_index

    def show(self, snapshot: Snapshot) -> None:
        """Show the log at a new Snapshot.

        Events that were shown before stay as they are: of these only the rows from the cursor
        before to that of now look different.
        """
        cursor, shown = self.cursor, self._shown
        self._snapshot = snapshot
        self._shown = self._looks_of(snapshot)
        stays = self._shown is not None and self._shown == shown
        if not stays:
            self._cache.clear()
        if self._filter:
            self._scan()
        else:
            self._set_rows(self._controller.events_count() + 1)
        ends = sorted((cursor, self.cursor)) if stays else (0, self._controller.events_count())
        first, last = self._row_of(ends[0]), min(self._row_of(ends[1]), self._rows - 1)
        if first <= last:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(EventColumn) - 1))

    def set_filter(self, wanted: str) -> None:
        """Show one kind of Operation, failed Events, or everything."""
        self.beginResetModel()
        self._filter = wanted
        self._forget_scan()
        self._rows = 0 if wanted or self._snapshot is None else self._controller.events_count() + 1
        self.endResetModel()
        if wanted:
            self._scan()

    def event_index(self, row: int) -> int:
        """Return the index of the Event in a row; 0 for the start."""
        return self._passed[row] if self._filter else row

    def event_at(self, row: int) -> Event | None:
        """Return the Event in a row; None for the start."""
        index = self.event_index(row)
        if index == 0:
            return None
        if index not in self._cache:
            first = (index - 1) // _PAGE * _PAGE
            page = self._controller.events_slice(first, first + _PAGE)
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            self._cache.update((event.index, event) for event in page)
        return self._cache.get(index)

    def current_row(self) -> int:
        """Return the row of the current Event; -1 when it does not pass the filter."""
        if not self._filter:
            return self.cursor if self.cursor < self._rows else -1
        row = self._row_of(self.cursor)
        return row if row < len(self._passed) and self._passed[row] == self.cursor else -1

    def _row_of(self, event: int) -> int:
        """Return the row of an Event, or of the next one that passes the filter."""
        return bisect_left(self._passed, event) if self._filter else event

    def _looks_of(self, snapshot: Snapshot) -> tuple[object, ...] | None:
        """Return what rows look like besides the cursor; None where the log may be another one."""
        columns = self._controller.events_columns(0, 0)
        hits = self._controller.breakpoints.current.hits
        return None if columns is None else (columns.log, tuple(snapshot.parameters), hits)

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else self._rows

    def columnCount(self, _parent: ModelIndex = NO_INDEX) -> int:
        """Return the number of columns."""
        return len(EventColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = DISPLAY) -> Any:  # noqa: ANN401 - the type depends on the role
        """Return a column's title or tooltip."""
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.TextAlignmentRole and section in _NUMBERS:
                return int(Qt.AlignmentFlag.AlignCenter)
            return self._titles[section].answer(role)
        return super().headerData(section, orientation, role)

    def data(self, index: ModelIndex, role: int = DISPLAY) -> Any:  # noqa: ANN401 - the type depends on the role
        """Return a cell's text, tooltip or alignment."""
        if not index.isValid() or self._snapshot is None:
            return None
        place = self.event_index(index.row())
        line = RowContext(
            place == self.cursor,
            place > self.cursor,
            self._snapshot.parameters.keys(),
            place in self._controller.breakpoints.current.hits,
        )
        column = EventColumn(index.column())
        event = self.event_at(index.row())
        if event is not None:
            return event_cell(column, event, line).answer(role)
        return start_cell(column, line).answer(role) if place == 0 else None

    def _set_rows(self, rows: int) -> None:
        if rows > self._rows:
            self.beginInsertRows(QModelIndex(), self._rows, rows - 1)
            self._rows = rows
            self.endInsertRows()
        elif rows < self._rows:
            self.beginRemoveRows(QModelIndex(), rows, self._rows - 1)
            self._rows = rows
            self.endRemoveRows()

    def _forget_scan(self) -> None:
        self._passed = array("q")
        self._scanned = 0

    def _scan(self) -> None:
        """Scan more of the log, or another log from its start."""
        columns = self._controller.events_columns(0, 0)
        log = None if columns is None else columns.log
        if log != self._scanned_log:
            self._scanned_log = log
            self._forget_scan()
            self._set_rows(0)
        events = self._controller.events_slice(self._scanned, self._scanned + _SCAN)
        for event in events:
            if self._passes(event):
                self._passed.append(event.index)
        if events:
            self._scanned += len(events)
        self._set_rows(len(self._passed))
        if self._filter and self._scanned < self._controller.events_count():
            self._scanner.start()
        else:
            self._scanner.stop()

    def _passes(self, event: Event) -> bool:
        if self._filter == FAILED:
            return not event.outcome.ok
        return kind_of(event.operation) == self._filter
