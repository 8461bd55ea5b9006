"""The Debugger: the four buttons, running, and the current moment."""

import numpy as np
import pytest

from gradstep.errors import ExpressionError, GradStepError, OperationError, UnsupportedError
from gradstep.program.operation import (
    Backward,
    Forward,
    RebuildModule,
    SetHyperparameter,
    Step,
    ZeroGrad,
)


def test_the_four_buttons_do_what_the_loop_does(line):
    assert line.zero_grad().operation == ZeroGrad()
    assert line.forward().loss == 300.0
    assert line.snapshot.parameters["x"].grad is None
    assert line.backward().writes == ("x.grad", "loss.graph")
    assert line.snapshot.parameters["x"].grad.tolist() == [100.0, 100.0]
    assert line.step().writes == ("x",)
    np.testing.assert_allclose(line.snapshot.parameters["x"].data, [0.9, 1.9], rtol=1e-6)
    assert line.snapshot.iteration == 1


def test_gradients_add_up_when_they_are_not_cleared(line):
    for _ in range(2):
        line.forward()
        line.backward()
    assert line.snapshot.parameters["x"].grad.tolist() == [200.0, 200.0]


def test_a_second_backward_is_an_event_that_failed_and_explains_itself(line, state_of):
    line.forward()
    line.backward()
    before = state_of(line)
    event = line.backward()
    assert not event.outcome.ok
    assert "second time" in event.outcome.message
    assert event.outcome.remedy
    assert event.writes == ()
    assert state_of(line) == before
    assert line.event == event


def test_backward_before_any_forward_fails_and_changes_nothing(line, state_of):
    before = state_of(line)
    assert line.backward().outcome.error == "OperationError"
    assert state_of(line) == before


def test_a_hyperparameter_that_the_optimizer_rejects_changes_nothing(network, state_of):
    before = state_of(network)
    event = network.apply(SetHyperparameter("lr", -1.0))
    assert not event.outcome.ok
    assert state_of(network) == before


def test_targets_follow_the_loop_and_backward_follows_the_last_forward(make):
    head = [{"kind": "Linear", "in_features": 2, "out_features": 1}]
    loss = {"data": "a", "criterion": {"kind": "BCEWithLogitsLoss"}}
    dbg = make(
        modules={"p": head, "q": head},
        schedulers={},
        losses={"first": {**loss, "chain": ["p"]}, "second": {**loss, "chain": ["q"]}},
        optimizers={
            name: {"kind": "SGD", "params": [f"{module}.*"], "lr": 0.1}
            for name, module in (("one", "p"), ("two", "q"))
        },
        loop=[
            {"op": "forward", "loss": "second"},
            {"op": "backward", "loss": "second"},
            {"op": "step", "optimizer": "two"},
        ],
    )
    assert dbg.forward().operation == Forward("second")
    assert dbg.backward().operation == Backward("second")
    assert dbg.step().operation == Step("two")
    dbg.forward("first")
    assert dbg.backward().operation == Backward("first")
    assert dbg.zero_grad("one").operation == ZeroGrad("one")
    with pytest.raises(OperationError, match=r"no loss 'frist'.*did you mean 'first'"):
        dbg.forward("frist")


def test_forward_on_the_held_batch_sees_the_same_rows(network):
    first = network.forward()
    assert network.forward(hold=True).rows == first.rows
    assert network.forward().rows != first.rows


def test_iterate_completes_an_iteration_that_was_begun_by_hand(network):
    network.zero_grad()
    network.forward()
    network.iterate(1)
    assert (len(network.events), network.snapshot.iteration) == (4, 1)
    network.iterate(2)
    assert (len(network.events), network.snapshot.iteration) == (12, 3)


def test_iterate_can_be_stopped_before_any_operation_and_continues_there(network):
    seen = []
    network.iterate(10, should_stop=lambda: len(network.events) == 6, progress=seen.append)
    assert (len(network.events), seen) == (6, [1])
    network.iterate(1)
    assert (len(network.events), network.snapshot.iteration) == (8, 2)


def test_iterate_ends_at_an_operation_that_fails(make):
    dbg = make("line", loop=[{"op": "forward"}, {"op": "backward"}, {"op": "backward"}])
    event = dbg.iterate(5)
    assert len(dbg.events) == 3
    assert not event.outcome.ok


def test_run_until_stops_at_the_event_that_makes_it_true(line):
    assert line.run_until("loss < 250", max_iterations=100)
    assert line.event.operation == Forward()
    assert line.event.loss < 250 <= line.events[line.event.index - 5].loss
    count = len(line.events)
    assert line.run_until("loss < 250")
    assert len(line.events) == count


def test_run_until_gives_up_after_the_given_iterations(line):
    assert not line.run_until("loss > 1e9", max_iterations=3)
    assert line.snapshot.iteration == 3


