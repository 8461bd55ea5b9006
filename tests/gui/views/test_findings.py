"""The findings dock: what is wrong, why, and the way to the evidence."""

import re

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QObject, QUrl, Signal

from gradstep.history.records.finding import Finding, FindingOccurrences, Question
from gradstep.history.records.snapshot import Snapshot
from gradstep_gui.control.muted_findings import MutedFindings
from gradstep_gui.records import State
from gradstep_gui.views.findings import FindingsView
from tests.gui.factory import (
    RememberingBranches,
    RememberingController,
    parameter,
    snapshot,
)

FACT = Finding(
    "step-without-grad",
    "fact",
    "A step that moved nothing",
    "In #4 every .grad was None.",
    "Press Backward before Step.",
    events=tuple(range(4, 24)),
)
SUSPICION = Finding(
    "exploding-gradient",
    "suspicion",
    "A gradient <grows>",
    "Its norm grew.",
    value=1500.0,
    threshold=1000.0,
    source="a paper of 2012",
)


QUESTION = Question(
    "summed_losses", "Is <it> meant?", "It is fine.", "It is wrong.", "# yes", "# not"
)
ASKED = Finding("a-sum", "question", "A sum", "Both were added.", question=QUESTION)


class Model(QObject):
    snapshot_changed = Signal(object)
    state_changed = Signal(object)

    def __init__(self):
        super().__init__()
        self.snapshot = None
        self.state = State(work="paused")
        self.sought = []
        self.answers = []
        self.branches = RememberingBranches()
        self.muted_findings = MutedFindings()

    def set_wanted(self, key, addresses):
        pass

    def seek(self, index):
        self.sought.append(index)

    def answer(self, intention, is_intended):
        self.answers.append((intention, is_intended))

    def show(self, *findings, at=0, occurrences=()):
        self.snapshot = Snapshot(None, at, at, 0, None, findings=findings, occurrences=occurrences)
        self.snapshot_changed.emit(self.snapshot)


@pytest.fixture
def model(qapp):
    return Model()


@pytest.fixture
def view(qtbot, model):
    view = FindingsView(model)
    qtbot.addWidget(view)
    view.show()
    return view


def test_a_finding_is_shown_with_its_detail_its_remedy_and_its_events(view, model):
    model.show(FACT)
    for words in (FACT.title, FACT.detail, FACT.remedy, "#4, #5", "fact"):
        assert words in view.text


def test_the_proposed_change_of_a_script_is_shown_with_its_line_numbers(view, model):
    edit = "--- a.py\n+++ a.py\n@@ -9,3 +9,3 @@\n     a < 1\n-    b()\n+    c()\n d\n"
    model.show(msgspec.structs.replace(FACT, edit=edit))
    text = view.text.splitlines()
    first = text.index("    9      a < 1")
    assert text[first : first + 4] == [
        "    9      a < 1",
        "   10 -    b()",
        "      +    c()",
        "   11  d",
    ]


def test_of_a_finding_that_comes_again_the_first_are_cited_and_the_last_is_named(view, model):
    model.show(msgspec.structs.replace(FACT, count=1352, last=5411))
    assert "#11 and more; 1,352 times, last at #5,411" in view.text


def test_previous_and_next_visit_occurrences_in_the_past_and_future(view, model):
    occurrences = FindingOccurrences(
        FACT.id, FACT.subjects, "fact", FACT.title, np.array([4, 8, 900])
    )
    finding = msgspec.structs.replace(FACT, events=(4, 8), count=2, last=8)
    model.show(finding, at=8, occurrences=(occurrences,))
    assert "← Previous   2 of 3   Next →" in view.text.replace("\xa0", " ")
    html = view._page.toHtml()
    assert html.index("event:4") < html.rindex("event:900")
    model.show(finding, at=901, occurrences=(occurrences,))
    assert "here is" not in view.text
    assert "event:901" not in view._page.toHtml()


def test_the_other_occurrences_are_updated_though_the_moment_is_the_same(view, model):
    finding = msgspec.structs.replace(FACT, events=(4, 8), count=2, last=8)
    for events in ([4, 8], [4, 8, 900]):
        occurrences = FindingOccurrences(
            FACT.id, FACT.subjects, "fact", FACT.title, np.array(events)
        )
        model.show(finding, at=8, occurrences=(occurrences,))
        assert f"2 of {len(events)}" in view.text.replace("\xa0", " ")
    assert "event:900" in view._page.toHtml()


def test_a_suspicion_is_shown_with_its_value_its_limit_and_its_source(view, model):
    model.show(SUSPICION)
    assert "A gradient <grows>" in view.text
    assert "Measured 1500, threshold 1000 (source: a paper of 2012)." in view.text


def test_a_suspicion_without_a_number_is_shown_with_its_source(view, model):
    model.show(Finding("a-rule", "suspicion", "Odd", "It is odd.", "Mend it.", source="a paper"))
    assert "Source: a paper." in view.text


