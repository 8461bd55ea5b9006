"""Why a tensor changed: a sentence, the parts of the change as bars, and their formulas."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from gradstep.formula import definition, latex_symbol
from gradstep_gui.theme import theme_of
from gradstep_gui.views.explain.cells import norm_cell, share_cell
from gradstep_gui.widgets.fonts import digits_font
from gradstep_gui.widgets.number_format import number_text
from gradstep_gui.widgets.tables.cells import Cell
from gradstep_gui.widgets.tables.fitted_columns import FittedColumns
from gradstep_gui.widgets.tables.share_bar import Bar, BarDelegate, staircase
from gradstep_gui.widgets.tables.table import CellTable
from gradstep_gui.widgets.text.formula_label import FormulaLabel

if TYPE_CHECKING:
    from gradstep.history.records.explanation import Explanation, Term
    from gradstep_gui.widgets.text.typesetter import Typesetter

__all__ = ["ChangePanel", "FormulaPage", "SymbolList"]

_LARGER = 1.15
_DIGITS = 3
_BAR_COLUMN = 1
_PART_COLUMN, _SHARE_COLUMN, _NORM_COLUMN = 0, 2, 3
_WIDTHS: tuple[dict[int, int], ...] = (
    {_PART_COLUMN: 52, _SHARE_COLUMN: 56, _NORM_COLUMN: 72},
    {_BAR_COLUMN: 36},
)
"""The numbers are always shown; the bars, which repeat the shares, where there is room."""

_LONGEST_PART = 141
_ACTS_ON_OTHERS = frozenset({"clipping", "learning-rate change", "not explained", "rounding"})
"""Terms that modify other terms; their bars are hatched."""

_SYMBOL_LETTERS = 5
"""The width of the column of symbols, in letters."""

_EVENT = re.compile(r"Event (\d{1,3}(?:,\d{3})*)")
_LONG = re.compile(r"\S{30,}")
_PERCENT = "\N{NO-BREAK SPACE}%"


class ChangePanel(QWidget):
    """Shows one `Explanation`.

    It emits `event_chosen` for an Event to seek, and `term_chosen` for the selected part.
    """

    event_chosen = Signal(int)
    term_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: Explanation | None = None
        self.sentence = self._label(self.tr("Explanation"))
        font = self.sentence.font()
        font.setPointSizeF(font.pointSizeF() * _LARGER)
        self.sentence.setFont(font)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.sentence.linkActivated.connect(lambda link: self.event_chosen.emit(int(link)))
        self.table = CellTable(self.tr("Parts of the change"), self)
        self.table.keep_all_rows()
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(header.ResizeMode.Interactive)
        FittedColumns(self.table, header, _WIDTHS, (_BAR_COLUMN,), {_PART_COLUMN: _LONGEST_PART})
        self._bars = BarDelegate(self.table)
        self.table.setItemDelegateForColumn(_BAR_COLUMN, self._bars)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self.factors = self._label(self.tr("Factors of the change"))
        self.factors.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 2, 8, 4)
        column.setSpacing(6)
        for part in (self.sentence, self.table, self.factors):
            column.addWidget(part)

    def show_explanation(self, why: Explanation) -> None:
        """Show an explanation."""
        self._shown = why
        self._write_sentence()
        rows = [_row(term) for term in why.terms]
        rows.append(
            (
                Cell(self.tr("total change")),
                Cell(""),
                share_cell(sum_of(why.terms)),
                norm_cell(why.norm),
            )
        )
        titles = (self.tr("Part"), "", self.tr("Share"), self.tr("Norm"))
        shares = [term.share or 0.0 for term in why.terms]
        acting = [term.name in _ACTS_ON_OTHERS for term in why.terms]
        self._bars.show_bars((*staircase(shares, acting), Bar(0.0, 1.0)))
        self.table.show_rows(titles, rows)
        self.table.setVisible(bool(why.terms))
        if why.terms and not 0 <= self.table.currentIndex().row() < len(why.terms):
            self.table.selectRow(0)
        self._choose(self.table.currentIndex())
        self.factors.setText(
            " · ".join(f"{item.name} × {number_text(item.value, _DIGITS)}" for item in why.factors)
        )
        self.factors.setToolTip(
            "\n".join(
                f"{item.name}: {number_text(item.value)} = {item.formula}" for item in why.factors
            )
        )
        self.factors.setVisible(bool(why.factors))

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._write_sentence()

    def _label(self, name: str) -> QLabel:
        label = QLabel(self)
        label.setWordWrap(True)
        label.setFont(digits_font(self.font()))
        label.setAccessibleName(name)
        return label

    def _write_sentence(self) -> None:
        if self._shown is None:
            return
        colour = theme_of(self.palette()).accent
        text = _EVENT.sub(
            lambda found: _link(found, colour),
            _LONG.sub(_breakable, escape(self._shown.sentence)).replace(" %", _PERCENT),
        )
        self.sentence.setText(text)
        self.sentence.setAccessibleDescription(self._shown.sentence)

    def _choose(self, current: QModelIndex) -> None:
        terms = () if self._shown is None else self._shown.terms
        if 0 <= current.row() < len(terms):
            self.term_chosen.emit(terms[current.row()])


def _link(event: re.Match[str], colour: str) -> str:
    """Return a link to an Event that a sentence names."""
    return f"<a href='{event[1].replace(',', '')}' style='color:{colour}'>{event[0]}</a>"


def _breakable(name: re.Match[str]) -> str:
    """Return a long name with places where a line may break."""
    return re.sub(r"([._])(?=[^\W\d_])", "\\1\u200b", name[0])


def sum_of(terms: tuple[Term, ...]) -> float | None:
    """Return the sum of the shares; None when they have none."""
    shares = [term.share for term in terms if term.share is not None]
    return sum(shares) if shares else None


def _row(term: Term) -> tuple[Cell, ...]:
    hint = term.formula.replace("; ", "\n")
    return Cell(term.name, hint), Cell("", hint), share_cell(term.share), norm_cell(term.norm)


class FormulaPage(QScrollArea):
    """The formulas of one `Term`, and what each of their symbols stands for.

    Args:
        typesetter: Renders the formulas.
        parent: The parent widget.
    """

    def __init__(self, typesetter: Typesetter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Formulas of the selected part"))
        self._typesetter = typesetter
        self._content = QWidget(self)
        self._title = QLabel(self._content)
        self._title.setWordWrap(True)
        self._title.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.labels: list[FormulaLabel] = []
        self._column = QVBoxLayout(self._content)
        self._column.setContentsMargins(8, 6, 8, 6)
        self._column.setSpacing(8)
        self._column.addWidget(self._title)
        self.symbols = SymbolList(typesetter, self._content)
        self._column.addWidget(self.symbols)
        self._column.addStretch(1)
        self.setWidget(self._content)

    def show_term(self, term: Term) -> None:
        """Show the formulas of a term."""
        while len(self.labels) < len(term.rules):
            label = FormulaLabel(self._typesetter, 1.3, parent=self._content)
            self.labels.append(label)
            self._column.insertWidget(self._column.count() - 2, label)
        for place, label in enumerate(self.labels):
            label.setVisible(place < len(term.rules))
            if place < len(term.rules):
                rule = term.rules[place]
                label.show_formula(rule.latex, rule.equation)
        words = self.tr("How the {0} enters the change:") if len(term.rules) > 1 else "{0}:"
        self._title.setText(words.format(term.name))
        names = [name for rule in term.rules for name in (rule.makes, *rule.names) if name]
        self.symbols.show_symbols(tuple(dict.fromkeys(names)))


class SymbolList(QWidget):
    """Symbols of formulas, each with its name in the program and what it stands for.

    Args:
        typesetter: Renders the symbols.
        parent: The parent widget.
    """

    def __init__(self, typesetter: Typesetter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._typesetter = typesetter
        self._names: tuple[str, ...] = ()
        self._rows: list[tuple[FormulaLabel, QLabel]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)
        self.setAccessibleName(self.tr("Symbols of the formulas"))

    @property
    def texts(self) -> list[str]:
        """The text beside each symbol."""
        return [text.text() for _, text in self._rows[: len(self._names)]]

    def show_symbols(self, names: tuple[str, ...]) -> None:
        """Show the symbols of these names, those that are defined."""
        self._names = names = tuple(name for name in names if definition(name))
        while len(self._rows) < len(names):
            symbol, text = FormulaLabel(self._typesetter, 1.2, parent=self), QLabel(self)
            text.setWordWrap(True)
            text.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            symbol.setFixedWidth(_SYMBOL_LETTERS * self.fontMetrics().averageCharWidth())
            row = len(self._rows)
            self._rows.append((symbol, text))
            self._grid.addWidget(symbol, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(text, row, 1)
        for place, (symbol, text) in enumerate(self._rows):
            symbol.setVisible(place < len(names))
            text.setVisible(place < len(names))
            if place < len(names):
                name = names[place]
                symbol.show_formula(latex_symbol(name, "t"), name)
                text.setText(f"{name}: {definition(name)}")
        self.setVisible(bool(names))
