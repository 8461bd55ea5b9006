"""What is not finite in an optimizer's state, and what moves without a gradient."""

import pytest


@pytest.fixture
def steep(make):
    """A slope so steep that the square of the gradient overflows, and the gradient does not."""

    def program(kind, slope):
        return make(
            data={},
            modules={},
            tensors={"x": {"value": [1.0, 2.0], "requires_grad": True}},
            losses={"loss": {"expression": f"sum({slope} * x)"}},
            optimizers={"optimizer": {"kind": kind, "params": ["x"], "lr": 0.1}},
        )

    return program


@pytest.mark.parametrize(
    ("kind", "entry"), [("Adam", "exp_avg_sq"), ("RMSprop", "square_avg"), ("Adagrad", "sum")]
)
def test_state_that_is_not_finite_is_named_though_all_else_is_finite(steep, kind, entry):
    dbg = steep(kind, 1e20)
    dbg.iterate(20)
    (finding,) = [item for item in dbg.findings if item.severity == "fact"]
    assert (finding.id, finding.subjects) == ("non-finite", ("x",))
    assert (
        finding.detail == f"{entry} of x in optimizer became NaN or infinite after the start (#80)."
    )
    assert finding.events == (80,)


def test_the_last_event_at_which_it_was_finite_is_cited(steep):
    dbg = steep("Adam", 1)
    dbg.iterate(40)
    parameter = dbg.program.tensors["x"]
    dbg.program.optimizers["optimizer"].state[parameter]["exp_avg_sq"][0] = float("inf")
    dbg.iterate(20)
    (finding,) = [item for item in dbg.findings if item.id == "non-finite"]
    assert "became NaN or infinite after #160 (#160 and #240)" in finding.detail


def test_finite_state_is_not_reported(steep):
    dbg = steep("Adam", 1e18)
    dbg.iterate(40)
    assert [item for item in dbg.findings if item.severity == "fact"] == []


def test_a_gradient_that_backward_makes_zero_is_none_that_was_left_over(make):
    dbg = make(
        data={},
        modules={},
        tensors={"x": {"value": [1.0, 2.0], "requires_grad": True}},
        losses={"loss": {"expression": "sum(relu(x))"}},
        optimizers={"optimizer": {"kind": "Adam", "params": ["x"], "lr": 0.5}},
    )
    dbg.iterate(30)
    assert dbg.snapshot.parameters["x"].grad.tolist() == [0, 0]
    assert "moved-without-gradient" not in {item.id for item in dbg.findings}
