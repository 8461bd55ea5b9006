"""torch's own table of optimizer inputs: every class, every option set, every error input."""

import copy

import numpy as np
import pytest

import gradstep

torch = pytest.importorskip("torch")
common = pytest.importorskip("torch.testing._internal.common_optimizers")
pytestmark = pytest.mark.torch

DENSE = [info for info in common.optim_db if info.name != "SparseAdam"]
STEPS = 12


def ours(value, made=None):
    """Return a value of torch's table as gradstep's; a tensor that occurs twice stays one."""
    made = {} if made is None else made
    if isinstance(value, torch.Tensor):
        if id(value) not in made:
            array = value.detach().numpy()
            made[id(value)] = gradstep.tensor(array, requires_grad=value.requires_grad)
        return made[id(value)]
    if isinstance(value, dict):
        return {key: ours(item, made) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(ours(item, made) for item in value)
    return value


def flat(value):
    """Return a state entry as an array: a tensor, a number, or a list of tensors."""
    if isinstance(value, list):
        return np.array([item.numpy() for item in value])
    return value.numpy() if hasattr(value, "numpy") else np.array(value)


def steps(library, name, options, kind):
    """Fit two matrices by an optimizer; return the values, the state and the losses."""
    generator = np.random.default_rng(3)
    arrays = [generator.normal(size=shape).astype(kind) for shape in ((4, 3), (3, 5))]
    inputs = library.tensor(generator.normal(size=(7, 4)).astype(kind))
    target = library.tensor(generator.normal(size=(7, 5)).astype(kind))
    parameters = [library.tensor(array, requires_grad=True) for array in arrays]
    optimizer = getattr(library.optim, name)(parameters, **options)

    def closure():
        optimizer.zero_grad()
        loss = ((inputs @ parameters[0] @ parameters[1] - target) ** 2).mean()
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(STEPS)]
    found = {f"{i}": p.detach().numpy() for i, p in enumerate(parameters)}
    for i, parameter in enumerate(parameters):
        for key, value in optimizer.state[parameter].items():
            if key != "al":  # LBFGS's scratch list
                found[f"{i}.{key}"] = flat(value)
    return found, losses


def inputs_of(info):
    return common._get_optim_inputs_including_global_cliquey_kwargs(
        "cpu", torch.float64, info, skip=("differentiable",)
    )


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("info", DENSE, ids=lambda info: info.name)
def test_every_option_set_gives_torchs_numbers(info, kind):
    samples = inputs_of(info)
    assert len(samples) >= 5
    rtol = 1e-9 if kind == "float64" and info.name != "Muon" else 2e-4
    for sample in samples:
        theirs, their_losses = steps(torch, info.name, copy.deepcopy(sample.kwargs), kind)
        found, losses = steps(gradstep, info.name, ours(sample.kwargs), kind)
        assert found.keys() == theirs.keys(), sample.desc
        if info.name == "LBFGS" and kind == "float32":
            found = theirs = {}  # when it stops, the last bit decides
            rtol = 2e-3  # its iterations multiply rounding, in which processors differ
        for key, array in theirs.items():
            if key != "0.t":  # a number or a tensor, as it happens
                assert found[key].dtype == array.dtype, (sample.desc, key)
            np.testing.assert_allclose(
                found[key], array, rtol=rtol, atol=rtol * 1e-1, err_msg=f"{sample.desc}: {key}"
            )
        np.testing.assert_allclose(losses, their_losses, rtol=rtol, err_msg=sample.desc)


def beyond_us(sample):
    """Whether an input needs complex numbers or sparse tensors, which there are not here."""
    params = sample.optimizer_error_input.params
    for member in params if isinstance(params, list) else []:
        held = member["params"] if isinstance(member, dict) else [member]
        for tensor in [held] if isinstance(held, torch.Tensor) else held:
            if isinstance(tensor, torch.Tensor) and (tensor.is_sparse or tensor.is_complex()):
                return True
    return False


@pytest.mark.parametrize("info", common.optim_db, ids=lambda info: info.name)
def test_every_error_input_is_rejected_with_torchs_message(info):
    for sample in info.optim_error_inputs_func("cpu", torch.float32):
        given = sample.optimizer_error_input
        if beyond_us(sample):
            continue
        if given.params is None:
            params = [gradstep.ones(2, 2, requires_grad=True)]
        else:
            params = ours(given.params)
        cls = getattr(gradstep.optim, info.name)
        if issubclass(sample.error_type, Warning):
            with pytest.warns(sample.error_type, match=sample.error_regex):
                cls(params, **ours(given.kwargs))
            continue
        with pytest.raises(sample.error_type, match=sample.error_regex):
            cls(params, **ours(given.kwargs))


def test_sparse_adam_rejects_dense_gradients_as_torch_does():
    for library in (torch, gradstep):
        x = library.ones(2, requires_grad=True)
        x.sum().backward()
        optimizer = library.optim.SparseAdam([x])
        with pytest.raises(RuntimeError, match="SparseAdam does not support dense gradients"):
            optimizer.step()
        assert not optimizer.state
