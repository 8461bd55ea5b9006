"""Facts about gradients that are added up over several batches on purpose."""

import pytest

from gradstep.program.operation import ClipGradNorm, ClipGradValue

MEAN = {"data": "a", "chain": ["model"], "expression": "mean((output - target) ** 2)"}


@pytest.fixture
def accumulating(make):
    """Make a program that steps after every `every` batches."""

    def program(expression, every=4, **changes):
        rows = {"kind": "gaussian", "inputs": 2, "samples": 32, "batch_size": 8}
        changes = {"data": {"a": rows}, **changes}
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


def test_a_sum_of_means_is_not_a_mean(accumulating, found):
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
    finding = next(one for one in dbg.findings if one.id == "accumulation-scale")
    assert "2 batches of loss, each divided by 4: 0.5 times their mean" in finding.detail


def test_a_criterion_that_takes_means_is_looked_at_and_one_of_sums_is_not(make, found):
    for reduction, expected in (("mean", {"accumulation-scale": (2, 4, 5)}), ("sum", {})):
        criterion = {"kind": "BCEWithLogitsLoss", "reduction": reduction}
        dbg = make(
            intent=["gradient_accumulation"],
            losses={"loss": {"data": "a", "chain": ["model"], "criterion": criterion}},
        )
        for _ in range(2):
            dbg.forward()
            dbg.backward()
        dbg.step()
        assert found(dbg) == expected


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


CLIPPINGS = [ClipGradNorm(1e9), ClipGradValue(1e9)]


@pytest.mark.parametrize("clipping", CLIPPINGS, ids=lambda clipping: type(clipping).__name__)
def test_a_clipping_of_each_micro_batch_that_changes_nothing_is_not_a_clipping(
    dbg, found, clipping
):
    dbg.zero_grad()
    for _ in range(2):
        dbg.forward()
        dbg.backward()
        dbg.apply(clipping)
    dbg.step()
    assert found(dbg) == {}


@pytest.mark.parametrize("clipping", CLIPPINGS, ids=lambda clipping: type(clipping).__name__)
def test_a_clipping_after_the_step_that_changes_nothing_is_not_a_clipping(dbg, found, clipping):
    dbg.iterate(1)
    dbg.apply(clipping)
    assert found(dbg) == {}


def test_only_the_gradients_that_were_clipped_are_named(dbg, found):
    dbg.zero_grad()
    dbg.forward()
    dbg.backward()
    gradients = {name: item.grad for name, item in dbg.snapshot.parameters.items()}
    largest = max(gradients, key=lambda name: abs(gradients[name]).max())
    others = [abs(grad).max() for name, grad in gradients.items() if name != largest]
    limit = (abs(gradients[largest]).max() + max(others)) / 2
    dbg.apply(ClipGradValue(float(limit)))
    dbg.forward()
    dbg.backward()
    assert found(dbg) == {"clip-per-microbatch": (4, 6)}
    assert dbg.findings[0].subjects == (largest,)


def test_a_clipping_that_bites_only_later_is_found_in_a_long_run(make, found):
    dbg = make(
        loop=[
            {"op": "zero_grad"},
            {"op": "forward"},
            {"op": "backward"},
            {"op": "clip_grad_norm", "max_norm": 1e9},
            {"op": "forward"},
            {"op": "backward"},
            {"op": "step"},
        ]
    )
    dbg.iterate(30)
    assert found(dbg) == {}
    for press in (dbg.zero_grad, dbg.forward, dbg.backward):
        press()
    dbg.apply(ClipGradNorm(1e-3))
    dbg.forward()
    dbg.backward()
    assert found(dbg) == {"clip-per-microbatch": (214, 216)}


def test_batches_of_unequal_size_are_not_averaged_by_an_equal_division(accumulating, found):
    moons = {"kind": "gaussian", "inputs": 2, "samples": 25, "batch_size": 8}
    dbg = accumulating("mean((output - target) ** 2) / 4", data={"a": moons})
    dbg.iterate(4)
    assert found(dbg) == {"accumulation-scale": (2, 8, 9)}
    assert "4 batches of loss with 8, 8, 8 and 1 rows" in dbg.findings[0].detail


@pytest.mark.parametrize(("samples", "drop_last"), [(32, False), (25, True)])
def test_batches_of_equal_size_are_averaged(accumulating, found, samples, drop_last):
    moons = {
        "kind": "gaussian",
        "inputs": 2,
        "samples": samples,
        "batch_size": 8,
        "drop_last": drop_last,
    }
    every = samples // 8
    dbg = accumulating(f"mean((output - target) ** 2) / {every}", every, data={"a": moons})
    dbg.iterate(3 * every)
    assert found(dbg) == {}
