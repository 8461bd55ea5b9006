"""The stand-in offers torch's modules, built on the core's classes."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import gradstep
import gradstep_torch

MODULES = [
    "accelerator",
    "autograd",
    "autograd.function",
    "autograd.functional",
    "backends.cudnn",
    "cuda",
    "distributions",
    "func",
    "linalg",
    "nn",
    "nn.functional",
    "nn.init",
    "nn.parameter",
    "nn.utils",
    "nn.utils.clip_grad",
    "nn.utils.parametrizations",
    "nn.utils.parametrize",
    "nn.utils.prune",
    "nn.utils.rnn",
    "optim",
    "optim.lr_scheduler",
    "optim.optimizer",
    "optim.swa_utils",
    "random",
    "utils.data",
]


@pytest.mark.parametrize("name", MODULES)
def test_an_attribute_and_an_import_give_the_same_module(name):
    found = gradstep_torch
    for part in name.split("."):
        found = getattr(found, part)
    assert found is importlib.import_module(f"gradstep_torch.{name}")


def test_classes_are_those_of_the_core():
    assert gradstep_torch.Tensor is gradstep.Tensor
    assert gradstep_torch.nn.Module is gradstep.nn.Module
    assert gradstep_torch.nn.Linear is gradstep.nn.Linear
    assert gradstep_torch.optim.Adam is gradstep.optim.Adam


def test_everything_public_in_the_core_is_in_the_stand_in():
    for ours, theirs in (
        (gradstep_torch, gradstep),
        (gradstep_torch.nn, gradstep.nn),
        (gradstep_torch.nn.functional, gradstep.nn.functional),
        (gradstep_torch.optim, gradstep.optim),
        (gradstep_torch.autograd, gradstep.autograd),
    ):
        assert set(theirs.__all__) <= set(ours.__all__)


def test_the_debugger_does_not_import_the_stand_in():
    script = (
        "import sys, gradstep, gradstep.debugger\n"
        "print([name for name in sys.modules if name.startswith('gradstep_torch')])"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"
