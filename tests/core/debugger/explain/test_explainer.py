"""The explainer without a Debugger: a cursor and a reader."""

import pytest

from gradstep.debugger.explain import Explainer
from gradstep.debugger.shadow_program import StoppedError
from gradstep.debugger.state_reader import StateReader
from gradstep.errors import OperationError
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from tests.core.debugger.conftest import frozen


@pytest.fixture
def explainer(cursor):
    for operation in (ZeroGrad(), Forward(), Backward(), Step()):
        cursor.apply(operation)
    return Explainer(cursor, StateReader(cursor))


def test_explanations_leave_the_cursor_where_it_is(explainer, cursor):
    state = frozen(cursor.program.capture())
    why = explainer.explain("model.0.weight")
    assert (why.event, why.optimizer) == (4, "Adam")
    assert [part.event for part in explainer.provenance("model.0.weight")] == [3]
    assert explainer.last_writer("model.0.weight.grad") == 3
    assert explainer.last_writer("model.0.weight[0, 1]") == 4
    assert {item.status for item in explainer.bindings()} == {"held"}
    assert (cursor.position, frozen(cursor.program.capture())) == (4, state)


def test_an_explanation_can_be_cancelled(explainer):
    with pytest.raises(StoppedError, match="the replay was cancelled"):
        explainer.explain("model.0.weight", should_stop=lambda: True)
    assert explainer.explain("model.0.weight").event == 4


def test_an_unknown_parameter_is_suggested(explainer):
    with pytest.raises(OperationError, match=r"no tensor 'model\.0\.wight'; did you mean"):
        explainer.provenance("model.0.wight")
