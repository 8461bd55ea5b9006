"""Each contract between the layers holds on the sources, and breaks when it is violated."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CLI = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"

VIOLATIONS = {
    "core-layers, upwards": (
        "core-layers",
        "core/gradstep/autograd/stray.py",
        "import gradstep.nn",
    ),
    "core-layers, sideways": ("core-layers", "core/gradstep/nn/stray.py", "import gradstep.optim"),
    "core-layers, unlisted": ("core-layers", "core/gradstep/stray.py", ""),
    "window-layers, upwards": (
        "window-layers",
        "gradstep_gui/widgets/stray.py",
        "import gradstep_gui.views",
    ),
    "window-layers, unlisted": ("window-layers", "gradstep_gui/stray.py", ""),
    "core-below-window, Qt": ("core-below-window", "core/gradstep/nn/stray.py", "import PySide6"),
    "core-below-window, torch": ("core-below-window", "core/gradstep/nn/stray.py", "import torch"),
    "core-below-window, window": (
        "core-below-window",
        "core/gradstep/nn/stray.py",
        "import gradstep_gui.widgets",
    ),
    "plotting-alone": ("plotting-alone", "gradstep_gui/widgets/stray.py", "import pyqtgraph"),
    "views-apart": (
        "views-apart",
        "gradstep_gui/views/stray.py",
        "import gradstep_gui.views.other_stray",
    ),
    "records-only, view": (
        "records-only",
        "gradstep_gui/views/stray.py",
        "from gradstep.debugger import Debugger",
    ),
    "records-only, widget": (
        "records-only",
        "gradstep_gui/widgets/stray.py",
        "from gradstep.program import build",
    ),
}


@pytest.fixture
def copy(tmp_path):
    """A copy of the sources that a test may spoil."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    ignore = shutil.ignore_patterns("__pycache__", "*.md", "*.npz")
    shutil.copytree(ROOT / "core", tmp_path / "core", ignore=ignore)
    shutil.copytree(ROOT / "gradstep_gui", tmp_path / "gradstep_gui", ignore=ignore)
    return tmp_path


def lint(folder, *contracts):
    """Run the import linter on a folder in a process of its own, and return what it says."""
    chosen = [word for contract in contracts for word in ("--contract", contract)]
    return subprocess.run(
        [sys.executable, "-c", CLI, "--no-cache", "--no-logo", *chosen],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": "core", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_sources_keep_every_contract():
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert " 0 broken" in result.stdout


@pytest.mark.parametrize("violation", VIOLATIONS)
def test_a_violation_breaks_its_contract(copy, violation):
    contract, place, text = VIOLATIONS[violation]
    stray = copy / place
    stray.write_text(text + "\n", encoding="utf-8")
    stray.with_name("other_stray.py").write_text("", encoding="utf-8")

    result = lint(copy, contract)

    assert result.returncode == 1, result.stdout + result.stderr
    assert "1 broken" in result.stdout
    assert "stray" in result.stdout
