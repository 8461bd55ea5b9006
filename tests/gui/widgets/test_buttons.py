"""A toggle looks on when it is on, in either theme."""

import pytest
from PySide6.QtGui import QPalette

from gradstep_gui.theme import DARK, LIGHT, apply
from gradstep_gui.widgets.buttons import ToggleButton


@pytest.fixture(autouse=True)
def light_again(qapp):
    yield
    apply(qapp, "light")


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_background_shows_whether_the_button_is_on(qtbot, qapp, theme):
    apply(qapp, theme.name)
    toggle = ToggleButton("All", "Show every iteration")
    qtbot.addWidget(toggle)
    grounds = []
    for on in (False, True, False):
        toggle.setChecked(on)
        grounds.append(toggle.palette().color(QPalette.ColorRole.Button).name())
    assert grounds == [theme.raised, theme.selection, theme.raised]


def test_a_checked_button_takes_the_colours_of_another_theme(qtbot, qapp):
    apply(qapp, "light")
    toggle = ToggleButton("All", "Show every iteration")
    qtbot.addWidget(toggle)
    toggle.setChecked(True)
    toggle.show()
    apply(qapp, "dark")
    qtbot.waitUntil(
        lambda: toggle.palette().color(QPalette.ColorRole.Button).name() == DARK.selection,
        timeout=60_000,
    )
