"""A name of torch's that is not here is refused in one line, with the nearest that are."""

import pytest

import gradstep_torch
from gradstep.errors import MissingNameError


@pytest.mark.parametrize(
    ("module", "name", "near"),
    [
        (gradstep_torch.nn, "Conv4d", "near it Conv3d, Conv2d, Conv1d"),
        (gradstep_torch.nn.functional, "cross_entropi", "near it cross_entropy"),
        (gradstep_torch.nn.init, "xavier_norm_", "near it xavier_normal_"),
        (gradstep_torch.nn.utils, "clip_grad_nrom_", "near it clip_grad_norm_"),
        (gradstep_torch.optim, "Adamm", "near it Adam"),
        (gradstep_torch.optim.lr_scheduler, "StepLRs", "near it StepLR"),
        (gradstep_torch.utils.data, "Dataloader", "near it DataLoader"),
        (gradstep_torch.linalg, "householder_product", "GradStep has a part of torch's names only"),
        (gradstep_torch.distributions, "Categoric", "near it Categorical"),
        (gradstep_torch.autograd, "Funktion", "near it Function"),
        (gradstep_torch, "softmaxx", "near it softmax"),
    ],
)
def test_what_is_near_a_missing_name_is_told(module, name, near):
    with pytest.raises(MissingNameError, match=f"has no attribute '{name}'; .*{near}") as raised:
        getattr(module, name)
    assert "\n" not in str(raised.value)


def test_names_that_python_looks_for_are_plainly_missing():
    assert not hasattr(gradstep_torch.nn, "__wrapped__")
    with pytest.raises(ImportError, match="cannot import name 'Conv4d'"):
        from gradstep.nn import Conv4d  # noqa: F401
