"""The status bar: where in the run one is."""

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QToolButton

from gradstep.history.records.breakpoints import Breaks
from gradstep.history.records.finding import Finding
from gradstep.history.records.lesson import LessonRecord
from gradstep.history.records.snapshot import BatchRecord, Snapshot
from gradstep.program.abilities import Abilities
from gradstep_gui.records import Document, Recording, State
from gradstep_gui.window.status_line import StatusLine

BATCHES = {
    "loss_a": BatchRecord("a", (0, 1), 1, 2, 10),
    "loss_b": BatchRecord("b", (5,), 3, 1, 1200),
}


def test_the_batch_is_that_of_the_loss_computed_last(qtbot):
    line = StatusLine(QAction(), QAction())
    qtbot.addWidget(line)
    line.show_snapshot(Snapshot(None, 0, 0, 0, 1.0, batches=BATCHES, last_loss="loss_b"))
    assert line.text("batch") == "Epoch 3, batch 1 of 1,200"
    line.show_snapshot(Snapshot(None, 0, 0, 0, 1.0, batches=BATCHES, last_loss="penalty"))
    assert line.text("batch") == ""


def test_the_progress_is_that_of_an_opening_or_of_a_replay(qtbot):
    line = StatusLine(QAction(), QAction())
    qtbot.addWidget(line)
    line.show_state_of("loading")
    assert line.text("work") == "Opening…"
    line.show_progress(300_000, 1_200_000)
    assert line.text("work") == "Opening 25 %"
    line.show_state_of("replaying")
    line.show_progress(300, 1200)
    assert line.text("work") == "Replaying 300 of 1,200"


def test_a_recording_at_its_end_is_not_called_paused(qtbot):
    ends = Abilities(go_on="The recording of the script ends here.")
    line = StatusLine(QAction(), QAction())
    qtbot.addWidget(line)
    line.show_state(State("paused", abilities=ends))
    assert line.text("work") == "At the end"
    line.show_state(State("replaying", abilities=ends))
    assert line.text("work") == "Replaying…"
    line.show_state(State("paused", can_go_forward=True, abilities=ends))
    assert line.text("work") == "Paused"


def test_why_a_run_stopped_is_shown_until_something_else_is_done(qtbot):
    line = StatusLine(QAction(), QAction())
    qtbot.addWidget(line)
    line.show_breaks(Breaks((), kind="end", sentence="the script has ended"))
    assert line.text("stop") == "■ the script has ended"
    line.show_breaks(Breaks(()))
    assert line.text("stop") == ""


def test_a_recording_shows_its_events_and_a_button_to_stop_it(qtbot):
    stop, stopped = QAction("Stop Recording"), []
    stop.triggered.connect(lambda: stopped.append(True))
    line = StatusLine(QAction(), stop)
    qtbot.addWidget(line)
    line.show()
    label = line.findChild(QLabel, "status.recording_progress")
    button = next(each for each in line.findChildren(QToolButton) if each.text() == stop.text())
    line.show_state(State("paused", recording=True))
    assert (label.isVisible(), label.text()) == (True, "Recording…")
    line.show_recording_progress(1234)
    assert label.text() == "Recording: 1,234 events"
    button.click()
    assert stopped == [True]
    line.show_state(State("paused"))
    assert not label.isVisible()
    assert not button.isVisible()


@pytest.mark.parametrize(
    ("recording", "words"),
    [
        (None, ""),
        (
            Recording("train.py", "torch 2.13.0", status=0),
            "Recording of train.py, torch 2.13.0",
        ),
        (
            Recording("train.py", "torch 2.13.0", 1, "RuntimeError: shapes"),
            "Recording of train.py, torch 2.13.0: the script ended with status 1: "
            "RuntimeError: shapes",
        ),
        (Recording("train.py", status=3), "Recording of train.py: the script ended with status 3"),
        (Recording("train.py", lost="it was killed"), "Recording of train.py: it was killed"),
    ],
)
def test_it_says_of_which_script_this_is_a_recording_and_how_that_ended(qtbot, recording, words):
    line = StatusLine(QAction(), QAction())
    qtbot.addWidget(line)
    line.show_document(Document("train.py", recording=recording))
    assert line.recording_text == words


def test_a_save_shows_its_progress_and_a_button_to_cancel_it(qtbot):
    cancel, cancelled = QAction("Cancel Saving"), []
    cancel.triggered.connect(lambda: cancelled.append(True))
    line = StatusLine(cancel, QAction())
    qtbot.addWidget(line)
    line.show()
    label, button = line.findChild(QLabel, "status.saving"), line.findChildren(QToolButton)[0]
    assert not label.isVisible()
    line.show_state(State("paused", saving=True))
    assert label.text() == "Saving…"
    line.show_save_progress(430, 1000)
    line.show_state(State("running", saving=True))
    assert (label.isVisible(), label.text(), button.text()) == (
        True,
        "Saving 43 %",
        "Cancel Saving",
    )
    button.click()
    assert cancelled == [True]
    line.show_state(State("paused"))
    assert not label.isVisible()
    assert not button.isVisible()


def test_mistakes_that_the_lesson_asked_for_are_not_counted_as_the_learners(qtbot):
    line = StatusLine(QAction(), QAction())
    qtbot.addWidget(line)
    asked = Finding("graph-freed", "fact", "A graph was freed", "", events=(3,))
    own = Finding("step-without-grad", "fact", "A step did nothing", "", events=(5,))
    line.show_snapshot(Snapshot(None, 3, 3, 0, 1.0, findings=(asked,)))
    assert line.findings_text == "1 mistake found"
    line.show_lesson(LessonRecord("09", "A lesson", (), asked=4))
    assert line.findings_text == "1 mistake shown by the lesson"
    line.show_snapshot(Snapshot(None, 5, 5, 0, 1.0, findings=(asked, own)))
    assert line.findings_text == "1 mistake found, 1 mistake shown by the lesson"
    line.show_lesson(None)
    assert line.findings_text == "2 mistakes found"
