"""Notices of new facts, and when messages are dismissed."""

import contextlib
import dataclasses
import sqlite3

import pytest

from gradstep.debugger import Debugger
from gradstep.history.records.event import Event, Outcome
from gradstep.history.records.finding import Finding
from gradstep.history.records.snapshot import Snapshot
from gradstep.program.gallery import scenarios
from gradstep.program.operation import Backward
from gradstep_gui.messages import Messages
from gradstep_gui.window.message_presenter import FactNotices


@pytest.fixture
def reported(real_window):
    """A window that has just reported a mistake: one gradient was used by two Steps."""
    for action in ("forward", "backward", "step", "step"):
        real_window.actions_by_id[f"debug.{action}"].trigger()
        assert real_window.controller.wait_idle(60)
    assert real_window.message_bar.message.action == "view.findings"
    return real_window


def test_the_message_is_dismissed_when_the_findings_are_raised(reported):
    reported.show_view("findings")
    assert reported.message_bar.message is None


def test_the_message_is_dismissed_when_another_program_is_opened(reported):
    reported.controller.open(scenarios()[1].path, as_copy=True)
    assert reported.controller.wait_idle(60)
    assert reported.message_bar.message is None


def test_with_findings_in_front_a_message_goes_to_the_history_only(real_window, qtbot):
    real_window.show_view("findings")
    qtbot.waitUntil(lambda: not real_window.docks["findings"].visibleRegion().isEmpty())
    for action in ("forward", "backward", "step", "step"):
        real_window.actions_by_id[f"debug.{action}"].trigger()
        assert real_window.controller.wait_idle(60)
    assert real_window.message_bar.message is None
    assert "used by two steps" in real_window.messages.history[-1].text


def test_the_lesson_of_another_program_is_raised(real_window, qtbot):
    program = real_window.docks["program"]
    real_window.show_view("parameters")
    qtbot.waitUntil(lambda: program.visibleRegion().isEmpty())
    real_window.controller.open(scenarios()[1].path, as_copy=True)
    assert real_window.controller.wait_idle(60)
    qtbot.waitUntil(lambda: not program.visibleRegion().isEmpty())


def test_a_program_dock_that_was_closed_stays_closed(make_window):
    window = make_window(Debugger.open)
    for program in scenarios()[:2]:
        window.controller.open(program.path, as_copy=True)
        assert window.controller.wait_idle(60)
        window.docks["program"].hide()
    window.controller.open(scenarios()[2].path, as_copy=True)
    assert window.controller.wait_idle(60)
    assert window.docks["program"].isHidden()


STALE = Finding("step-without-grad", "fact", "A step that moved nothing", "Every .grad was None.")
ADDED = Finding("grad-accumulated", "fact", "Gradients were added up", "Of two iterations.")
LARGE = Finding("exploding-gradient", "suspicion", "A gradient grows", "Its norm grew.")


def moment(*findings):
    return Snapshot(None, 0, 0, 0, None, findings=findings)


@pytest.fixture
def messages(qtbot):
    return Messages()


@pytest.fixture
def notices(messages):
    notices = FactNotices(messages)
    notices.follow(moment())
    return notices


def test_a_new_fact_is_reported_once_with_a_link_to_it(notices, messages):
    for _ in range(2):
        notices.follow(moment(STALE, LARGE))
    notices.follow(moment())
    notices.follow(moment(STALE))
    (message,) = messages.history
    assert (message.text, message.action, message.offer) == (
        "A step that moved nothing",
        "view.findings",
        "&Show",
    )


def test_facts_found_together_share_one_message(notices, messages):
    notices.follow(moment(STALE, ADDED))
    (message,) = messages.history
    assert (message.text, message.remedy) == (
        "A step that moved nothing",
        "Gradients were added up",
    )


def test_a_suspicion_posts_no_message(notices, messages):
    notices.follow(moment(LARGE))
    assert messages.history == ()


def test_facts_found_on_opening_post_no_message(notices, messages):
    notices.forget()
    notices.follow(moment(STALE))
    notices.follow(moment(STALE, ADDED))
    assert [message.text for message in messages.history] == ["Gradients were added up"]


def test_a_rejected_operation_posts_no_second_message(notices, messages):
    failed = Event(1, 0, Backward(), Outcome(False, "OperationError", "no graph", ""))
    notices.follow(dataclasses.replace(moment(STALE), event=failed))
    assert messages.history == ()


def test_a_session_that_was_changed_by_hand_is_warned_of_once(real_window, tmp_path):
    path = tmp_path / "changed.gradstep"
    real_window.controller.save(path)
    assert real_window.controller.wait_idle(60)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE branches SET name = 'mine'")
    for _ in range(2):
        before = len(real_window.messages.history)
        real_window.controller.open(path)
        assert real_window.controller.wait_idle(60)
        real_window.actions_by_id["debug.forward"].trigger()
        assert real_window.controller.wait_idle(60)
        assert [item.text for item in real_window.messages.history[before:]] == [
            "The session was changed after GradStep wrote it; "
            "the branches may differ from what it held"
        ]
