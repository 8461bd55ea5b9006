"""Learning rates: too high by the curvature that the steps meet, or from the start."""

import pytest


@pytest.fixture
def descend(make):
    """Run plain descent on 3 x^2, whose curvature is 6, and return what is found by id."""

    def descended(rate, iterations=40, expression="sum(3 * x ** 2)", **optimizer):
        dbg = make(
            data={},
            modules={},
            tensors={"x": {"value": [1.0, -2.0], "requires_grad": True}},
            losses={"loss": {"expression": expression}},
            optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": rate, **optimizer}},
        )
        dbg.iterate(iterations)
        return {item.id: item for item in dbg.findings}

    return descended


def test_steps_that_climb_a_parabola_are_reported_with_the_rate_up_to_which_they_would_not(descend):
    finding = descend(0.35)["learning-rate"]
    assert (finding.severity, finding.threshold) == ("suspicion", 2.0)
    assert finding.value == pytest.approx(0.35 * 6, rel=1e-3)
    assert "a curvature of 6, so steps beyond 2 / 6 = 0.333 times the gradient" in finding.detail
    assert "Cockpit" in finding.source
    assert finding.trial


def test_the_symptom_is_not_reported_beside_its_cause(descend):
    assert "loss-diverging" not in descend(0.35)


@pytest.mark.parametrize("rate", [0.3, 0.1, 0.001])
def test_a_rate_below_the_limit_is_not_suspected(descend, rate):
    assert "learning-rate" not in descend(rate)


def test_of_moves_that_are_not_a_multiple_of_the_gradient_nothing_is_measured(descend):
    assert "learning-rate" not in descend(0.3, kind="Adam")


def test_a_run_that_diverges_in_its_first_iterations_is_reported_with_its_numbers(descend):
    finding = descend(0.5, expression="sum(x ** 4)")["learning-rate"]
    assert "loss went from 17 to nan in the first 10 iterations" in finding.detail
    assert finding.value is None
    assert finding.events[0] < 40


def test_where_a_rule_is_broken_the_rate_is_not_to_blame(make):
    line = [{"op": kind} for kind in ("zero_grad", "forward", "backward", "step")]
    dbg = make(
        data={},
        modules={},
        tensors={"x": {"value": 3.0, "requires_grad": True}},
        losses={"loss": {"expression": "x ** 4"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.08}},
        loop=[*line, {"op": "clip_grad_norm", "max_norm": 1.0}],
    )
    dbg.iterate(40)
    assert {"clip-after-step", "non-finite"} == {item.id for item in dbg.findings}


def test_a_first_jump_from_which_the_loss_recovers_is_not_a_divergence(make, layers):
    dbg = make(
        modules={"model": layers},
        optimizers={"optimizer": {"kind": "Adam", "params": ["model.*"], "lr": 0.5}},
    )
    dbg.iterate(40)
    losses = [event.loss for event in dbg.events if event.loss is not None]
    assert max(losses[:10]) > 1.5 * losses[0] > losses[-1]
    assert "learning-rate" not in {item.id for item in dbg.findings}


SMALL_STEPS = {"loss-not-decreasing", "small-steps"}


@pytest.mark.parametrize("rate", [1e-9, 1e-6])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_learning_rate_far_too_small_is_suspected_though_batches_differ(make, rate, seed):
    dbg = make(**in_batches(rate, seed))
    dbg.iterate(40)
    found = {item.id: item for item in dbg.findings}
    assert SMALL_STEPS & set(found)
    assert all("larger" in item.remedy for item in found.values())


@pytest.mark.parametrize("rate", [0.01, 0.1])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_in_batches_a_loss_that_has_come_down_may_be_flat(make, rate, seed):
    dbg = make(**in_batches(rate, seed))
    dbg.iterate(2000)
    assert dbg.findings == ()


def test_noise_that_batches_pull_about_is_not_a_small_learning_rate(make):
    line = {"kind": "line", "samples": 40, "slope": 2, "noise": 3.0, "batch_size": 5}
    dbg = make(**{**in_batches(0.1, 1), "data": {"a": line}})
    dbg.iterate(400)
    assert dbg.findings == ()


def in_batches(rate, seed):
    return {
        "seed": seed,
        "data": {"a": {"kind": "line", "samples": 20, "slope": 2, "noise": 0.1, "batch_size": 5}},
        "modules": {"model": [{"kind": "Linear", "in_features": 1, "out_features": 1}]},
        "losses": {"loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "MSELoss"}}},
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": rate}},
        "loop": [{"op": kind} for kind in ("zero_grad", "forward", "backward", "step")],
    }


@pytest.mark.parametrize("gamma", [0.5, 0.1])
def test_a_schedule_that_lowers_the_rate_to_nothing_is_named(make, gamma):
    loop = [{"op": kind} for kind in ("zero_grad", "forward", "backward", "step")]
    dbg = make(
        schedulers={"decay": {"kind": "ExponentialLR", "gamma": gamma}},
        loop=[*loop, {"op": "scheduler_step", "scheduler": "decay"}],
    )
    dbg.iterate(120)
    (finding,) = dbg.findings
    assert finding.id == "small-steps"
    assert "; a schedule has lowered the learning rate of optimizer from 0.1 to " in finding.detail
    (remedy,) = dbg.remedies(finding)
    assert remedy.title == "without the steps of the schedulers"
