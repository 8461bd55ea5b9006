"""Tabs leave room below their words."""

from PySide6.QtWidgets import QTabBar

from gradstep_gui.widgets.part_tabs import PartTabs


def test_tabs_are_higher_than_the_style_makes_them(qtbot):
    tabs, plain = PartTabs("Which"), QTabBar()
    for each in (tabs, plain):
        qtbot.addWidget(each)
        each.addTab("exp_avg")
    assert tabs.tabSizeHint(0).height() > plain.sizeHint().height()
    assert tabs.accessibleName() == "Which"
