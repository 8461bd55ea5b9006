"""The state reader without a Debugger: present and past values of a cursor."""

import pytest

from gradstep.debugger.state_reader import StateReader
from gradstep.debugger.stepper import Stepper
from gradstep.errors import OperationError
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from tests.core.debugger.conftest import frozen


@pytest.fixture
def trained(cursor):
    for operation in (ZeroGrad(), Forward(), Backward(), Step(), Forward()):
        cursor.apply(operation)
    return cursor


def test_the_present_context_follows_the_cursor(trained):
    reader = StateReader(trained)
    context = reader.present()
    assert (context.event, context["iteration"], context.last_loss) == (5, 1, "loss")
    assert reader.seek(1) is context
    assert (context.event, context["loss"] == context["loss"], context["iteration"]) == (
        1,
        False,
        0,
    )


def test_visits_return_to_the_present_moment_even_inside_an_operation(trained):
    reader, stepper = StateReader(trained), Stepper(trained)
    for _ in range(3):
        step = stepper.into(None if trained.walk else Backward())
    state, seen = frozen(trained.program.capture()), []
    assert reader.is_inside
    reader.visit((4, 2), lambda context: seen.append((context.event, context["iteration"])))
    assert seen == [(4, 1), (2, 0)]
    assert (trained.walk.index, stepper.micro_step.title) == (3, step.title)
    assert frozen(trained.program.capture()) == state


def test_values_in_the_event_log_are_read_without_moving(trained):
    reader, seen = StateReader(trained), []
    reader.visit((5, 2, 0), lambda context: seen.append(context["iteration"]), recorded=True)
    assert seen == [1, 0, 0]
    assert reader.logs_every_loss
    with pytest.raises(OperationError, match="there is no Event 6; the Events of this branch are"):
        reader.visit((6,), seen.append, recorded=True)
    assert trained.position == 5
