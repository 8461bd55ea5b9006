"""Bars that add up: where they begin and end, and how they are painted."""

from __future__ import annotations

from PySide6.QtGui import QColor, QGuiApplication

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.tables.cells import Cell
from gradstep_gui.widgets.tables.share_bar import Bar, BarDelegate, staircase
from gradstep_gui.widgets.tables.table import CellTable


def test_each_bar_begins_where_the_last_has_ended():
    bars = staircase([0.75, 0.5, -0.25], [False, False, True])
    assert bars == (Bar(0.0, 0.75), Bar(0.75, 1.25), Bar(1.25, 1.0, hatched=True))


def test_the_scale_holds_nothing_the_whole_and_every_bar(qapp):
    delegate = BarDelegate()
    delegate.show_bars(staircase([-0.5, 1.5], [False, False]))
    assert delegate.scale == (-0.5, 1.0)
    delegate.show_bars(())
    assert delegate.scale == (0.0, 1.0)


def test_negative_shares_have_another_colour(qtbot):
    table = CellTable("Parts")
    qtbot.addWidget(table)
    delegate = BarDelegate(table)
    delegate.show_bars(staircase([2.0, -1.0], [False, False]))
    table.setItemDelegateForColumn(0, delegate)
    table.show_rows(("",), [(Cell(""),), (Cell(""),)])
    table.stretch(0)
    table.resize(300, 120)
    picture = table.viewport().grab().toImage()
    theme = theme_of(QGuiApplication.palette())
    height = table.verticalHeader().defaultSectionSize()
    middle = picture.width() * 3 // 4
    assert picture.pixelColor(middle, height // 2) == QColor(theme.accent)
    assert picture.pixelColor(middle, height + height // 2) == QColor(theme.warning)
