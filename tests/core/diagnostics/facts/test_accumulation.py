"""Facts about gradients that are added up over several batches on purpose."""

import pytest

from gradstep.program.operation import ClipGradNorm

MEAN = {"data": "a", "chain": ["model"], "expression": "mean((output - target) ** 2)"}


@pytest.fixture
def accumulating(make):
    """Make a program that steps after every `every` batches."""

    def program(expression, every=4, **changes):
        return make(
            losses={"loss": {"data": "a", "chain": ["model"], "expression": expression}},
            loop=[
                {"op": "forward"},
                {"op": "backward"},
                {"op": "step", "every": every},
                {"op": "zero_grad", "every": every},
            ],
            **changes,
        )

    return program


def test_a_sum_of_means_is_no_mean(accumulating, found):
    dbg = accumulating("mean((output - target) ** 2)")
    dbg.iterate(4)
    assert found(dbg) == {"accumulation-scale": (2, 8, 9)}
    assert "4 batches of loss, not divided: 4 times their mean" in dbg.findings[0].detail


@pytest.mark.parametrize(
    "expression",
    [
        "mean((output - target) ** 2) / 4",
        "0.25 * mean((output - target) ** 2)",
        "mean((output - target) ** 2) * (1 / 4)",
        "sum((output - target) ** 2)",
        "mean((output - target) ** 2) / 4 + 0.001 * sum(output ** 2)",
    ],
)
def test_a_mean_that_is_divided_or_a_sum_is_as_it_should_be(accumulating, found, expression):
    dbg = accumulating(expression)
    dbg.iterate(12)
    assert found(dbg) == {}


def test_a_last_window_of_fewer_batches(accumulating, found):
    dbg = accumulating("mean((output - target) ** 2) / 4")
    dbg.iterate(6)
    assert found(dbg) == {}
    dbg.step()
    assert found(dbg)["accumulation-scale"] == (12, 14, 15)
    told = next(one for one in dbg.findings if one.id == "accumulation-scale")
    assert "2 batches of loss, each divided by 4: 0.5 times their mean" in told.detail


def test_a_criterion_that_takes_means_is_looked_at_and_one_of_sums_is_not(make, found):
    for reduction, told in (("mean", {"accumulation-scale": (2, 4, 5)}), ("sum", {})):
        criterion = {"kind": "BCEWithLogitsLoss", "reduction": reduction}
        dbg = make(
            intent=["gradient_accumulation"],
            losses={"loss": {"data": "a", "chain": ["model"], "criterion": criterion}},
        )
        for _ in range(2):
            dbg.forward()
            dbg.backward()
        dbg.step()
        assert found(dbg) == told


def test_batches_are_counted_also_where_all_iterations_are_alike(make, found):
    dbg = make(
        intent=["gradient_accumulation"],
        losses={"loss": {**MEAN, "expression": f"{MEAN['expression']} / 50"}},
        loop=[{"op": "forward"}, {"op": "backward"}],
    )
    dbg.iterate(50)
    dbg.step()
    assert "accumulation-scale" not in found(dbg)


def test_without_a_declaration_nothing_is_reported_about_scale(dbg, found):
    dbg.zero_grad()
    for _ in range(3):
        dbg.forward()
        dbg.backward()
    dbg.step()
    assert found(dbg) == {}


def test_clipping_each_micro_batch(dbg, found):
    dbg.zero_grad()
    for _ in range(2):
        dbg.forward()
        dbg.backward()
        dbg.apply(ClipGradNorm(0.01))
    dbg.step()
    assert found(dbg) == {"clip-per-microbatch": (4, 6)}


def test_clipping_once_before_the_step_is_as_it_should_be(dbg, found):
    for _ in range(3):
        dbg.zero_grad()
        for _ in range(2):
            dbg.forward()
            dbg.backward()
        dbg.apply(ClipGradNorm(0.01))
        dbg.step()
    assert found(dbg) == {}
