"""What is told of mistakes while a program runs."""

import dataclasses

import pytest

from gradstep.history.records.event import Event, Outcome
from gradstep.history.records.finding import Finding
from gradstep.history.records.snapshot import Snapshot
from gradstep.program.operation import Backward
from gradstep_gui.messages import Messages
from gradstep_gui.window.fact_notices import FactNotices

STALE = Finding("step-without-grad", "fact", "A step that did nothing", "Every .grad was None.")
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


def test_a_new_fact_is_told_once_with_the_way_to_it(notices, messages):
    for _ in range(2):
        notices.follow(moment(STALE, LARGE))
    notices.follow(moment())
    notices.follow(moment(STALE))
    (said,) = messages.history
    assert (said.text, said.action, said.offer) == (
        "A step that did nothing",
        "view.findings",
        "&Show",
    )


def test_facts_found_together_are_told_together(notices, messages):
    notices.follow(moment(STALE, ADDED))
    (said,) = messages.history
    assert (said.text, said.remedy) == ("A step that did nothing", "Gradients were added up")


def test_a_suspicion_is_not_told(notices, messages):
    notices.follow(moment(LARGE))
    assert messages.history == ()


def test_what_a_document_is_opened_with_is_not_news(notices, messages):
    notices.forget()
    notices.follow(moment(STALE))
    notices.follow(moment(STALE, ADDED))
    assert [said.text for said in messages.history] == ["Gradients were added up"]


def test_nothing_is_said_beside_a_refusal(notices, messages):
    refused = Event(1, 0, Backward(), Outcome(False, "OperationError", "no graph", ""))
    notices.follow(dataclasses.replace(moment(STALE), event=refused))
    assert messages.history == ()
