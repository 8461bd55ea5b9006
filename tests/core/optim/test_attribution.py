"""Attribution: the parameter moves as in a step, and the shares add up to the move."""

import numpy as np
import pytest

import gradstep
from gradstep import optim
from gradstep.errors import UnsupportedError
from gradstep.optim.attribution import (
    CURVATURE,
    DECAY,
    GRADIENT,
    MEMORY,
    attribute,
    attribute_search,
)
from tests.core.optim.cases import CASES, WHOLE_CASES

ALL = [case for case in (*CASES, *WHOLE_CASES) if case[0] != "LBFGS"]
IDS = [f"{algorithm}-{number}" for number, (algorithm, _) in enumerate(ALL)]


def pair(algorithm, options, dtype="float64", shape=(3, 4)):
    values = np.random.default_rng(1).normal(size=shape).astype(dtype)
    tensors = [gradstep.tensor(values.copy(), requires_grad=True) for _ in range(2)]
    return tensors, [getattr(optim, algorithm)([tensor], **options) for tensor in tensors]


def numbers(tensor):
    return tensor.detach().numpy().astype(np.float64).copy()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("algorithm", "options"), ALL, ids=IDS)
def test_it_moves_the_parameter_as_a_step_does_bit_for_bit(algorithm, options, dtype):
    (split, stepped), (optimizer, stepper) = pair(algorithm, options, dtype)
    generator = np.random.default_rng(2)
    for _ in range(6):
        grad = generator.normal(size=(3, 4)).astype(dtype)
        split.grad, stepped.grad = gradstep.tensor(grad), gradstep.tensor(grad.copy())
        attribute(optimizer, 0, 0)
        stepper.step()
        assert split.detach().numpy().tobytes() == stepped.detach().numpy().tobytes()
    for name, value in optimizer.state[split].items():
        assert value.numpy().tobytes() == stepper.state[stepped][name].numpy().tobytes()


@pytest.mark.parametrize(("algorithm", "options"), ALL, ids=IDS)
def test_the_shares_add_up_to_the_move(algorithm, options):
    (tensor, _), (optimizer, _) = pair(algorithm, options)
    generator = np.random.default_rng(3)
    for _ in range(6):
        tensor.grad = gradstep.tensor(generator.normal(size=(3, 4)))
        before = numbers(tensor)
        shares = attribute(optimizer, 0, 0).shares
        moved = numbers(tensor) - before
        added = sum(share.value for share in shares.values())
        np.testing.assert_allclose(added, moved, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(("algorithm", "options"), ALL, ids=IDS)
def test_the_sources_are_those_that_the_options_have(algorithm, options):
    (tensor, _), (optimizer, _) = pair(algorithm, options)
    for _ in range(2):
        tensor.grad = gradstep.tensor(np.random.default_rng(4).normal(size=(3, 4)))
        shares = attribute(optimizer, 0, 0).shares
    remembers = options.get("momentum") or algorithm in {
        "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Muon"
    }  # fmt: skip
    decays = options.get("weight_decay") or algorithm in {"AdamW", "ASGD", "Muon"}
    expected = [GRADIENT] + [MEMORY] * bool(remembers) + [DECAY] * bool(decays)
    assert sorted(shares) == sorted(expected)


def test_a_gradient_given_in_parts_has_a_share_for_each_part():
    x = gradstep.tensor([1.0, 1.0], requires_grad=True)
    optimizer = optim.SGD([x], lr=0.5)
    x.grad = gradstep.tensor([3.0, 1.0])
    shares = attribute(
        optimizer, 0, 0, {"of a": np.array([1.0, 1.0]), "of b": np.array([2.0, 0.0])}
    ).shares
    assert {name: share.value.tolist() for name, share in shares.items()} == {
        "of a": [-0.5, -0.5],
        "of b": [-1.0, 0.0],
    }


def test_adam_shares_out_the_numerator_and_takes_the_denominator_as_it_is():
    x = gradstep.tensor([1.0], dtype=gradstep.float64, requires_grad=True)
    optimizer = optim.Adam([x], lr=0.1, betas=(0.5, 0.75), eps=0.0)
    for _ in range(2):
        x.grad = gradstep.tensor([2.0], dtype=gradstep.float64)
        shares = attribute(optimizer, 0, 0).shares
    # exp_avg is 0.5 * 1 + 0.5 * 2, of which one third is memory; both are over the same root.
    np.testing.assert_allclose(shares[GRADIENT].value, [-0.1 * 2 / 3], rtol=1e-12)
    np.testing.assert_allclose(shares[MEMORY].value, [-0.1 / 3], rtol=1e-12)
    assert shares[GRADIENT].terms == ("exp_avg", "update", "param")


def test_muon_shares_out_what_it_orthogonalizes():
    """Newton and Schulz multiply a matrix by a polynomial of itself: linear, but for the factor."""
    (tensor, _), (optimizer, _) = pair("Muon", {"weight_decay": 0.0})
    tensor.grad = gradstep.tensor(np.eye(3, 4))
    attribute(optimizer, 0, 0)
    tensor.grad = gradstep.tensor(np.zeros((3, 4)))
    shares = attribute(optimizer, 0, 0).shares
    assert list(shares) == [MEMORY]


def test_an_rprop_step_is_the_gradients_whatever_its_size():
    x = gradstep.tensor([1.0, 1.0], requires_grad=True)
    optimizer = optim.Rprop([x], lr=0.5)
    x.grad = gradstep.tensor([1e-6, -40.0])
    assert {n: s.value.tolist() for n, s in attribute(optimizer, 0, 0).shares.items()} == {
        GRADIENT: [-0.5, 0.5]
    }


@pytest.mark.parametrize("algorithm", ["SGD", "Adam", "Adafactor"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3, 4)])
def test_shares_have_the_shape_of_the_parameter(algorithm, shape):
    (tensor, _), (optimizer, _) = pair(algorithm, {}, shape=shape)
    tensor.grad = gradstep.ones(shape, dtype=gradstep.float64)
    shares = attribute(optimizer, 0, 0).shares
    assert {share.value.shape for share in shares.values()} <= {shape}
    assert bool(shares) == (0 not in shape)


