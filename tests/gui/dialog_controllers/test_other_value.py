"""The limit of a clipping and the size of batches, as numbers that the user types."""

from __future__ import annotations

import pytest

from gradstep.errors import OperationError
from gradstep.program.operation import ClipGradNorm, ClipGradValue, SetBatchSize
from gradstep_gui.dialog_controllers.other_value import OtherValueDialogController, with_value
from tests.core.debugger.conftest import NETWORK


@pytest.fixture
def controller(opened):
    return opened(NETWORK, 2)


@pytest.fixture
def dialogs(parent, controller):
    return OtherValueDialogController(parent, controller)


def typed(dialogs, text):
    dialogs.dialog.field.setText(text)
    dialogs.dialog.accept()


def test_a_typed_limit_is_applied_recorded_and_taken_back(dialogs, controller):
    count = controller.snapshot.event_count
    dialogs.ask(ClipGradNorm(1.0, norm_type=1.0))
    assert dialogs.dialog.field.text() == "1"
    typed(dialogs, " 2.5e-3 ")
    assert controller.wait_idle(60)
    assert dialogs.dialog is None
    assert controller.snapshot.event.operation == ClipGradNorm(0.0025, norm_type=1.0)
    assert controller.snapshot.event.outcome.ok
    assert controller.snapshot.event_count == count + 1
    controller.back()
    assert controller.wait_idle(60)
    assert controller.snapshot.event_index == count


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "clip_value cannot be ''; use a number, such as 0.5"),
        ("1,5", "clip_value cannot be '1,5'; use a number, such as 0.5"),
        ("-1", "clip_value is -1.0; use 0 or more"),
        ("nan", "clip_value is nan; use 0 or more"),
    ],
)
def test_a_wrong_limit_is_explained_and_can_be_corrected(dialogs, controller, text, problem):
    count = controller.snapshot.event_count
    dialogs.ask(ClipGradValue(0.5))
    typed(dialogs, text)
    assert dialogs.dialog.problem.text() == problem
    assert not dialogs.dialog.problem.isHidden()
    typed(dialogs, "0.25")
    assert controller.wait_idle(60)
    assert controller.snapshot.event.operation == ClipGradValue(0.25)
    assert controller.snapshot.event_count == count + 1


@pytest.mark.parametrize("text", ["0", "-3", "1.5", "many", "9" * 13])
def test_a_wrong_batch_size_is_rejected(text):
    with pytest.raises(OperationError, match="batch size"):
        with_value(SetBatchSize("a", 4), text)


def test_a_batch_size_is_a_whole_number_or_all_rows():
    assert with_value(SetBatchSize("a", 4), "12") == SetBatchSize("a", 12)
    assert with_value(SetBatchSize("a", 4), "All") == SetBatchSize("a", None)


def test_a_cancelled_dialog_and_another_program_apply_nothing(dialogs, controller):
    count = controller.snapshot.event_count
    dialogs.ask(SetBatchSize("a", None))
    dialogs.dialog.reject()
    assert dialogs.dialog is None
    dialogs.ask(ClipGradValue(0.5))
    controller.listing_changed.emit(controller.listing)
    assert dialogs.dialog is None
    assert controller.snapshot.event_count == count
