"""Hooks decide how what is saved for the backward is kept."""

import pytest

import gradstep_torch as torch
from gradstep.errors import ArgumentTypeError
from gradstep_torch.autograd import Function
from gradstep_torch.autograd.graph import save_on_cpu, saved_tensors_hooks


def test_every_saved_tensor_passes_both_hooks():
    x = torch.tensor([2.0], requires_grad=True)
    y = torch.tensor([3.0], requires_grad=True)
    packed, unpacked = [], []
    with saved_tensors_hooks(
        lambda t: packed.append(t.tolist()) or t.item(),
        lambda number: unpacked.append(number) or torch.tensor([number]),
    ):
        z = x * y
    assert packed == [[2.0], [3.0]]
    assert z.grad_fn.name() == "MulBackward0"
    z.backward()
    assert unpacked == [2.0, 3.0]
    assert (x.grad.item(), y.grad.item()) == (3.0, 2.0)


def test_the_hooks_see_the_leaf_itself():
    x = torch.ones(1, requires_grad=True)
    seen = []
    with saved_tensors_hooks(lambda t: seen.append(t) or t, lambda t: t):
        _ = x**2
    assert seen == [x]


def test_tensors_saved_outside_the_hooks_are_stored_as_usual():
    x = torch.ones(1, requires_grad=True)
    with save_on_cpu(pin_memory=True):
        inside = x**2
    outside = x**3
    (inside + outside).backward()
    assert x.grad.item() == 5.0


def test_hooks_apply_to_a_custom_function():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.saved_tensors[0] * grad

    x = torch.tensor([3.0], requires_grad=True)
    with saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
        y = Square.apply(x)
    y.backward()
    assert x.grad.item() == 6.0


def test_an_unpack_hook_that_returns_no_tensor_is_rejected():
    x = torch.ones(1, requires_grad=True)
    with saved_tensors_hooks(torch.numel, lambda kept: kept):
        y = x**2
    with pytest.raises(ArgumentTypeError, match="unpack_hook expected to be a Tensor"):
        y.backward()
