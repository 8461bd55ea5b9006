"""Tabs leave room below their words, and keep what is chosen."""

from PySide6.QtWidgets import QStyle, QStyleOptionTab, QTabBar

from gradstep_gui.widgets.bars import CompactTabBar


def test_tabs_are_higher_than_the_style_makes_them(qtbot):
    tabs, plain = CompactTabBar("Which"), QTabBar()
    for each in (tabs, plain):
        qtbot.addWidget(each)
        each.addTab("exp_avg")
    assert tabs.tabSizeHint(0).height() > plain.sizeHint().height()
    assert tabs.accessibleName() == "Which"


def test_the_chosen_tab_stays_where_there_are_others(qtbot):
    tabs = CompactTabBar("Which")
    qtbot.addWidget(tabs)
    tabs.set_titles(["data", "grad"], ["w", "w.grad"])
    tabs.setCurrentIndex(1)
    with qtbot.assertNotEmitted(tabs.currentChanged):
        tabs.set_titles(["data", "grad", "exp_avg"])
    assert [tabs.tabText(place) for place in range(tabs.count())] == ["data", "grad", "exp_avg"]
    assert tabs.tabText(tabs.currentIndex()) == "grad"
    with qtbot.assertNotEmitted(tabs.currentChanged):
        tabs.set_titles(["data"], ["b"])
    assert (tabs.currentIndex(), tabs.tabToolTip(0)) == (0, "b")


def test_no_tab_cuts_off_its_text(qtbot):
    tabs = CompactTabBar("Show")
    qtbot.addWidget(tabs)
    tabs.set_titles(["data", "momentum_buffer", "Bindings"])
    tabs.resize(tabs.sizeHint())
    tabs.show()
    for place in range(tabs.count()):
        option = QStyleOptionTab()
        tabs.initStyleOption(option, place)
        room = tabs.style().subElementRect(QStyle.SubElement.SE_TabBarTabText, option, tabs)
        needed = tabs.fontMetrics().boundingRect(tabs.tabText(place))
        assert room.width() >= needed.width(), tabs.tabText(place)
        assert room.height() >= tabs.fontMetrics().height(), tabs.tabText(place)
