"""The ways of giving bounds and a size to randint, as torch 2.13 takes and rejects them."""

from __future__ import annotations

import pytest

import gradstep_torch as torch


@pytest.mark.parametrize(
    ("args", "keywords", "low", "high"),
    [
        ((3, (50,)), {}, 0, 3),
        ((1, 3, (50,)), {}, 1, 3),
        ((), {"high": 3, "size": (50,)}, 0, 3),
        ((3,), {"size": (50,)}, 0, 3),
        ((1,), {"high": 3, "size": (50,)}, 1, 3),
        ((), {"low": 1, "high": 3, "size": (50,)}, 1, 3),
    ],
)
def test_every_integer_from_low_up_to_high_is_drawn(args, keywords, low, high):
    torch.manual_seed(0)
    drawn = torch.randint(*args, **keywords)
    assert drawn.shape == (50,)
    assert sorted(set(drawn.tolist())) == list(range(low, high))


@pytest.mark.parametrize(
    ("args", "keywords", "missing"),
    [((3,), {}, "size"), ((), {"size": (2,)}, "high"), ((1, 3), {}, "size")],
)
def test_a_missing_bound_or_size_is_named(args, keywords, missing):
    with pytest.raises((TypeError, RuntimeError), match=missing):
        torch.randint(*args, **keywords)


def test_low_as_a_keyword_needs_high():
    with pytest.raises(TypeError, match="high"):
        torch.randint(low=3, size=(2,))


def test_an_empty_range_is_rejected_with_both_bounds():
    with pytest.raises(RuntimeError, match="from=5 >= to=3"):
        torch.randint(5, 3, (2,))


def test_randint_like_takes_the_bounds_of_randint():
    like = torch.ones(50)
    for drawn in (torch.randint_like(like, 3), torch.randint_like(like, high=3)):
        assert sorted(set(drawn.tolist())) == [0.0, 1.0, 2.0]
    assert torch.randint_like(like, 1, 2).tolist() == [1.0] * 50
