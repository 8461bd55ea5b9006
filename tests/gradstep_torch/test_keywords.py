"""Keywords beside a function's own: NumPy's names for dimensions, and `out`."""

# ruff: noqa: ARG005 - every call takes the library, whether it needs it or not

import numpy as np
import pytest

import gradstep_torch as gradstep
from gradstep.errors import TensorError

X = gradstep.arange(6.0).view(2, 3)
CALLS = {
    "method": lambda t, x: x.sum(axis=0),
    "function": lambda t, x: t.sum(x, axis=1),
    "keepdims": lambda t, x: x.mean(axis=1, keepdims=True),
    "argmax": lambda t, x: x.argmax(axis=1),
    "max": lambda t, x: t.max(x, axis=0).values,
    "cat": lambda t, x: t.cat([x, x], axis=1),
    "softmax": lambda t, x: x.softmax(axis=-1),
    "several": lambda t, x: x.sum(axis=(0, 1)),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", CALLS)
def test_numpy_keywords_work_as_in_torch(name):
    torch = pytest.importorskip("torch")
    expected = CALLS[name](torch, torch.arange(6.0).view(2, 3))
    np.testing.assert_allclose(CALLS[name](gradstep, X).numpy(), expected.numpy(), rtol=1e-6)


@pytest.mark.parametrize("call", [lambda: X.sum(foo=1), lambda: gradstep.sum(X, foo=1)])
def test_an_unknown_keyword_is_rejected_by_name(call):
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        call()


def test_out_is_written_and_returned():
    out = gradstep.empty(2, 2)
    memory = out.numpy()
    assert gradstep.matmul(X, X.T, out=out) is out
    means = gradstep.empty(2)
    assert gradstep.mean(X, 1, out=means) is means
    assert means.tolist() == [1.0, 4.0]
    assert memory.tolist() == (X @ X.T).tolist()
    assert out._version == 1


def test_several_results_go_to_several_tensors():
    values, places = gradstep.empty(2), gradstep.empty(2, dtype=gradstep.int64)
    gradstep.max(X, 1, out=(values, places))
    assert (values.tolist(), places.tolist()) == ([2.0, 5.0], [2, 2])


def test_an_empty_out_is_resized_and_a_wrong_shape_warns():
    out = gradstep.empty(0)
    gradstep.add(X, 1, out=out)
    assert out.shape == (2, 3)
    with pytest.warns(UserWarning, match="was resized since it had shape"):
        gradstep.mul(gradstep.ones(2), 2, out=out)
    assert out.tolist() == [2.0, 2.0]


def test_out_rejects_gradients_and_fractions_for_integers():
    x = gradstep.ones(2, requires_grad=True)
    with pytest.raises(TensorError, match="don't support automatic differentiation"):
        gradstep.add(x, 1, out=gradstep.empty(2))
    with pytest.raises(TensorError, match="can't be cast to the desired output type"):
        gradstep.div(gradstep.ones(2), 3, out=gradstep.empty(2, dtype=gradstep.int64))


def test_numpy_functions_of_a_tensor_return_tensors():
    assert isinstance(np.exp(X), gradstep.Tensor)
    assert np.exp(gradstep.zeros(2)).tolist() == [1.0, 1.0]
    assert np.mean(X).item() == 2.5
    assert np.sum(X).item() == 15.0


def test_types_print_with_their_public_path():
    kinds = [
        gradstep.Tensor,
        gradstep.Size,
        gradstep.dtype,
        gradstep.device,
    ]
    assert [repr(kind) for kind in kinds] == [
        "<class 'gradstep.Tensor'>",
        "<class 'gradstep.Size'>",
        "<class 'gradstep.dtype'>",
        "<class 'gradstep.device'>",
    ]


def test_the_version_exists():
    assert gradstep.__version__
