"""Division with rounding, and what it leaves: exact for integers, as in Python and in torch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradstep_torch as gradstep
from gradstep.errors import GradStepError
from gradstep_torch.autograd import gradcheck

BIG = st.integers(-(2**62), 2**62)
DIVISORS = BIG.filter(bool)


@given(BIG, DIVISORS)
def test_integers_divide_as_pythons_do(a, b):
    x, y = gradstep.tensor([a]), gradstep.tensor([b])
    assert [(x // y).item(), (x % y).item()] == [a // b, a % b]


@given(BIG, DIVISORS)
def test_rounding_towards_zero_and_fmod_belong_together(a, b):
    x, y = gradstep.tensor([a]), gradstep.tensor([b])
    times = gradstep.div(x, y, rounding_mode="trunc").item()
    left = gradstep.fmod(x, y).item()
    assert times * b + left == a
    assert abs(left) < abs(b)
    assert left == 0 or (left < 0) == (a < 0)


def test_floor_division_does_not_use_the_rounded_quotient():
    one, tenth = gradstep.tensor([1.0]), gradstep.tensor([0.1])
    assert (one // tenth).item() == 9.0
    assert (one % tenth).item() == pytest.approx(0.1, rel=1e-5)


@pytest.mark.parametrize("divide", [lambda x: x // 0, lambda x: x % 0, lambda x: 1 % (x - x)])
def test_an_integer_divided_by_zero_is_an_error(divide):
    with pytest.raises(GradStepError, match="ZeroDivisionError"):
        divide(gradstep.tensor([7]))


def test_a_float_divided_by_zero_is_infinite_and_its_remainder_is_nan():
    x = gradstep.tensor([7.0, -7.0])
    assert (x // 0).tolist() == [np.inf, -np.inf]
    assert (x % 0).isnan().all()


def test_remainders_have_gradients_for_both_operands():
    x = gradstep.tensor([5.3, -5.3, 0.7], dtype=gradstep.float64, requires_grad=True)
    y = gradstep.tensor([[2.0], [-1.5]], dtype=gradstep.float64, requires_grad=True)
    assert gradcheck(lambda a, b: a % b, (x, y))
    assert gradcheck(gradstep.fmod, (x, y))


def test_an_integer_wraps_around_in_a_short_type_and_is_rejected_beyond_64_bits():
    assert (gradstep.tensor([255], dtype=gradstep.uint8) + 300).tolist() == [43]
    with pytest.raises(GradStepError, match="without overflow"):
        gradstep.tensor([1]) + 2**70


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["uint8", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("mode", ["floor", "trunc"])
def test_all_forms_agree_with_torch(kind, mode):
    torch = pytest.importorskip("torch")

    def results(t):
        x = t.tensor([[7, 250, 3], [8, 1, 0]]).to(getattr(t, kind))
        y = t.tensor([3, 7, 2]).to(getattr(t, kind))
        found = [x // y, x % y, x // 2, x % 4, 9 // y, 9 % y, x // 2.5, t.fmod(x, y), x % -3]
        found += [t.div(x, y, rounding_mode=mode), t.div(x, 0.3, rounding_mode=mode)]
        return [(str(f.dtype).rpartition(".")[2], f.tolist()) for f in found]

    assert results(gradstep) == results(torch)
