"""The rows of the tensors dock as a Qt model; cards are made when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt

from gradstep_gui.views.tensors.cards import Card, Row, card_of, line_count, rows_of
from gradstep_gui.widgets.model_index import DISPLAY, NO_INDEX

if TYPE_CHECKING:
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.widgets.model_index import ModelIndex

__all__ = ["ROW_ROLE", "CardModel"]

ROW_ROLE = Qt.ItemDataRole.UserRole + 1
"""The role of a `Row`."""


class CardModel(QAbstractListModel):
    """Headings and cards, in the order of the modules."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._snapshot: Snapshot | None = None
        self._rows: tuple[Row, ...] = ()
        self._modules: object = None
        self._shape: object = None
        self._places: dict[str, int] = {}
        self._cards: dict[str, Card] = {}

    def show_snapshot(self, snapshot: Snapshot, wanted: str) -> None:
        """Show a Snapshot; the rows are laid out again only when they differ.

        Args:
            snapshot: The Snapshot.
            wanted: Words to filter tensors by; empty for all.
        """
        self._snapshot = snapshot
        self._cards.clear()
        records = snapshot.parameters
        shape = wanted, list(records), [line_count(record) for record in records.values()]
        if snapshot.modules is self._modules and shape == self._shape:
            return
        self._modules, self._shape = snapshot.modules, shape
        rows = rows_of(snapshot, wanted)
        if rows == self._rows:
            return
        self.beginResetModel()
        self._rows = rows
        self._places = {row.tensor: place for place, row in enumerate(rows) if row.tensor}
        self.endResetModel()

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        """Return the number of headings and cards."""
        return 0 if parent.isValid() else len(self._rows)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The headings and cards."""
        return self._rows

    def row_at(self, index: ModelIndex) -> Row | None:
        """Return the row of an index."""
        return self._rows[index.row()] if 0 <= index.row() < len(self._rows) else None

    def index_of(self, tensor: str) -> QModelIndex:
        """Return the index of a tensor's card; an invalid one when it has none."""
        place = self._places.get(tensor)
        return QModelIndex() if place is None else self.index(place, 0)

    def card(self, tensor: str) -> Card | None:
        """Return the card of a tensor at the current moment."""
        snapshot = self._snapshot
        record = None if snapshot is None else snapshot.parameters.get(tensor)
        if record is None or snapshot is None:
            return None
        if tensor not in self._cards:
            self._cards[tensor] = card_of(record, snapshot)
        return self._cards[tensor]

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        """Return that cards can be selected, and headings cannot."""
        row = self.row_at(index)
        if row is None or row.heading is not None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: ModelIndex, role: int = DISPLAY) -> Any:  # noqa: ANN401 - of any role
        """Return a row, its name, or what a screen reader says of it."""
        row = self.row_at(index)
        if row is None:
            return None
        if role == ROW_ROLE:
            return row
        if row.heading is not None:
            text = f"{row.heading.name} {row.heading.detail}".strip()
            return text if role in {DISPLAY, Qt.ItemDataRole.AccessibleTextRole} else None
        if role == DISPLAY:  # typing a name selects its card
            return row.tensor
        if role == Qt.ItemDataRole.AccessibleTextRole:
            card = self.card(row.tensor)
            return None if card is None else card.spoken
        return None