def test_run_until_rejects_a_condition_that_it_cannot_read(line):
    with pytest.raises(ExpressionError, match="column 1"):
        line.run_until("__import__('os')")
    assert len(line.events) == 0


def test_back_goes_one_event_and_not_before_the_start(line):
    line.forward()
    line.backward()
    line.back()
    assert line.event.index == 1
    assert line.position == (1, None)
    line.back()
    assert line.event is None
    assert line.snapshot.event_index == 0
    with pytest.raises(OperationError, match="start of the run"):
        line.back()


def test_seek_to_an_event_that_is_not_there_names_the_range(line):
    line.forward()
    with pytest.raises(GradStepError, match="no Event 7"):
        line.seek(7)
    assert line.position == (1, None)


def test_continuing_after_a_seek_to_the_end_equals_an_uninterrupted_run(make, state_of):
    plain, travelled = make(), make()
    plain.iterate(9)
    travelled.iterate(6)
    for index in (3, 17, 0, 24):
        travelled.seek(index)
    travelled.iterate(3)
    assert state_of(travelled) == state_of(plain)
    assert list(travelled.events) == list(plain.events)
    assert len(travelled.branches) == 1


def test_an_operation_in_the_past_forks_and_keeps_the_old_branch(network):
    network.iterate(3)
    old = list(network.events)
    network.seek(6)
    network.step()
    main, branch = network.branches
    assert list(main.history.events) == old
    assert (branch.parent, branch.forked_at) == (0, 6)
    assert [event.operation for event in network.events] == [e.operation for e in old[:6]] + [
        Step()
    ]
    assert network.branches.current is branch


def test_a_fork_by_hand_is_a_branch_of_its_own_name(network):
    network.iterate(1)
    branch = network.fork("another lr")
    network.apply(SetHyperparameter("lr", 0.5))
    assert (branch.name, len(branch.history)) == ("another lr", 5)
    assert len(network.branches[0].history) == 4


def test_checkout_goes_to_the_end_of_another_branch(network, state_of):
    network.iterate(3)
    end = state_of(network)
    network.seek(5)
    network.iterate(4)
    network.checkout(0)
    assert state_of(network) == end
    assert network.position == (12, None)
    with pytest.raises(OperationError, match="no branch 9"):
        network.checkout(9)


def test_iterating_a_program_without_a_loop_is_an_error(make):
    dbg = make("line", losses={}, optimizers={}, schedulers={})
    with pytest.raises(OperationError, match="no loop"):
        dbg.iterate(1)


def test_an_interruption_leaves_a_sound_moment(network, monkeypatch, state_of):
    network.iterate(2)
    before = state_of(network)

    run, calls = type(network.program).run, []

    def interrupted_once(self, operation):
        calls.append(operation)
        if len(calls) > 1:
            return run(self, operation)
        self.tensors["model.0.weight"].data.fill_(7.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(type(network.program), "run", interrupted_once)
    with pytest.raises(KeyboardInterrupt):
        network.iterate(1)
    assert state_of(network) == before
    assert network.position == (8, None)


def test_what_was_recorded_on_the_current_branch_is_exported(network, tmp_path):
    assert "for iteration in range(" in network.script()
    network.iterate(2)
    network.seek(4)
    network.fork()
    network.iterate(3)
    network.export(tmp_path / "test_a.py", test=True)
    text = (tmp_path / "test_a.py").read_text()
    assert text == network.script(test=True)
    assert text.count('("loss", ') == 4
    network.seek(0)
    assert network.script(test=True) == text  # whichever moment is current


def test_a_test_without_a_loss_is_not_exported(network, tmp_path):
    network.zero_grad()
    with pytest.raises(UnsupportedError, match="no loss was recorded"):
        network.export(tmp_path / "test_a.py", test=True)
    assert list(tmp_path.iterdir()) == []


def test_the_curves_follow_a_rebuilt_module(network):
    network.iterate(2)
    network.apply(RebuildModule("model"))
    network.iterate(1)
    norms = network.history.series.column("norm/model.0.weight")[1]
    shown = network.snapshot.parameters["model.0.weight"].value.norm
    assert norms[-1] == pytest.approx(shown, rel=1e-6)
    assert norms[-1] != pytest.approx(norms[-2], rel=1e-3)


def test_a_step_that_asgd_cannot_carry_out_fails_and_changes_nothing(make, state_of):
    dbg = make(
        "line",
        optimizers={"asgd": {"kind": "ASGD", "params": ["x"], "lr": 0.1, "lambd": -10.0}},
    )
    dbg.forward()
    dbg.backward()
    before = state_of(dbg)
    outcome = dbg.apply(Step("asgd")).outcome
    assert not outcome.ok
    assert "after step 1 ASGD has no step size" in outcome.message
    assert outcome.remedy == "set lambd to 0 or more"
    assert state_of(dbg) == before
