"""The compare dock."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from gradstep.history.records.branch import BranchRecord
from gradstep.history.records.comparison import (
    Comparison,
    ComparisonRow,
    Contrast,
    Difference,
    Pair,
)
from gradstep_gui.plotting.style import branch_color
from gradstep_gui.theme import LIGHT
from gradstep_gui.views.compare import CompareView
from tests.gui.factory import RememberingController, layered

NAN = float("nan")
FOUND = Comparison(
    names=("main", "lr < 1"),
    lengths=(8, 9),
    events=Pair(4, 5),
    iteration=0,
    operation="Step optimizer",
    place="Step #4",
    contrast=Contrast(1, "with lr < 1", "without it"),
    iterations=(1000, 1000),
    difference=Difference("x", (1,), 3, "1.0", "1.5", 2, 7),
    notes=("main has 8 Events and lr < 1 has 9.",),
    rows=(
        ComparisonRow(0, (0, 0), {"loss/loss": (NAN, NAN), "norm/x": (1.0, 1.0)}, 0.0),
        ComparisonRow(1000, (4, 5), {"loss/loss": (2.0, 4.0), "norm/x": (1.0, 2.0)}, 0.5),
    ),
)


def compared(found=FOUND):
    points = np.arange(3.0)
    curves = ({"loss/loss": (points, points)}, {"loss/loss": (points, 2 * points)})
    return SimpleNamespace(comparison=found, branches=(0, 1), curves=curves)


@pytest.fixture
def view(qtbot):
    view = CompareView(RememberingController(layered(2, 3)))
    qtbot.addWidget(view)
    view.resize(800, 300)
    with qtbot.waitExposed(view):
        view.show()
    return view


def test_before_any_comparison_the_placeholder_explains_how_to_make_one(view):
    assert not view.place.shows_content
    assert "Experiment > What If…" in view.place.sentence


def test_of_a_recorded_script_the_placeholder_names_only_what_it_can_do(view):
    snapshot = layered(2, 4)
    abilities = dataclasses.replace(snapshot.abilities, document="There is no document.")
    view.controller.show(dataclasses.replace(snapshot, abilities=abilities))
    assert "What If" not in view.place.sentence
    assert "gradstep compare" in view.place.sentence


def test_the_first_difference_is_shown_and_links_to_its_event(view):
    view.controller.branches.publish(
        branches=[BranchRecord(0, "main", "", 0, 8, 2, 1.0, is_current=True)], comparison=compared()
    )
    assert view.place.shows_content
    text = view.sentence.text()
    assert "x[1] differs first, after Event 4, which is 5 in 'lr &lt; 1' (Step optimizer)" in text
    assert "main has 8 Events and lr &lt; 1 has 9." in text
    headline = "With lr &lt; 1 the loss ends at 4; without it at 2. They diverge at Step #4 (x)."
    assert text.startswith(f"<b>{headline}</b><br><a href='4'")
    assert text.index("Go to Event 4") < text.index("x[1] differs first") < text.index("In bits:")
    view.sentence.linkActivated.emit("4")
    assert view.controller.sought == [4]
    assert view.controller.branches.asked == []


def test_the_event_is_that_of_the_first_branch_even_when_the_other_is_current(view):
    view.controller.branches.publish(
        branches=[BranchRecord(1, "lr < 1", "main", 3, 9, 2, 1.0, is_current=True)],
        comparison=compared(),
    )
    view.sentence.linkActivated.emit("4")
    assert view.controller.branches.asked == [("checkout", 0)]
    assert view.controller.sought == [4]


def test_long_words_take_no_height_from_the_plots(view, qtbot):
    view.controller.branches.publish(comparison=compared())
    short = view.minimumSizeHint().height()
    long = dataclasses.replace(FOUND, notes=("a note of several words " * 40,) * 5)
    view.controller.branches.publish(comparison=compared(long))
    assert view.minimumSizeHint().height() == short
    qtbot.waitUntil(lambda: view.sentence.height() > view.height())  # it is scrolled


def test_both_losses_are_listed_at_the_same_iterations(view):
    view.controller.branches.publish(comparison=compared())
    assert view.table.row_texts == [("0", "None", "None", "0"), ("1,000", "2", "4", "0.5")]


def test_both_losses_are_drawn_over_one_another(view):
    view.controller.branches.publish(comparison=compared())
    entries = view.panel.legend.entries
    assert [entry.label for entry in entries] == ["A: main", "B: lr < 1"]
    assert [entry.style.is_ghost for entry in entries] == [False, True]
    assert [entry.style.color for entry in entries] == [LIGHT.curves[0], branch_color(1, LIGHT)]
    assert [entry.value for entry in entries] == ["2", "4"]


def test_a_branch_has_one_colour_also_where_there_are_several_losses(view):
    points = np.arange(3.0), np.ones(3)
    both = {"loss/loss": points, "loss/held_out": points}
    found = SimpleNamespace(comparison=FOUND, branches=(0, 1), curves=(both, both))
    view.controller.branches.publish(comparison=found)
    entries = view.panel.legend.entries
    assert [entry.label for entry in entries] == [
        "A: main, loss",
        "A: main, held_out",
        "B: lr < 1, loss",
        "B: lr < 1, held_out",
    ]
    colors = [entry.style.color for entry in entries]
    assert colors[0] == colors[1] != colors[2] == colors[3]
    assert len({entry.style.dashes for entry in entries}) == 4


def test_branches_without_a_difference_have_no_link(view):
    same = Comparison(names=("main", "again"), lengths=(8, 8))
    view.controller.branches.publish(comparison=compared(same))
    assert view.sentence.text() == "<b>No value differs in the 8 Events that both have.</b>"
    assert view.table.row_texts == []


def test_without_a_comparison_any_more_it_is_as_at_first(view):
    view.controller.branches.publish(comparison=compared())
    assert view.place.shows_content
    view.controller.branches.comparison = None
    view.render(view.controller.snapshot)
    assert not view.place.shows_content
    assert "Experiment > What If…" in view.place.sentence


def test_the_columns_of_two_losses_keep_room_for_their_numbers_and_scroll(view, qtbot):
    values = {"loss/loss_a": (0.70632, 0.15901), "loss/loss_b": (0.70632, 0.15901)}
    found = dataclasses.replace(FOUND, rows=(ComparisonRow(0, (0, 0), values, 0.0),))
    view._branches.comparison = compared(found)
    view.resize(400, 300)
    view.controller.branches.compared.emit(view._branches.comparison)
    header = view.table.horizontalHeader()
    needed = view.table.fontMetrics().horizontalAdvance("0.70632")
    qtbot.waitUntil(lambda: header.count() == 6)
    assert all(header.sectionSize(column) > needed for column in range(6))
    assert view.table.horizontalScrollBar().maximum() > 0


def test_no_title_of_the_table_is_cut(view, qtbot):
    values = {"loss/a_loss_with_a_long_name": (0.5, 0.25)}
    found = dataclasses.replace(FOUND, rows=(ComparisonRow(0, (0, 0), values, 0.0),))
    view.resize(300, 300)
    view.controller.branches.publish(comparison=compared(found))
    header = view.table.horizontalHeader()
    qtbot.waitUntil(lambda: header.count() == 4)
    for column, (title, *_) in enumerate(zip(*view.table.texts, strict=True)):
        assert header.fontMetrics().horizontalAdvance(title) + 8 <= header.sectionSize(column)


def test_metrics_are_drawn_in_a_panel_of_their_own(view):
    assert not view.metrics.isVisible()
    moment = dataclasses.replace(layered(2, 3), metrics=frozenset({"accuracy"}))
    view.controller.show(moment, [])
    points = np.arange(3.0)
    curves = tuple(
        {"loss/loss": (points, points), "loss/accuracy": (points, [0, share, NAN])}
        for share in (0.25, 0.5)
    )
    found = SimpleNamespace(comparison=FOUND, branches=(0, 1), curves=curves)
    view.controller.branches.publish(comparison=found)
    assert view.panel.keys == ("0/loss/loss", "1/loss/loss")
    assert view.metrics.isVisible()
    assert [entry.value for entry in view.metrics.legend.entries] == ["0.25", "0.5"]
