"""L-BFGS: it finds minima in few iterations, names its terms, and walks as it steps."""

import numpy as np
import pytest

import gradstep
from gradstep import optim
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorError
from tests.core.formulas import evaluate


def problem(**options):
    """Rosenbrock's valley, over two parameters."""
    x = gradstep.tensor([-1.2], dtype=gradstep.float64, requires_grad=True)
    y = gradstep.tensor(1.0, dtype=gradstep.float64, requires_grad=True)
    optimizer = optim.LBFGS([("x", x), ("y", y)], **options)

    def closure():
        optimizer.zero_grad()
        loss = ((1 - x) ** 2 + 100 * (y - x**2) ** 2).sum()
        loss.backward()
        return loss

    return x, y, optimizer, closure


def test_the_minimum_of_a_curved_valley_is_found_with_the_line_search():
    x, y, optimizer, closure = problem(line_search_fn="strong_wolfe", max_iter=60)
    assert optimizer.step(closure).item() == pytest.approx(24.2)
    assert x.item() == pytest.approx(1.0, abs=1e-4)
    assert y.item() == pytest.approx(1.0, abs=1e-4)
    state = optimizer.state[x]
    assert state["n_iter"] < 45
    assert state["func_evals"] > state["n_iter"]
    assert y not in optimizer.state


@pytest.mark.parametrize("line_search", [None, "strong_wolfe"])
def test_walking_and_stepping_give_the_same_bits(line_search):
    walked, stepped = (problem(lr=0.002, max_iter=6, line_search_fn=line_search) for _ in range(2))
    for _ in range(3):
        visits = list(walked[2].visits(walked[3]))
        stepped[2].step(stepped[3])
        assert [p.item() for p in walked[:2]] == [p.item() for p in stepped[:2]]
    assert walked[2].state[walked[0]]["n_iter"] == stepped[2].state[stepped[0]]["n_iter"]
    assert {visit.term for visit in visits} <= set(optim.LBFGS.TERMS)


def test_vectors_are_shown_parameter_by_parameter_and_numbers_with_the_first():
    x, y, optimizer, closure = problem(lr=0.001, max_iter=2, max_eval=9)
    visits = list(optimizer.visits(closure))
    pair = optimizer.TERMS["direction.pair"]
    directions = [v for v in visits if v.term == "direction" and v.formula is not pair]
    assert [visit.name for visit in directions] == ["x", "y"] * 2
    assert [visit.array.shape for visit in directions[:2]] == [(1,), ()]
    assert all(visit.index == 0 for visit in visits if visit.term == "step_length")
    assert [visit.array.item() for visit in visits if visit.term == "param"][-2:] == [
        x.item(),
        y.item(),
    ]


def test_a_walk_counts_as_a_step_and_calls_the_hooks():
    _, _, optimizer, closure = problem(lr=0.001)
    called = []
    optimizer.register_step_pre_hook(lambda *given: called.append(given[1]))
    optimizer.register_step_post_hook(lambda *given: called.append(given[1]))
    assert not optimizer.has_stepped
    walk = optimizer.visits(closure)
    assert called == []
    next(walk)
    assert (called, optimizer.has_stepped) == ([(optimizer, closure)], True)
    walk.close()
    assert called == [(optimizer, closure)] * 2


def test_a_walk_distinguishes_losses_found_by_the_search_from_evaluated_ones():
    for line_search, loss in ((None, "loss"), ("strong_wolfe", "loss.found")):
        _, _, optimizer, closure = problem(lr=0.001, max_iter=2, line_search_fn=line_search)
        formulas = [v.formula for v in optimizer.visits(closure) if v.term == "loss"]
        assert formulas[0] is optim.LBFGS.TERMS["loss"]
        assert formulas[1] is optim.LBFGS.TERMS[loss]


def test_evaluations_are_counted_over_steps():
    x, _, optimizer, closure = problem(lr=1e-4, max_iter=3)
    for step in (1, 2):
        optimizer.step(closure)
        state = optimizer.state[x]
        assert (state["n_iter"], state["func_evals"]) == (2 * step, 3 * step)


def test_an_abandoned_walk_is_finished():
    walked, stepped = problem(lr=0.001), problem(lr=0.001)
    walk = walked[2].visits(walked[3])
    next(walk)
    walk.close()
    stepped[2].step(stepped[3])
    assert walked[0].item() == stepped[0].item() != -1.2


def test_the_memory_keeps_the_last_pairs_alone():
    x, _, optimizer, closure = problem(lr=0.001, max_iter=9, history_size=3)
    optimizer.step(closure)
    state = optimizer.state[x]
    assert [len(state[name]) for name in ("old_dirs", "old_stps", "ro")] == [3, 3, 3]


def test_a_saved_state_continues_with_the_same_bits():
    first, second = problem(lr=0.001), problem(lr=0.001)
    first[2].step(first[3])
    second[2].load_state_dict(first[2].state_dict())
    with gradstep.no_grad():
        for left, right in zip(first[:2], second[:2], strict=True):
            right.copy_(left)
    for _, _, optimizer, closure in (first, second):
        optimizer.step(closure)
    assert first[0].item() == second[0].item()


