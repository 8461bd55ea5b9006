"""How a part comes into a change: the formulas of the update that it goes through, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from gradstep_gui.widgets.text.formula_label import FormulaLabel

if TYPE_CHECKING:
    from gradstep.history.records.explanation import Term
    from gradstep_gui.widgets.text.typesetter import Typesetter

__all__ = ["RulePage"]


class RulePage(QScrollArea):
    """Shows the formulas of one `Term`.

    Args:
        typesetter: Makes the pictures of formulas.
        parent: Its owner.
    """

    def __init__(self, typesetter: Typesetter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("How the selected part comes about"))
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
        self._column.addStretch(1)
        self.setWidget(self._content)

    def show_term(self, term: Term) -> None:
        """Show what a part goes through."""
        while len(self.labels) < len(term.rules):
            label = FormulaLabel(self._typesetter, 1.3, parent=self._content)
            self.labels.append(label)
            self._column.insertWidget(self._column.count() - 1, label)
        for place, label in enumerate(self.labels):
            label.setVisible(place < len(term.rules))
            if place < len(term.rules):
                rule = term.rules[place]
                label.show_formula(rule.latex, rule.equation)
        words = self.tr("How {0} gets into the change:") if len(term.rules) > 1 else "{0}:"
        self._title.setText(words.format(term.name))
