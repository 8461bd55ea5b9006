"""Operations made of others: views that can be written, shapes that do not fit, limits of types."""

import pytest

import gradstep_torch as gradstep
from gradstep.errors import GradStepError
from gradstep_torch.autograd import gradcheck


def test_writing_into_a_diagonal_writes_into_the_matrix():
    x = gradstep.zeros(2, 3)
    x.diagonal(1).fill_(5.0)
    assert x.tolist() == [[0.0, 5.0, 0.0], [0.0, 0.0, 5.0]]
    assert x._version == 1


def test_values_written_into_a_diagonal_get_their_gradient():
    x = gradstep.ones(2, 2, requires_grad=True)
    y = x * 3
    y.diagonal().mul_(2.0)
    y.sum().backward()
    assert x.grad.tolist() == [[6.0, 3.0], [3.0, 6.0]]


CHECKED = {
    "diagonal": lambda x: x.diagonal(-1, 2, 0),
    "tensordot": lambda x: gradstep.tensordot(x, x, ((1, 2), (1, 2))),
    "cdist": lambda x: gradstep.cdist(x, x[:, :1] + 1.0),
    "diff": lambda x: x.diff(2, 1),
    "var_mean": lambda x: gradstep.var_mean(x, 1),
}


@pytest.mark.parametrize("name", CHECKED)
def test_gradients_are_those_of_finite_differences(name):
    gradstep.manual_seed(0)
    x = gradstep.rand(2, 3, 4, dtype=gradstep.float64).requires_grad_()
    assert gradcheck(CHECKED[name], x)


@pytest.mark.parametrize(
    ("call", "phrase"),
    [
        (lambda: gradstep.ones(2, 2).diagonal(0, 1, -1), "cannot be identical"),
        (
            lambda: gradstep.tensordot(gradstep.ones(2, 3), gradstep.ones(2, 3), 1),
            "need to match",
        ),
        (
            lambda: gradstep.cdist(gradstep.ones(2), gradstep.ones(2, 2)),
            "at least 2D",
        ),
        (
            lambda: gradstep.cdist(gradstep.ones(2, 3), gradstep.ones(2, 2)),
            "number of columns",
        ),
        (lambda: gradstep.broadcast_shapes((2,), (3,)), "must match the size of tensor b"),
        (lambda: gradstep.tensor(1.0).diff(), "at least one-dimensional"),
        (lambda: gradstep.ones(2).fliplr(), ">= 2-d"),
        (
            lambda: gradstep.inner(gradstep.ones(2), gradstep.ones(3)),
            "last dimension must match",
        ),
        (
            lambda: gradstep.finfo(gradstep.int64),
            "requires a floating point input type",
        ),
        (lambda: gradstep.iinfo(gradstep.float32), "requires an integer input type"),
        (lambda: gradstep.set_num_threads(0), "positive integer"),
        (lambda: gradstep.set_float32_matmul_precision("low"), "is not one of 'highest'"),
    ],
)
def test_invalid_arguments_are_reported(call, phrase):
    with pytest.raises(GradStepError, match=phrase):
        call()


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_limits_are_torchs(kind):
    torch = pytest.importorskip("torch")
    ours, theirs = (
        gradstep.finfo(getattr(gradstep, kind)),
        torch.finfo(getattr(torch, kind)),
    )
    for name in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"):
        assert getattr(ours, name) == getattr(theirs, name)


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["uint8", "int8", "int16", "int32", "int64"])
def test_limits_of_integers_are_torchs(kind):
    torch = pytest.importorskip("torch")
    ours, theirs = (
        gradstep.iinfo(getattr(gradstep, kind)),
        torch.iinfo(getattr(torch, kind)),
    )
    assert repr(ours) == repr(theirs)
    assert (ours.max, ours.min, ours.bits) == (theirs.max, theirs.min, theirs.bits)
