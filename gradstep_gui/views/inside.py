"""The inside dock: the micro-step that was just taken, its rule, and every number it touched."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QSplitter, QTextBrowser, QVBoxLayout, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.views.frame import View
from gradstep_gui.views.words import TINY, operation_title
from gradstep_gui.widgets.array_view import ArrayView
from gradstep_gui.widgets.number_format import count_text, inline_text, number_text, shape_text
from gradstep_gui.widgets.part_tabs import PartTabs
from gradstep_gui.widgets.placeholder import Placeholder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.history.snapshot import Snapshot
    from gradstep.program.micro_step import Arrays, MicroStep
    from gradstep_gui.theme import Theme
    from gradstep_gui.views.model import ViewModel

__all__ = ["InsideView"]


class InsideView(View):
    """The rule of a micro-step with its numbers on the left, one array after choice on the right.

    Args:
        controller: Where Snapshots come from.
    """

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "inside", parent)
        self.setWindowTitle(self.tr("Inside"))
        self._shown: Snapshot | None = None
        self._arrays: tuple[NDArray[Any], ...] = ()
        self._page = QTextBrowser(self)
        self._page.setOpenLinks(False)
        self._page.setAccessibleName(self.tr("Micro-step"))
        self.tabs = PartTabs(self.tr("Which array of the micro-step to show"), self)
        self.tabs.currentChanged.connect(self._show_array)
        self.array_view = ArrayView(self)
        self._values = QWidget(self)
        column = QVBoxLayout(self._values)
        column.setContentsMargins(6, 4, 6, 6)
        column.setSpacing(4)
        column.addWidget(self.tabs)
        column.addWidget(self.array_view, 1)
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._page)
        splitter.addWidget(self._values)
        splitter.setSizes([1, 1])
        self.place = Placeholder(splitter, self._nothing(), self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)

    @property
    def text(self) -> str:
        """What is written of the micro-step, without its colours; empty outside of one."""
        return self._page.toPlainText() if self.place.shows_content else ""

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show the micro-step of a moment; the same one keeps the array that was chosen."""
        before = None if self._shown is None else self._shown.micro_step
        self._shown = snapshot
        step = snapshot.micro_step
        if step is None:
            self.place.show_sentence(self._nothing())
        elif step is not before:
            self._write()
            self._offer(step)
            self.place.show_content()

    def changeEvent(self, event: QEvent) -> None:
        """Take over the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._write()

    def _nothing(self) -> str:
        return self.tr("Press Step Into (F11) to go inside the next operation.")

    def _write(self) -> None:
        snapshot = self._shown
        if snapshot is None or snapshot.micro_step is None or snapshot.inside is None:
            return
        step, theme = snapshot.micro_step, theme_of(self.palette())
        name = operation_title(snapshot.inside)
        place = " &gt; ".join(escape(part) for part in (name, *step.path))
        number = self.tr("micro-step {number}").format(
            number=count_text(snapshot.micro_step_number)
        )
        parts = [
            f"<b>{escape(step.title)}</b> <span style='color:{theme.muted}'>{number}, "
            f"{self._kind(step)}<br>{place}</span>"
        ]
        if step.formula.text:
            parts.append(f"<span style='font-family:monospace'>{escape(self._rule(step))}</span>")
        parts.append(self._table(step, theme))
        self._page.setHtml("".join(f"<p style='margin:6px'>{part}</p>" for part in parts if part))

    def _rule(self, step: MicroStep) -> str:
        """Return the rule, with the name of what a term makes before it."""
        made = step.formula.makes
        return f"{made} = {step.formula.text}" if made else step.formula.text

    def _kind(self, step: MicroStep) -> str:
        return {
            "module": self.tr("a module"),
            "op": self.tr("an operation on tensors"),
            "node": self.tr("a node of the graph"),
            "accumulate": self.tr("a gradient arrives"),
            "group": self.tr("a parameter group"),
            "parameter": self.tr("a parameter"),
            "term": self.tr("a term of the update"),
        }[step.kind]

    def _table(self, step: MicroStep, theme: Theme) -> str:
        rows = self._rows(self.tr("reads"), step.inputs, theme)
        rows += self._rows(self.tr("makes"), step.outputs, theme)
        return f"<table cellspacing='3'>{rows}</table>" if rows else ""

    def _rows(self, caption: str, arrays: Arrays, theme: Theme) -> str:
        rows: list[str] = []
        for name, array in arrays.items():
            shape = "" if array.ndim == 0 else shape_text(array.shape)
            rows.append(
                f"<tr><td style='color:{theme.muted}'>{'' if rows else caption}</td>"
                f"<td>&nbsp;{escape(name)}</td>"
                f"<td style='font-family:monospace'>&nbsp;{escape(_brief(array))}</td>"
                f"<td style='color:{theme.muted}'>&nbsp;{shape}</td></tr>"
            )
        return "".join(rows)

    def _offer(self, step: MicroStep) -> None:
        """Offer every array but the plain numbers; show what was made, if anything was."""
        found = [*step.inputs.items()]
        found += [(f"→ {name}", array) for name, array in step.outputs.items()]
        named = [(title, array) for title, array in found if array.ndim and array.size]
        self._arrays = ()
        while self.tabs.count():
            self.tabs.removeTab(0)
        for title, _array in named:
            self.tabs.addTab(title)
        self._arrays = tuple(array for _title, array in named)
        self._values.setVisible(bool(named))
        self.tabs.setCurrentIndex(len(named) - 1)
        self._show_array()

    def _show_array(self) -> None:
        chosen = self.tabs.currentIndex()
        if 0 <= chosen < len(self._arrays):
            self.array_view.show_array(self._arrays[chosen])


def _brief(array: NDArray[Any]) -> str:
    """Write a small array whole, and of a larger one its norm."""
    if array.dtype == bool and not array.ndim:
        return str(bool(array))
    if array.size <= TINY:
        return inline_text(array)
    return f"norm {number_text(float(np.linalg.norm(array.astype(np.float64))))}"
