"""The names listed as missing from Tensor do not exist, and each raises an error that says so."""

import inspect
import subprocess
import sys

import pytest

import gradstep_torch
from gradstep.errors import MissingNameError
from gradstep_torch.ops.methods import METHODS_OF_SCRIPTS
from gradstep_torch.ops.missing_methods import MISSING_METHODS, MissingMethod


def names_of_the_core() -> set[str]:
    """Return the attributes of Tensor before the stand-in installs any, read in a new process."""
    code = "import gradstep; print(*dir(gradstep.Tensor))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_no_listed_name_exists():
    installed = {name for _, names in METHODS_OF_SCRIPTS for name in names.split()}
    assert sorted(MISSING_METHODS & (installed | names_of_the_core())) == []


def test_every_listed_name_reports_that_it_is_missing():
    found = {name: inspect.getattr_static(gradstep_torch.Tensor, name) for name in MISSING_METHODS}
    assert [name for name, value in found.items() if not isinstance(value, MissingMethod)] == []


def test_a_missing_method_raises_an_attribute_error_with_the_reason():
    with pytest.raises(MissingNameError, match="'Tensor' object has no attribute 'lgamma'; Grad"):
        gradstep_torch.ones(2).lgamma()
    assert not hasattr(gradstep_torch.ones(2), "lgamma")
    assert "lgamma" not in dir(gradstep_torch.ones(2))
