"""Where the tensors of a script are, by their names."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_outline import ScriptOutline
from gradstep.script.mirror import Mirror
from tests.core.script.sent_frames import Sent, take


@pytest.fixture(scope="module")
def outline():
    sent = Sent()
    rows = [["", "Net", "", True], ["body", "Body", "", True], ["body.0", "Linear", "", True]]
    for module in ("model", 'nets["a.b"]', "models[0]"):
        sent.module(module, *rows)
    mirror = Mirror(take(sent.stream))
    return ScriptOutline(mirror)


@pytest.mark.parametrize(
    ("tensor", "place"),
    [
        ("model.body.0.weight", ""),
        ("model.weight", ""),
        ("other.layers[0].weight", ""),
        ("model.layers[0].weight", "model.layers"),
        ("model.layers[0].0.weight", "model.layers"),
        ('model.layers["a.b[0]"].weight', "model.layers"),
        ("model.scales[1]", "model.scales"),
        ("model.body.layers[1].weight", "model.body.layers"),
        ('nets["a.b"].layers[0].weight', 'nets["a.b"].layers'),
        ("models[0].body.0.weight", ""),
        ("models[0].scales[1]", "models[0].scales"),
        ("model.late.weight", ""),  # made after the module was described
        ("model.late.0.weight", ""),  # so, or in a list in a recording of GradStep 0.3
    ],
)
def test_the_list_that_hides_a_tensor_from_torch_is_the_one_of_its_module(outline, tensor, place):
    assert outline.unregistered_in(tensor) == place


def test_the_modules_without_an_optimizer_are_modules_and_not_what_holds_them():
    sent = Sent()
    for module in ('nets["a.b"]', "agent.policy", "agent.value", "model"):
        sent.module(module, ["", "Net", "", True], ["body", "Linear", "", True])
        sent.tensor(f"{module}.body.weight", [1.0])
        sent.tensor(f"{module}.scale", [1.0])
    sent.optimizer("optimizer", "SGD", ["model.scale"], lr=0.1)
    outline = ScriptOutline(Mirror(take(sent.stream)))
    names = ('nets["a.b"].body.weight', "agent.policy.scale", "agent.policy.body.weight")
    assert outline.modules_without_optimizer(names) == ('nets["a.b"]', "agent.policy")
    assert outline.modules_without_optimizer(("model.body.weight",)) == ("model.body",)
