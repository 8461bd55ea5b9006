"""Parameters updated whole: interpolation from the nearer end, and the types of their state."""

import numpy as np
import pytest

import gradstep
from gradstep import optim
from gradstep.optim.per_parameter import lerp


@pytest.mark.parametrize(("weight", "expected"), [(0.0, 1.0), (1.0, 1e17)])
def test_an_end_is_met_exactly_however_far_the_other_is(weight, expected):
    assert lerp(np.array([1.0]), np.array([1e17]), weight).tolist() == [expected]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_counters_are_single_and_arrays_have_the_type_of_the_parameter(dtype):
    x = gradstep.ones(2, 3, dtype=getattr(gradstep, dtype), requires_grad=True)
    x.grad = gradstep.ones_like(x).detach()
    optimizer = optim.Adafactor([x])
    optimizer.step()
    kinds = {name: value.numpy().dtype.name for name, value in optimizer.state[x].items()}
    assert kinds == {"step": "float32", "row_var": dtype, "col_var": dtype}
