"""Functions of the user's own, and anomaly mode."""

# ruff: noqa: ARG004 - the signatures are those of Function

from __future__ import annotations

import pytest

import gradstep_torch as torch
from gradstep.errors import TensorError
from gradstep_torch.autograd import Function, detect_anomaly, gradcheck, gradgradcheck
from gradstep_torch.autograd.function import once_differentiable


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        assert not torch.is_grad_enabled()
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad


class Parts(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor, x + 1

    @staticmethod
    def backward(ctx, first, second):
        return first * ctx.factor + second, None


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_a_function_has_its_name_and_its_gradient():
    x = leaf(2.0, 3.0)
    y = Cube.apply(x)
    assert y.grad_fn.name() == "CubeBackward"
    y.sum().backward()
    assert x.grad.tolist() == [12.0, 27.0]


def test_a_function_can_be_differentiated_twice():
    assert gradcheck(Cube.apply, leaf(0.5, 2.0))
    assert gradgradcheck(Cube.apply, leaf(0.5, 2.0))


def test_every_output_contributes_its_gradient():
    x = leaf(2.0)
    first, second = Parts.apply(x, 5.0)
    (first * 2 + second).sum().backward()
    assert x.grad.tolist() == [11.0]
    assert gradcheck(lambda x: Parts.apply(x, 3.0), leaf(1.0, 2.0))


def test_an_unused_output_has_a_zero_gradient():
    x = leaf(2.0)
    first, _ = Parts.apply(x, 5.0)
    first.sum().backward()
    assert x.grad.tolist() == [5.0]


def test_a_saved_output_among_several_serves_once_but_not_twice():
    class Both(Function):
        @staticmethod
        def forward(ctx, x):
            first = x.exp()
            ctx.save_for_backward(first)
            return first, x + 1

        @staticmethod
        def backward(ctx, first, second):
            return first * ctx.saved_tensors[0] + second

    assert gradcheck(Both.apply, leaf(1.0, 2.0))
    x = leaf(1.0)
    with pytest.raises(NotImplementedError, match="save the inputs instead"):
        torch.autograd.grad(Both.apply(x)[0].sum(), x, create_graph=True)


def test_setup_context_may_be_separate_from_forward():
    class Square(Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.saved_tensors[0] * grad

    x = leaf(3.0)
    Square.apply(x).sum().backward()
    assert x.grad.tolist() == [6.0]


def test_invalid_gradients_are_reported():
    class Few(Cube):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, grad):
            return grad

    class Wide(Cube):
        @staticmethod
        def backward(ctx, grad):
            return torch.ones(3)

    with pytest.raises(TensorError, match="returned an incorrect number of gradients"):
        Few.apply(leaf(1.0), leaf(2.0)).sum().backward()
    with pytest.raises(TensorError, match="returned an invalid gradient at index 0"):
        Wide.apply(leaf(1.0)).sum().backward()


def test_saved_tensors_are_checked_and_freed():
    x = torch.ones(1)
    w = leaf(2.0)
    y = Cube.apply(w * x)
    y.sum().backward()
    with pytest.raises(TensorError, match="a second time"):
        y.sum().backward()
    mid = w * 1
    y = Cube.apply(mid)
    mid.add_(1)
    with pytest.raises(TensorError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_function_without_a_backward_is_reported():
    class Only(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

    with pytest.raises(NotImplementedError, match="backward"):
        Only.apply(leaf(1.0)).sum().backward()


def test_outputs_marked_as_constant_do_not_require_grad():
    class Places(Function):
        @staticmethod
        def forward(ctx, x):
            out = x > 0
            ctx.mark_non_differentiable(out)
            return x * 2, out.double()

        @staticmethod
        def backward(ctx, grad, _):
            return grad * 2

    x = leaf(1.0)
    y, _ = Places.apply(x)
    y.sum().backward()
    assert x.grad.tolist() == [2.0]


def test_once_differentiable_runs_without_recording():
    class Once(Cube):
        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            assert not torch.is_grad_enabled()
            return grad

    x = leaf(1.0)
    (found,) = torch.autograd.grad(Once.apply(x).sum(), x, create_graph=True)
    assert not found.requires_grad


def test_gradcheck_finds_a_wrong_gradient():
    class Wrong(Cube):
        @staticmethod
        def backward(ctx, grad):
            return grad

    x = leaf(2.0)
    with pytest.raises(TensorError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(Wrong.apply, x)
    assert not gradcheck(Wrong.apply, x, raise_exception=False)
    with pytest.raises(ValueError, match="at least one input"):
        gradcheck(Wrong.apply, torch.ones(1))


def test_anomaly_mode_names_the_node_and_the_line_that_recorded_it():
    x = leaf(0.0)
    with detect_anomaly():
        loss = (x.sqrt() * 0).sum()
        with pytest.raises(TensorError, match="SqrtBackward0' returned nan values") as caught:
            loss.backward()
    assert "loss = (x.sqrt() * 0).sum()" in str(caught.value)
    loss = (x.sqrt() * 0).sum()
    loss.backward()
    assert x.grad.isnan().tolist() == [True]


def test_the_node_of_a_function_has_a_type_of_its_name():
    out = Cube.apply(leaf(2.0))
    assert type(out.grad_fn).__name__ == out.grad_fn.name() == "CubeBackward"
    assert repr(out.grad_fn).startswith(
        "<gradstep_torch.autograd.function.CubeBackward object at 0x"
    )


def test_a_function_is_applied_and_not_called():
    with pytest.raises(TensorError, match=r"Legacy autograd function.*Cube\.apply"):
        Cube()(leaf(2.0))
