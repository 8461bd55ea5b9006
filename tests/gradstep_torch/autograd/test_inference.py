"""What is made in inference mode stays out of every graph."""

import pytest

import gradstep_torch as torch
from gradstep.errors import TensorError


def made():
    with torch.inference_mode():
        return torch.ones(2)


def test_only_tensors_created_inside_are_inference_tensors():
    assert made().is_inference()
    assert not torch.ones(2).is_inference()
    assert not torch.is_inference_mode_enabled()


def test_an_inference_tensor_can_be_used_by_operations_that_do_not_save_it():
    x = torch.ones(2, requires_grad=True)
    (x + made()).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_clone_is_an_ordinary_tensor():
    x = torch.ones(2, requires_grad=True)
    (x * made().clone()).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_an_inference_tensor_may_be_changed_inside_only():
    with torch.inference_mode():
        z = torch.ones(2).add_(1)
    assert z.tolist() == [2.0, 2.0]
    with pytest.raises(TensorError, match="Inplace update to inference tensor"):
        z[0] = 1.0
    with pytest.raises(TensorError, match="do not track version counter"):
        _ = z._version


def test_a_view_of_an_ordinary_tensor_stays_ordinary():
    x = torch.ones(4)
    with torch.inference_mode():
        assert not x.view(2, 2).is_inference()


def test_inference_mode_can_be_disabled():
    with torch.inference_mode(mode=False):
        assert torch.is_grad_enabled()
