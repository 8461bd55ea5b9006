"""Devices can be named; tensors live on the CPU."""

import pytest

import gradstep_torch as torch
from gradstep.errors import DeviceError, TensorError


def test_every_known_device_name_is_accepted():
    assert repr(torch.device("cuda:1")) == "device(type='cuda', index=1)"
    assert str(torch.device("cuda", 1)) == "cuda:1"
    assert torch.device(torch.device("cpu")) == torch.device("cpu")
    assert torch.device(0).type == "cuda"
    with pytest.raises(TensorError, match="device type at start of device string: gpu"):
        torch.device("gpu")


def test_only_the_cpu_can_be_used():
    cuda = torch.device("cuda")
    for use in (
        lambda: torch.zeros(1, device=cuda),
        lambda: torch.ones(1).to(cuda),
        lambda: torch.ones(1).to("cuda:0"),
        lambda: torch.ones(1).cuda(),
        lambda: torch.nn.Linear(1, 1).to(cuda),
        lambda: torch.nn.Linear(1, 1).cuda(),
        lambda: torch.set_default_device("cuda"),
        torch.cuda.synchronize,
        torch.cuda.current_device,
    ):
        with pytest.raises(DeviceError, match=r"device 'cuda(:\d)?' is not available"):
            use()


def test_the_error_is_an_assertion_and_a_runtime_error_as_scripts_expect():
    for expected in (AssertionError, RuntimeError):
        with pytest.raises(expected):
            torch.ones(1).cuda()


def test_scripts_that_look_for_accelerators_find_none():
    assert not torch.cuda.is_available()
    assert torch.cuda.device_count() == 0
    assert not torch.backends.mps.is_available()
    assert torch.backends.cudnn.version() is None
    assert not torch.accelerator.is_available()
    assert torch.accelerator.current_accelerator() is None
    with torch.device("cpu"):
        assert torch.ones(1).device == torch.get_default_device()
