"""Exports: tables with gaps left empty, and files that cannot be written."""

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel

from gradstep.errors import GradStepError
from gradstep_gui.plotting.curve_set import CurveSet
from gradstep_gui.plotting.export import export_csv, export_picture, export_svg
from gradstep_gui.plotting.series import ColumnPatch, SeriesBatch


def test_columns_that_begin_later_are_empty_until_then_and_the_tail_is_omitted(tmp_path):
    curves = CurveSet(["loss/loss", "norm/w"])
    long = ColumnPatch(0, np.array([0.0, 1, 2_000_000]), np.array([np.nan, 0.1, 2.5]))
    short = ColumnPatch(0, np.array([1.0, 2_000_000]), np.array([4.0, np.inf]))
    curves.apply(SeriesBatch({"loss/loss": long, "norm/w": short}))
    curves.set_tail({"loss/loss": ([2_000_000.5], [9.0])})
    export_csv(curves, curves.columns, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines() == [
        "iteration,loss/loss,norm/w",
        "0,,",
        "1,0.1,4.0",
        "2000000,2.5,inf",
    ]


def test_no_columns_give_a_table_with_its_header_only(tmp_path):
    export_csv(CurveSet(), (), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines() == ["iteration"]


def test_a_place_that_is_not_there_is_named(qtbot, tmp_path):
    label = QLabel("x")
    qtbot.addWidget(label)
    nowhere = tmp_path / "missing"
    with pytest.raises(GradStepError, match=r"a\.csv cannot be written: No such file"):
        export_csv(CurveSet(), (), nowhere / "a.csv")
    with pytest.raises(GradStepError, match=r"a\.png cannot be written: No such file"):
        export_picture(label, nowhere / "a.png")
    with pytest.raises(GradStepError, match=r"a\.svg cannot be written"):
        export_svg(label, nowhere / "a.svg")
