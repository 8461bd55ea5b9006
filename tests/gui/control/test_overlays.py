"""Overlays: the losses of other seeds and sessions, through the controller on a real program."""

import json

import pytest
from msgspec.msgpack import encode

from gradstep.debugger import Debugger
from gradstep.program.document.codec import decode
from gradstep_gui.actions.enabled_when import overlaid

NOISY = {
    "gradstep": 1,
    "seed": 7,
    "data": {"a": {"kind": "moons", "samples": 24, "noise": 0.1, "batch_size": 8}},
    "modules": {"model": [{"kind": "Linear", "in_features": 2, "out_features": 1}]},
    "losses": {
        "loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}}
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.25}},
    "loop": [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"}, {"op": "step"}],
}


def alone(seed, iterations):
    debugger = Debugger(decode(json.dumps({**NOISY, "seed": seed}).encode()))
    debugger.run(iterations)
    return debugger


def values(curves):
    return curves["loss/loss"][1].tolist()


@pytest.fixture
def controller(opened):
    controller = opened(NOISY, 0)
    controller.branches.set_ghosts_wanted(["loss/loss"])
    controller.iterate(5)
    assert controller.wait_idle(60)
    return controller


def test_other_seeds_are_drawn_as_if_each_had_been_run_alone(controller):
    events = controller.snapshot.event_count
    controller.branches.run_seeds()
    assert controller.wait_idle(60)
    drawn = {ghost.name: values(ghost.curves) for ghost in controller.branches.ghosts.values()}
    assert list(drawn) == ["seed 8", "seed 9", "seed 10", "seed 11"]
    for seed in (8, 11):
        _, expected = alone(seed, 5).history.series.column("loss/loss")
        assert str(drawn[f"seed {seed}"]) == str(expected.tolist())
    assert drawn["seed 8"] != drawn["seed 9"]
    assert controller.snapshot.event_count == events
    assert overlaid(controller.state)
    controller.branches.clear_overlays()
    assert controller.wait_idle(60)
    assert dict(controller.branches.ghosts) == {}
    assert not overlaid(controller.state)


def test_overlays_can_be_removed_while_no_plot_shows_them(controller):
    controller.branches.set_ghosts_wanted(())
    controller.branches.run_seeds()
    assert controller.wait_idle(60)
    assert dict(controller.branches.ghosts) == {}
    assert overlaid(controller.state)
    controller.branches.clear_overlays()
    assert controller.wait_idle(60)
    assert not overlaid(controller.state)


def test_a_session_is_drawn_under_its_name_and_once_if_opened_twice(controller, tmp_path):
    other = alone(99, 8)
    other.save(tmp_path / "other.gradstep")
    for _ in range(2):
        controller.branches.overlay([tmp_path / "other.gradstep"])
        assert controller.wait_idle(60)
    [ghost] = controller.branches.ghosts.values()
    assert ghost.name == "other"
    _, expected = other.history.series.column("loss/loss")
    assert str(values(ghost.curves)) == str(expected.tolist())


def test_a_session_that_cannot_be_opened_leaves_the_overlays(controller, tmp_path):
    (tmp_path / "bad.gradstep").write_bytes(b"nothing")
    controller.branches.overlay([tmp_path / "bad.gradstep"])
    assert controller.wait_idle(60)
    assert dict(controller.branches.ghosts) == {}
    assert controller.snapshot.event_count == 20


def test_a_session_keeps_its_overlays_also_when_their_files_are_missing(controller, tmp_path):
    other = tmp_path / "other.gradstep"
    alone(99, 8).save(other)
    controller.branches.overlay([other])
    controller.branches.run_seeds()
    assert controller.wait_idle(20)
    assert controller.document.modified
    drawn = {ghost.name: values(ghost.curves) for ghost in controller.branches.ghosts.values()}
    controller.save(tmp_path / "mine.gradstep")
    assert controller.wait_idle(20)
    other.unlink()
    controller.branches.clear_overlays()
    controller.open(tmp_path / "mine.gradstep")
    assert controller.wait_idle(20)
    restored = {ghost.name: values(ghost.curves) for ghost in controller.branches.ghosts.values()}
    assert list(restored) == ["other", "seed 8", "seed 9", "seed 10", "seed 11"]
    assert str(restored) == str(drawn)
    assert not controller.document.modified


def test_removed_overlays_are_not_saved(controller, tmp_path):
    controller.branches.run_seeds()
    assert controller.wait_idle(20)
    controller.branches.clear_overlays()
    assert controller.wait_idle(20)
    controller.save(tmp_path / "mine.gradstep")
    assert controller.wait_idle(20)
    assert Debugger.open(tmp_path / "mine.gradstep").layout == b""


@pytest.mark.parametrize(
    "layout",
    [
        b"nonsense",
        encode({"overlays": [{"name": "a", "curves": {"norm/x": (bytes(8), bytes(8))}}]}),
        encode({"overlays": [{"name": "a", "curves": {"loss/loss": (bytes(8), bytes(16))}}]}),
        encode({"overlays": [{"name": "a", "curves": {"loss/loss": (bytes(7), bytes(7))}}]}),
    ],
)
def test_damaged_overlays_are_reported_and_the_session_opens(tmp_path, opened, layout):
    saved = alone(1, 3)
    saved.layout = layout
    saved.save(tmp_path / "damaged.gradstep")
    controller = opened(NOISY, 0)
    controller.open(tmp_path / "damaged.gradstep")
    assert controller.wait_idle(20)
    assert controller.snapshot.event_count == 12
    assert "damaged" in controller._messages.history[-1].text
    assert dict(controller.branches.ghosts) == {}
