"""The choice of optimizer and group, and its hyperparameters as a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gradstep.program.operation import ReplaceOptimizer, SetHyperparameter
from gradstep_gui.theme import kind_of, theme_of
from gradstep_gui.widgets.bars import CompactTabBar
from gradstep_gui.widgets.buttons import ToggleButton
from gradstep_gui.widgets.fonts import digits_font, emphasis_font
from gradstep_gui.widgets.number_format import counted_text, value_text
from gradstep_gui.widgets.text.long_text import ElidedLabel
from gradstep_gui.widgets.value_form import ValueForm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from gradstep.history.records.snapshot import GroupRecord, OptimizerRecord, Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["GroupSettings"]

WITHOUT_EFFECT = frozenset({"capturable", "differentiable", "foreach", "fused"})
"""Options that select torch's kernels; they have no effect in GradStep."""

RARE = frozenset({"decoupled_weight_decay"})
"""Options that are shown only when they are on, or when all options are shown."""

_GAP = 8


class GroupSettings(QWidget):
    """Tabs for optimizer and group, and the form; an edit applies `SetHyperparameter`.

    It emits `chosen` when another optimizer or group is selected.
    """

    chosen = Signal()

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._snapshot: Snapshot | None = None
        self.optimizer_tabs = self._make_tabs(self.tr("Optimizer"))
        self.group_tabs = self._make_tabs(self.tr("Parameter group"))
        self._title = ElidedLabel(self)
        self._title.setFont(emphasis_font(self.font()))
        self.kind = QComboBox(self)
        for part in (self.kind, self.kind.view()):
            part.setAccessibleName(self.tr("Kind of the optimizer"))
        self.kind.setToolTip(
            self.tr("Replace the optimizer by one of another kind, whose state is empty")
        )
        self.kind.textActivated.connect(self._replace)
        self.steps = QLabel(self)
        self.steps.setFont(digits_font(self.font()))
        self.form = ValueForm(self)
        self.form.edited.connect(self._edit)
        self.form.rejected.connect(self._show_error)
        self.unset = QLabel(self)
        self.unset.setWordWrap(True)
        self.unset.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.unset.setAccessibleName(self.tr("Options that cannot be edited here"))
        self.unset.hide()
        self.every = ToggleButton(self.tr("All Options"), self.tr("Show all options"), self)
        self.every.toggled.connect(self._show_optimizer)
        self.problem = QLabel(self)
        self.problem.setWordWrap(True)
        self.problem.setAccessibleName(self.tr("Error"))
        self.problem.hide()
        self.note = QLabel(self)
        self.note.setWordWrap(True)
        self.note.setForegroundRole(QPalette.ColorRole.PlaceholderText)

        line = QHBoxLayout()
        line.addWidget(self._title)
        line.addWidget(self.kind)
        line.addStretch(1)
        line.addWidget(self.steps)
        line.addWidget(self.every)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 2)
        layout.setSpacing(6)
        layout.addWidget(self.optimizer_tabs)
        layout.addLayout(line)
        layout.addWidget(self.group_tabs)
        layout.addWidget(self.form)
        layout.addWidget(self.unset)
        layout.addWidget(self.problem)
        layout.addWidget(self.note)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the step count when the optimizer's name needs its room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        parts = (self._title, self.kind, self.steps, self.every)
        wanted = sum(part.sizeHint().width() + _GAP for part in parts)
        self.steps.setVisible(wanted <= self.width())

    @property
    def optimizer(self) -> OptimizerRecord | None:
        """The selected optimizer."""
        if self._snapshot is None:
            return None
        name = self.optimizer_tabs.tabText(self.optimizer_tabs.currentIndex())
        return self._snapshot.optimizers.get(name)

    @property
    def group(self) -> GroupRecord | None:
        """The selected group."""
        optimizer, place = self.optimizer, self.group_tabs.currentIndex()
        if optimizer is None or not 0 <= place < len(optimizer.groups):
            return None
        return optimizer.groups[place]

    def show_moment(self, snapshot: Snapshot) -> None:
        """Show a Snapshot."""
        self._snapshot = snapshot
        self.form.set_obstacle(snapshot.abilities.edit)
        _set_tabs(self.optimizer_tabs, list(snapshot.optimizers))
        self._show_optimizer()

    def _make_tabs(self, name: str) -> CompactTabBar:
        tabs = CompactTabBar(name, self)
        tabs.currentChanged.connect(self._choose)
        return tabs

    def _choose(self) -> None:
        self.problem.hide()
        self._show_optimizer()
        self.chosen.emit()

    def _show_optimizer(self) -> None:
        snapshot, optimizer = self._snapshot, self.optimizer
        if snapshot is None or optimizer is None:
            return
        titles = [self.tr("Group {0}").format(place) for place in range(len(optimizer.groups))]
        _set_tabs(self.group_tabs, titles)
        self._show_kind(snapshot, optimizer)
        words = self.tr("{0} step"), self.tr("{0} steps")
        self.steps.setText(counted_text(optimizer.steps, *words))
        self._fit()
        group = self.group
        if group is not None:
            self._show_hyperparameters(group, self._marks(snapshot, optimizer))
        self._show_failure(snapshot, optimizer)
        self.note.setText(self._zero_grad_note(snapshot, optimizer))

    def _show_kind(self, snapshot: Snapshot, optimizer: OptimizerRecord) -> None:
        """Show the kind of the optimizer, and the kinds that can replace it."""
        listing = self._controller.listing
        others = [
            operation.kind
            for operation in (() if listing is None else listing.others)
            if isinstance(operation, ReplaceOptimizer) and operation.optimizer == optimizer.name
        ]
        can_replace = bool(others) and not snapshot.abilities.change(ReplaceOptimizer("SGD"))
        title = self.tr("{0}:").format(optimizer.name)
        self._title.setText(title if can_replace else f"{title} {optimizer.kind}")
        self.kind.setVisible(can_replace)
        kinds = list(dict.fromkeys([optimizer.kind, *others]))
        with QSignalBlocker(self.kind):
            if kinds != [self.kind.itemText(place) for place in range(self.kind.count())]:
                self.kind.clear()
                self.kind.addItems(kinds)
            self.kind.setCurrentText(optimizer.kind)

    def _replace(self, kind: str) -> None:
        optimizer = self.optimizer
        if optimizer is not None and kind != optimizer.kind:
            self._controller.apply(ReplaceOptimizer(kind, optimizer.name))

    def _show_hyperparameters(self, group: GroupRecord, marks: dict[str, str]) -> None:
        """Show the options that have an effect, or all options on request."""
        values = group.hyperparameters
        idle = {k: v for k, v in values.items() if v is None or k in WITHOUT_EFFECT}
        rare = {k: v for k, v in values.items() if k in RARE and not v}
        every = self.every.isChecked()
        hidden = set(idle) if every else {*idle, *rare}
        self.form.show_values({k: v for k, v in values.items() if k not in hidden}, marks)
        self.form.follow_in_tab_order(self.every)
        text = ", ".join(f"{key} = {value_text(value)}" for key, value in idle.items())
        self.unset.setText(text)
        self.unset.setVisible(bool(text) and every)
        rest = ", ".join(f"{key} = {value_text(value)}" for key, value in {**rare, **idle}.items())
        self.every.setVisible(bool(rest))
        self.every.setToolTip(self.tr("Also show {0}").format(rest))

    def _marks(self, snapshot: Snapshot, optimizer: OptimizerRecord) -> dict[str, str]:
        if snapshot.event is None:
            return {}
        operation = snapshot.event.operation
        group = self.group_tabs.currentIndex()
        if isinstance(operation, SetHyperparameter) and operation.group != group:
            return {}
        kind, start = kind_of(operation), f"{optimizer.name}/"
        changed = (address for address in snapshot.changed if address.startswith(start))
        return {address.removeprefix(start): kind for address in changed}

    def _show_failure(self, snapshot: Snapshot, optimizer: OptimizerRecord) -> None:
        event = snapshot.event
        operation = None if event is None else event.operation
        if event is None or not isinstance(operation, SetHyperparameter):
            return
        if event.outcome.ok or operation.optimizer != optimizer.name:
            self.problem.hide()
        else:
            message = (event.outcome.message, event.outcome.remedy)
            self._show_error(operation.name, "; ".join(filter(None, message)))

    def _zero_grad_note(self, snapshot: Snapshot, optimizer: OptimizerRecord) -> str:
        names = dict.fromkeys(
            key
            for record in snapshot.parameters.values()
            for key in record.buffers.get(optimizer.name, {})
        )
        if not names:
            return self.tr("Zero Grad clears .grad only, not optimizer state.")
        return self.tr("Zero Grad clears .grad only, not {0}.").format(", ".join(names))

    def _edit(self, name: str, value: float | bool | list[float]) -> None:
        optimizer = self.optimizer
        if optimizer is not None:
            self.problem.hide()
            self._controller.apply(
                SetHyperparameter(name, value, optimizer.name, self.group_tabs.currentIndex())
            )

    def _show_error(self, name: str, message: str) -> None:
        palette = self.problem.palette()
        colour = QColor(theme_of(self.palette()).error)
        palette.setColor(QPalette.ColorRole.WindowText, colour)
        self.problem.setPalette(palette)
        self.problem.setText(f"✖ {name}: {message}")
        self.problem.show()


def _set_tabs(tabs: CompactTabBar, titles: Sequence[str]) -> None:
    """Set the titles of tabs and keep the selected one; a single tab is hidden."""
    if [tabs.tabText(place) for place in range(tabs.count())] != list(titles):
        tabs.set_titles(titles)
    tabs.setVisible(len(titles) > 1)
