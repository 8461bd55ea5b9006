"""Walking an update term by term: the same bits as a step, and every term has its formula."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradstep
from gradstep import optim
from tests.core.optim.cases import CASES

IDS = [f"{algorithm}-{number}" for number, (algorithm, _) in enumerate(CASES)]
shapes = st.lists(st.lists(st.integers(0, 4), max_size=3).map(tuple), min_size=1, max_size=5)


def twins(shapes, dtype, seed):
    arrays = [np.random.default_rng(seed).normal(size=shape).astype(dtype) for shape in shapes]
    return [[gradstep.tensor(array, requires_grad=True) for array in arrays] for _ in range(2)]


def give_gradients(generator, pairs):
    for left, right in pairs:
        skipped = generator.random() < 0.25
        grad = np.asarray(generator.normal(size=left.shape), left.detach().numpy().dtype)
        left.grad, right.grad = (None if skipped else gradstep.tensor(grad) for _ in range(2))


@settings(max_examples=60)
@given(
    case=st.sampled_from(CASES),
    shapes=shapes,
    dtype=st.sampled_from(["float32", "float64"]),
    seed=st.integers(0, 99),
)
def test_walking_and_stepping_give_the_same_bits(case, shapes, dtype, seed):
    algorithm, options = case
    walked, stepped = twins(shapes, dtype, seed)
    walker, stepper = (getattr(optim, algorithm)(group, **options) for group in (walked, stepped))
    generator = np.random.default_rng(seed)
    for _ in range(4):
        give_gradients(generator, zip(walked, stepped, strict=True))
        list(walker.visits())
        stepper.step()
    for left, right in zip(walked, stepped, strict=True):
        assert left.detach().numpy().tobytes() == right.detach().numpy().tobytes()
        assert walker.state[left].keys() == stepper.state[right].keys()
        for name, value in walker.state[left].items():
            assert value.numpy().tobytes() == stepper.state[right][name].numpy().tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_state_and_its_blocks_begin_at_cache_lines(dtype):
    parameter = gradstep.zeros(100_003, dtype=getattr(gradstep, dtype), requires_grad=True)
    parameter.grad = gradstep.ones_like(parameter)
    optimizer = optim.Adam([parameter])
    optimizer.step()
    (batch,) = optimizer._batching(optimizer.param_groups[0]).batches(
        optimizer.state, optimizer._spec(optimizer.defaults)
    )
    sizes = [block.data.size for block in batch.blocks]
    assert sizes == [33_344, 33_344, 33_315]
    arrays = [a for b in batch.blocks for a in (*b.state.values(), *b.scratch)]
    assert {array.ctypes.data % 64 for array in arrays} == {0}


def test_big_parameters_are_stepped_in_blocks_with_the_same_bits():
    walked, stepped = twins([(300, 300), (7,)], "float32", 0)
    walker, stepper = optim.Adam(walked), optim.Adam(stepped)
    for _ in range(2):
        for left, right in zip(walked, stepped, strict=True):
            left.grad = (left.detach() * 9).sin()
            right.grad = (right.detach() * 9).sin()
        list(walker.visits())
        stepper.step()
    assert walked[0].tolist() == stepped[0].tolist()


@pytest.mark.parametrize("shape", [(2, 3), (6,)])
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_terms_carry_their_parameter_shape_and_formula(case, shape):
    algorithm, options = case
    x = gradstep.ones(*shape, requires_grad=True)
    optimizer = getattr(optim, algorithm)([("x", x)], **options)
    for _ in range(8):  # RAdam changes its rule after some steps
        x.grad = gradstep.full(shape, 0.5)
        visits = list(optimizer.visits())
    own = {"row_var": (2, 1), "col_var": (1, 3)}
    assert all(visit.array.shape in (own.get(visit.term, shape), ()) for visit in visits)
    assert {(visit.group, visit.index) for visit in visits} == {(0, 0)}
    assert all(visit.parameter is x and visit.name == "x" for visit in visits)
    formulas = list(optimizer.TERMS.values())
    assert all(any(visit.formula is formula for formula in formulas) for visit in visits)
    assert next(v for v in visits if v.term == "param").array is not None
    assert all(formula.text and formula.latex for formula in optimizer.TERMS.values())


def test_a_term_of_a_big_parameter_is_one_array_in_its_shape():
    x = gradstep.zeros(300, 300, requires_grad=True)
    x.grad = gradstep.ones(300, 300)
    optimizer = optim.Adam([x])
    visits = list(optimizer.visits_of(0, 0))
    assert {v.array.shape for v in visits} == {(300, 300), ()}
    assert [v.term for v in visits].count("param") == 1
    assert optimizer.has_stepped


def test_the_update_shown_is_the_move_made():
    x = gradstep.tensor([1.0, 2.0], requires_grad=True)
    optimizer = optim.SGD([x], lr=0.001)
    x.grad = gradstep.tensor([100.0, 100.0])
    shown = {visit.term: visit.array.copy() for visit in optimizer.visits()}
    np.testing.assert_allclose(shown["update"], [0.1, 0.1], rtol=1e-6)
    np.testing.assert_array_equal(shown["param"], x.detach().numpy())


def test_a_step_writes_in_place_and_counts_it():
    x, y = gradstep.ones(2, requires_grad=True), gradstep.ones(2, requires_grad=True)
    x.grad = gradstep.ones(2)
    array = x.detach().numpy()
    optimizer = optim.Adam([x, y])
    optimizer.step()
    assert x._version == 1
    assert y._version == 0
    assert y not in optimizer.state
    assert array[0] == x[0].item() != 1.0
    exp_avg = optimizer.state[x]["exp_avg"]
    before = exp_avg._version
    optimizer.step()
    assert optimizer.state[x]["exp_avg"] is exp_avg
    assert exp_avg._version == before + 1


def test_a_view_with_strange_strides_is_updated_where_it_is():
    base = gradstep.zeros(3, 2)
    x = base.t().detach().requires_grad_()
    x.grad = gradstep.ones(2, 3)
    optim.SGD([x], lr=1.0).step()
    assert base.tolist() == [[-1.0, -1.0]] * 3


@pytest.mark.parametrize("followed", [1, 2, 3, 7])
def test_a_walk_that_is_abandoned_carries_out_the_rest_of_the_step(followed):
    walked, stepped = twins([(2, 3), (4,)], "float64", 5)
    walker, stepper = optim.Adam(walked), optim.Adam(stepped)
    called = []
    walker.register_step_post_hook(lambda *_: called.append("after"))
    for left, right in zip(walked, stepped, strict=True):
        left.grad, right.grad = (
            gradstep.ones(left.shape, dtype=gradstep.float64),
            right.detach() * 0 + 1,
        )
    walk = walker.visits()
    for _ in range(followed):
        next(walk)
    walk.close()
    stepper.step()
    assert called == ["after"]
    assert [p.tolist() for p in walked] == [p.tolist() for p in stepped]
    assert walker.state[walked[1]]["step"].item() == 1.0
    assert next(walk, None) is None


def test_a_walk_that_was_never_begun_does_nothing():
    x = gradstep.ones(2, requires_grad=True)
    x.grad = gradstep.ones(2)
    optim.SGD([x], lr=1.0).visits().close()
    assert x.tolist() == [1.0, 1.0]


def test_a_walk_calls_the_closure_first():
    x = gradstep.tensor([2.0], requires_grad=True)
    optimizer = optim.SGD([x], lr=0.25)

    def closure():
        optimizer.zero_grad()
        (x * x).sum().backward()

    assert [visit.term for visit in optimizer.visits(closure)] == ["update", "param"]
    assert x.item() == 1.0
