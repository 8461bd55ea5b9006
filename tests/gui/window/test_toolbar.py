"""The toolbar, in the narrowest window and with every choice that there is."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QMainWindow

from gradstep_gui.actions import ACTIONS
from gradstep_gui.main_window import SMALLEST
from gradstep_gui.records import Document
from gradstep_gui.targets import Targets
from gradstep_gui.widgets.buttons import OperationButton
from gradstep_gui.window.toolbar import DebugToolbar

TWO = Document("two heads", losses=("loss_a", "loss_b"), optimizers=("optimizer_a", "optimizer_b"))


@pytest.fixture
def toolbar(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = {action.id: QAction(action.text(), window) for action in ACTIONS}
    targets = Targets(window)
    targets.follow_document(TWO)
    toolbar = DebugToolbar(actions, targets, window)
    window.addToolBar(toolbar)
    window.resize(*SMALLEST)
    with qtbot.waitExposed(window):
        window.show()
    yield toolbar
    window.close()


def test_in_the_narrowest_window_every_button_and_choice_is_in_sight(toolbar):
    parts = [*toolbar.findChildren(OperationButton), *toolbar.findChildren(QComboBox)]
    assert len(parts) == 13
    assert [part.accessibleName() for part in parts if not part.isVisible()] == []
    right = max(part.mapTo(toolbar, part.rect().topRight()).x() for part in parts)
    assert right < toolbar.width()


def test_a_label_is_never_cut_and_gets_air_where_there_is_room(toolbar, qtbot):
    for button in toolbar.findChildren(OperationButton):
        words = button.fontMetrics().horizontalAdvance(button.text().replace("&", ""))
        assert button.width() >= words
    narrow = [button.width() for button in toolbar.findChildren(OperationButton)]
    toolbar.window().resize(1600, 600)
    qtbot.waitUntil(
        lambda: all(
            button.width() == button.sizeHint().width()
            for button in toolbar.findChildren(OperationButton)
        )
    )
    wide = [button.width() for button in toolbar.findChildren(OperationButton)]
    assert sum(wide) > sum(narrow)


def test_an_elided_choice_is_shown_in_full_in_its_tooltip(toolbar):
    tips = [box.toolTip() for box in toolbar.findChildren(QComboBox)]
    assert tips == ["From Loop: loss_a", "From Loop: optimizer_a"]
