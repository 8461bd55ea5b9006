"""Module: the tree, attributes, modes, hooks, saving, and how it prints."""

import numpy as np
import pytest

import gradstep
from gradstep import nn
from gradstep.errors import ArgumentError, ArgumentTypeError, MissingNameError, TensorError
from gradstep.nn.clip_grad import clip_grad_norm_, clip_grad_value_


def network():
    return nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 1)))


def test_names_follow_the_tree():
    model = network()
    assert [name for name, _ in model.named_parameters()] == [
        "0.weight",
        "0.bias",
        "2.0.weight",
        "2.0.bias",
    ]
    assert [name for name, _ in model.named_modules()] == ["", "0", "1", "2", "2.0"]
    assert model.get_parameter("2.0.bias") is model[2][0].bias


def test_a_shared_parameter_is_listed_once():
    layer = nn.Linear(2, 2)
    assert len(list(nn.Sequential(layer, layer).parameters())) == 2


def test_it_prints_as_torch_prints():
    assert repr(network()) == (
        "Sequential(\n"
        "  (0): Linear(in_features=2, out_features=3, bias=True)\n"
        "  (1): ReLU()\n"
        "  (2): Sequential(\n"
        "    (0): Linear(in_features=3, out_features=1, bias=True)\n"
        "  )\n"
        ")"
    )


def test_modes_reach_every_module():
    model = network().eval()
    assert [module.training for module in model.modules()] == [False] * 5
    assert model.train()[2][0].training


def test_attributes_must_be_of_their_kind():
    layer = nn.Linear(1, 1)
    with pytest.raises(ArgumentTypeError, match="cannot assign 'Tensor' as parameter 'weight'"):
        layer.weight = gradstep.ones(1, 1)
    with pytest.raises(ArgumentTypeError, match="as child module '0'"):
        setattr(network(), "0", 3)
    with pytest.raises(MissingNameError, match="'Linear' object has no attribute 'wieght'"):
        _ = layer.wieght
    with pytest.raises(ArgumentError, match="already exists"):
        layer.register_buffer("forward", None)
    layer.bias = None
    assert [name for name, _ in layer.named_parameters()] == ["weight"]


def test_assigning_before_init_is_an_error():
    class Early(nn.Module):
        def __init__(self, value):
            self.value = value

    with pytest.raises(MissingNameError, match="cannot assign module before Module"):
        Early(nn.ReLU())
    with pytest.raises(MissingNameError, match="cannot assign parameters before Module"):
        Early(nn.Parameter(gradstep.ones(1)))


def test_calling_a_module_without_forward_is_an_error():
    with pytest.raises(NotImplementedError, match='missing the required "forward" function'):
        nn.Module()(1)


def test_a_state_dict_carries_every_value_over():
    first, second = network(), network()
    second.load_state_dict({name: value.numpy() for name, value in first.state_dict().items()})
    x = gradstep.randn(4, 2)
    assert first(x).tolist() == second(x).tolist()


def test_loading_is_all_or_nothing_and_names_what_is_wrong():
    model = network()
    saved = model.state_dict()
    saved["extra"] = saved.pop("0.bias")
    with pytest.raises(TensorError) as caught:
        model.load_state_dict(saved)
    assert 'Missing key(s) in state_dict: "0.bias"' in str(caught.value)
    assert 'Unexpected key(s) in state_dict: "extra"' in str(caught.value)
    keys = model.load_state_dict(saved, strict=False)
    assert (keys.missing_keys, keys.unexpected_keys) == (["0.bias"], ["extra"])
    with pytest.raises(TensorError, match="size mismatch for weight"):
        nn.Linear(2, 2).load_state_dict(nn.Linear(3, 2).state_dict())


def test_buffers_are_saved_unless_not_persistent():
    module = nn.Module()
    module.register_buffer("mean", gradstep.zeros(1))
    module.register_buffer("cache", gradstep.zeros(1), persistent=False)
    assert list(module.state_dict()) == ["mean"]
    assert [name for name, _ in module.named_buffers()] == ["mean", "cache"]


def test_forward_hooks_may_change_what_goes_in_and_out():
    layer = nn.Identity()
    before = layer.register_forward_pre_hook(lambda _, args: args[0] + 1)
    after = layer.register_forward_hook(lambda *args: args[-1] * 10)
    assert layer(gradstep.ones(1)).item() == 20.0
    before.remove()
    after.remove()
    assert layer(gradstep.ones(1)).item() == 1.0


def test_backward_hooks_see_both_sides_and_may_change_the_gradient():
    seen = []

    def hook(module, grad_input, grad_output):
        seen.append((grad_input[0].tolist(), grad_output[0].tolist()))
        return (grad_input[0] * 10,)

    layer = nn.ReLU()
    layer.register_full_backward_hook(hook)
    x = gradstep.tensor([-1.0, 2.0], requires_grad=True)
    (3 * layer(x)).sum().backward()
    assert seen == [([0.0, 3.0], [3.0, 3.0])]
    assert x.grad.tolist() == [0.0, 30.0]


def test_conversion_keeps_the_parameters_themselves():
    model = network()
    parameters = list(model.parameters())
    assert next(iter(model.double().parameters())) is parameters[0]
    assert parameters[0].dtype == gradstep.float64
    with pytest.raises(ArgumentTypeError, match="only accepts floating point"):
        model.to(gradstep.int64)


def test_freezing_stops_gradients():
    model = network()
    model[0].requires_grad_(False)
    model(gradstep.ones(1, 2)).sum().backward()
    assert model[0].weight.grad is None
    assert model[2][0].weight.grad is not None


@pytest.mark.parametrize(
    "layer",
    [nn.ReLU, nn.LeakyReLU, nn.ELU, nn.SiLU],
)
def test_an_activation_in_place_gives_the_same_and_overwrites(layer):
    x = gradstep.tensor([-1.0, 0.5])
    expected = layer()(x).tolist()
    out = layer(inplace=True)(x)
    assert out is x
    assert x.tolist() == expected


def test_clipping_scales_all_gradients_by_one_factor():
    x, y = gradstep.zeros(1, requires_grad=True), gradstep.zeros(1, requires_grad=True)
    x.grad, y.grad = gradstep.tensor([3.0]), gradstep.tensor([4.0])
    assert clip_grad_norm_([x, y], 1.0).item() == 5.0
    np.testing.assert_allclose([x.grad.item(), y.grad.item()], [0.6, 0.8], rtol=1e-5)
    clip_grad_value_([x, y], 0.7)
    assert y.grad.item() == pytest.approx(0.7)
    x.grad = gradstep.tensor([float("nan")])
    with pytest.raises(TensorError, match="non-finite"):
        clip_grad_norm_([x], 1.0, error_if_nonfinite=True)


def test_assigning_again_keeps_the_place():
    model = nn.Module()
    model.first, model.second = nn.Linear(1, 1), nn.ReLU()
    model.a, model.b = nn.Parameter(gradstep.ones(1)), nn.Parameter(gradstep.ones(2))
    model.first, model.a = nn.Identity(), nn.Parameter(gradstep.ones(3))
    assert [name for name, _ in model.named_children()] == ["first", "second"]
    assert [name for name, _ in model.named_parameters()] == ["a", "b"]
    model.first = nn.Parameter(gradstep.ones(1))
    assert list(model.state_dict()) == ["a", "b", "first"]
    assert [name for name, _ in model.named_children()] == ["second"]