def test_the_page_shows_a_placeholder_when_no_finding_is_left(view, model):
    model.show(FACT)
    model.show()
    assert view.text == ""


def test_a_finding_of_a_new_kind_is_scrolled_to_and_others_leave_the_page_where_it_is(view, model):
    view.resize(500, 120)
    several = [msgspec.structs.replace(FACT, id=f"fact-{index}") for index in range(6)]
    model.show(*several)
    bar = view._page.verticalScrollBar()
    assert bar.value() == 0
    model.show(*several, SUSPICION)
    assert bar.value() > bar.maximum() // 2
    bar.setValue(7)
    model.show(*several, msgspec.structs.replace(SUSPICION, value=1600.0))
    assert bar.value() == 7


def test_a_click_on_an_event_seeks_it(view, model):
    model.show(FACT)
    view._page.anchorClicked.emit(QUrl("event:7"))
    assert model.sought == [7]


def test_facts_come_first_and_the_title_counts_the_findings(view, model):
    model.show(SUSPICION, FACT)
    assert view.text.index(FACT.title) < view.text.index("A gradient <grows>")
    assert view.windowTitle() == "Findings (2)"
    model.show()
    assert view.windowTitle() == "Findings"


def test_the_title_counts_while_the_view_is_hidden(view, model):
    view.hide()
    model.show(FACT)
    assert view.windowTitle() == "Findings (1)"


def test_a_suspicion_can_be_muted_and_unmuted_and_a_fact_cannot(view, model):
    model.show(SUSPICION, FACT)
    assert "mute:exploding-gradient" in view._page.toHtml()
    assert "mute:step-without-grad" not in view._page.toHtml()
    view._page.anchorClicked.emit(QUrl("mute:exploding-gradient"))
    assert "A gradient <grows>" not in view.text
    assert "Muted: exploding-gradient." in view.text
    assert view.windowTitle() == "Findings (1)"
    view._page.anchorClicked.emit(QUrl("unmute:all"))
    assert "A gradient <grows>" in view.text


def test_a_question_is_asked_with_what_its_answers_mean(view, model):
    model.show(ASKED)
    lines = view.text.splitlines()
    assert lines[0].split() == ["?", "A", "sum", "question,", "a-sum"]
    assert [line.split() for line in lines[2:5]] == [
        ["Is", "<it>", "meant?"],
        ["Yes", "It", "is", "fine."],
        ["No", "It", "is", "wrong."],
    ]
    assert "A comment of the script answers yes, too: # yes" in view.text
    assert "mute:" not in view._page.toHtml()
    view._page.anchorClicked.emit(QUrl("yes:summed_losses"))
    view._page.anchorClicked.emit(QUrl("no:summed_losses"))
    assert model.answers == [("summed_losses", True), ("summed_losses", False)]


@pytest.mark.parametrize(("answer", "severity"), [(True, "info"), (False, "fact")])
def test_an_answered_question_can_be_asked_again(view, model, answer, severity):
    question = msgspec.structs.replace(QUESTION, answer=answer)
    model.show(msgspec.structs.replace(ASKED, severity=severity, question=question))
    assert "Ask Again" in view.text
    assert "Yes" not in view.text
    view._page.anchorClicked.emit(QUrl("ask:summed_losses"))
    assert model.answers == [("summed_losses", None)]


def test_a_fact_can_be_intended(view, model):
    model.show(msgspec.structs.replace(FACT, question=QUESTION))
    assert "It Is Intended" in view.text
    view._page.anchorClicked.emit(QUrl("yes:summed_losses"))
    assert model.answers == [("summed_losses", True)]


def test_a_remedy_that_can_be_tried_is_offered_and_requested(view, model):
    finding = Finding(
        "loss-diverging", "suspicion", "Grows", "It grows.", "Slow down.", trial="slow"
    )
    model.show(FACT, finding)
    assert view.text.count("What if it ran slow?") == 1
    view._page.anchorClicked.emit(QUrl("try:1"))
    assert model.branches.asked == [finding]


@pytest.mark.parametrize("name", ["x", "models[0].weight", 'nets["a\'b #1?%20<"].w (2)'])
def test_a_finding_about_tensors_leads_to_their_explanations(qtbot, name):
    controller = RememberingController()
    view = FindingsView(controller)
    qtbot.addWidget(view)
    view.show()
    moved = Finding("moved", "fact", "It moved", "x moved.", subjects=(name, "optimizer"))
    controller.show(snapshot(parameter(name, 1.0), findings=(moved,)))
    assert f"Explain {name}" in view.text
    assert "optimizer" not in view.text
    (link,) = re.findall('href="(explain:[^"]*)"', view._page.toHtml())
    view._page.anchorClicked.emit(QUrl(link))
    assert controller.explain_requests.raised == [name]
