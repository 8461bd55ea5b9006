"""Scripts of the kind that people post run here and print what they print under torch."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

import gradstep_torch

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))


def printed(source):
    """Return what a script prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, "script.py", "exec"), {"__name__": "__main__"})
    return out.getvalue()


def for_gradstep(source):
    """Return a script with `import gradstep_torch as torch` in the place of `import torch`."""
    source = re.sub(r"^import torch$", "import gradstep_torch as torch", source, flags=re.MULTILINE)
    return re.sub(r"^(from|import) torch\b", r"\1 gradstep_torch", source, flags=re.MULTILINE)


@pytest.fixture(autouse=True)
def as_it_was():
    """Leave the options of printing as they were."""
    yield
    gradstep_torch.set_printoptions(profile="default")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_prints_the_recorded_output_of_torch(script):
    found = printed(for_gradstep(script.read_text()))
    assert re.sub(r"gradstep(_torch)?\.", "torch.", found) == script.with_suffix(".txt").read_text()


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_torch_prints_the_recorded_output(script):
    torch = pytest.importorskip("torch")
    # torch's own test tools, which other tests import, forbid scripts to set flags of cudnn.
    flags = torch.backends.__allow_nonbracketed_mutation
    try:
        with flags():
            assert printed(script.read_text()) == script.with_suffix(".txt").read_text()
    finally:
        torch.set_printoptions(profile="default")
        torch.set_default_device(None)  # else everything takes another way through torch
