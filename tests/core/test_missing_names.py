"""A name of torch's that is not here is refused in one line, with the nearest that are."""

import pytest

import gradstep
from gradstep.errors import MissingNameError


@pytest.mark.parametrize(
    ("module", "name", "near"),
    [
        (gradstep.nn, "Conv4d", "near it Conv3d, Conv2d, Conv1d"),
        (gradstep.nn.functional, "cross_entropi", "near it cross_entropy"),
        (gradstep.nn.init, "xavier_norm_", "near it xavier_normal_"),
        (gradstep.nn.utils, "clip_grad_nrom_", "near it clip_grad_norm_"),
        (gradstep.optim, "Adamm", "near it Adam"),
        (gradstep.optim.lr_scheduler, "StepLRs", "near it StepLR"),
        (gradstep.utils.data, "Dataloader", "near it DataLoader"),
        (gradstep.linalg, "householder_product", "GradStep has a part of torch's names only"),
        (gradstep.distributions, "Categoric", "near it Categorical"),
        (gradstep.autograd, "Funktion", "near it Function"),
        (gradstep, "softmaxx", "near it softmax"),
    ],
)
def test_what_is_near_a_missing_name_is_told(module, name, near):
    with pytest.raises(MissingNameError, match=f"has no attribute '{name}'; .*{near}") as raised:
        getattr(module, name)
    assert "\n" not in str(raised.value)


def test_names_that_python_looks_for_are_plainly_missing():
    assert not hasattr(gradstep.nn, "__wrapped__")
    with pytest.raises(ImportError, match="cannot import name 'Conv4d'"):
        from gradstep.nn import Conv4d  # noqa: F401
