"""Time travel reproduces every Event of any Operations bit for bit."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from gradstep.debugger import Debugger
from gradstep.errors import ArgumentError, ReplayError
from gradstep.program import operation as ops

OPERATIONS = (
    ops.ZeroGrad(),
    ops.ZeroGrad(set_to_none=False),
    ops.Forward(),
    ops.Forward(batch="held"),
    ops.Forward("nobody"),
    ops.Backward(),
    ops.Backward(retain_graph=True),
    ops.Step(),
    ops.ClipGradNorm(0.1),
    ops.SchedulerStep("decay"),
    ops.SetHyperparameter("lr", 0.01),
    ops.SetHyperparameter("weight_decay", 0.1),
    ops.SetHyperparameter("amsgrad", True),
    ops.SetHyperparameter("lr", -1.0),
    ops.Freeze("model.0.*"),
    ops.Freeze("model.0.*", frozen=False),
    ops.SetMode(training=False),
    ops.SetMode(training=True),
    ops.RebuildModule("model"),
)


@pytest.fixture(scope="module", autouse=True)
def _tools(make, state_of):
    TimeTravel.make, TimeTravel.state_of = staticmethod(make), staticmethod(state_of)


class TimeTravel(RuleBasedStateMachine):
    make = state_of = None

    @initialize()
    def open(self):
        self.dbg = self.make()
        self.states = [self.state_of(self.dbg)]
        self.at = 0

    def record(self, event):
        skipped = event.index - self.at - 1
        if skipped:  # nothing but failed Operations followed, so it was not the past
            assert event.index == len(self.states)
            assert not any(item.outcome.ok for item in self.dbg.events[self.at : -1])
            self.at += skipped
        if not event.outcome.ok:
            assert self.state_of(self.dbg) == self.states[self.at]
        del self.states[self.at + 1 :]
        self.states.append(self.state_of(self.dbg))
        self.at += 1
        assert event.index == self.at == len(self.dbg.events)

    @rule(operation=st.sampled_from(OPERATIONS))
    def apply(self, operation):
        self.record(self.dbg.apply(operation))

    @rule(share=st.floats(0, 1), parts=st.sampled_from((("modules",), ops.LoadState(0).parts)))
    def load(self, share, parts):
        self.record(self.dbg.apply(ops.LoadState(int(share * self.at), parts)))

    @rule()
    def iterate(self):
        for operation in self.dbg.program.loop_operations():
            self.record(self.dbg.apply(operation))

    @rule(share=st.floats(0, 1))
    def seek(self, share):
        self.at = round(share * (len(self.states) - 1))
        self.dbg.seek(self.at)
        assert self.state_of(self.dbg) == self.states[self.at]

    @precondition(lambda self: self.at > 0)
    @rule()
    def back(self):
        self.at -= 1
        self.dbg.back()
        assert self.state_of(self.dbg) == self.states[self.at]

    @rule()
    def look(self):
        snapshot = self.dbg.snapshot
        assert snapshot.event_index == self.at
        for name, tensor in self.dbg.program.tensors.items():
            shown = snapshot.parameters[name]
            assert shown.data.tobytes() == tensor.detach().numpy().tobytes()
            assert (shown.grad is None) == (tensor.grad is None)
            if tensor.grad is not None:
                assert shown.grad.tolist() == tensor.grad.tolist()
            assert shown.version == tensor._version


NORMALIZED = {
    "model": [
        {"kind": "Linear", "in_features": 2, "out_features": 4},
        {"kind": "BatchNorm1d", "num_features": 4},
        {"kind": "Tanh"},
        {"kind": "Linear", "in_features": 4, "out_features": 1},
    ]
}


class TravelOfRunningMeans(TimeTravel):
    """The same with a layer whose Forward writes buffers."""

    @initialize()
    def open(self):
        self.dbg = self.make(modules=NORMALIZED)
        self.states = [self.state_of(self.dbg)]
        self.at = 0


TWO_HEADS = {
    "data": {
        "a": {"kind": "moons", "samples": 24, "noise": 0.1, "batch_size": 8, "shuffle": True},
        "b": {"kind": "sine", "samples": 10, "batch_size": 4},
    },
    "modules": {
        "model": NORMALIZED["model"][:3],
        "head_a": [
            {"kind": "Dropout", "p": 0.5},
            {"kind": "Linear", "in_features": 4, "out_features": 1},
        ],
        "head_b": [{"kind": "Linear", "in_features": 1, "out_features": 1}],
    },
    "losses": {
        "loss": {
            "data": "a",
            "chain": ["model", "head_a"],
            "criterion": {"kind": "BCEWithLogitsLoss"},
        },
        "other": {"data": "b", "chain": ["head_b"], "criterion": {"kind": "MSELoss"}},
    },
    "optimizers": {
        "optimizer": {"kind": "NAdam", "params": ["model.*", "head_a.*"], "lr": 0.05},
        "second": {
            "kind": "SGD",
            "params": ["head_b.*"],
            "lr": 0.1,
            "momentum": 0.9,
            "nesterov": True,
        },
    },
    "schedulers": {
        "decay": {"kind": "CosineAnnealingLR", "optimizer": "optimizer", "T_max": 7},
        "plateau": {"kind": "ReduceLROnPlateau", "optimizer": "second", "patience": 0},
    },
    "loop": [
        {"op": "zero_grad"},
        {"op": "forward"},
        {"op": "backward"},
        {"op": "step"},
        {"op": "forward", "loss": "other"},
        {"op": "backward", "loss": "other", "every": 2},
        {"op": "step", "optimizer": "second", "every": 2},
        {"op": "scheduler_step", "scheduler": "plateau", "metric": "other"},
    ],
}


class TravelOfTwoHeads(TimeTravel):
    """The same with two losses on two data sets, two optimizers and two schedulers."""

    @initialize()
    def open(self):
        self.dbg = self.make(**TWO_HEADS)
        self.states = [self.state_of(self.dbg)]
        self.at = 0


TravelOfTwoHeads.TestCase.settings = settings(max_examples=10, stateful_step_count=25)
test_two_heads_come_back_bit_for_bit = TravelOfTwoHeads.TestCase
TravelOfRunningMeans.TestCase.settings = settings(max_examples=10, stateful_step_count=25)
test_running_means_come_back_bit_for_bit = TravelOfRunningMeans.TestCase
TimeTravel.TestCase.settings = settings(max_examples=25, stateful_step_count=25)
test_any_event_comes_back_bit_for_bit = TimeTravel.TestCase


def test_a_diverging_replay_is_reported_and_shows_no_wrong_numbers(network, monkeypatch, state_of):
    # No Checkpoint however slow the machine is: replay from the start.
    monkeypatch.setattr(network.history, "_is_checkpoint_due", lambda _complete: False)
    monkeypatch.setattr("gradstep.history.history.REPLAY_S", 1e9)
    start = state_of(network)
    network.iterate(3)
    network.program.optimizers["optimizer"].param_groups[0]["lr"] = 0.05
    run = type(network.program).run

    def other(self, operation):
        effect = run(self, operation)
        if isinstance(operation, ops.Step):
            self.tensors["model.0.bias"].data.add_(1e-3)
        return effect

    monkeypatch.setattr(type(network.program), "run", other)
    with pytest.raises(ReplayError, match="Event 4 diverged"):
        network.seek(9)
    assert network.position == (0, None)
    assert state_of(network) == start
    network.seek(3)
    monkeypatch.undo()
    network.seek(12)
    assert [f.id for f in network.findings if f.id == "replay-diverged"] == ["replay-diverged"]


def test_long_runs_with_few_checkpoints_come_back_bit_for_bit(make, state_of, monkeypatch):
    monkeypatch.setattr("gradstep.history.history.EARLY_S", 1e9)
    debugger = make(**TWO_HEADS)
    states = [state_of(debugger)]
    for _ in range(30):
        for operation in debugger.program.loop_operations():
            debugger.apply(operation)
            states.append(state_of(debugger))
    for index in (0, 150, 3, len(states) - 1, 77):
        debugger.seek(index)
        assert state_of(debugger) == states[index]


def test_a_cancelled_seek_stops_at_an_event_on_the_way(make, state_of, monkeypatch):
    monkeypatch.setattr("gradstep.history.history.EARLY_S", 1e9)
    monkeypatch.setattr("gradstep.history.history.REPLAY_S", 1e9)
    debugger = make()
    debugger.iterate(20)
    monkeypatch.setattr("gradstep.history.history.REPLAY_S", 0.0)
    debugger.seek(0)
    debugger.seek(40, should_stop=lambda: True)
    at, _ = debugger.position
    assert 0 < at < 40
    there = state_of(debugger)
    debugger.seek(80)
    debugger.seek(at)
    assert state_of(debugger) == there


def test_forks_are_listed_where_other_branches_leave(network):
    network.iterate(3)
    network.seek(6)
    network.apply(ops.Step())
    assert [(fork.index, fork.branch) for fork in network.branches.forks] == [(6, 0)]
    network.seek(2)
    network.apply(ops.Step())
    assert [(fork.index, fork.branch) for fork in network.branches.forks] == [(2, 0), (2, 1)]
    network.checkout(0)
    assert [(fork.index, fork.branch) for fork in network.branches.forks] == [(6, 1), (2, 2)]


def test_little_memory_drops_checkpoints_but_no_event(make, state_of, monkeypatch):
    monkeypatch.setattr("gradstep.history.history.EARLY_S", 0.0)
    monkeypatch.setattr("gradstep.history.history.CAPTURE_SHARE", 0)
    debugger = make()
    debugger.iterate(300)
    debugger.seek(403)
    state, kept = state_of(debugger), len(debugger.history.checkpoints)
    debugger.branches.memory_budget = 2**20
    assert 2 < len(debugger.history.checkpoints) < kept
    assert debugger.history.checkpoints.nbytes <= 2**20
    debugger.seek(0)
    debugger.seek(403)
    assert state_of(debugger) == state
    assert len(debugger.events) == 1200
    with pytest.raises(ArgumentError, match="too few for Checkpoints"):
        debugger.branches.memory_budget = 1000


def test_going_back_restores_the_step_count_of_an_optimizer(network):
    network.iterate(3)
    counted = []
    for event in (12, 11, 8, 3, 0, 4, 12):
        network.seek(event)
        counted.append(network.snapshot.optimizers["optimizer"].steps)
    assert counted == [3, 2, 2, 0, 0, 1, 3]


def test_what_follows_is_forgotten_as_if_it_had_not_been(make, tmp_path):
    dbg, other = make(), make()
    recorder = dbg.record_to(tmp_path / "recording.gradstep")
    dbg.iterate(3)
    dbg.seek(6)
    assert dbg.discard_future()
    assert (len(dbg.events), len(dbg.branches), dbg.branches.current.name) == (6, 1, "main")
    dbg.iterate(1)
    recorder.close()
    other.iterate(3)
    other.seek(6)
    other.iterate(1)
    assert [event.checksum for event in dbg.events] == [event.checksum for event in other.events]
    again = Debugger.open(tmp_path / "recording.gradstep")
    assert [event.checksum for event in again.events] == [event.checksum for event in dbg.events]
    again.seek(2)
    rows, known = (each.history.series.to_arrays()[0].tolist() for each in (again, dbg))
    assert rows == known


def test_what_follows_is_kept_where_other_branches_need_it(make):
    dbg = make()
    dbg.iterate(2)
    dbg.seek(4)
    dbg.fork()
    dbg.iterate(1)
    dbg.seek(3)
    assert not dbg.discard_future()  # this moment is on the branch before
    dbg.checkout(0)
    dbg.seek(5)
    assert not dbg.discard_future()  # the other one forks from it
    assert len(dbg.branches) == 2
    dbg.checkout(1)
    assert dbg.discard_future()  # nothing follows
    dbg.seek(5)
    assert dbg.discard_future()
    assert [len(branch.history.events) for branch in dbg.branches] == [8, 5]
