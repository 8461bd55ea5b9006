"""A torch name that GradStep lacks raises a one-line error that suggests the closest names."""

import pytest

import gradstep_torch
from gradstep.errors import MissingNameError


@pytest.mark.parametrize(
    ("module", "name", "near"),
    [
        (gradstep_torch.nn, "Conv4d", "did you mean Conv3d, Conv2d, Conv1d"),
        (gradstep_torch.nn.functional, "cross_entropi", "did you mean cross_entropy"),
        (gradstep_torch.nn.init, "xavier_norm_", "did you mean xavier_normal_"),
        (gradstep_torch.nn.utils, "clip_grad_nrom_", "did you mean clip_grad_norm_"),
        (gradstep_torch.optim, "Adamm", "did you mean Adam"),
        (gradstep_torch.optim.lr_scheduler, "StepLRs", "did you mean StepLR"),
        (gradstep_torch.utils.data, "Dataloader", "did you mean DataLoader"),
        (gradstep_torch.linalg, "householder_product", "GradStep has only part of torch's names"),
        (gradstep_torch.distributions, "Categoric", "did you mean Categorical"),
        (gradstep_torch.autograd, "Funktion", "did you mean Function"),
        (gradstep_torch, "softmaxx", "did you mean softmax"),
    ],
)
def test_the_error_for_a_missing_name_suggests_the_closest_names(module, name, near):
    with pytest.raises(MissingNameError, match=f"has no attribute '{name}'; .*{near}") as raised:
        getattr(module, name)
    assert "\n" not in str(raised.value)


def test_dunder_names_and_failed_imports_raise_the_usual_errors():
    assert not hasattr(gradstep_torch.nn, "__wrapped__")
    with pytest.raises(ImportError, match="cannot import name 'Conv4d'"):
        from gradstep_torch.nn import Conv4d  # noqa: F401
