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


def test_a_program_is_run_and_its_last_change_told(gradstep, program):
    status, said, _ = gradstep("explain", program, "x")
    assert status == 0
    assert [" ".join(line.split()) for line in said.splitlines()] == [
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
    status, said, _ = gradstep("explain", program, "x", "--json", "--at", "4")
    told = json.loads(said)
    assert (status, told["event"], told["total"]) == (0, 4, [-4.0])
    assert [(term["name"], term["value"], term["share"]) for term in told["terms"]] == [
        ("gradient", [-4.0], 1.0)
    ]
    assert told["terms"][0]["formula"].startswith("momentum_buffer = ")
    assert [(part["event"], part["loss"], part["value"]) for part in told["gradient"]] == [
        (3, "loss", [8.0])
    ]
    assert told["bindings"] == [{"tensor": "x", "optimizer": "sgd", "group": 0, "status": "held"}]


def test_a_session_is_explained_as_it_is(gradstep, program, tmp_path):
    dbg = Debugger.open(program)
    dbg.iterate(1)
    dbg.zero_grad()
    dbg.step()
    dbg.save(tmp_path / "run.gradstep")
    _, said, _ = gradstep("explain", tmp_path / "run.gradstep", "x")
    assert said.splitlines() == [
        "x did not move in Event 6: .grad was None, so step() skipped it; "
        "it last changed in Event 4.",
        "gradient: empty; no Backward has written it since it was cleared",
        "x: sgd, group 0 (held)",
    ]


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (("y",), "gradstep: there is no tensor 'y'"),
        (("x", "--at", "99"), "gradstep: there is no Event 99; "),
        (("x", "--at", "-1"), "gradstep explain: "),
        ((), "gradstep explain: the following arguments are required: PARAMETER"),
    ],
)
def test_what_is_not_there_is_refused_in_one_line(gradstep, program, words, refusal):
    status, _, complaint = gradstep("explain", program, *words)
    assert status == 2
    assert complaint.startswith(refusal)
    assert complaint.count("\n") == 1


def test_what_a_step_that_evaluates_the_loss_has_put_into_a_gradient_is_told_so(gradstep, program):
    searching = {"lbfgs": {"kind": "LBFGS", "params": ["x"], "max_iter": 2}}
    quadratic = {"loss": {"expression": "sum(x * x)"}}
    program.write_text(json.dumps({**MOMENTUM, "losses": quadratic, "optimizers": searching}))
    _, said, _ = gradstep("explain", program, "x")
    assert "Event 2, loss evaluated by the step" in said
