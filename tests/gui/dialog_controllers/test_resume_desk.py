"""The resume check through the controller, on a real program."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget

from gradstep_gui.dialog_controllers.resume_desk import ResumeDesk
from tests.core.debugger.conftest import NETWORK


@pytest.fixture
def controller(opened):
    return opened(NETWORK, 6)


@pytest.fixture
def desk(qtbot, controller):
    window = QWidget()
    qtbot.addWidget(window)
    return ResumeDesk(window, controller)


def test_a_check_ends_with_its_report(desk, controller):
    desk.ask()
    desk.dialog.check.click()
    assert controller.state.work == "replaying"
    assert controller.wait_idle(30)
    assert desk.dialog.heading.text().startswith("Broken off after Event 12 (3 iterations), ")
    assert "The weights alone lack the optimizer state" in desk.dialog.sentence.text()
    assert desk.dialog.check.isEnabled()
    assert controller.snapshot.event_index == 24


def test_in_the_past_the_moment_on_show_is_proposed(desk, controller):
    controller.seek(9)
    assert controller.wait_idle(10)
    desk.ask()
    assert (desk.dialog.start.value(), desk.dialog.start.maximum()) == (9, 23)
    desk.dialog.check.click()
    assert controller.wait_idle(30)
    assert desk.dialog.heading.text().startswith("Broken off after Event 9 (2 iterations), ")
    assert controller.snapshot.event_index == 9


def test_the_event_that_differs_is_gone_to(desk, controller):
    desk.ask()
    desk.dialog.check.click()
    assert controller.wait_idle(30)
    desk.dialog.resumptions.opened.emit(5)
    assert controller.wait_idle(10)
    assert controller.snapshot.event_index == 14


def test_a_check_that_is_cancelled_tells_nothing(desk, controller):
    controller.iterate(2000)
    assert controller.wait_idle(60)
    desk.ask()
    desk.dialog.check.click()
    desk.dialog.cancel.click()
    assert controller.wait_idle(60)
    assert (controller.state.work, desk.dialog.report) == ("paused", "")
    assert desk.dialog.check.isEnabled()


def test_what_goes_on_meanwhile_is_waited_for(desk, controller):
    desk.ask()
    controller.iterate(500)
    assert not desk.dialog.check.isEnabled()
    assert controller.wait_idle(60)
    assert desk.dialog.check.isEnabled()
    assert desk.dialog.start.maximum() == 4 * 506 - 1


def test_another_program_closes_it(desk, controller, tmp_path):
    desk.ask()
    controller.open(tmp_path / "program.json")
    assert controller.wait_idle(10)
    assert desk.dialog is None


def test_asked_again_it_is_the_same_dialog(desk, qtbot):
    desk.ask()
    first = desk.dialog
    desk.ask()
    assert desk.dialog is first
    first.close()
    assert desk.dialog is None
