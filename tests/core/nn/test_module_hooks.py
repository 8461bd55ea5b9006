"""Hooks of modules: their order, what they see and change, and unused tensors."""

import pytest

import gradstep
from gradstep import nn
from gradstep.errors import TensorError
from gradstep.nn import module_hooks


class Pair(nn.Module):
    """Uses its first input only."""

    def forward(self, first, second):
        return first * 2


class Split(nn.Module):
    """Gives two outputs."""

    def forward(self, first, second):
        return first * 2, second * 3


def lists(grads):
    return [None if grad is None else grad.tolist() for grad in grads]


def hook_arguments(library, module, args, use):
    """Return what a full backward hook receives."""
    seen = []
    module.register_full_backward_hook(
        lambda _, inputs, outputs: seen.append((lists(inputs), lists(outputs)))
    )
    use(module(*args)).sum().backward()
    return seen


def test_an_unused_input_has_zeros_and_an_unused_output_none():
    a, b = gradstep.ones(2, requires_grad=True), gradstep.ones(3, requires_grad=True)
    assert hook_arguments(gradstep, Pair(), (a, b), lambda out: out) == [
        ([[2, 2], [0, 0, 0]], [[1, 1]])
    ]
    seen = hook_arguments(gradstep, Split(), (a, b), lambda out: out[0])
    assert seen == [([[2, 2], [0, 0, 0]], [[1, 1], None])]


@pytest.mark.torch
@pytest.mark.parametrize("needs", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("output", [0, 1])
def test_backward_hooks_receive_what_torchs_receive(needs, output):
    torch = pytest.importorskip("torch")
    if not needs[output]:
        output = 1 - output
    seen = []
    for library in (gradstep, torch):

        class Two(library.nn.Module):
            def forward(self, first, second):
                return first * 2, second * 3

        args = [library.ones(2, requires_grad=need) for need in needs]
        seen.append(hook_arguments(library, Two(), args, lambda out: out[output]))
    assert seen[0] == seen[1]


def test_forward_hooks_are_called_in_order_and_taken_off():
    called = []
    layer = nn.Identity()
    layer.register_forward_hook(lambda *_: called.append("first"))
    layer.register_forward_hook(lambda *_: called.append("before"), prepend=True)
    handle = layer.register_forward_pre_hook(lambda *_: called.append("pre"))
    layer(gradstep.ones(1))
    handle.remove()
    handle.remove()
    layer(gradstep.ones(1))
    assert called == ["pre", "before", "first", "before", "first"]


def test_hooks_with_keywords_see_and_change_them():
    class Scale(nn.Module):
        def forward(self, x, factor=1.0):
            return x * factor

    layer = Scale()
    layer.register_forward_pre_hook(
        lambda _, args, kwargs: (args, {"factor": kwargs["factor"] * 10}), with_kwargs=True
    )
    layer.register_forward_hook(
        lambda _, __, kwargs, output: output + kwargs["factor"], with_kwargs=True
    )
    assert layer(gradstep.ones(1), factor=2.0).item() == 40.0


def test_a_hook_that_is_always_called_hears_of_a_failure():
    class Broken(nn.Module):
        def forward(self, x):
            raise TensorError("no")

    heard = []
    layer = Broken()
    layer.register_forward_hook(lambda *got: heard.append(got[-1]), always_call=True)
    with pytest.raises(TensorError):
        layer(gradstep.ones(1))
    assert heard == [None]


def test_hooks_of_all_modules_come_first():
    called = []
    layer = nn.Sequential(nn.ReLU())
    layer.register_forward_hook(lambda *_: called.append("own"))
    with module_hooks.register_module_forward_hook(
        lambda module, *_: called.append(type(module).__name__)
    ):
        layer(gradstep.ones(1))
    layer(gradstep.ones(1))
    assert called == ["ReLU", "Sequential", "own", "own"]


def test_a_backward_pre_hook_changes_the_gradient_that_comes_in():
    layer = nn.Linear(1, 1, bias=False)
    layer.register_full_backward_pre_hook(lambda _, grads: (grads[0] * 5,))
    layer(gradstep.ones(1, 1)).sum().backward()
    assert layer.weight.grad.item() == 5.0


def test_a_hook_may_not_return_a_gradient_for_inputs_that_need_none():
    layer = nn.Linear(1, 1)
    layer.register_full_backward_hook(lambda *_: (gradstep.ones(1, 1),))
    with pytest.raises(TensorError, match="no input of the module needs one"):
        layer(gradstep.ones(1, 1)).sum().backward()


def test_a_hook_may_not_return_too_many_gradients():
    layer = nn.ReLU()
    layer.register_full_backward_hook(lambda _, grads, __: (*grads, *grads))
    with pytest.raises(TensorError, match="returned 2 values for grad_input, expected 1"):
        layer(gradstep.ones(1, requires_grad=True)).sum().backward()
