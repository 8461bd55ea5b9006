"""A form of values stands in two columns where there is room for two, else in one."""

import pytest
from PySide6.QtWidgets import QWidget

from gradstep_gui.widgets.value_form import ValueForm

VALUES = {"lr": 0.001, "betas": [0.9, 0.999], "eps": 1e-8, "amsgrad": False, "maximize": True}


@pytest.fixture
def around(qtbot):
    around = QWidget()
    qtbot.addWidget(around)
    return around


@pytest.fixture
def form(around):
    form = ValueForm(around)
    form.show_values(VALUES)
    form.resize(600, 200)
    around.show()
    return form


def left_edges(form):
    form.layout().activate()
    return {form.field(name).x() for name in VALUES if name not in {"amsgrad", "maximize"}}


def test_two_fields_are_side_by_side_in_a_wide_form(form):
    assert len(left_edges(form)) == 2


def test_in_a_narrow_dock_fields_are_stacked_and_not_clipped(form):
    form.resize(form.minimumSizeHint().width(), 400)
    assert len(left_edges(form)) == 1
    assert all(form.rect().contains(form.field(name).geometry()) for name in VALUES)


def test_it_returns_to_two_columns_and_keeps_its_values(form):
    form.resize(form.minimumSizeHint().width(), 400)
    form.resize(600, 200)
    assert len(left_edges(form)) == 2
    assert form.field("lr").text() == "0.001"


def test_it_asks_for_the_room_of_one_column_only(form):
    assert form.minimumSizeHint().width() < form.layout().totalMinimumSize().width()
