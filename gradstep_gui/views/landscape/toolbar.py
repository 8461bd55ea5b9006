"""The row above the landscape: its axes, and how it is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QPushButton, QSizePolicy, QWidget

from gradstep.history.records.landscape import LandscapeRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LandscapeToolbar"]

_Kind = Literal["elements", "principal", "random"]
_LETTERS = 5
_SEEDS = 2**32


class LandscapeToolbar(QWidget):
    """The controls above the landscape, which only emit signals.

    Attributes:
        kind: What the axes are.
        across: The element of the first axis.
        upward: That of the second; the first entry is none.
        loss: The loss.
        log: Spaces levels logarithmically.
        equal: Gives both axes the same scale.
        all_rows: Computes the loss on all rows instead of the batch.
        reset: Shows the whole landscape again.
        redraw: Draws other random directions.
        run: Computes, or cancels.
    """

    requested = Signal()
    """Another landscape is wanted."""

    pressed = Signal()
    """Compute it, or cancel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._seed = 0
        self._is_filling = False
        self.kind = QComboBox()
        self.across, self.upward, self.loss = QComboBox(), QComboBox(), QComboBox()
        self.run = QPushButton(self.tr("Compute"))
        self.options = QPushButton(self.tr("Options"))
        self.menu = QMenu(self)
        self.log = self._add_toggle(
            self.tr("&Logarithmic Levels"),
            self.tr("Space the levels evenly on a logarithmic scale, which shows a flat valley"),
        )
        self.equal = self._add_toggle(
            self.tr("&Equal Axes"),
            self.tr(
                "Give both axes the same scale: the gradient is then at right angles to levels"
            ),
        )
        self.all_rows = self._add_toggle(
            self.tr("&All Rows"),
            self.tr("Compute the loss on all rows of its data instead of the last batch"),
        )
        self.menu.addSeparator()
        self.reset = self._add_entry(self.tr("&Show Everything"))
        self.redraw = self._add_entry(self.tr("&Other Random Directions"))
        self._assemble()

    def offer(self, elements: Sequence[str], losses: Sequence[str], kind: _Kind) -> None:
        """List the elements and losses of another program, and choose the first ones."""
        self._is_filling = True
        self._seed = 0
        self.kind.setCurrentIndex(max(0, self.kind.findData(kind)))
        for box, at in ((self.across, 0), (self.upward, 1)):
            box.clear()
            if box is self.upward:
                box.addItem(self.tr("(one axis)"), "")
            for element in elements:
                box.addItem(element, element)
            box.setCurrentIndex(2 * at if 2 * at < box.count() else 0)
        self.loss.clear()
        for loss in losses:
            self.loss.addItem(loss, loss)
        self.loss.setVisible(len(losses) > 1)
        self.all_rows.setChecked(False)
        self._is_filling = False
        self._show_kind()

    def request(self, bounds: tuple[float, ...] = ()) -> LandscapeRequest:
        """Return what is chosen.

        Args:
            bounds: The part that is wanted; empty for the whole.
        """
        kind: _Kind = self.kind.currentData()
        elements = tuple(text for box in (self.across, self.upward) if (text := _element_of(box)))
        return LandscapeRequest(
            self.loss.currentData() or "",
            kind,
            elements if kind == "elements" else (),
            "all" if self.all_rows.isChecked() else "batch",
            seed=self._seed if kind == "random" else 0,
            bounds=bounds,
        )

    def show_log(self, log: bool) -> None:
        """Show whether levels are logarithmic, without a signal."""
        self.log.blockSignals(True)
        self.log.setChecked(log)
        self.log.blockSignals(False)

    def show_work(self, *, computing: bool, useful: bool) -> None:
        """Offer to cancel while something is computed, and otherwise to compute.

        Args:
            computing: Whether it is being computed.
            useful: Whether another computation could show something else.
        """
        self.run.setText(self.tr("Cancel") if computing else self.tr("Compute"))
        self.run.setVisible(computing or useful)

    def _changed(self) -> None:
        self._show_kind()
        if not self._is_filling:
            self.requested.emit()

    def _show_kind(self) -> None:
        kind = self.kind.currentData()
        for box in (self.across, self.upward):
            box.setVisible(kind == "elements")
        self.redraw.setEnabled(kind == "random")

    def _draw_others(self) -> None:
        self._seed = (self._seed + 1) % _SEEDS
        self.requested.emit()

    def _add_toggle(self, title: str, hint: str) -> QAction:
        entry = self._add_entry(title)
        entry.setCheckable(True)
        entry.setToolTip(hint)
        return entry

    def _add_entry(self, title: str) -> QAction:
        """Add an entry that is made here: of those that Qt makes, PySide may lose track."""
        entry = QAction(title, self)
        self.menu.addAction(entry)
        return entry

    def _assemble(self) -> None:
        self.kind.addItem(self.tr("Elements"), "elements")
        self.kind.addItem(self.tr("Principal directions"), "principal")
        self.kind.addItem(self.tr("Random directions"), "random")
        for box, name, tip in (
            (self.kind, self.tr("Kind of axes"), self.tr("What the axes are")),
            (self.across, self.tr("First axis"), self.tr("The element of the horizontal axis")),
            (self.upward, self.tr("Second axis"), self.tr("The element of the vertical axis")),
            (self.loss, self.tr("Loss"), self.tr("The loss that is computed")),
        ):
            box.setAccessibleName(name)
            box.setToolTip(tip)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMinimumContentsLength(_LETTERS)
            box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        for box in (self.across, self.upward):
            box.setEditable(True)  # a large program has more elements than are listed
            box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.menu.setToolTipsVisible(True)
        self.options.setMenu(self.menu)
        self.options.setAccessibleName(self.tr("Options of the landscape"))
        self.options.setToolTip(self.tr("Levels, axes, rows and directions"))
        self.run.setToolTip(self.tr("Compute the landscape around this moment"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 2, 4, 2)
        layout.setSpacing(4)
        for widget in (self.kind, self.across, self.upward, self.loss):
            layout.addWidget(widget)
        layout.addStretch(1)
        layout.addWidget(self.run)
        layout.addWidget(self.options)
        for box in (self.kind, self.loss):
            box.currentIndexChanged.connect(self._changed)
        for box in (self.across, self.upward):
            box.currentIndexChanged.connect(self._changed)
            line = box.lineEdit()
            assert line is not None, "it is editable"
            line.returnPressed.connect(self._changed)
        self.all_rows.toggled.connect(self._changed)
        self.redraw.triggered.connect(self._draw_others)
        self.run.clicked.connect(self.pressed)


def _element_of(box: QComboBox) -> str:
    """Return the element that is chosen or typed; empty for none."""
    text = box.currentText()
    at = box.findText(text)
    return str(box.itemData(at)) if at >= 0 else text.strip()
