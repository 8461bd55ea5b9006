"""Tabs show their texts whole, and keep what is chosen."""

from PySide6.QtWidgets import QStyle, QStyleOptionTab, QTabBar

from gradstep_gui.theme import LIGHT
from gradstep_gui.widgets.bars import CompactTabBar, style_tabs


def ink(tabs):
    """The number of rows of pixels that hold the text of the second tab."""
    picture = tabs.grab(tabs.tabRect(1).adjusted(8, 4, -8, -2)).toImage()
    backdrop = picture.pixelColor(0, picture.height() // 2).lightness()
    columns = range(2, picture.width() - 2)
    rows = range(picture.height())
    return sum(
        any(picture.pixelColor(x, y).lightness() < backdrop - 40 for x in columns) for y in rows
    )


def test_an_unselected_tab_shows_its_descenders_like_a_selected_one(qtbot):
    tabs = QTabBar()
    qtbot.addWidget(tabs)
    style_tabs(tabs, LIGHT)
    for name in ("first", "gjpqy"):
        tabs.addTab(name)
    tabs.resize(tabs.sizeHint())
    tabs.show()
    unselected = ink(tabs)
    tabs.setCurrentIndex(1)
    assert unselected == ink(tabs) > 0


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
