"""`gradstep what-if --remedy` on the command line."""

from __future__ import annotations

import json

import pytest

from gradstep.debugger import Debugger
from tests.core.debugger.conftest import NETWORK

NO_ZERO_GRAD = [{"op": kind} for kind in ("forward", "backward", "step")]
LINEAR = {"kind": "Linear", "in_features": 2, "out_features": 1}
WRONG_MODEL = {
    "gradstep": 1,
    "data": {"a": {"kind": "moons", "samples": 16}},
    "modules": {"model": [LINEAR], "other": [LINEAR]},
    "losses": {
        "loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}}
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["other.*"], "lr": 0.1}},
}


@pytest.fixture
def write(tmp_path):
    def written(document, name="program.json"):
        path = tmp_path / name
        path.write_text(json.dumps({"iterations": 3, **document}))
        return path

    return written


@pytest.fixture
def adds_up(write):
    return write({**NETWORK, "loop": NO_ZERO_GRAD})


def test_the_remedies_of_all_findings_are_listed_with_their_changes(gradstep, adds_up):
    status, out, err = gradstep("what-if", adds_up, "--remedy")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[1] == "fact: Gradients of two iterations were added up [grad-accumulated]"
    assert lines[3:7] == [
        "--remedy grad-accumulated: with the gradients zeroed at the start of each iteration",
        "    --insert 5:zero_grad",
        "    --insert 8:zero_grad",
        "    Tried: it clears the finding, and nothing else is found.",
    ]
    assert "--remedy grad-accumulated#2: with the intent declared: gradient_accumulation" in lines
    assert '    +    "gradient_accumulation"' in lines


def test_the_listed_arguments_do_what_the_remedy_does(gradstep, adds_up):
    _, out, _ = gradstep("what-if", adds_up, "--remedy", "grad-accumulated", "--json")
    after = json.loads(out)["after"]["losses"]["loss"]
    inserted = ["--insert", "5:zero_grad", "--insert", "8:zero_grad"]
    _, out, _ = gradstep("what-if", adds_up, *inserted, "--json")
    assert json.loads(out)["rows"][-1]["values"]["loss/loss"][1] == after


def test_one_remedy_is_tried_with_findings_and_losses_before_and_after(gradstep, adds_up, tmp_path):
    saved = tmp_path / "cured.gradstep"
    status, out, err = gradstep("what-if", adds_up, "--remedy", "grad-accumulated", "--save", saved)
    assert (status, err) == (0, "")
    before, after, verdict, kept = out.splitlines()[-4:]
    assert before.startswith("before: findings: grad-accumulated, grad-reused; loss ends at ")
    assert after.startswith("after: findings: none; loss ends at ")
    assert before.rpartition(" ")[2] != after.rpartition(" ")[2]
    assert (verdict, kept) == ("grad-accumulated is cleared", f"Saved {saved} with the remedy")
    opened = Debugger.open(saved)
    assert opened.branches.current.name.startswith("with the gradients zeroed")
    assert opened.findings == ()


def test_a_declared_intent_leaves_the_losses_as_they_were(gradstep, adds_up):
    status, out, _ = gradstep("what-if", adds_up, "--remedy", "grad-accumulated#2", "--json")
    found = json.loads(out)
    assert (status, found["cleared"]) == (0, True)
    assert found["before"]["findings"] == ["grad-accumulated", "grad-reused"]
    assert found["after"]["findings"] == ["grad-reused"]
    assert found["before"]["losses"] == found["after"]["losses"]
    assert json.loads(found["document"])["intent"] == ["gradient_accumulation"]


def test_the_document_of_a_remedy_can_be_written_and_run(gradstep, write):
    wrong = write(WRONG_MODEL)
    _, out, _ = gradstep("what-if", wrong, "--remedy", "optimizer-foreign", "--json")
    cured = write(json.loads(json.loads(out)["document"]), "cured.json")
    assert gradstep("report", wrong)[0] == 1
    assert gradstep("report", cured)[0] == 0


def test_a_finding_that_no_remedy_clears_is_listed_with_the_reason(gradstep, write):
    document = {
        "gradstep": 1,
        "tensors": {"x": {"value": [1, 2], "requires_grad": True}},
        "losses": {"loss": {"expression": "sum(log(x - 10))"}},
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}},
    }
    status, out, _ = gradstep("what-if", write(document), "--remedy")
    assert status == 0
    assert "\nno remedy clears non-finite in this run; tried: with a tenth of" in out
    status, _, err = gradstep("what-if", write(document), "--remedy", "non-finite")
    assert (status, "no remedy clears non-finite" in err) == (2, True)


def test_the_list_as_json_names_what_each_remedy_changes(gradstep, adds_up):
    _, out, _ = gradstep("what-if", adds_up, "--remedy", "--json")
    finding, reused = json.loads(out)
    assert [remedy["cleared"] for remedy in reused["remedies"]] == [True]
    first, second = finding["remedies"]
    assert (finding["name"], finding["no_remedy"]) == ("grad-accumulated", "")
    assert first["arguments"] == ["--insert 5:zero_grad", "--insert 8:zero_grad"]
    assert (first["document"], first["cleared"], first["found_instead"]) == (None, True, [])
    assert second["arguments"] == []


def test_a_program_without_findings_has_no_remedy_to_list(gradstep, write):
    status, out, _ = gradstep("what-if", write(NETWORK), "--remedy")
    assert (status, out.strip()) == (0, "0 findings")


def test_one_of_several_findings_with_an_id_is_chosen_by_its_subject(gradstep, write):
    modules = {name: [LINEAR, {"kind": "Softmax"}] for name in ("p", "q")}
    loss = {"data": "a", "criterion": {"kind": "BCEWithLogitsLoss"}}
    document = {
        **WRONG_MODEL,
        "modules": modules,
        "losses": {f"loss_{name}": {**loss, "chain": [name]} for name in modules},
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["*"], "lr": 0.1}},
        "loop": [
            {"op": "zero_grad"},
            *({"op": op, "loss": f"loss_{n}"} for n in modules for op in ("forward", "backward")),
            {"op": "step"},
        ],
    }
    path = write(document)
    status, _, err = gradstep("what-if", path, "--remedy", "criterion-mismatch")
    assert status == 2
    assert "criterion-mismatch was found" in err
    assert "criterion-mismatch:loss_p" in err
    status, _, err = gradstep("what-if", path, "--remedy", "criterion-mismatch:loss_x")
    assert (status, "is not about 'loss_x'; did you mean 'loss_" in err) == (2, True)
    status, out, _ = gradstep("what-if", path, "--remedy", "criterion-mismatch:loss_p")
    assert out.startswith("criterion-mismatch:loss_p, with the last activation removed:\n")
    assert (status, out.splitlines()[-1]) == (0, "criterion-mismatch:loss_p is cleared")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--remedy", "grad-acumulated"], "there is no finding 'grad-acumulated' here; did you"),
        (["--remedy", "grad-accumulated#3"], "grad-accumulated has 2 remedies, not 3"),
        (["--remedy", "grad-accumulated#x"], "'x' is not the number of a remedy"),
        (["--remedy", "--skip", "3"], "--remedy cannot be combined with --skip"),
        (["--remedy", "--at", "3"], "--remedy chooses its own Events"),
        (["--remedy", "--save", "out.gradstep"], "there is nothing to save; name a finding"),
    ],
)
def test_an_argument_that_does_not_fit_is_rejected_with_the_remedy(
    gradstep, adds_up, arguments, words
):
    status, out, err = gradstep("what-if", adds_up, *arguments)
    assert (status, out) == (2, "")
    assert words in err
