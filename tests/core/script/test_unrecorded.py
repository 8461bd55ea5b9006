"""No value is shown at a moment at which it was not recorded, nor before its tensor was met."""

from __future__ import annotations

import math

import pytest

from gradstep.debugger import Debugger
from gradstep.errors import OperationError
from gradstep.program.operation import Step
from gradstep.script.mirror import Mirror
from tests.core.script.sent_frames import NAN, SQUARES, Sent, descent, frame, take


def thinned():
    """Gradient descent whose second iteration was recorded without values."""
    sent = descent(1, ends=False, momentum=0.5)
    sent.stream += frame({"type": "interval", "iterations": 2})
    for sent.iteration in (1, 2):
        known = sent.iteration == 2
        sent.event("zero_grad", "optimizer", 5, {"w.grad": None} if known else {})
        sent.event("backward", "loss", 7, {"w.grad": [1.0, 2.0]} if known else {}, loss=1.0)
        values = {"w": [0.1, 0.2], "optimizer/w/momentum_buffer": [1.0, 2.0]}
        sent.event("step", "optimizer", 8, values if known else {})
    sent.bye()
    return sent


@pytest.fixture
def debugger():
    made = Debugger(Mirror(take(thinned().stream)))
    made.follow()
    return made


def test_a_value_is_unknown_from_the_write_without_it_to_the_next_with_it(debugger):
    unknown = []
    for at in range(13):
        debugger.seek(at)
        unknown.append(sorted(debugger.program.unrecorded))
    moved = ["optimizer/w/momentum_buffer", "w", "w.grad"]
    assert unknown == [
        *([] for _ in range(7)),
        *(["w.grad"], moved),
        *(moved[:2], moved[:2], moved[:2], []),
    ]


def test_a_snapshot_has_no_values_there(debugger):
    debugger.seek(8)
    record = debugger.snapshot.parameters["w"]
    parts = [record.value, record.gradient, record.buffers["optimizer"]["momentum_buffer"]]
    for part in parts:
        assert (part.is_recorded, part.shape, part.array) == (False, (2,), None)
        assert math.isnan(part.norm)
    debugger.seek(9)
    assert debugger.snapshot.parameters["w"].gradient is None
    debugger.seek(12)
    assert debugger.snapshot.parameters["w"].data.tolist() == pytest.approx([0.1, 0.2])


def test_curves_have_gaps_there(debugger):
    series = debugger.history.series
    for name in ("norm/w", "norm/w.grad", "element/w[0]", "element/w.grad[1]"):
        assert [math.isnan(value) for value in series.column(name)[1]][1:] == [False, True, False]
    updates = series.column("update/w")[1]
    assert [math.isnan(value) for value in updates][1:] == [False, True, True]
    assert not any(map(math.isnan, series.column("loss/loss")[1][1:]))


def test_conditions_and_watches_find_no_value_there(debugger):
    watches = [debugger.watch(text) for text in ('norm(data("w"))', 'norm(grad("w"))')]
    debugger.seek(8)
    assert [watch.value for watch in watches] == [None, None]
    debugger.seek(12)
    assert all(watch.value is not None for watch in watches)


def test_a_step_on_unknown_values_cannot_be_stepped_into(debugger):
    debugger.seek(7)
    why = debugger.program.abilities.inside(Step())
    assert why == "The values that this Step works on were not recorded."
    debugger.seek(11)
    assert debugger.program.abilities.inside(Step()) == why
    debugger.seek(3)
    assert debugger.program.abilities.inside(Step()) == ""


def test_a_saved_recording_knows_it_too(debugger, tmp_path):
    debugger.save(tmp_path / "run.gradstep")
    found = Debugger.open(tmp_path / "run.gradstep")
    found.seek(8)
    assert not found.snapshot.parameters["w"].value.is_recorded


def test_a_recording_of_events_alone_has_values_only_from_before_they_changed():
    sent = Sent("events")
    sent.tensor("w", [1.0, 2.0])
    sent.optimizer("optimizer", "SGD", ["w"], lr=0.5)
    sent.graph("loss", *SQUARES)
    for sent.iteration in range(2):
        sent.event("backward", "loss", 7, loss=5.0)
        sent.event("step", "optimizer", 8)
    sent.bye()
    debugger = Debugger(Mirror(take(sent.stream)))
    debugger.follow()
    assert sorted(debugger.program.unrecorded) == ["w", "w.grad"]
    debugger.seek(1)
    assert debugger.snapshot.parameters["w"].data.tolist() == [1.0, 2.0]


def test_what_was_met_later_is_not_shown_before(tmp_path):
    sent = descent(1, ends=False)
    sent.module("other", ("", "Scale", "", True))
    sent.tensor("other.weight", [5.0])
    sent.optimizer("second", "SGD", ["other.weight"], lr=0.5)
    sent.event("step", "second", 9, {"other.weight": [4.0]})
    sent.bye()
    debugger = Debugger(Mirror(take(sent.stream)))
    debugger.follow()
    debugger.save(tmp_path / "run.gradstep")
    for shown in (debugger, Debugger.open(tmp_path / "run.gradstep")):
        seen = []
        for at in (3, 4, 5):
            shown.seek(at)
            now = shown.snapshot
            modules = [module.name for module in now.modules]
            seen.append((list(now.parameters), list(now.optimizers), modules))
        all_met = ["w", "other.weight"], ["optimizer", "second"], ["other"]
        assert seen == [(["w"], ["optimizer"], []), all_met, all_met]


