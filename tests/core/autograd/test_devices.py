"""Devices can be named; tensors live on the CPU."""

import pytest

import gradstep
import gradstep_torch
from gradstep.errors import DeviceError, TensorError


def test_any_known_device_can_be_named():
    assert repr(gradstep.device("cuda:1")) == "device(type='cuda', index=1)"
    assert str(gradstep.device("cuda", 1)) == "cuda:1"
    assert gradstep.device(gradstep.device("cpu")) == gradstep.device("cpu")
    assert gradstep.device(0).type == "cuda"
    with pytest.raises(TensorError, match="device type at start of device string: gpu"):
        gradstep.device("gpu")


def test_only_the_cpu_can_be_used():
    cuda = gradstep.device("cuda")
    for use in (
        lambda: gradstep.zeros(1, device=cuda),
        lambda: gradstep.ones(1).to(cuda),
        lambda: gradstep.ones(1).to("cuda:0"),
        lambda: gradstep.ones(1).cuda(),
        lambda: gradstep.nn.Linear(1, 1).to(cuda),
        lambda: gradstep.nn.Linear(1, 1).cuda(),
        lambda: gradstep.set_default_device("cuda"),
        gradstep_torch.cuda.synchronize,
        gradstep_torch.cuda.current_device,
    ):
        with pytest.raises(DeviceError, match="no device 'cuda"):
            use()


def test_the_error_is_an_assertion_and_a_runtime_error_as_scripts_expect():
    for expected in (AssertionError, RuntimeError):
        with pytest.raises(expected):
            gradstep.ones(1).cuda()


def test_scripts_that_look_for_accelerators_find_none():
    assert not gradstep_torch.cuda.is_available()
    assert gradstep_torch.cuda.device_count() == 0
    assert not gradstep_torch.backends.mps.is_available()
    assert gradstep_torch.backends.cudnn.version() is None
    assert not gradstep_torch.accelerator.is_available()
    assert gradstep_torch.accelerator.current_accelerator() is None
    with gradstep.device("cpu"):
        assert gradstep.ones(1).device == gradstep.get_default_device()
