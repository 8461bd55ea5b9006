"""The selected tensor: data, gradient and optimizer state, in tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gradstep.history.records.tensor import TensorRecord
from gradstep_gui.views.labels import caption_text, shape_and_dtype_text
from gradstep_gui.widgets.arrays.array_view import ArrayView
from gradstep_gui.widgets.bars import CompactTabBar
from gradstep_gui.widgets.fonts import digits_font, emphasis_font
from gradstep_gui.widgets.number_format import number_text
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent

    from gradstep.history.records.tensor import ParameterRecord

__all__ = ["TensorDetails"]


class TensorDetails(QWidget):
    """Shows one `ParameterRecord`; emits `address_changed` when another tab is selected."""

    address_changed = Signal()

    entered = Signal(str, tuple, float)
    """An element of a tensor's data was edited: its name, the index, the new value."""

    value_menu_requested = Signal(str, tuple, QPoint)
    """The user opens the context menu of an address or an element; see `DockView`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._record: ParameterRecord | None = None
        self._obstacle = ""
        self._addresses: tuple[str, ...] = ()
        self._title = ElidedLabel(self)
        self._title.setFont(emphasis_font(self.font()))
        self._kind = QLabel(self)
        self._kind.setFont(digits_font(self.font()))
        self._kind.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._tabs = CompactTabBar(self.tr("Show"), self)
        self._tabs.currentChanged.connect(self._tab_changed)
        self.array_view = ArrayView(self)
        self.array_view.entered.connect(self._enter)
        self.array_view.menu_requested.connect(
            lambda index, place: self.value_menu_requested.emit(self.address, index, place)
        )
        self.place = Placeholder(self.array_view, "", self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 6)
        layout.setSpacing(4)
        line = QHBoxLayout()
        line.addWidget(self._title, 1)
        line.addWidget(self._kind)
        layout.addLayout(line)
        layout.addWidget(self._tabs)
        layout.addWidget(self.place, 1)

    @property
    def address(self) -> str:
        """The address of the shown array; empty without a tensor."""
        place = self._tabs.currentIndex()
        return self._addresses[place] if 0 <= place < len(self._addresses) else ""

    @property
    def tabs(self) -> CompactTabBar:
        """Data, grad, and each buffer."""
        return self._tabs

    def show_record(self, record: ParameterRecord | None, obstacle: str = "") -> None:
        """Show a tensor, with the same tab as before if possible.

        Args:
            record: The tensor; None for none.
            obstacle: Why its values cannot be edited; empty if they can be.
        """
        self._record, self._obstacle = record, obstacle
        parts = _parts(record)
        addresses = tuple(parts)
        if addresses != self._addresses:
            self._set_tabs(addresses)
        self._title.setText("" if record is None else record.name)
        self._kind.setText("" if record is None else shape_and_dtype_text(record.value))
        self._show_part()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the context menu of a tab, or of the shown array."""
        tab = self._tabs.tabAt(self._tabs.mapFrom(self, event.pos()))
        address = self._addresses[tab] if tab >= 0 else self.address
        if address:
            self.value_menu_requested.emit(address, (), event.globalPos())

    def _set_tabs(self, addresses: tuple[str, ...]) -> None:
        several = len({_holder(address) for address in addresses}) > 2  # noqa: PLR2004 - "" and one
        titles = [self._tab_title(address, several=several) for address in addresses]
        self._tabs.set_titles(titles, addresses)
        self._addresses = addresses

    def _tab_title(self, address: str, *, several: bool) -> str:
        if "/" in address:
            holder, _, rest = address.partition("/")
            buffer = rest.rpartition("/")[2]
            return f"{holder}: {buffer}" if several else buffer
        return "grad" if address.endswith(".grad") else "data"

    def _tab_changed(self) -> None:
        self._show_part()
        self.address_changed.emit()

    def _show_part(self) -> None:
        part = _parts(self._record).get(self.address)
        if self._record is None:
            self.place.show_sentence(self.tr("Select a tensor above to see its values."))
        elif part is None:
            self.place.show_sentence(
                self.tr(
                    "{0} is None, which is not zero: no Backward has written it since the "
                    "tensor was created or Zero Grad cleared it."
                ).format(self.address)
            )
        elif not isinstance(part, TensorRecord):
            self.place.show_sentence(
                f"{self._tabs.tabText(self._tabs.currentIndex())} = {number_text(part)}"
            )
        elif not part.is_recorded:
            self.place.show_sentence(
                self.tr(
                    "{0} was not recorded here: the recording has it in every few iterations."
                ).format(self.address)
            )
        elif part.array is None:
            self.place.show_sentence(self.tr("Loading {0}…").format(self.address))
        else:
            is_data = self.address == self._record.name
            self.array_view.table.set_editable(
                is_data and not self._obstacle, self._obstacle if is_data else ""
            )
            self.array_view.show_array(part.array, caption_text(part))
            self.place.show_content()

    def _enter(self, index: tuple[int, ...], value: float) -> None:
        if self._record is not None:
            self.entered.emit(self._record.name, index, value)


def _parts(record: ParameterRecord | None) -> dict[str, TensorRecord | float | None]:
    if record is None:
        return {}
    parts: dict[str, TensorRecord | float | None] = {record.name: record.value}
    if not record.is_buffer:
        parts[f"{record.name}.grad"] = record.gradient
    for holder, state in record.buffers.items():
        for key, buffer in state.items():
            parts[f"{holder}/{record.name}/{key}"] = buffer
    return parts


def _holder(address: str) -> str:
    return address.partition("/")[0] if "/" in address else ""
