"""The inside dock: the last micro-step, its formula, and its inputs and outputs."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QLabel, QSplitter, QVBoxLayout, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.inside.symbol_table import SymbolTable
from gradstep_gui.views.inside.symbols import filled_in, rule_of, symbols_of, usual_place
from gradstep_gui.views.labels import operation_title
from gradstep_gui.widgets.arrays.array_view import ArrayView
from gradstep_gui.widgets.number_format import count_text
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.text.formula_label import FormulaLabel
from gradstep_gui.widgets.text.path_label import PathLabel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.micro_step import MicroStep
    from gradstep_gui.views.inside.symbols import Symbol
    from gradstep_gui.views.model import ViewModel
    from gradstep_gui.widgets.text.typesetter import Typesetter

__all__ = ["InsideView"]

_SHARES = 5, 4
"""The relative widths of the formula with its symbols, and of the array."""


class InsideView(DockView):
    """The formula and symbols of a micro-step on the left, the selected array on the right.

    The formula shows the numbers of the element that is picked in the array.

    Args:
        controller: The controller.
        typesetter: Renders the formulas.
    """

    def __init__(
        self, controller: ViewModel, typesetter: Typesetter, parent: QWidget | None = None
    ) -> None:
        super().__init__(controller, "inside", parent)
        self.setWindowTitle(self.tr("Inside"))
        self._shown: Snapshot | None = None
        self._symbols: tuple[Symbol, ...] = ()
        self._chosen = -1
        self._places: dict[tuple[int, ...], tuple[int, ...]] = {}
        self.path = PathLabel(self)
        self.path.setAccessibleName(self.tr("Path of the micro-step"))
        self.error = QLabel(self)
        self.error.setWordWrap(True)
        self.formula = FormulaLabel(typesetter, parent=self)
        self.numbers = FormulaLabel(typesetter, 1.15, muted=True, parent=self)
        self.table = SymbolTable(typesetter, self)
        self.table.chosen.connect(self._choose)
        self.array_view = ArrayView(self)
        self.array_view.picked.connect(self._pick)
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._reading())
        self._values = QWidget(self)
        column = QVBoxLayout(self._values)
        column.setContentsMargins(6, 4, 6, 6)
        column.addWidget(self.array_view)
        splitter.addWidget(self._values)
        for place, share in enumerate(_SHARES):
            splitter.setStretchFactor(place, share)
        splitter.setSizes([100 * share for share in _SHARES])
        self.place = Placeholder(splitter, self._nothing(), self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show the micro-step of a Snapshot; the same one keeps the selected array."""
        before, self._shown = self._shown, snapshot
        step = snapshot.micro_step
        if step is None:
            self._places.clear()
            self.place.show_sentence(self._nothing())
        elif before is None or step is not before.micro_step:
            self._symbols = symbols_of(step)
            self._chosen = _first_choice(self._symbols)
            self._write()
            self._show_numbers()
            self.place.show_content()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._write()

    def _reading(self) -> QWidget:
        """Return the left side: path, formula and symbols."""
        side = QWidget(self)
        head = QVBoxLayout()
        head.setContentsMargins(8, 5, 8, 0)
        head.setSpacing(5)
        for label in (self.path, self.formula, self.numbers, self.error):
            head.addWidget(label)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        column.addStretch()
        return side

    def _nothing(self) -> str:
        return self.tr("Press Into (F11) to go inside the next operation.")

    def _write(self) -> None:
        """Show what does not depend on the selected array and element."""
        snapshot = self._shown
        if snapshot is None or snapshot.micro_step is None or snapshot.inside is None:
            return
        step, theme = snapshot.micro_step, theme_of(self.palette())
        path = [operation_title(snapshot.inside), *step.path]
        self.path.show_path(path, step.title)
        number = count_text(snapshot.micro_step_number)
        text = self.tr("micro-step {number}, {kind}").format(number=number, kind=_kind(step))
        self.path.setToolTip(f"{' > '.join([*path, step.title])}\n{text}")
        self.formula.show_formula(step.formula.latex, step.formula.equation)
        self.formula.setVisible(bool(step.formula.text))
        self.error.setText(f"<span style='color:{theme.error}'>{escape(step.error)}</span>")
        self.error.setVisible(bool(step.error))

    def _choose(self, chosen: int) -> None:
        self._chosen = chosen
        self._show_numbers()

    def _pick(self, place: tuple[int, ...]) -> None:
        array = self._symbols[self._chosen].array
        if array is not None and self._places.get(array.shape) != place:
            self._places[array.shape] = place
            self._show_numbers()

    def _show_numbers(self) -> None:
        """Show the selected array, and every symbol at its picked element."""
        step = None if self._shown is None else self._shown.micro_step
        if step is None:
            return
        shown = self._symbols[self._chosen] if self._symbols else None
        array = None if shown is None else shown.array
        place: tuple[int, ...] = ()
        if array is not None and array.ndim:
            place = self._places.setdefault(array.shape, usual_place(array))
            self.array_view.show_array(array)
            self.array_view.go_to(place)
        self._values.setVisible(array is not None and bool(array.ndim and array.size))
        shape = array.shape if array is not None and place else ()
        self.table.setVisible(bool(self._symbols))
        self.table.show_symbols(self._symbols, self._chosen, place, shape)
        made = [symbol for symbol in self._symbols if symbol.made]
        subject = shown if shown in made else made[-1] if made else None
        latex, text = ("", "") if subject is None else filled_in(step, subject, place)
        if latex and subject is not None:
            left = rule_of(step, subject.name).left
            latex = f"{left} = {latex}" if left else latex
        self.numbers.show_formula(latex, text)
        self.numbers.setVisible(bool(latex))


def _first_choice(symbols: Sequence[Symbol]) -> int:
    """Return the row of the last array, or else of the last symbol."""
    arrays = [place for place, symbol in enumerate(symbols) if symbol.array is not None]
    return arrays[-1] if arrays else len(symbols) - 1


def _kind(step: MicroStep) -> str:
    translate = QCoreApplication.translate
    return {
        "module": translate("InsideView", "a module"),
        "op": translate("InsideView", "an operation on tensors"),
        "node": translate("InsideView", "a graph node"),
        "accumulate": translate("InsideView", "a gradient accumulation"),
        "group": translate("InsideView", "a parameter group"),
        "parameter": translate("InsideView", "a parameter"),
        "term": translate("InsideView", "a term of the update"),
        "evaluation": translate("InsideView", "an evaluation of the loss"),
        "operation": translate("InsideView", "an operation of the evaluation"),
        "iteration": translate("InsideView", "an iteration of the step"),
    }[step.kind]
