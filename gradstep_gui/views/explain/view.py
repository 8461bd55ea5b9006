"""The explain dock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from gradstep.history.records.snapshot import STALE
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.explain.cells import (
    binding_rows,
    gradient_rows,
    momentum_parts,
    momentum_rows,
    tensors_of,
)
from gradstep_gui.views.explain.change import ChangePanel, FormulaPage
from gradstep_gui.widgets.arrays.array_table import ArrayTable
from gradstep_gui.widgets.bars import CompactTabBar
from gradstep_gui.widgets.elided_combo_box import ElidedComboBox
from gradstep_gui.widgets.fonts import digits_font
from gradstep_gui.widgets.number_format import count_text
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.tables.table import CellTable

if TYPE_CHECKING:
    from gradstep.history.records.explanation import Explanation
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.records import ExplainAnswer
    from gradstep_gui.views.model import ViewModel
    from gradstep_gui.widgets.text.typesetter import Typesetter

__all__ = ["ExplainView"]

MOST_ELEMENTS = 10_000
"""Elements in the table; of a larger tensor, the first ones are listed."""

PAUSE_MS = 100
"""The shortest time between two requests, so that dragging the timeline stays fast."""


class ExplainView(DockView):
    """The last change of the selected tensor as text, bars and numbers.

    Args:
        controller: The controller; a click on an Event seeks there.
        typesetter: Renders the formulas.
    """

    def __init__(
        self, controller: ViewModel, typesetter: Typesetter, parent: QWidget | None = None
    ) -> None:
        super().__init__(controller, "explain", parent)
        self._why: ExplainAnswer | None = None
        self._asked: tuple[str, Snapshot | None] = ("", None)
        self._pause = QTimer(self, interval=PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(self._ask)
        self.tensors = ElidedComboBox(self)
        for part in (self.tensors, self.tensors.view()):
            part.setAccessibleName(self.tr("Tensor to explain"))
        self.tensors.setFont(digits_font(self.font()))
        self.tensors.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.tensors.textActivated.connect(controller.select)
        self.moment = QLabel(self)
        self.moment.setFont(digits_font(self.font()))
        self.moment.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.change = ChangePanel(self)
        self.change.event_chosen.connect(controller.seek)
        self.rules = FormulaPage(typesetter, self)
        self.change.term_chosen.connect(self.rules.show_term)
        self.elements = ArrayTable(self)
        self.elements.setAccessibleName(self.tr("Change by element"))
        self.gradient = CellTable(self.tr("Parts of the gradient"), self)
        self.gradient.chosen.connect(self._go)
        self.momentum = CellTable(self.tr("Parts of the momentum"), self)
        self.momentum.chosen.connect(self._go_to_part)
        self.bindings = CellTable(self.tr("Tensors held by each group"), self)
        self.bindings.chosen.connect(self._pick)
        self.tabs = CompactTabBar(self.tr("Show"), self)
        self.tabs.setElideMode(Qt.TextElideMode.ElideRight)
        self.tabs.setUsesScrollButtons(False)
        self.pages = QStackedWidget(self)
        self._places = [
            self._add(self.tr("Formula"), self.rules),
            self._add(self.tr("Elements"), self.elements),
            self._add(self.tr(".grad"), self.gradient),
            self._add(self.tr("Momentum"), self.momentum),
            self._add(self.tr("Bindings"), self.bindings),
        ]
        self.tabs.currentChanged.connect(self._show_page)
        self.place = Placeholder(
            self._content(),
            self.tr("Open a program to see why its tensors change."),
            self,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)
        controller.explain_requests.answered.connect(self._answered)
        controller.selected_changed.connect(self._ask)
        controller.state_changed.connect(self._ask)

    @property
    def tensor(self) -> str:
        """The tensor that is explained; the first one until the user selects another."""
        names = self._names()
        return self.controller.selected if self.controller.selected in names else (*names, "")[0]

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Request an explanation for a new Snapshot."""
        if not snapshot.parameters:
            self.place.show_sentence(self.tr("This program has no tensors."))
            return
        names = self._names()
        if names != [self.tensors.itemText(at) for at in range(self.tensors.count())]:
            self.tensors.clear()
            self.tensors.addItems(names)
        self._ask()

    def _content(self) -> QWidget:
        content = QWidget(self)
        top = QHBoxLayout()
        top.setContentsMargins(8, 6, 8, 0)
        top.addWidget(self.tensors, 1)
        top.addWidget(self.moment)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 6)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self.change)
        column.addWidget(self.tabs)
        column.addWidget(self.pages, 1)
        return content

    def _add(self, title: str, content: QWidget) -> Placeholder:
        place = Placeholder(content, "", self)
        self.tabs.setTabToolTip(self.tabs.addTab(title), title)
        self.pages.addWidget(place)
        return place

    def _names(self) -> list[str]:
        snapshot = self.controller.snapshot
        return [] if snapshot is None else list(snapshot.parameters)

    @Slot()
    def _ask(self) -> None:
        """Request the explanation of the selected tensor; during a run, keep the last one."""
        question = self.tensor, self.controller.snapshot
        if not self.is_seen or not self.tensor:
            return
        if self.controller.state.work == "running":
            self.moment.setText(self.tr("paused during the run"))
            return
        is_new = question[0] != self._asked[0] or question[1] is not self._asked[1]
        if is_new and not self._pause.isActive():
            self._pause.start()
            self._asked = question
            self.tensors.setCurrentText(self.tensor)
            self.controller.explain_requests.ask(self.tensor)

    @Slot(object)
    def _answered(self, why: ExplainAnswer) -> None:
        if why.explanation.parameter != self.tensor:
            return  # another tensor was selected meanwhile
        self._why = why
        self.moment.setText(self.tr("after event {0}").format(count_text(why.event)))
        self.change.show_explanation(why.explanation)
        self._show_page()
        self.place.show_content()

    @Slot()
    def _show_page(self) -> None:
        """Fill the visible page."""
        if self._why is None:
            return
        place = self.tabs.currentIndex()
        self.pages.setCurrentIndex(place)
        fill = (
            self._fill_rules,
            self._fill_elements,
            self._fill_gradient,
            self._fill_momentum,
            self._fill_bindings,
        )[place]
        nothing = fill(self._why)
        if nothing:
            self._places[place].show_sentence(nothing)
        else:
            self._places[place].show_content()

    def _fill_rules(self, why: ExplainAnswer) -> str:
        if not any(term.rules for term in why.explanation.terms):
            return self.tr("No formula changed this tensor.")
        return ""

    def _fill_elements(self, why: ExplainAnswer) -> str:
        explained = why.explanation
        if not explained.terms:
            return self.tr("There is no change to show.")
        names = (self.tr("change"), *(term.name for term in explained.terms), self.tr("before"))
        titles = [name.replace(" ", "\n") for name in names]
        self.elements.show_matrix(_matrix(explained), titles, explained.total.shape)
        return ""

    def _fill_gradient(self, why: ExplainAnswer) -> str:
        titles, rows = gradient_rows(why.provenance)
        self.gradient.show_rows(titles, rows)
        self.gradient.stretch(1)
        if rows:
            return ""
        snapshot = self.controller.snapshot
        record = None if snapshot is None else snapshot.parameters.get(why.explanation.parameter)
        if record is None or record.gradient is None:
            return self.tr(
                "{0}.grad is None: no Backward has written it since it was cleared."
            ).format(why.explanation.parameter)
        return self.tr(
            "{0}.grad is zero: Zero Grad set it to zeros, and no Backward has run since."
        ).format(why.explanation.parameter)

    def _fill_momentum(self, why: ExplainAnswer) -> str:
        titles, rows = momentum_rows(momentum_parts(why.explanation))
        self.momentum.show_rows(titles, rows)
        self.momentum.stretch(1)
        if rows:
            return ""
        return self.tr("No momentum of earlier steps took part in this change.")

    def _fill_bindings(self, why: ExplainAnswer) -> str:
        snapshot = self.controller.snapshot
        optimizers = {} if snapshot is None else snapshot.optimizers
        if not optimizers:
            return self.tr("This program has no optimizer.")
        counts = tuple((name, len(record.groups)) for name, record in optimizers.items())
        self.bindings.show_rows(*binding_rows(why.bindings, counts))
        self.bindings.stretch(0)
        chosen = tensors_of(why.bindings)
        if why.explanation.parameter in chosen:
            self.bindings.selectRow(chosen.index(why.explanation.parameter))
        return ""

    @Slot(int)
    def _go(self, row: int) -> None:
        if self._why is not None:
            self.controller.seek(self._why.provenance[row].event)

    @Slot(int)
    def _go_to_part(self, row: int) -> None:
        if self._why is not None:
            part = momentum_parts(self._why.explanation)[row]
            place = part.event or part.step
            if place is not None:
                self.controller.seek(place)

    @Slot(int)
    def _pick(self, row: int) -> None:
        if self._why is not None:
            self.controller.select(tensors_of(self._why.bindings)[row].removesuffix(STALE))


def _matrix(explained: Explanation) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return a row for each of the first elements: the change, its parts, the old value."""
    columns = (explained.total, *(term.value for term in explained.terms), explained.before)
    return np.stack([array.reshape(-1)[:MOST_ELEMENTS] for array in columns], axis=1)