@pytest.mark.parametrize("options", [{"lr": 0.3}, {"line_search_fn": "strong_wolfe"}])
def test_a_step_of_lbfgs_is_split_into_gradient_and_curvature(options):
    generator = np.random.default_rng(2)
    x = gradstep.tensor(generator.normal(size=(3, 2)), requires_grad=True)
    y = gradstep.tensor(generator.normal(size=2), requires_grad=True)
    optimizer = optim.LBFGS([x, y], max_iter=5, **options)

    def closure():
        optimizer.zero_grad()
        loss = ((x.exp() + (-x).exp()) * (1 + y**2)).sum()
        loss.backward()
        return loss

    for _ in range(3):
        before = numbers(x), numbers(y)
        shares = attribute_search(optimizer, 0, closure)
        added = sum(share.value for share in shares.values())
        np.testing.assert_allclose(added, numbers(x) - before[0], rtol=1e-11, atol=1e-15)
        assert np.any(numbers(y) != before[1])
    assert set(shares) <= {GRADIENT, CURVATURE}
    assert type(x._array) is np.ndarray
    with pytest.raises(UnsupportedError, match="use attribute_search"):
        attribute(optimizer, 0, 0)


def test_parts_of_a_gradient_in_single_precision_are_in_double():
    x = gradstep.tensor([1.0], requires_grad=True)
    x.grad = gradstep.tensor([1.0])
    third = np.array([1 / 3], np.float32)
    shares = attribute(optim.SGD([x], lr=0.1), 0, 0, {"a": third, "b": 1 - third}).shares
    assert {share.value.dtype for share in shares.values()} == {np.dtype("float64")}


def test_a_step_of_lbfgs_is_split_into_the_parts_of_its_gradients():
    x = gradstep.tensor([3.0, 1.0], dtype=gradstep.float64, requires_grad=True)
    optimizer = optim.LBFGS([x], max_iter=1, lr=0.5)

    def closure():
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    def halves():
        grad = optimizer.gradient()
        return {"one": grad * 0.25, "other": grad * 0.75}

    before = numbers(x)
    shares = attribute_search(optimizer, 0, closure, halves)
    moved = numbers(x) - before
    np.testing.assert_allclose(shares["one"].value, 0.25 * moved)
    np.testing.assert_allclose(shares["other"].value, 0.75 * moved)
    assert shares["one"].terms == ("direction.first", "param")


MOVING = [case for case in ALL if case[1].get("momentum") or "betas" in repr(case) or case[0] in {
    "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Muon"}]  # fmt: skip


@pytest.mark.parametrize(("algorithm", "options"), MOVING)
def test_the_memory_is_split_by_the_steps_that_put_it_there(algorithm, options):
    (tensor, _), (optimizer, _) = pair(algorithm, options)
    generator, memory = np.random.default_rng(5), {}
    for step in range(4):
        grad = generator.normal(size=(3, 4))
        tensor.grad = gradstep.tensor(grad)
        before = numbers(tensor)
        result = attribute(optimizer, 0, 0, {f"gradient {step}": grad}, memory)
        memory = {
            key: {f"decay {step}" if name == DECAY else name: part for name, part in parts.items()}
            for key, parts in result.memory.items()
        }
        added = sum(share.value for share in result.shares.values())
        np.testing.assert_allclose(added, numbers(tensor) - before, rtol=1e-12, atol=1e-15)
    assert {f"gradient {step}" for step in range(4)} <= set(result.shares)
    assert MEMORY not in result.shares
    for key, parts in memory.items():
        kept = optimizer.state[tensor][key].numpy()
        np.testing.assert_allclose(sum(parts.values()).reshape(3, 4), kept, rtol=1e-12, atol=1e-15)


def test_momentum_decays_what_each_step_left_in_the_memory():
    x = gradstep.tensor([1.0], dtype=gradstep.float64, requires_grad=True)
    optimizer, memory = optim.SGD([x], lr=1.0, momentum=0.5), {}
    for step, grad in enumerate([8.0, 4.0, 2.0]):
        x.grad = gradstep.tensor([grad], dtype=gradstep.float64)
        result = attribute(optimizer, 0, 0, {f"step {step}": np.array([grad])}, memory)
        memory = result.memory
    assert {name: share.value.item() for name, share in result.shares.items()} == {
        "step 2": -2.0,
        "step 0": -2.0,
        "step 1": -2.0,
    }
