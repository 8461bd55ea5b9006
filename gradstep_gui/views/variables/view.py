"""The variables dock: where a held script stands, and what the names there stand for."""

from __future__ import annotations

from math import prod
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from gradstep.history.records.variables import HeldVariables, TensorValues, VariableRecord
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.labels import caption_text
from gradstep_gui.views.model import ViewModel
from gradstep_gui.views.variables.tree import VariableTree, kind_text
from gradstep_gui.widgets.arrays.array_view import ArrayView
from gradstep_gui.widgets.bars import CompactTabBar
from gradstep_gui.widgets.fonts import digits_font, emphasis_font
from gradstep_gui.widgets.number_format import count_text
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Collection

    from PySide6.QtCore import SignalInstance

    from gradstep.history.records.snapshot import Snapshot

__all__ = ["VariablesView"]


class VariableModel(Protocol):
    """What may be asked about the variables of a script."""

    @property
    def answered(self) -> SignalInstance:
        """Emitted with `HeldVariables`."""

    @property
    def values_answered(self) -> SignalInstance:
        """Emitted with `TensorValues`."""

    def ask(self, frame: int, opened: Collection[str]) -> None:
        """Ask for the variables of a frame, 0 for the innermost, and for what some hold."""

    def ask_values(self, address: str, shape: tuple[int, ...]) -> None:
        """Ask for the values of a tensor."""


class VariablesModel(ViewModel, Protocol):
    """The controller, as the variables dock sees it."""

    @property
    def variables(self) -> VariableModel:
        """What may be asked about variables."""


class VariablesView(DockView):
    """The stack as a box of frames, the variables of one as a tree, and a chosen tensor's values.

    Args:
        controller: The controller.
    """

    frame_chosen = Signal(str, int)
    """The user has chosen a frame: the path of its file, and the line where it is."""

    def __init__(self, controller: VariablesModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "variables", parent)
        self._requests = controller.variables
        self._held = HeldVariables()
        self._chosen = ""  # the path of the variable whose values are shown
        self.frames = QComboBox(self)
        self.frames.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.frames.setToolTip(self.tr("The calls that led here, the innermost first"))
        for part in (self.frames, self.frames.view()):
            part.setAccessibleName(self.tr("Stack"))
        self.frames.activated.connect(self._choose_frame)
        self.tree = VariableTree(self)
        self.tree.chosen.connect(self._choose)
        self.tree.opened.connect(lambda: self._ask(self._held.frame))
        self.details = _TensorValues(self)
        self.details.part_chosen.connect(self._ask_values)
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.tree)
        self._splitter.addWidget(self.details)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 2)
        content = QWidget(self)
        column = QVBoxLayout(content)
        column.setContentsMargins(4, 4, 4, 0)
        column.setSpacing(4)
        column.addWidget(self.frames)
        column.addWidget(self._splitter, 1)
        self.place = Placeholder(
            content, self.tr("The variables of a script are shown here, where it is held."), self
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)
        self._requests.answered.connect(self._show)
        self._requests.values_answered.connect(self._show_values)

    def render(self, _snapshot: Snapshot) -> None:  # type: ignore[override]
        """Ask for the variables, unless the script runs on at once."""
        if self.controller.state.work == "running":
            self.place.show_sentence(
                self.tr("The script runs. Its variables are shown where it is held.")
            )
        else:
            self._ask(self._held.frame)

    def _ask(self, frame: int) -> None:
        self._requests.ask(frame, frozenset(self.tree.open_paths))

    @Slot()
    def _state_changed(self) -> None:
        super()._state_changed()
        if self.is_seen and self.controller.snapshot is not None and not self.place.shows_content:
            self.render(self.controller.snapshot)

    # -- frames --------------------------------------------------------------------------------

    @Slot(object)
    def _show(self, held: HeldVariables) -> None:
        """Show the variables; in another function than before, those of the innermost frame."""
        before, self._held = self._held, held
        if held.obstacle:
            self.place.show_sentence(held.obstacle)
            return
        is_elsewhere = _functions(before) != _functions(held)
        if held.frame and (is_elsewhere or held.frame >= len(held.frames)):
            self._held = HeldVariables(held.frames)
            self._ask(0)
            return
        with QSignalBlocker(self.frames):
            self.frames.clear()
            for frame in held.frames:
                name = PurePath(frame.file).name
                self.frames.addItem(
                    self.tr("{0}, {1}:{2}").format(frame.function, name, frame.line), frame.file
                )
            self.frames.setCurrentIndex(held.frame)
        self.tree.show_variables(held.variables)
        self.place.show_content()
        self.tree.select(self._chosen)
        self._show_details()

    @Slot(int)
    def _choose_frame(self, number: int) -> None:
        frame = self._held.frames[number]
        self._ask(number)
        self.frame_chosen.emit(frame.file, frame.line)

    # -- the values of a tensor ----------------------------------------------------------------

    @Slot(str)
    def _choose(self, path: str) -> None:
        self._chosen = path
        self._show_details()

    def _show_details(self) -> None:
        found = next((item for item in self._held.variables if item.path == self._chosen), None)
        self.details.show_variable(found)
        self._ask_values()

    @Slot()
    def _ask_values(self) -> None:
        variable, address = self.details.variable, self.details.address
        if variable is not None and address:
            self._requests.ask_values(address, variable.shape)

    @Slot(object)
    def _show_values(self, values: TensorValues) -> None:
        if values.address == self.details.address:
            self.details.show_values(values)


