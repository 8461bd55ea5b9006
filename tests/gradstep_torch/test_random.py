"""Random numbers that scripts draw."""

from __future__ import annotations

import numpy as np
import pytest

import gradstep_torch as torch
from gradstep.errors import TensorError


def test_permutations_and_integers_match_torch():
    torch.manual_seed(0)
    assert torch.randperm(5).tolist() == [4, 0, 1, 3, 2]
    torch.manual_seed(0)
    assert torch.randint(10, (3,)).tolist() == [4, 9, 3]


def test_the_generator_state_is_a_tensor():
    torch.manual_seed(9)
    state = torch.get_rng_state()
    first = torch.rand(3)
    torch.set_rng_state(state)
    assert torch.equal(torch.rand(3), first)


def test_sample_frequencies_match_the_weights():
    torch.manual_seed(0)
    drawn = torch.multinomial(torch.tensor([0.0, 3.0, 1.0]), 2000, replacement=True)
    counts = np.bincount(drawn.numpy(), minlength=3)
    assert counts[0] == 0
    assert counts[1] == pytest.approx(1500, abs=100)
    both = torch.multinomial(torch.tensor([[0.0, 3.0, 1.0]]), 2)
    assert sorted(both.tolist()[0]) == [1, 2]
    with pytest.raises(TensorError, match="cannot sample"):
        torch.multinomial(torch.tensor([0.0, 3.0, 1.0]), 3)


def test_bernoulli_draws_with_the_given_probability():
    torch.manual_seed(0)
    assert torch.bernoulli(torch.full((4000,), 0.25)).mean().item() == pytest.approx(0.25, abs=0.03)
    with pytest.raises(TensorError, match="p_in >= 0"):
        torch.bernoulli(torch.tensor([2.0]))