@pytest.mark.parametrize("at", [9, 12])
def test_a_step_with_unknown_values_is_not_explained(debugger, at):
    debugger.seek(at)
    with pytest.raises(OperationError, match=r"the values of w around Event \d+ were not recorded"):
        debugger.explain("w")


def test_a_step_with_known_values_is_explained(debugger):
    debugger.seek(4)
    assert debugger.explain("w").event == 4


def measured():
    """Two optimizers; in three iterations norms alone are recorded, in the last also arrays."""
    sent = Sent()
    sent.tensor("w", [1.0, 2.0])
    sent.tensor("v", [3.0])
    sent.optimizer("first", "SGD", ["w"], lr=0.5)
    sent.optimizer("second", "SGD", ["v"], lr=0.5)
    leaf = "torch::autograd::AccumulateGrad"
    sent.graph("loss", (0, "AddBackward0", [1, 2], ""), (1, leaf, [], "w"), (2, leaf, [], "v"))
    sent.stream += frame({"type": "interval", "iterations": 3})
    for sent.iteration in (1, 2, 4, 6):
        known = sent.iteration == 6
        gradients = {"w.grad": [3.0, 4.0], "v.grad": [1.0]}
        sent.event("backward", "loss", 7, gradients if known else {}, loss=5.0)
        moves = {"w": (2.0, 7.0, 0.25), "v": (3.0, 0.5, 0.0)}
        sent.event("step", "first", 8, {"w": [6.0, 8.0]} if known else {}, norms=moves)
        moves = {"w": (2.0, 7.0, 0.0), "v": (4.0, NAN, 0.125)}
        sent.event("step", "second", 9, {"v": [5.0]} if known else {}, norms=moves)
    sent.bye()
    return sent


def test_where_norms_were_measured_curves_have_them_and_values_stay_unknown(tmp_path):
    made = Debugger(Mirror(take(measured().stream)))
    made.follow()
    made.save(tmp_path / "run.gradstep")
    opened = Debugger.open(tmp_path / "run.gradstep")
    for debugger in (made, opened, Debugger(opened.program.twin())):
        debugger.seek(0)
        debugger.follow()
        series = debugger.history.series
        curves = {name: series.column(name)[1].tolist()[1:] for name in series.names}
        assert curves["norm/w"] == [2.0, 2.0, 2.0, 10.0]
        assert curves["norm/v"] == [4.0, 4.0, 4.0, 5.0]
        assert curves["norm/w.grad"] == [7.0, 7.0, 7.0, 5.0]
        assert str(curves["update/w"]) == "[nan, 0.25, nan, nan]"  # since the iteration before
        assert str(curves["update/v"]) == "[nan, 0.125, nan, nan]"
        assert all(map(math.isnan, curves["element/w[0]"][:3]))
        debugger.seek(5)
        assert not debugger.snapshot.parameters["w"].value.is_recorded


def follower(sent):
    made = Debugger(Mirror(take(sent.stream)))
    made.follow()
    return made


def in_full(weight=0.1):
    """Return the same descent with all values; another weight after its last Step."""
    sent = descent(1, ends=False, momentum=0.5)
    for sent.iteration in (1, 2):
        sent.event("zero_grad", "optimizer", 5, {"w.grad": None})
        sent.event("backward", "loss", 7, {"w.grad": [1.0, 2.0]}, loss=1.0)
        last = weight if sent.iteration == 2 else 0.1
        values = {"w": [last, 0.2], "optimizer/w/momentum_buffer": [1.0, 2.0]}
        sent.event("step", "optimizer", 8, values)
    sent.bye()
    return sent


@pytest.mark.parametrize("is_first", [True, False])
def test_a_thinned_recording_parts_nowhere_from_the_same_run_in_full(is_first):
    both = [follower(thinned()), follower(in_full())]
    one, other = both if is_first else reversed(both)
    compared = one.compare(one, other)
    assert (compared.difference, compared.is_same, compared.unrecorded) == (None, True, 2)
    assert compared.sentence == (
        "No value differs in the 12 Events that both have. 2 Events were not compared in full: "
        "some values were not recorded on both sides."
    )
    assert [math.isnan(row.distance) for row in compared.rows] == [False, False, True, False]


def test_a_thinned_recording_parts_where_both_have_the_value():
    one, other = follower(thinned()), follower(in_full(0.25))
    compared = one.compare(one, other)
    assert (compared.events, compared.difference.place) == ((12, 12), "w[0]")
    assert any(note.startswith("The parameters diverge at Event 12") for note in compared.notes)
