"""DebugToolbar: the four Operations, movements through the loop, and the targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSize
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui.action_ids import ActionId
from gradstep_gui.theme import kind_of
from gradstep_gui.widgets.bars import FlatToolBar
from gradstep_gui.widgets.buttons import MovementButton, OperationButton
from gradstep_gui.widgets.elided_combo_box import ElidedComboBox

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from PySide6.QtGui import QAction

    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.operation import Operation
    from gradstep_gui.records import State
    from gradstep_gui.targets import Targets
    from gradstep_gui.widgets.buttons import ActionButton

__all__ = ["DebugToolbar"]

OPERATIONS = {
    "zero_grad": ActionId.ZERO_GRAD,
    "forward": ActionId.FORWARD,
    "backward": ActionId.BACKWARD,
    "step": ActionId.STEP,
}
"""The Actions of the large buttons by the kind of Operation that they apply."""
MOVEMENTS = (
    (ActionId.STEP_INTO, ActionId.STEP_OVER, ActionId.STEP_OUT),
    (ActionId.STEP_BACK, ActionId.ITERATE, ActionId.RUN),
)
"""The rows of small buttons, which move through the loop."""
SWITCHES = (ActionId.HOLD_BATCH,)
ICON = 24


class DebugToolbar(FlatToolBar):
    """Large buttons for the four Operations, small ones for movements, and the targets.

    Args:
        actions: The QActions by id.
        targets: What the buttons act on.
        parent: The window.

    Attributes:
        empty_part: What is between the movements and the targets.
    """

    def __init__(
        self, actions: Mapping[str, QAction], targets: Targets, parent: QWidget | None = None
    ) -> None:
        super().__init__("toolbar.debug", "", parent)
        self.setWindowTitle(self.tr("Operations"))
        self.setIconSize(QSize(ICON, ICON))
        self._targets = targets
        self._kinds: dict[str, OperationButton] = {}
        for kind, action in OPERATIONS.items():
            self._kinds[kind] = self._add_button(actions[action], kind)
        self.addSeparator()
        self._movements = _Movements(actions, self)
        self.addWidget(self._movements)
        self._run, self._pause = actions[ActionId.RUN], actions[ActionId.PAUSE]
        self._run_button = self._movements.buttons[ActionId.RUN]
        self.empty_part = QWidget(self)
        self.empty_part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.addWidget(self.empty_part)
        self._loss = _Picker(self.tr("Loss"), targets.choose_loss, self)
        self._optimizer = _Picker(self.tr("Optimizer"), targets.choose_optimizer, self)
        for picker in (self._loss, self._optimizer):
            self.addWidget(picker)
        self._switches: dict[str, ActionButton] = {
            name: self._add_button(actions[name]) for name in SWITCHES
        }
        self._listed: tuple[str, ...] = tuple(self.small_buttons)
        self._revealed: set[str] = set()
        targets.changed.connect(self._follow_targets)
        self._follow_targets()

    @property
    def small_buttons(self) -> Mapping[str, ActionButton]:
        """The buttons that a layout can leave out, by the ids of their Actions."""
        return {**self._movements.buttons, **self._switches}

    def list_buttons(self, names: Sequence[str]) -> None:
        """Show these of the `small_buttons`, and those that were revealed."""
        self._listed = tuple(names)
        shown = {*names, *self._revealed}
        self._movements.show_buttons(shown)
        for place in self.actions():  # not stored: PySide may drop the action made for a widget
            button = self.widgetForAction(place)
            for name, switch in self._switches.items():
                if button is switch:
                    place.setVisible(name in shown)

    def reveal(self, names: Iterable[str]) -> None:
        """Show some of the `small_buttons` from now on: they are needed."""
        new = self.small_buttons.keys() & set(names) - {*self._listed, *self._revealed}
        if new:
            self._revealed |= new
            self.list_buttons(self._listed)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the buttons that move inside an Operation where the user is inside one."""
        if snapshot.inside is not None:
            self.reveal(self._movements.buttons)

    def show_next(self, operation: Operation | None) -> None:
        """Mark the button of what goes on next."""
        kind = "" if operation is None else kind_of(operation)
        for name, button in self._kinds.items():
            button.mark_next(name == kind)

    def show_state(self, state: State) -> None:
        """Turn the Run button into Pause during a run."""
        action = self._pause if state.work in {"running", "replaying"} else self._run
        if self._run_button.defaultAction() is not action:
            self._run_button.show_action(action)

    def _follow_targets(self) -> None:
        targets = self._targets
        losses, optimizers = targets.losses, targets.optimizers
        if not targets.can_choose:
            losses, optimizers = (), ()
        self._loss.offer(losses, targets.chosen[0], targets.expected[0])
        self._optimizer.offer(optimizers, targets.chosen[1], targets.expected[1])
        for place in self.actions():  # not stored: PySide may drop the action made for a widget
            picker = self.widgetForAction(place)
            if isinstance(picker, _Picker):
                place.setVisible(picker.has_choice)
        options = targets.options
        self._kinds["forward"].note(self.tr("held") if options.hold else "")
        self._kinds["backward"].note(self.tr("retain") if options.retain_graph else "")
        self._kinds["zero_grad"].note(self.tr("zeros") if options.zeros else "")

    def _add_button(self, action: QAction, kind: str = "") -> OperationButton:
        button = OperationButton(action, kind, self)
        self.addWidget(button)
        return button


class _Movements(QWidget):
    """Small buttons in two rows.

    Args:
        actions: The QActions by id.
        parent: The toolbar.
    """

    def __init__(self, actions: Mapping[str, QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.buttons: dict[str, MovementButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 0, 4, 0)
        column.setSpacing(2)
        column.addStretch(1)
        for row in MOVEMENTS:
            line = QHBoxLayout()
            line.setSpacing(2)
            for name in row:
                self.buttons[name] = MovementButton(actions[name], self)
                line.addWidget(self.buttons[name])
            line.addStretch(1)
            column.addLayout(line)
        column.addStretch(1)

    def show_buttons(self, names: Collection[str]) -> None:
        """Show these buttons alone."""
        for name, button in self.buttons.items():
            button.setVisible(name in names)


class _Picker(QWidget):
    """A caption above a box of names, the first of which leaves the choice to the loop."""

    def __init__(self, caption: str, choose: Callable[[str | None], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self._box = ElidedComboBox(self)
        for part in (self._box, self._box.view()):
            part.setAccessibleName(caption)
        self._box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._box.setMinimumWidth(96)
        self._box.currentIndexChanged.connect(
            lambda row: choose(self._names[row - 1] if row > 0 else None)
        )
        label = QLabel(caption, self)
        font = QFont(label.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)
        label.setFont(font)
        label.setBuddy(self._box)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(3)
        column.addStretch(1)
        column.addWidget(label)
        column.addWidget(self._box)
        column.addStretch(1)

    @property
    def has_choice(self) -> bool:
        """Whether there is more than one name."""
        return len(self._names) > 1

    def offer(self, names: Sequence[str], chosen: str | None, expected: str) -> None:
        """Show the names, the chosen one, and the one the loop uses next."""
        with QSignalBlocker(self._box):
            if self._names != tuple(names):
                self._names = tuple(names)
                self._box.clear()
                self._box.addItems(["", *names])
            self._box.setItemText(0, self.tr("From Loop: {name}").format(name=expected))
            self._box.setCurrentIndex(0 if chosen is None else self._names.index(chosen) + 1)
        self._box.setToolTip(self._box.currentText())
