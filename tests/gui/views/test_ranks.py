"""The ranks dock."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from gradstep.history.records.comparison import Difference
from gradstep.history.records.ranks import RankDivergence, RankRecord
from gradstep_gui.views.ranks import RanksView
from tests.gui.factory import RememberingController, layered

FIRST = RankRecord(
    number=0,
    host="vm",
    pid=101,
    state="held",
    place="Step #4",
    is_past=False,
    at="train.py:22",
    event=15,
    iteration=3,
    loss=1.25,
    parameter_norm=3.5,
    gradient_norm=2.75,
    divergence=None,
    compared=0,
    status=None,
    error="",
    ended_after=None,
    traceback="",
    is_first_failure=False,
    is_shown=True,
)
SECOND = replace(FIRST, number=1, pid=102, loss=2.5, compared=3, is_shown=False)
DIVERGENCE = RankDivergence(
    first=0,
    event=13,
    step=3,
    optimizer="optimizer",
    at="train.py:22",
    iteration=2,
    difference=Difference("model.bias", (0,), 9, "0.5", "0.75", 1, 9),
    largest=0.25,
    tensors=2,
    last_equal=2,
    gradient=Difference("model.bias.grad", (0,), 9, "-1", "-1.5", 1, 9),
    is_synchronized=True,
)


@pytest.fixture
def view(qtbot):
    view = RanksView(RememberingController(layered(2, 3)))
    qtbot.addWidget(view)
    view.resize(900, 200)
    with qtbot.waitExposed(view):
        view.show()
    return view


def test_one_process_is_described_in_a_sentence(view):
    view.controller.ranks.publish()
    assert not view.place.shows_content
    assert "There is one process." in view.place.sentence


def test_each_rank_shows_where_it_is_and_that_it_is_equal(view):
    view.controller.ranks.publish(FIRST, SECOND)
    assert view.table.row_texts == [
        ("0", "Held before Step #4, train.py:22", "3", "1.25", "3.5", "2.75", "", "101"),
        (
            *("1", "Held before Step #4, train.py:22", "3", "2.5", "3.5", "2.75"),
            *("Equal after 3 Steps", "102"),
        ),
    ]
    assert view.notes.text() == ""
    assert view.windowTitle() == "Ranks"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"state": "running"}, "Running Step #4, train.py:22"),
        ({"state": "running", "place": "", "at": ""}, "Starting"),
        ({"state": "running", "is_past": True}, "Running after Step #4, train.py:22"),
        ({"state": "waiting"}, "Waits for other ranks in Step #4, train.py:22"),
        ({"state": "waiting", "is_past": True}, "Waits for other ranks after Step #4, train.py:22"),
        (
            {"state": "waiting", "place": "", "at": ""},
            "Waits for other ranks before its first operation",
        ),
        ({"state": "ended"}, "Ended"),
        ({"state": "ended", "ended_after": 2}, "Ended by torchrun, after rank 2 had failed"),
        ({"state": "ended", "status": 0}, "Ended with status 0"),
        ({"state": "ended", "status": 1, "error": "ValueError: no"}, "Ended: ValueError: no"),
    ],
)
def test_each_state_is_said(view, change, text):
    view.controller.ranks.publish(FIRST, replace(SECOND, **change))
    assert view.table.row_texts[1][1] == text


def test_where_a_rank_parts_is_shown_with_both_values(view):
    view.controller.ranks.publish(FIRST, replace(SECOND, divergence=DIVERGENCE))
    assert view.table.row_texts[1][6] == "Differs since Step #3: model.bias[0]"
    assert view.windowTitle() == "Ranks (1)"
    text = view.notes.text()
    assert "The ranks' parameters diverge at Step #3 (Event 13): model.bias[0]" in text.replace(
        "&#x27;", "'"
    )
    assert "model.bias[0] is 0.5 on rank 0 and 0.75 on rank 1." in text
    assert "The largest difference in this tensor is 0.25. 1 other tensor differs." in text
    assert "model.bias.grad[0] was -1 on rank 0 and -1.5 on this one." in text
    assert "DistributedDataParallel averages gradients" in text


def test_ranks_that_nothing_synchronizes_are_no_error(view):
    divergence = replace(DIVERGENCE, is_synchronized=False, event=0, step=0, gradient=None)
    view.controller.ranks.publish(FIRST, replace(SECOND, divergence=divergence))
    assert view.table.row_texts[1][6] == "Differs before the first Step: model.bias[0]"
    assert "Nothing that GradStep sees keeps them equal" in view.notes.text()


def test_ranks_that_are_equal_again_are_said_to_be(view):
    view.controller.ranks.publish(
        FIRST, replace(SECOND, divergence=replace(DIVERGENCE, equal_since=5))
    )
    assert view.table.row_texts[1][6] == "Equal again since Step #5"


def test_a_click_on_a_rank_shows_it_and_the_event_of_a_divergence_is_a_link(view, qtbot):
    view.controller.ranks.publish(FIRST, replace(SECOND, divergence=DIVERGENCE))
    for row in (0, 1):
        place = view.table.visualRect(view.table.model().index(row, 1)).center()
        qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert view.controller.ranks.shown == [1]
    view.notes.linkActivated.emit("1/13")
    assert view.controller.ranks.shown == [1, 1]
    assert view.controller.sought == [13]


def test_the_rank_that_failed_first_shows_its_traceback(view):
    failed = replace(
        SECOND,
        state="ended",
        status=1,
        error="ValueError: <no>",
        traceback="Traceback ...\n  raise ValueError",
        is_first_failure=True,
    )
    view.controller.ranks.publish(FIRST, failed)
    assert view.windowTitle() == "Ranks (1)"
    assert "Rank 1 has failed" in view.notes.text()
    assert "ValueError: &lt;no&gt;<pre" in view.notes.text()
    assert "raise ValueError" in view.notes.text()
