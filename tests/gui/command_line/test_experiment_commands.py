"""`gradstep what-if`, `compare` and `resume-check` on the command line."""

from __future__ import annotations

import json

import pytest

from gradstep.debugger import Debugger

TINY = {
    "gradstep": 1,
    "name": "tiny",
    "iterations": 4,
    "tensors": {"x": {"value": 8, "requires_grad": True}},
    "losses": {"loss": {"expression": "x * x"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25, "momentum": 0.5}},
}


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "tiny.json"
    path.write_text(json.dumps(TINY))
    return path


def test_the_limit_of_every_clipping_is_set(gradstep, tmp_path):
    path = tmp_path / "clipped.json"
    clip = {"op": "clip_grad_value", "clip_value": 1.0}
    loop = [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"}, clip, {"op": "step"}]
    path.write_text(json.dumps({**TINY, "iterations": 2, "loop": loop}))
    status, out, err = gradstep("what-if", path, "--set", "optimizer.clip_value=0.5")
    assert (status, err) == (0, "")
    assert "B: clip_value 0.5 from #1, 10 Events" in out
    status, _, err = gradstep("what-if", path, "--set", "optimizer.max_norm=0.5")
    assert status == 2
    assert "no clipping of optimizer with a max_norm is recorded from Event 1 on" in err


def test_what_if_reports_the_first_difference_and_both_losses(gradstep, program):
    status, out, err = gradstep("what-if", program, "--skip", 4, "--set", "optimizer.lr=0.5")
    assert (status, err) == (0, "")
    assert out.splitlines()[:7] == [
        "A: main, 16 Events",
        "B: lr 0.5 from #4, without Step #4, 17 Events",
        "With lr 0.5 and 1 more change the loss ends at 16; in 'main' at 4. They diverge at "
        "Step #4 (x).",
        "x differs first, after Event 4, which is 5 in 'lr 0.5 from #4, without Step #4' (Step "
        "optimizer and skipped Step optimizer): 4.0 in 'main' and 8.0 in "
        "'lr 0.5 from #4, without Step #4'.",
        "The Operations diverge at Event 4: nothing in 'main', Set Hyperparameter lr 0.5 optimizer "
        "in 'lr 0.5 from #4, without Step #4'.",
        "'main' has 16 Events and 'lr 0.5 from #4, without Step #4' has 17.",
        "In bits: x differs by 8,388,608 units in the last place.",
    ]
    table = [line.split() for line in out.splitlines()[7:]]
    assert table[0] == ["iteration", "loss", "A", "loss", "B", "distance"]
    assert table[1:3] == [["0", "none", "none", "0"], ["1", "64", "64", "4"]]


def test_what_if_saves_both_branches_and_they_can_be_compared(gradstep, program, tmp_path):
    saved = tmp_path / "both.gradstep"
    status, out, _ = gradstep("what-if", program, "--insert", "5:step", "--save", saved)
    assert (status, f"Saved {saved} with the what-if as branch 1" in out) == (0, True)
    assert [branch.name for branch in Debugger.open(saved).branches] == [
        "main",
        "with Step before #5",
    ]
    status, out, _ = gradstep("compare", f"{saved}@0", f"{saved}@1", "--rows", 2, "--json")
    found = json.loads(out)
    assert (status, found["first_event"], found["tensor"]) == (1, 5, "x")
    assert [row["iteration"] for row in found["rows"]] == [0, 4]
    assert gradstep("compare", saved, f"{saved}@0")[0] == 0
    assert gradstep("what-if", saved, "--branch", 1, "--move", "5:4")[0] == 0


def test_values_operations_and_kinds_are_read_as_json_or_as_they_are(gradstep, program):
    status, out, _ = gradstep(
        "what-if", program, "--set", "optimizer.kind=Adam", "--at", 1, "--json",
        "--insert", '3:{"op": "clip_grad_norm", "max_norm": 1}', "--iterations", 2,
    )  # fmt: skip
    assert (status, json.loads(out)["events"]) == (0, [8, 10])


def test_a_what_if_that_fails_names_the_failed_event(gradstep, program):
    status, out, err = gradstep("what-if", program, "--insert", "4:backward")
    assert status == 0
    assert err.startswith("gradstep: the what-if ended at Event 4: Trying to backward through")
    assert "B: with Backward before #4, 4 Events" in out


def test_two_programs_are_run_and_compared(gradstep, program, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**TINY, "seed": 5}))
    status, out, _ = gradstep("compare", program, other)
    assert status == 1
    assert "Without seed no value differs in the 16 Events that both have." in out
    assert "The programs differ: $.seed is missing and 5." in out
    assert gradstep("compare", program, program)[0] == 0


