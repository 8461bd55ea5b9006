"""The resume check through the controller, on a real program."""

from __future__ import annotations

import pytest

from gradstep_gui.dialog_controllers.resume_check import ResumeDialogController


@pytest.fixture
def dialogs(parent, controller):
    return ResumeDialogController(parent, controller)


def test_a_check_ends_with_its_report(dialogs, controller):
    dialogs.ask()
    dialogs.dialog.check.click()
    assert controller.state.work == "replaying"
    assert controller.wait_idle(60)
    assert dialogs.dialog.heading.text().startswith("Interrupted after Event 12 (3 iterations), ")
    assert "The weights alone lack the optimizer state" in dialogs.dialog.sentence.text()
    assert dialogs.dialog.check.isEnabled()
    assert controller.snapshot.event_index == 24


def test_in_the_past_the_current_moment_is_proposed(dialogs, controller):
    controller.seek(9)
    assert controller.wait_idle(60)
    dialogs.ask()
    assert (dialogs.dialog.start.value(), dialogs.dialog.start.maximum()) == (9, 23)
    dialogs.dialog.check.click()
    assert controller.wait_idle(60)
    assert dialogs.dialog.heading.text().startswith("Interrupted after Event 9 (2 iterations), ")
    assert controller.snapshot.event_index == 9


def test_the_link_seeks_the_first_event_that_differs(dialogs, controller):
    dialogs.ask()
    dialogs.dialog.check.click()
    assert controller.wait_idle(60)
    dialogs.dialog.resumptions.opened.emit(5)
    assert controller.wait_idle(60)
    assert controller.snapshot.event_index == 14


def test_a_cancelled_check_shows_no_result(dialogs, controller):
    controller.iterate(2000)
    assert controller.wait_idle(60)
    dialogs.ask()
    dialogs.dialog.check.click()
    dialogs.dialog.cancel.click()
    assert controller.wait_idle(60)
    assert (controller.state.work, dialogs.dialog.report) == ("paused", "")
    assert dialogs.dialog.check.isEnabled()


def test_work_in_progress_is_waited_for(dialogs, controller):
    dialogs.ask()
    controller.iterate(500)
    assert not dialogs.dialog.check.isEnabled()
    assert controller.wait_idle(60)
    assert dialogs.dialog.check.isEnabled()
    assert dialogs.dialog.start.maximum() == 4 * 506 - 1


def test_another_program_closes_it(dialogs, controller, tmp_path):
    dialogs.ask()
    controller.open(tmp_path / "program.json")
    assert controller.wait_idle(60)
    assert dialogs.dialog is None


def test_asking_again_opens_the_same_dialog(dialogs, qtbot):
    dialogs.ask()
    first = dialogs.dialog
    dialogs.ask()
    assert dialogs.dialog is first
    first.close()
    assert dialogs.dialog is None
