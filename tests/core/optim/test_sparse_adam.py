"""SparseAdam and row-sparse gradients: torch's numbers, torch's rows, and who takes them."""

import numpy as np
import pytest

import gradstep
from gradstep import nn, optim
from gradstep.autograd.row_sparse import RowSparse
from gradstep.errors import TensorError
from gradstep.optim.attribution import GRADIENT, MEMORY, attribute

TABLE = np.random.default_rng(0).normal(size=(6, 3))


def table(library, **options):
    made = library.nn.Embedding(6, 3, sparse=True, dtype=library.float64, **options)
    with library.no_grad():
        made.weight.copy_(library.tensor(TABLE))
    return made


def rows(tensor):
    """Return the rows that a gradient has."""
    array = getattr(tensor, "_array", None)
    return (tensor.coalesce().indices()[0] if array is None else array.rows).tolist()


@pytest.mark.torch
@pytest.mark.parametrize("padding", [None, 1])
@pytest.mark.parametrize("maximize", [False, True])
def test_steps_and_rows_are_those_of_torch(padding, maximize):
    torch = pytest.importorskip("torch")
    generator = np.random.default_rng(1)
    pair = [(lib, table(lib, padding_idx=padding)) for lib in (gradstep, torch)]
    optimizers = [
        lib.optim.SparseAdam(made.parameters(), lr=0.1, maximize=maximize) for lib, made in pair
    ]
    for number in range(8):
        picked, scale = generator.integers(0, 6, size=(2, 2)), generator.normal(size=(2, 2, 3))
        for (lib, made), optimizer in zip(pair, optimizers, strict=True):
            if number != 4:  # here a gradient is added to that of before
                optimizer.zero_grad()
            (lib.tanh(made(lib.tensor(picked))) * lib.tensor(scale)).sum().backward()
            (made(lib.tensor([5, number % 6])) ** 2).sum().backward()
        ours, theirs = (made.weight for _, made in pair)
        assert rows(ours.grad) == rows(theirs.grad)
        for optimizer in optimizers:
            optimizer.step()
        np.testing.assert_allclose(ours.tolist(), theirs.tolist(), rtol=1e-11)
        for entry in ("exp_avg", "exp_avg_sq"):
            np.testing.assert_allclose(
                optimizers[0].state[ours][entry].tolist(),
                optimizers[1].state[theirs][entry].tolist(),
                rtol=1e-11,
            )


def test_rows_that_were_not_looked_up_keep_values_and_moments():
    made = table(gradstep)
    optimizer = optim.SparseAdam(made.parameters(), lr=0.1)
    for picked in ([0, 2], [2, 2], [4]):
        before = made.weight.detach().numpy().copy()
        optimizer.zero_grad()
        made(gradstep.tensor(picked)).sum().backward()
        optimizer.step()
        moved = np.flatnonzero((made.weight.detach().numpy() != before).any(axis=1))
        assert moved.tolist() == sorted(set(picked))
    touched = optimizer.state[made.weight]["exp_avg"].numpy().any(axis=1)
    assert np.flatnonzero(touched).tolist() == [0, 2, 4]
    assert optimizer.state[made.weight]["step"].item() == 3


def test_a_row_that_was_looked_up_moves_by_its_moments_even_where_its_gradient_is_zero():
    made = table(gradstep)
    optimizer = optim.SparseAdam(made.parameters(), lr=0.1)
    for scale in (1.0, 0.0):
        before = made.weight.detach().numpy().copy()
        optimizer.zero_grad()
        (scale * made(gradstep.tensor([3])).sum()).backward()
        optimizer.step()
    assert np.all(made.weight.detach().numpy()[3] != before[3])


def test_a_gradient_cleared_to_zeros_has_no_rows_and_a_dense_share_makes_it_dense():
    made = table(gradstep)
    optimizer = optim.SparseAdam(made.parameters())
    made(gradstep.tensor([1])).sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert rows(made.weight.grad) == []
    optimizer.step()
    assert made.weight.tolist() == TABLE.tolist()
    made(gradstep.tensor([1])).sum().backward()
    assert rows(made.weight.grad) == [1]
    assert made.weight.grad.is_sparse
    (made.weight.sum() + made(gradstep.tensor([2])).sum()).backward()
    assert not made.weight.grad.is_sparse
    with pytest.raises(TensorError, match="SparseAdam does not support dense gradients"):
        optimizer.step()


@pytest.mark.parametrize("kind", ["Adam", "AdamW", "RMSprop", "NAdam", "Adafactor", "Muon"])
def test_optimizers_of_dense_gradients_reject_sparse_ones_as_torch_does(kind):
    made = table(gradstep)
    optimizer = getattr(optim, kind)(made.parameters(), lr=0.1)
    made(gradstep.tensor([1])).sum().backward()
    with pytest.raises(TensorError, match=f"{kind} does not support sparse gradients"):
        optimizer.step()
    assert made.weight.tolist() == TABLE.tolist()


@pytest.mark.parametrize("kind", ["SGD", "Adagrad"])
def test_sgd_and_adagrad_take_them(kind):
    sparse, dense = table(gradstep), nn.Embedding(6, 3, dtype=gradstep.float64)
    with gradstep.no_grad():
        dense.weight.copy_(sparse.weight)
    for made in (sparse, dense):
        optimizer = getattr(optim, kind)(made.parameters(), lr=0.1)
        for picked in ([1, 1], [2]):
            optimizer.zero_grad()
            made(gradstep.tensor(picked)).sum().backward()
            optimizer.step()
    assert sparse.weight.tolist() == dense.weight.tolist()


def test_walking_gives_the_bits_of_a_step_and_the_shares_add_up_to_it():
    walked, stepped, attributed = (table(gradstep) for _ in range(3))
    optimizers = [
        optim.SparseAdam(made.parameters(), lr=0.1) for made in (walked, stepped, attributed)
    ]
    for picked in ([0, 2, 2], [2, 3]):
        before = attributed.weight.detach().numpy().copy()
        for made, optimizer in zip((walked, stepped, attributed), optimizers, strict=True):
            optimizer.zero_grad()
            (made(gradstep.tensor(picked)) ** 2).sum().backward()
        visits = list(optimizers[0].visits())
        optimizers[1].step()
        shares = attribute(optimizers[2], 0, 0).shares
        added = sum(share.value for share in shares.values())
        np.testing.assert_allclose(
            added, attributed.weight.detach().numpy() - before, rtol=1e-12, atol=1e-16
        )
        assert walked.weight.tolist() == stepped.weight.tolist() == attributed.weight.tolist()
    assert [visit.term for visit in visits][-3:] == ["update", "rows_param", "param"]
    assert set(shares) == {GRADIENT, MEMORY}


def test_sums_and_multiples_know_their_rows_and_all_else_is_an_array_like_any_other():
    one, two = (RowSparse.of(np.eye(4) * (np.arange(4) == at), [at]) for at in (1, 3))
    assert (one + two).rows.tolist() == [1, 3]
    assert (one * 2.0).rows.tolist() == one.copy().rows.tolist() == [1]
    assert type(one + np.ones((4, 4))) is type(np.exp(one)) is np.ndarray
    one += two
    assert one.rows.tolist() == [1, 3]
    one += np.ones((4, 4))
    assert one.rows is None
    assert one[1:].rows is None