def test_a_parameter_without_a_gradient_counts_as_one_with_zeros():
    x, unused = (gradstep.ones(2, requires_grad=True) for _ in range(2))
    optimizer = optim.LBFGS([x, unused], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert np.all(np.abs(x.detach().numpy()) < 1)
    assert unused.tolist() == [1.0, 1.0]


def test_a_missing_closure_and_wrong_options_are_rejected():
    x, y, optimizer, _ = problem()
    with pytest.raises(ArgumentTypeError, match="missing 1 required argument: 'closure'"):
        optimizer.step()
    with pytest.raises(ArgumentError, match="doesn't support per-parameter options"):
        optim.LBFGS([{"params": [x]}, {"params": [y]}])
    with pytest.raises(TensorError, match="only 'strong_wolfe' is supported"):
        optim.LBFGS([x], line_search_fn="armijo")


@pytest.mark.parametrize("line_search", [None, "strong_wolfe"])
def test_its_formulas_give_its_terms(line_search):
    w = gradstep.tensor([-1.2, 1.0], dtype=gradstep.float64, requires_grad=True)
    optimizer = optim.LBFGS([w], lr=0.002, max_iter=5, line_search_fn=line_search)

    def closure():
        optimizer.zero_grad()
        loss = (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2
        loss.backward()
        return loss

    numbers = {"lr": 0.002, "param": w.tolist(), "grad": [0.0, 0.0]}
    evaluated = set()
    for visit in optimizer.visits(closure):
        if visit.term == "grad":
            numbers["prev_grad"] = numbers["grad"]
        if visit.formula.names and set(visit.formula.names) <= set(numbers):
            expected = evaluate(visit.formula, numbers)
            np.testing.assert_allclose(visit.array, expected, rtol=1e-12, err_msg=visit.term)
            evaluated.add(visit.term)
        numbers[visit.term] = visit.array.copy()
    assert {"direction", "slope", "curvature", "hessian_scale", "param"} <= evaluated


def test_the_two_loops_go_over_the_kept_pairs_and_give_the_direction():
    w = gradstep.tensor([-1.2, 1.0, 0.5], dtype=gradstep.float64, requires_grad=True)
    optimizer = optim.LBFGS([w], lr=0.01, max_iter=4)

    def closure():
        optimizer.zero_grad()
        loss = (1 - w[0]) ** 2 + 3 * (w[1] - w[0] ** 2) ** 2 + w[2] ** 4
        loss.backward()
        return loss

    visits = [(visit.term, np.array(visit.array)) for visit in optimizer.visits(closure)]
    last = max(at for at, (term, _) in enumerate(visits) if term == "hessian_scale")
    end = next(at for at, (term, _) in enumerate(visits) if at > last and term == "slope")
    terms = [term for term, _ in visits[last + 1 : end]]
    assert terms == [
        *["alpha", "projected"] * 3,
        *["projected", "scaled"],
        *["beta", "direction"] * 3,
        "direction",
    ]
    state = optimizer.state[w]
    steps = [kept.numpy() for kept in state["old_stps"]]
    changes = [kept.numpy() for kept in state["old_dirs"]]
    found = -next(array for term, array in reversed(visits[:last]) if term == "grad")
    alphas = []
    for step, change in zip(reversed(steps), reversed(changes), strict=True):
        alphas.append(step @ found / (change @ step))
        found = found - alphas[-1] * change
    found = found * (steps[-1] @ changes[-1]) / (changes[-1] @ changes[-1])
    for step, change, alpha in zip(steps, changes, reversed(alphas), strict=True):
        found = found + (alpha - change @ found / (change @ step)) * step
    np.testing.assert_allclose(visits[end - 1][1], found, rtol=1e-12)


def test_a_gradient_of_zero_stops_a_search_that_no_tolerance_stops():
    x = gradstep.zeros(2, requires_grad=True)
    optimizer = optim.LBFGS([x], tolerance_grad=-1.0)

    def closure():
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 0.0
    assert x.tolist() == [0.0, 0.0]


def captured(optimizer, parameter):
    """Return a state as a program's capture holds it: arrays, numbers, and lists as dicts."""
    held = {}
    for name, value in optimizer.state[parameter].items():
        if isinstance(value, list):
            held[name] = {"items": [item.numpy() for item in value]}
        else:
            held[name] = value.numpy() if hasattr(value, "numpy") else value
    return held


def test_a_state_is_complete_or_not_a_state():
    x, _, optimizer, closure = problem(lr=0.001, max_iter=4)
    assert optimizer.is_state({})
    assert optimizer.is_state({"func_evals": 1, "n_iter": 0})
    optimizer.step(closure)
    state = captured(optimizer, x)
    assert optimizer.is_state(state)
    for name in state:
        assert not optimizer.is_state({key: state[key] for key in state if key != name}), name
    changes = {
        "func_evals": -1,
        "n_iter": 1.0,
        "d": np.zeros((1, 1)),
        "prev_flat_grad": 3.0,
        "old_dirs": {"items": []},
        "old_stps": {"items": [np.zeros((2, 1))] * 3},
        "ro": {"items": [np.zeros(1)] * 3},
        "H_diag": np.zeros(2),
        "prev_loss": None,
        "t": [1.0, 2.0],
    }
    for name, value in changes.items():
        assert not optimizer.is_state({**state, name: value}), name
    assert not optimizer.is_state({**state, "more": 1})
    assert not optimizer.is_state({**state, "ro": [np.zeros(())] * 3})
    assert not optimizer.is_state({"func_evals": 1, "n_iter": 0, "t": 1.0})


def test_vectors_of_the_state_are_as_long_as_all_parameters():
    _, _, optimizer, _ = problem()
    for entry in ("d", "prev_flat_grad", "old_dirs", "old_stps"):
        assert optimizer.state_shape(entry, (1,)) == (2,)
    assert optimizer.state_shape("H_diag", ()) == ()
