"""`gradstep explain`: its output for a parameter, and its errors."""

import json

import pytest

from gradstep.debugger import Debugger

MOMENTUM = {
    "gradstep": 1,
    "iterations": 2,
    "dtype": "float64",
    "tensors": {"x": {"value": [4], "requires_grad": True}},
    "losses": {"loss": {"expression": "sum(8 * x)"}},
    "optimizers": {"sgd": {"kind": "SGD", "params": ["x"], "lr": 0.5, "momentum": 0.5}},
}


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "momentum.json"
    path.write_text(json.dumps(MOMENTUM))
    return path


def test_a_program_is_run_and_its_last_change_explained(gradstep, program):
    status, out, _ = gradstep("explain", program, "x")
    assert status == 0
    assert [" ".join(line.split()) for line in out.splitlines()] == [
        "x moved by -6 in Event 8: 67 % gradient, 33 % momentum memory (loss, last step).",
        "part of the change norm share",
        "gradient 4 66.7 %",
        "momentum memory 2 33.3 %",
        "total change 6",
        "part of the gradient norm share batch",
        "Event 7, backward from loss 8 100.0 %",
        "x: sgd, group 0 (held)",
    ]


def test_json_carries_the_values(gradstep, program):
    status, out, _ = gradstep("explain", program, "x", "--json", "--at", "4")
    explained = json.loads(out)
    assert (status, explained["event"], explained["total"]) == (0, 4, [-4.0])
    assert [(term["name"], term["value"], term["share"]) for term in explained["terms"]] == [
        ("gradient", [-4.0], 1.0)
    ]
    assert explained["terms"][0]["formula"].startswith("momentum_buffer = ")
    assert [(part["event"], part["loss"], part["value"]) for part in explained["gradient"]] == [
        (3, "loss", [8.0])
    ]
    assert explained["bindings"] == [
        {"tensor": "x", "optimizer": "sgd", "group": 0, "status": "held"}
    ]


def test_a_session_is_explained_as_it_is(gradstep, program, tmp_path):
    dbg = Debugger.open(program)
    dbg.iterate(1)
    dbg.zero_grad()
    dbg.step()
    dbg.save(tmp_path / "run.gradstep")
    _, out, _ = gradstep("explain", tmp_path / "run.gradstep", "x")
    assert out.splitlines() == [
        "x did not move in Event 6: .grad was None, so step() skipped it; "
        "it last changed in Event 4.",
        "gradient: empty; no Backward has written it since it was cleared",
        "x: sgd, group 0 (held)",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("y",), "gradstep: there is no tensor 'y'"),
        (("x", "--at", "99"), "gradstep: there is no Event 99; "),
        (("x", "--at", "-1"), "gradstep explain: "),
        ((), "gradstep explain: the following arguments are required: PARAMETER"),
    ],
)
def test_an_unknown_tensor_or_event_is_one_line_on_stderr(gradstep, program, words, message):
    status, _, err = gradstep("explain", program, *words)
    assert status == 2
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_a_gradient_written_inside_a_step_is_labelled_as_evaluated_by_the_step(gradstep, program):
    searching = {"lbfgs": {"kind": "LBFGS", "params": ["x"], "max_iter": 2}}
    quadratic = {"loss": {"expression": "sum(x * x)"}}
    program.write_text(json.dumps({**MOMENTUM, "losses": quadratic, "optimizers": searching}))
    _, out, _ = gradstep("explain", program, "x")
    assert "Event 2, loss evaluated by the step" in out
