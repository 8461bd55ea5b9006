"""The stepper without a Debugger: into, over, out and back with a cursor."""

import pytest

from gradstep.debugger.stepper import Stepper
from gradstep.errors import OperationError
from gradstep.program.operation import Forward
from tests.core.debugger.conftest import frozen


@pytest.fixture
def stepper(cursor):
    cursor.apply(Forward())
    return Stepper(cursor)


def test_into_over_and_out_end_at_the_event_that_applying_gives(stepper, cursor):
    state = frozen(cursor.program.capture())
    event = stepper.over()
    after = frozen(cursor.program.capture())
    stepper.back()
    assert frozen(cursor.program.capture()) == state
    stepper.into()
    assert (cursor.walk.recorded, cursor.position) == (True, 1)
    assert stepper.out() == event
    assert frozen(cursor.program.capture()) == after
    assert len(cursor.branches) == 1


def test_back_enters_the_event_that_was_finished_from_inside(stepper, cursor):
    steps = [stepper.into()]
    while cursor.walk is not None:
        steps.append(stepper.into())
    assert cursor.finished_walk is not None
    stepper.back()
    assert (cursor.position, stepper.micro_step.title) == (1, steps[-2].title)
    for _ in steps[:-1]:
        stepper.back()
    assert (cursor.position, cursor.walk) == (1, None)


def test_out_needs_an_operation_that_was_entered(stepper):
    with pytest.raises(OperationError, match="no Operation was entered; step into one first"):
        stepper.out()


def test_before_the_first_event_there_is_nothing_to_go_back_to(stepper, cursor):
    stepper.back()
    with pytest.raises(OperationError, match="this is the start of the run"):
        stepper.back()
    assert stepper.micro_step is None
    assert stepper.into(Forward()).kind == "module"
    assert cursor.position == 0
