"""A recorded script stands in the debugger as a program does."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError, OperationError, ReplayError, UnsupportedError
from gradstep.program.operation import Backward, ScriptCall, Step
from gradstep.script.mirror import Mirror
from tests.core.script.sent_frames import SQUARES, Sent, descent, frame, take


def debug(sent):
    """Return a debugger at the end of a recorded script."""
    debugger = Debugger(Mirror(take(sent.stream)))
    debugger.follow()
    return debugger


def checks(debugger):
    return [(event.operation, event.loss, event.checksum) for event in debugger.events]


def test_every_moment_has_the_values_that_the_script_had():
    debugger = debug(descent(3))
    seen = []
    for event in range(len(debugger.events), -1, -1):
        debugger.seek(event)
        seen.append((event, debugger.program.tensors["w"].tolist()))
    assert dict(seen)[12] == [0.125, 0.25]
    assert dict(seen)[8] == dict(seen)[11] == [0.25, 0.5]
    assert dict(seen)[0] == dict(seen)[3] == [1.0, 2.0]


def test_a_gradient_that_was_cleared_is_none_and_not_zero():
    debugger = debug(descent(2))
    debugger.seek(5)
    assert debugger.snapshot.parameters["w"].gradient is None
    debugger.seek(4)
    assert debugger.program.tensors["w"].grad.tolist() == [2.0, 4.0]


def test_a_loss_that_was_not_read_has_no_value_and_is_no_nan():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.graph("out", *SQUARES)
    sent.event("backward", "out", 7, {"w.grad": [2.0]}, loss=np.nan, detail={"unread": True})
    sent.event("backward", "loss", 8, {"w.grad": [4.0]}, loss=np.nan)
    debugger = debug(sent)
    assert [finding.events for finding in debugger.findings if finding.id == "non-finite"] == [(3,)]
    for moment in (4, 2, 4, 1):
        debugger.seek(moment)
        losses = debugger.snapshot.losses
        assert losses["out"] is None
        assert (losses["loss"] is None) == (moment < 3)


@pytest.mark.parametrize(("incomplete", "complete"), [(False, 2), (True, 1)])
def test_an_iteration_that_an_error_breaks_off_does_not_count(incomplete, complete, tmp_path):
    sent = descent(2, ends=False)
    sent.bye(1, "ValueError: x", incomplete=incomplete)
    debugger = Debugger(Mirror(take(sent.stream)))
    debugger.follow()
    assert debugger.program.iteration == complete
    debugger.save(tmp_path / "run.gradstep")
    assert Debugger.open(tmp_path / "run.gradstep").program.iteration == complete


def test_a_session_says_why_its_recording_was_cut(tmp_path):
    debugger = debug(descent(1, ends=False))
    debugger.program.tape.run.lost = "the connection ended"
    debugger.save(tmp_path / "run.gradstep")
    run = Debugger.open(tmp_path / "run.gradstep").program.tape.run
    assert (run.lost, run.traceback) == ("the connection ended", "")


def test_the_series_iterations_and_losses_are_those_of_the_script():
    debugger = debug(descent(3))
    assert debugger.program.iteration == 3
    assert [event.loss for event in debugger.events if event.loss is not None] == [5, 1.25, 0.3125]


def test_a_session_of_a_script_opens_without_the_script(tmp_path):
    debugger = debug(descent(3, momentum=0.5))
    debugger.seek(7)
    debugger.save(tmp_path / "run.gradstep")
    opened = Debugger.open(tmp_path / "run.gradstep")
    assert opened.position == (7, None)
    assert checks(opened) == checks(debugger)
    assert opened.listing == debugger.listing
    for event in (12, 0, 5, 11):
        for one in (debugger, opened):
            one.seek(event)
        assert opened.program.capture().tensors.keys() == {"w"}
        assert np.array_equal(
            opened.snapshot.parameters["w"].value.array,
            debugger.snapshot.parameters["w"].value.array,
        )
    opened.save(tmp_path / "again.gradstep")
    assert checks(Debugger.open(tmp_path / "again.gradstep")) == checks(debugger)


@pytest.mark.parametrize(("place", "wrong"), [(2, None), (2, -1), (2, True), (4, "yes")])
def test_a_damaged_state_of_a_tensor_is_refused(place, wrong):
    program = debug(descent(1)).program
    state = program.capture()
    state.tensors["w"][place] = wrong
    with pytest.raises(ReplayError, match="the state of w is damaged"):
        program.restore(state)


def test_the_listing_is_the_persons_own_file_with_the_lines_of_its_operations():
    listing = debug(descent(1)).listing
    assert listing.title == "train.py"
    assert listing.code.startswith("import torch\n")
    assert [span.first for span in listing.spans] == [5, 7, 7, 8]
    assert dict(listing.files) == {"train.py": listing.code}


def test_lines_in_several_files_of_a_script_are_told_apart():
    sent = descent(1, ends=False)
    sent.source("/home/ada/engine.py", "def step():\n    ...\n")
    sent.event("step", "optimizer", 2, {"w": [0.0, 0.0]}, file="/home/ada/engine.py")
    debugger = debug(sent)
    listing = debugger.listing
    assert list(listing.files) == ["train.py", "engine.py"]
    debugger.seek(4)
    coming = listing.spans[debugger.snapshot.next_line]
    assert (coming.file, coming.first) == ("engine.py", 2)
    debugger.seek(5)
    assert debugger.snapshot.next_line is None


def test_what_can_be_stepped_into_is_known_before_it_is_tried():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("lion", "Lion", ["w"], module="train", lr=0.5)
    sent.optimizer("lbfgs", "LBFGS", ["w"], lr=0.5)
    sent.optimizer("sgd", "SGD", ["w"], lr=0.5)
    for line, name in enumerate(("lion", "lbfgs", "sgd"), 4):
        sent.event("step", name, line, {"w": [0.5], "w.grad": [1.0]})
    debugger = debug(sent)
    abilities = debugger.snapshot.abilities
    assert [bool(abilities.inside(Step(name))) for name in ("lion", "lbfgs", "sgd")] == [
        True,
        True,
        False,
    ]
    assert abilities.inside(Step("lion")) == (
        "The inside of a Step of Lion, which GradStep does not have, was not recorded."
    )
    for event in (0, 1):
        debugger.seek(event)
        with pytest.raises(OperationError, match=r"Step of L"):
            debugger.step_into()
        assert debugger.position == (event, None)
    assert (
        abilities.inside(ScriptCall("forward", "model"))
        == "The inside of this operation was not recorded."
    )


def test_a_step_is_explained_by_the_update_of_its_algorithm():
    debugger = debug(descent(3, momentum=0.5))
    explanation = debugger.explain("w")
    assert explanation.optimizer == "SGD"
    assert explanation.total.tolist() == pytest.approx(
        sum(term.value for term in explanation.terms).tolist()
    )


def test_a_step_can_be_walked_term_by_term_and_leaves_the_recording_as_it_was():
    debugger = debug(descent(2))
    debugger.seek(3)
    before = checks(debugger)
    terms = []
    debugger.step_into()
    while debugger.micro_step is not None:
        terms.append(debugger.micro_step.title)
        debugger.step_into()
    assert terms == ["group 0", "w", "update", "param"]
    assert debugger.position == (4, None)
    assert checks(debugger) == before


def clipping(clipped, *, recorded=True, **detail):
    """Return a script before it clips some of the gradients that its optimizer holds."""
    sent = Sent()
    grads = {"w.grad": [3.0], "b.grad": [4.0]}
    for name in ("w", "b", "frozen"):
        sent.tensor(name, [1.0])
    sent.optimizer("opt", "SGD", ["w", "b", "frozen"], lr=0.5)
    if not recorded:
        sent.stream += frame({"type": "interval", "iterations": 2})
    written = {f"{name}.grad": [0.5] for name in clipped}
    for sent.iteration in (0, 1):
        known = recorded or not sent.iteration
        sent.event("backward", "loss", 5, grads if known else {}, loss=1.0)
        limits = {"limit": 1.0, **detail}
        sent.event("clip_grad_norm", "", 6, written if known else {}, detail=limits)
    sent.bye()
    debugger = debug(sent)
    debugger.seek(len(debugger.events) - 1)
    return debugger


def test_a_clipping_is_stepped_into_where_it_clips_what_an_optimizer_holds():
    debugger = clipping(["w", "b"])
    first = debugger.step_into()
    assert (first.title, first.outputs["total_norm"].item()) == ("total_norm", 5.0)
    assert clipping(["w", "b"], norm_type=1).step_into().outputs["total_norm"].item() == 7.0


@pytest.mark.parametrize(
    ("debugger", "reason"),
    [
        (lambda: clipping(["w"]), "clips other gradients than those of opt"),
        (lambda: clipping(["w", "b"], recorded=False), "gradients that this clips were not rec"),
    ],
)
def test_of_a_clipping_of_other_gradients_no_norm_is_made_up(debugger, reason):
    debugger = debugger()
    assert reason in debugger.snapshot.abilities.inside(debugger.next_operation)
    with pytest.raises(OperationError, match=reason):
        debugger.step_into()


def test_the_inside_of_a_backward_was_not_recorded():
    debugger = debug(descent(1))
    debugger.seek(2)
    with pytest.raises(OperationError, match="the inside of a script's Backward was not recorded"):
        debugger.step_into(Backward())


def test_the_graph_has_torchs_names_and_is_freed_by_the_backward():
    debugger = debug(descent(1))
    debugger.seek(2)
    graph = debugger.snapshot.graphs["loss"]
    assert [(node.name, node.tensor) for node in graph.nodes] == [
        ("SumBackward0", ""),
        ("PowBackward0", ""),
        ("AccumulateGrad", "w"),
    ]
    assert not any(node.freed for node in graph.nodes)
    debugger.seek(3)
    assert [node.freed for node in debugger.snapshot.graphs["loss"].nodes] == [True, True, False]


def test_an_optimizer_that_gradstep_does_not_have_shows_its_values():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("lion", "Lion", ["w"], module="train", lr=0.5, beta=0.9)
    sent.event("step", "lion", 4, {"w": [0.5], "lion/w/exp_avg": [0.1]})
    debugger = debug(sent)
    record = debugger.snapshot.optimizers["lion"]
    assert (record.kind, dict(record.groups[0].hyperparameters)) == (
        "Lion",
        {"lr": 0.5, "beta": 0.9},
    )
    assert debugger.snapshot.parameters["w"].buffers["lion"][
        "exp_avg"
    ].array.tolist() == pytest.approx([0.1])


def test_a_missing_zero_grad_is_found_with_its_events():
    (found, *_) = debug(descent(3, clears=False)).findings
    assert (found.id, found.severity) == ("grad-accumulated", "fact")
    assert found.events[:3] == (3, 5, 6)


def test_a_sound_script_has_no_finding():
    assert debug(descent(3)).findings == ()


def test_a_backward_that_raised_is_a_failed_event_and_replays():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.graph("loss", *SQUARES)
    sent.event("backward", "loss", 7, {"w.grad": [2.0]}, loss=1.0)
    sent.event("backward", "loss", 8, {}, detail={"again": True}, error="RuntimeError: freed")
    sent.event("update_by_hand", "", 9, {"w": [0.5]})
    debugger = debug(sent)
    assert [event.outcome.ok for event in debugger.events] == [True, True, False, True]
    debugger.seek(0)
    debugger.seek(4)
    assert debugger.program.tensors["w"].tolist() == [0.5]


@pytest.mark.parametrize(
    "ask",
    [
        lambda debugger: debugger.script(),
        lambda debugger: debugger.what_if(skip=(1,)),
        lambda debugger: debugger.with_document("{}"),
    ],
)
def test_what_needs_a_document_says_that_a_script_has_none(ask):
    with pytest.raises(UnsupportedError, match="a script has no document"):
        ask(debug(descent(1)))


def test_an_operation_that_the_script_did_not_do_is_not_recorded():
    debugger = debug(descent(2))
    with pytest.raises(GradStepError):
        debugger.apply(Step("stranger"))
    debugger.seek(0)
    with pytest.raises(GradStepError):
        debugger.step()
    assert len(debugger.events) == 8
    assert len(debugger.branches) == 1


def test_a_step_of_a_class_that_gradstep_does_not_have_cannot_be_explained():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("lion", "Lion", ["w"], module="train", lr=0.5)
    sent.event("backward", "loss", 3, {"w.grad": [2.0]}, loss=1.0)
    sent.event("step", "lion", 4, {"w": [0.5]})
    with pytest.raises(UnsupportedError, match="Lion is a class of the script"):
        debug(sent).explain("w")


def test_a_step_that_evaluated_the_scripts_own_loss_cannot_be_explained():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("optimizer", "LBFGS", ["w"], lr=1)
    for iteration in range(2):
        sent.iteration = iteration
        sent.event("backward", "loss", 6, {"w.grad": [2.0]}, depth=1, loss=1.5)
        sent.event("step", "optimizer", 9, {"w": [0.5 - iteration]})
    debugger = debug(sent)
    with pytest.raises(UnsupportedError, match="evaluated the loss in the script"):
        debugger.explain("w")
    assert [part.event for part in debugger.provenance("w")] == [2]


def test_what_each_backward_added_to_a_gradient_is_told_apart():
    debugger = debug(descent(3, clears=False))
    parts = debugger.provenance("w")
    assert [(part.event, part.kind, part.value.tolist()) for part in parts] == [
        (2, "backward", [2.0, 4.0]),
        (5, "backward", [1.0, 2.0]),
        (8, "backward", [-0.5, -1.0]),
    ]
    assert sum(part.value for part in parts).tolist() == debugger.program.tensors["w"].grad.tolist()


def test_a_tensor_that_a_script_unfreezes_and_trains_shows_no_fact():
    sent = Sent()
    sent.tensor("w", [1.0], trained=False)
    sent.optimizer("optimizer", "SGD", ["w"], lr=0.5)
    for iteration in range(3):
        sent.iteration = iteration
        sent.event("zero_grad", "optimizer", 4, {"w.grad": None} if iteration > 1 else {})
        if iteration:
            sent.event("backward", "loss", 5, {"w.grad": [1.0]}, loss=1.0)
        written = {"w": [1.0 - 0.5 * iteration]} if iteration else {}
        sent.event("step", "optimizer", 6, written)
    debugger = debug(sent)
    assert len(debugger.events) == 10
    assert "frozen-but-moved" not in {finding.id for finding in debugger.findings}


def test_an_optimizer_holds_at_each_moment_what_it_held_then():
    sent = Sent()
    for name in ("a", "b"):
        sent.tensor(name, [1.0])
    sent.optimizer("opt", "SGD", ["a"], new=True, lr=0.5)
    sent.event("step", "opt", 8, {"a": [0.5]})
    sent.optimizer("opt", "SGD", ["a", "b"], lr=0.5)
    sent.event("step", "opt", 8, {"a": [0.25]})
    sent.optimizer("opt", "SGD", ["b"], lr=0.5)
    sent.event("step", "opt", 8, {"b": [0.25]})
    debugger = debug(sent)
    assert debugger.program.tape.run.holding == {"opt/b": (1,), "opt/a": (0, 2)}
    held, by, bound = [], [], []
    for event in range(4):
        debugger.seek(event)
        snapshot = debugger.snapshot
        held.append(snapshot.optimizers["opt"].groups[0].parameters)
        by.append(snapshot.parameters["b"].held_by)
        bound.append([item.optimizer for item in debugger.bindings()])
    assert held == [("a",), ("a", "b"), ("b",), ("b",)]
    assert by == [(), ("opt",), ("opt",), ("opt",)]
    assert bound == [["opt", ""], ["opt", "opt"], ["", "opt"], ["", "opt"]]


def test_an_optimizer_that_is_not_made_yet_holds_nothing():
    sent = Sent()
    sent.tensor("a", [1.0])
    sent.optimizer("first", "SGD", ["a"], new=True, lr=0.5)
    sent.event("step", "first", 8, {"a": [0.5]})
    sent.tensor("b", [1.0])
    sent.optimizer("second", "SGD", ["a", "b"], new=True, lr=0.5)
    sent.event("step", "second", 9, {"a": [0.25]})
    debugger = debug(sent)
    debugger.seek(0)
    assert [(item.tensor, item.optimizer) for item in debugger.bindings()] == [("a", "first")]
    assert debugger.snapshot.parameters["a"].held_by == ("first",)
    debugger.seek(2)
    assert debugger.snapshot.parameters["a"].held_by == ("first", "second")


def test_an_optimizer_that_is_made_anew_has_no_state_until_it_steps(tmp_path):
    sent = Sent()
    sent.tensor("w", [1.0])
    for lr in (0.5, 0.25):
        sent.optimizer("opt", "SGD", ["w"], new=True, lr=lr, momentum=0.9)
        sent.event("step", "opt", 8, {"w": [lr], "opt/w/momentum_buffer": [1.0]})
    debug(sent).save(tmp_path / "run.gradstep")
    debugger = Debugger.open(tmp_path / "run.gradstep")
    seen = []
    for event in (3, 2, 1, 0):
        debugger.seek(event)
        snapshot = debugger.snapshot
        rate = snapshot.optimizers["opt"].groups[0].hyperparameters["lr"]
        seen.append((event, rate, list(snapshot.parameters["w"].buffers)))
    assert seen == [(3, 0.25, ["opt"]), (2, 0.25, []), (1, 0.5, ["opt"]), (0, 0.5, [])]
    debugger.seek(2)
    assert debugger.snapshot.sentence == (
        "The script created opt again: it has no state yet. No parameter moved."
    )