def test_a_change_of_a_setting_alone_replays_the_whole_run(gradstep, program):
    _, out, _ = gradstep("what-if", program, "--set", "optimizer.lr=0.5")
    assert out.splitlines()[1] == "B: lr 0.5 from #1, 17 Events"
    assert "The Operations diverge at Event 1: " in out


def test_a_comparison_of_sessions_names_one_of_several_branches(gradstep, program, tmp_path):
    one, two = tmp_path / "one.gradstep", tmp_path / "two.gradstep"
    gradstep("run", program, "--save", one)
    gradstep("what-if", one, "--skip", 4, "--save", two)
    lines = gradstep("compare", one, f"{two}@1")[1].splitlines()
    assert lines[:2] == [
        f"A: {one}, 16 Events",
        f"B: {two}@1 (without Step #4), 16 Events",
    ]
    assert gradstep("compare", program, two)[1].splitlines()[:2] == [
        f"A: {program}, 16 Events",
        f"B: {two}@0 (main), 16 Events",
    ]


def test_a_resume_check_shows_what_the_weights_alone_lack(gradstep, program):
    status, out, _ = gradstep("resume-check", program)
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == "Interrupted after Event 8 (2 iterations), compared up to Event 16."
    assert lines[1].startswith("A full resume gives the same bits as the uninterrupted run. The ")
    assert [line.split("  ")[0] for line in lines[3:7]] == [
        "everything",
        "all but the optimizer state",
        "all but the generator",
        "the weights alone",
    ]
    status, out, _ = gradstep("resume-check", program, "--at", 4, "--json")
    assert json.loads(out)["lost_by_weights_only"] == ["optimizers"]


def test_a_resume_check_that_fails_exits_with_1(gradstep, program):
    assert gradstep("resume-check", program, "--at", 3)[0] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["what-if", "{}", "--insert", "5:stepp"],
            "there is no Operation 'stepp'; did you mean 's",
        ),
        (["what-if", "{}", "--insert", "5"], "'5' is not an Event and an Operation, such as"),
        (["what-if", "{}", "--insert", "5:{"], "'{' is not an Operation"),
        (["what-if", "{}", "--set", "lr"], "'lr' is not a name and a value, such as optimizer"),
        (["what-if", "{}", "--set", "optimizer.lr=-1"], "Invalid learning rate: -1"),
        (["what-if", "{}", "--move", "5"], "'5' is not two Events"),
        (["what-if", "{}", "--skip", "99"], "there is no Event 99 to edit"),
        (["what-if", "{}", "--skip", "x"], "'x' is not an Event number"),
        (
            ["what-if", "{}", "--branch", "3", "--skip", "1"],
            "there is no branch 3; the branches are 0 (main)",
        ),
        (["what-if", "{}"], "what-if needs at least one change; give --set, --skip, "),
        (["compare", "{}", "{}@3"], "there is no branch 3"),
        (["compare", "{}", "nowhere.gradstep"], "nowhere.gradstep"),
        (["compare", "{}"], "the following arguments are required: B"),
        (["resume-check", "{}", "--at", "16"], "nothing was recorded after Event 16"),
    ],
)
def test_bad_input_is_one_line_on_stderr(gradstep, program, words, message):
    status, out, err = gradstep(*[word.replace("{}", str(program)) for word in words])
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_session_is_exported_in_the_order_in_which_it_was_pressed(gradstep, program, tmp_path):
    session, out = tmp_path / "one.gradstep", tmp_path / "out.py"
    debugger = Debugger.open(program)
    debugger.iterate(3)
    debugger.step()
    debugger.backward()
    debugger.save(session)
    assert gradstep("export", session, out)[0] == 0
    script = out.read_text()
    assert "for iteration in range(3):\n    optimizer.zero_grad()\n" in script
    assert script.partition("range(3)")[2].count("optimizer.step()\n") == 2
    assert script.count("loss.backward()") == 1  # the second failed
