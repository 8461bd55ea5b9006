"""Cells are painted so that a mark, a tone and a swatch can be seen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QAbstractListModel, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPalette
from PySide6.QtWidgets import QListView, QTableView

from gradstep_gui.theme import LIGHT
from gradstep_gui.widgets.tables.cells import _AT_LEFT, Cell, CellDelegate, _fitted


class OneCell(QAbstractListModel):
    def __init__(self, cell, parent):
        super().__init__(parent)
        self.cell = cell

    def rowCount(self, parent=None):
        return 1

    def data(self, index, role=Qt.ItemDataRole.DisplayRole):
        return self.cell.answer(role)


@pytest.fixture
def picture_of(qtbot):
    def painted(cell, width):
        view = QTableView()
        qtbot.addWidget(view)
        view.setModel(OneCell(cell, view))
        view.setItemDelegate(CellDelegate(view))
        view.setColumnWidth(0, width)
        return view.viewport().grab().toImage()

    return painted


@pytest.fixture
def colours_of(qtbot):
    def painted(cell, *, selected=False):
        view = QListView()
        qtbot.addWidget(view)
        palette = QPalette(view.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(LIGHT.window))
        palette.setColor(QPalette.ColorRole.Base, QColor(LIGHT.base))
        view.setPalette(palette)
        view.setModel(OneCell(cell, view))
        view.setItemDelegate(CellDelegate(view))
        view.resize(200, 60)
        if selected:
            view.setCurrentIndex(view.model().index(0, 0))
        image = view.viewport().grab().toImage()
        return {
            QColor(image.pixel(x, y)).name()
            for x in range(image.width())
            for y in range(image.height())
        }

    return painted


def test_a_marked_cell_has_the_ground_and_the_bar_of_its_kind(colours_of):
    step = LIGHT.kind("step")
    assert {step.soft, step.strong} <= colours_of(Cell("1", mark="step"))


def test_a_mark_is_seen_on_a_selected_row_too(colours_of):
    step = LIGHT.kind("step")
    assert {step.soft, step.strong} <= colours_of(Cell("1", mark="step"), selected=True)


def test_a_cell_without_mark_has_neither(colours_of):
    step = LIGHT.kind("step")
    assert not {step.soft, step.strong} & colours_of(Cell("1"))


def test_a_swatch_shows_the_colour_of_its_kind(colours_of):
    assert LIGHT.kind("forward").strong in colours_of(Cell("Forward", swatch="forward"))


@pytest.mark.parametrize(
    ("tone", "colour"),
    [("error", LIGHT.error), ("warning", LIGHT.warning), ("muted", LIGHT.muted)],
)
def test_a_tone_colours_the_words(colours_of, tone, colour):
    assert colour in colours_of(Cell("MMMM", tone=tone))


def test_numbers_are_right_aligned():
    right = Cell("1", number=True).answer(Qt.ItemDataRole.TextAlignmentRole)
    assert right == int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    assert Cell("x").answer(Qt.ItemDataRole.TextAlignmentRole) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0.8299305438995361", "0.8299"),
        ("norm 0.8299305438995361", "norm 0.8299"),
        ("-12345.678901234567", "-12345.7"),
        ("0.00012345678901234", "0.00012"),
    ],
)
def test_a_number_without_room_gets_fewer_digits_and_no_ellipsis(qapp, text, shown):
    metrics = QFontMetrics(qapp.font())
    assert _fitted(text, metrics, metrics.horizontalAdvance(shown), _AT_LEFT) == shown


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a_long_name_of_running_mean", "a_long_name_of_running_var"),
        ("norm -2.1202e-05", "norm -2.1202e-12"),
        ("training.ipynb, cell 3:4", "training.ipynb, cell 3:5"),
    ],
)
def test_names_that_differ_at_the_end_still_differ_when_elided(picture_of, one, other):
    assert picture_of(Cell(one), width=100) != picture_of(Cell(other), width=100)


def test_a_sentence_is_cut_at_its_end(picture_of):
    assert picture_of(Cell("4 tensors and the state of one"), width=90) == picture_of(
        Cell("4 tensors and the state of two"), width=90
    )
