"""The command palette: which actions match, in which order."""

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from gradstep_gui.widgets.command_palette import CommandPalette, match_score


@pytest.fixture
def palette(qtbot):
    window = QWidget()
    window.resize(800, 600)
    qtbot.addWidget(window)
    actions = [QAction(text, window) for text in ("Step &Back", "&Save", "Run", "Step")]
    actions[1].setEnabled(False)
    palette = CommandPalette(actions, window)
    window.show()
    palette.open()
    yield palette
    window.close()


def test_actions_are_listed_in_order_with_disabled_ones_last(palette):
    assert palette.titles == ("Step Back", "Run", "Step", "Save")


def test_letters_that_begin_words_match_best(palette):
    palette._field.setText("sb")
    assert palette.titles == ("Step Back",)
    palette._field.setText("st")
    assert palette.titles[0] in {"Step", "Step Back"}


def test_letters_out_of_order_do_not_match():
    assert match_score("pets", "Step") is None
    assert match_score("", "Step") == 0
