"""Every module of the table, against torch and committed numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gradstep_torch
from gradstep_torch import nn
from tests.conformance.modules_table import NAMED, flat

GOLDENS = json.loads((Path(__file__).parent / "module_goldens.json").read_text())


def made(name, torch, dtype):
    """Make a module with a fixed seed, all of one element type."""
    torch.manual_seed(3)
    kept = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, dtype))
    try:
        return NAMED[name].make(torch.nn)
    finally:
        torch.set_default_dtype(kept)


def inputs(name, torch, dtype):
    tensors = [torch.from_numpy(array) for array in NAMED[name].arrays(dtype)]
    return [x.requires_grad_() if x.dtype.is_floating_point else x for x in tensors]


def test_every_golden_belongs_to_a_module():
    assert set(GOLDENS) == set(NAMED)


@pytest.mark.parametrize("name", NAMED)
def test_the_repr_initial_state_and_outputs_are_those_recorded(name):
    golden = GOLDENS[name]
    module = made(name, gradstep_torch, "float64")
    assert repr(module) == golden["repr"]
    outputs = flat(module(*inputs(name, gradstep_torch, "float64")))
    for output, expected in zip(outputs, golden["outputs"], strict=True):
        np.testing.assert_allclose(output.detach().numpy().ravel(), expected, 1e-7, 1e-9)
    state = module.state_dict()
    assert list(state) == list(golden["state"])
    for key, (shape, total) in golden["state"].items():
        assert list(state[key].shape) == shape
        np.testing.assert_allclose(state[key].numpy().sum(), total, 1e-9)


@pytest.mark.torch
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NAMED)
def test_values_and_gradients_are_torchs(name, dtype):
    torch = pytest.importorskip("torch")
    theirs, ours = made(name, torch, dtype), made(name, gradstep_torch, dtype)
    assert repr(ours) == repr(theirs)
    for (key, parameter), (other, expected) in zip(
        ours.named_parameters(), theirs.named_parameters(), strict=True
    ):
        assert key == other
        np.testing.assert_array_equal(parameter.detach().numpy(), expected.detach().numpy())
    # some of torch's own constants are of float32 even there
    closeness = (1e-7, 1e-11) if dtype == "float64" else (1e-4, 1e-5)
    their_inputs, our_inputs = inputs(name, torch, dtype), inputs(name, gradstep_torch, dtype)
    expected, found = flat(theirs(*their_inputs)), flat(ours(*our_inputs))
    for one, other in zip(found, expected, strict=True):
        assert str(one.dtype).split(".")[1] == str(other.dtype).split(".")[1]
        assert tuple(one.shape) == tuple(other.shape)
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), *closeness)
    for tensors in (expected, found):
        flowing = [x for x in tensors if x.requires_grad]
        if flowing:
            sum((x * x).sum() for x in flowing).backward()
    pairs = list(zip(our_inputs, their_inputs, strict=True))
    pairs += list(zip(ours.parameters(), theirs.parameters(), strict=True))
    for one, other in pairs:
        assert (one.grad is None) == (other.grad is None)
        if one.grad is not None:
            np.testing.assert_allclose(one.grad.numpy(), other.grad.numpy(), *closeness)
    for (key, buffer), (_, expected) in zip(
        ours.named_buffers(), theirs.named_buffers(), strict=True
    ):
        np.testing.assert_allclose(buffer.numpy(), expected.numpy(), *closeness, err_msg=key)


@pytest.mark.torch
@pytest.mark.parametrize("name", ["Conv2d", "BatchNorm2d", "LSTM", "Embedding"])
def test_states_load_from_torch(name):
    torch = pytest.importorskip("torch")
    theirs = made(name, torch, "float32")
    ours = NAMED[name].make(nn)
    state = {key: value.numpy() for key, value in theirs.state_dict().items()}
    assert repr(ours.load_state_dict(state)) == "<All keys matched successfully>"