class _TensorValues(QWidget):
    """The values of one tensor, or of its gradient."""

    part_chosen = Signal()
    """The user wants to see its data, or its gradient."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.variable: VariableRecord | None = None
        self.title = ElidedLabel(self)
        self.title.setFont(emphasis_font(self.font()))
        self.kind = QLabel(self)
        self.kind.setFont(digits_font(self.font()))
        self.kind.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.tabs = CompactTabBar(self.tr("Show"), self)
        self.tabs.currentChanged.connect(self._part_changed)
        self.text = QLabel(self)
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setAccessibleName(self.tr("Value"))
        self.array_view = ArrayView(self)
        self.place = Placeholder(self.array_view, "", self)
        line = QHBoxLayout()
        line.addWidget(self.title, 1)
        line.addWidget(self.kind)
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 4, 2, 6)
        column.setSpacing(4)
        column.addLayout(line)
        column.addWidget(self.tabs)
        column.addWidget(self.place, 1)
        self.show_variable(None)

    @property
    def address(self) -> str:
        """The address of what is shown; empty for no tensor."""
        if self.variable is None or not self.variable.address:
            return ""
        suffix = ".grad" if self.tabs.currentIndex() == 1 else ""
        return f"{self.variable.address}{suffix}"

    def show_variable(self, variable: VariableRecord | None) -> None:
        """Show another variable, without its values, or the same one after an event."""
        before, self.variable = self.variable, variable
        is_tensor = variable is not None and bool(variable.address)
        titles = ("data", "grad") if variable is not None and variable.has_grad else ("data",)
        shown = self.tabs.currentIndex() if _is_same(before, variable) else 0
        with QSignalBlocker(self.tabs):
            self.tabs.set_titles(titles, titles)
            self.tabs.setCurrentIndex(min(max(shown, 0), len(titles) - 1))
        self.tabs.setVisible(is_tensor)
        self.title.setText("" if variable is None else variable.path)
        self.kind.setText("" if variable is None else kind_text(variable))
        if variable is None:
            self.place.show_sentence(self.tr("Select a variable above to see its values."))
        elif not is_tensor:
            words = self.tr("No code of the script is run for its text.")
            if variable.can_open:
                words = self.tr("{0} Open it to see what it holds.").format(words)
            self.place.show_sentence(variable.text or words)
        elif not (_is_same(before, variable) and self.place.shows_content):
            self.place.show_sentence(self.tr("Loading {0}…").format(variable.path))

    def show_values(self, values: TensorValues) -> None:
        """Show the values that have come."""
        record = values.record
        if record is None or record.array is None:
            self.place.show_sentence(self.tr("It has no values in memory."))
            return
        caption = caption_text(record)
        if record.shape != values.shape:
            words = self.tr("first {0} of {1} elements: {2}")
            counts = count_text(record.array.size), count_text(prod(values.shape))
            caption = words.format(*counts, caption)
        self.array_view.show_array(record.array, caption)
        self.place.show_content()

    @Slot()
    def _part_changed(self) -> None:
        if self.variable is not None:
            self.place.show_sentence(self.tr("Loading {0}…").format(self.variable.path))
        self.part_chosen.emit()


def _functions(held: HeldVariables) -> list[tuple[str, str]]:
    return [(frame.function, frame.file) for frame in held.frames]


def _is_same(one: VariableRecord | None, other: VariableRecord | None) -> bool:
    return one is not None and other is not None and one.path == other.path
