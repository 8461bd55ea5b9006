"""The generator draws torch's stream."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradstep
import gradstep_torch
from gradstep.errors import ArgumentError, TensorError
from gradstep.random import Generator

FLOAT, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


def test_uniform_numbers_are_torchs():
    drawn = Generator().manual_seed(0).uniform((4,), FLOAT)
    assert drawn.tolist() == [
        0.49625658988952637,
        0.7682217955589294,
        0.08847743272781372,
        0.13203048706054688,
    ]


def test_uniform_doubles_are_torchs():
    drawn = Generator().manual_seed(3).uniform((2,), DOUBLE)
    assert drawn.tolist() == [0.03410819565052048, 0.28674022672130695]


def test_normal_numbers_are_torchs():
    gradstep.manual_seed(0)
    assert gradstep.randn(3).tolist() == [
        1.5409960746765137,
        -0.293428897857666,
        -2.1787893772125244,
    ]


def draw(torch, seed):
    """Draw everything, in an order that mixes the draws, so that the stream itself is compared."""
    torch.manual_seed(seed)
    return [
        torch.rand(7),
        torch.randn(3),
        torch.rand(2, 3, dtype=torch.float64),
        torch.randn(5, dtype=torch.float64),
        torch.randint(10, (50,)),
        torch.randint(-5, 2**30, (9,)),
        torch.randint(0, 2**40, (9,)),
        torch.randperm(100),
        torch.normal(2.0, 3.0, (5,)),
        torch.empty(6).uniform_(-2, 5),
        torch.empty(3).normal_(1.0, 2.0),
        torch.randn(40, dtype=torch.float64),
        torch.rand(4),
    ]


@pytest.mark.torch
@pytest.mark.parametrize("seed", [0, 1, 42, 123456789012, 2**63 - 1])
def test_the_stream_is_torchs_bit_for_bit(seed):
    torch = pytest.importorskip("torch")
    for mine, theirs in zip(draw(gradstep_torch, seed), draw(torch, seed), strict=True):
        assert str(mine.dtype).split(".")[1] == str(theirs.dtype).split(".")[1]
        np.testing.assert_array_equal(mine.numpy(), theirs.numpy())


@pytest.mark.torch
@pytest.mark.parametrize("count", [16, 17, 40, 1000, 40_003])
@pytest.mark.parametrize("kind", ["float32", "float16"])
def test_blocks_of_normals_are_torchs_bit_for_bit(count, kind):
    torch = pytest.importorskip("torch")
    drawn = []
    for library in (gradstep_torch, torch):
        library.manual_seed(5)
        dtype = getattr(library, kind)
        drawn.append(
            [
                library.randn(count, dtype=dtype).numpy(),
                library.empty(count, dtype=dtype).normal_(0.3, 2.0).numpy(),
                library.rand(1).numpy(),
            ]
        )
    for ours, theirs in zip(*drawn, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.torch
@pytest.mark.parametrize("count", [1, 8, 3000])
def test_coins_and_dropout_masks_are_torchs(count):
    torch = pytest.importorskip("torch")
    drawn = []
    for library in (gradstep_torch, torch):
        library.manual_seed(5)
        chances = library.rand(count)
        ones = library.ones(count)
        drawn.append(
            [
                library.empty(count).bernoulli_(0.3).numpy(),
                library.empty(count).bernoulli_(chances).numpy(),
                library.bernoulli(chances).numpy(),
                library.bernoulli(chances.double()).numpy(),
                library.nn.functional.dropout(ones, 0.3).numpy(),
                library.nn.functional.dropout2d(library.ones(count, 3, 2, 2), 0.3).numpy(),
            ]
        )
    for ours, theirs in zip(*drawn, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_blocks_of_normals_are_recorded_ones():
    gradstep.manual_seed(0)
    drawn = gradstep.randn(20).numpy()
    assert drawn[:3].tolist() == [-1.1258398294448853, -1.152360200881958, -0.2505785822868347]
    gradstep.manual_seed(0)
    coins = gradstep.empty(10).bernoulli_(0.5)
    assert coins.tolist() == [0, 0, 1, 0, 0, 0, 1, 1, 0, 1]


@given(seed=st.integers(0, 2**64 - 1), count=st.integers(0, 40))
@settings(max_examples=30)
def test_a_restored_state_continues_as_before(seed, count):
    generator = Generator().manual_seed(seed)
    generator.normal((count,), FLOAT)
    state = generator.get_state()
    expected = generator.normal((5,), FLOAT)
    other = Generator()
    other.set_state(state)
    assert np.array_equal(other.normal((5,), FLOAT), expected)
    assert other.initial_seed() == seed


def test_a_clone_does_not_disturb_its_original():
    generator = Generator().manual_seed(1)
    clone = generator.clone_state()
    first = clone.uniform((3,), FLOAT)
    assert np.array_equal(generator.uniform((3,), FLOAT), first)


def test_a_seed_from_the_clock_is_returned():
    generator = Generator()
    assert generator.seed() == generator.initial_seed()


def test_a_damaged_state_a_wrong_seed_and_an_empty_range_are_rejected():
    generator = Generator()
    with pytest.raises(TensorError, match="the generator's state is 2520 bytes"):
        generator.set_state(np.zeros(3, np.uint8))
    state = generator.get_state()
    state.view(np.uint32)[624] = 5000
    with pytest.raises(TensorError, match="damaged"):
        generator.set_state(state)
    with pytest.raises(ArgumentError, match="64 bits"):
        generator.manual_seed(2**64)
    with pytest.raises(TensorError, match="less than"):
        generator.integers(5, 5, (1,))
    with pytest.raises(TensorError, match=r"device .cuda. is not available"):
        Generator("cuda")


def test_two_generators_do_not_know_each_other():
    generator = gradstep.Generator().manual_seed(0)
    gradstep.manual_seed(0)
    gradstep.rand(10)
    assert gradstep.rand(1, generator=generator).item() == pytest.approx(0.4962566)
