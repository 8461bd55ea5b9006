"""Runs go backwards, and forwards along what is recorded."""

import random

import pytest

from gradstep.program.operation import Backward, SetHyperparameter

CONDITIONS = [
    ({"expression": "loss < 0.6"}, "log"),
    ({"expression": "iteration == 7 or event == 100"}, "log"),
    ({"expression": "loss < 0.65", "before": "backward"}, "log"),
    ({"expression": 'norm(grad("model.0.weight")) > 0.12'}, "state"),
    ({"expression": "dot(buf, grad) < 0", "before": "zero_grad", "after": "backward"}, "state"),
    ({"expression": 'changed("model.3.bias.grad") and iteration > 5'}, "state"),
    ({"expression": 'changed("model.0.weight")'}, "state"),
    ({"expression": 'not changed("model.0.weight")', "after": ("step", "forward")}, "state"),
    ({"expression": 'changed(data("model.0.bias")[1])', "before": "any"}, "state"),
]


@pytest.mark.parametrize(("given", "_kind"), CONDITIONS)
def test_going_back_meets_the_hits_of_the_run_in_reverse(make, given, _kind):
    network = make()
    point = network.break_when(**given)
    forwards = []
    while (reason := network.run(25 - network.program.iteration)).kind == "breakpoint":
        forwards.append(reason.event)
    assert forwards
    backwards = []
    while (reason := network.run_back()).kind == "breakpoint":
        assert reason.breakpoint is point
        backwards.append(reason.event)
    assert (reason.kind, reason.event, network.position) == ("start", 0, (0, None))
    # The moment at which going back starts is no hit itself.
    assert [event for event in forwards if event < 100] == [at for at in backwards[::-1] if at]


def test_several_breakpoints_of_all_sorts_give_the_nearest_hit(make):
    network = make()
    network.iterate(25)
    alone = []
    for given, _ in CONDITIONS:
        point = network.break_when(**given)
        alone.append(network.run_back().event)
        network.seek(100)
        point.disable()
    for point in network.breakpoints:
        point.enable()
    assert network.run_back().event == max(alone)


def test_running_back_restores_the_recorded_state(make, state_of):
    there, returned = make(), make()
    there.iterate(9)
    returned.iterate(25)
    returned.break_when("iteration == 9")
    returned.run_back()
    assert state_of(returned) == state_of(there)


def test_running_from_the_past_follows_the_recording_and_makes_no_branch(make, state_of):
    network, straight = make(), make()
    network.break_when("iteration == 12")
    network.iterate(20)
    assert network.run_back().event == 48
    network.seek(10)
    assert network.run().event == 48
    assert network.run(20).event == 128
    assert len(network.branches) == 1
    straight.iterate(32)
    assert state_of(network) == state_of(straight)
    assert list(network.events) == list(straight.events)


def test_a_bounded_run_in_the_past_ends_after_that_many_iterations(network):
    network.iterate(10)
    network.seek(6)
    reason = network.run(2)
    assert (reason.sentence, reason.event) == ("2 iterations done", 12)
    assert network.program.iteration == 3


def test_the_recorded_and_the_new_part_of_a_run_count_as_one(network):
    network.iterate(3)
    network.seek(4)
    reports = []
    reason = network.run(5, progress=reports.append)
    assert (reason.event, reports) == (24, [3, 4, 5])


def test_breakpoints_hit_and_log_in_the_recorded_part_too(network):
    network.iterate(3)
    network.seek(0)
    point = network.break_when("loss > 0", log="{iteration}", after="step")
    network.run(5)
    assert [(line.event, line.text) for line in network.breakpoints.lines] == [
        (4 * n, str(n)) for n in range(1, 6)
    ]
    assert point.count == 5


def test_operations_applied_by_hand_are_followed_as_recorded(network):
    network.iterate(2)
    network.apply(Backward())  # fails: its graph is freed
    network.apply(SetHyperparameter("lr", 0.001))
    network.iterate(1)
    network.seek(0)
    network.break_when('lr("optimizer") < 0.01', after="any")
    assert network.run().event == 10
    assert network.run_back().kind == "start"


def test_should_stop_ends_running_back_where_it_began(network):
    network.iterate(10)
    network.break_when('norm(grad("model.0.weight")) > 1e9')
    reason = network.run_back(should_stop=lambda: True)
    assert (reason.kind, network.position) == ("paused", (40, None))


def test_without_breakpoints_running_back_goes_to_the_very_start(network):
    network.iterate(2)
    assert network.run_back().sentence == "no breakpoint was hit before; this is the start"


def test_going_back_from_inside_an_operation_leaves_it(network):
    network.iterate(3)
    network.step_into()
    network.break_when("iteration == 2")
    assert network.run_back().event == 8
    assert network.micro_step is None


def test_random_conditions_agree_with_evaluating_at_every_moment(make):
    """The search skips moments; evaluating at each one is the oracle."""
    rng = random.Random(5)
    network = make()
    network.iterate(12)
    norms, moments = [], range(1, 49)
    watch = network.watch('norm(grad("model.3.weight"))')
    norms = [0.0 if value is None else value for _, value in watch.history(moments)]
    for _ in range(6):
        limit, here = rng.choice(sorted(set(norms))), rng.randrange(2, 48)
        network.seek(here)
        point = network.break_when(
            f'norm(grad("model.3.weight")) >= {limit!r} and not is_none(grad("model.3.weight"))',
            after="any",
        )
        expected = [at for at in moments if at < here and norms[at - 1] >= limit > 0]
        if limit > 0:
            assert network.run_back().event == (expected[-1] if expected else 0)
        point.remove()
