"""The program of the bundle, which is GradStep and the Python of scripts without PyTorch."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def program(monkeypatch):
    """The bundle's program as a module, in the folder of gradstep_agent as there."""
    spec = importlib.util.spec_from_file_location(
        "bundle_program", ROOT / "packaging" / "bundle_program.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "__file__", str(ROOT / "core" / "bundle_program.py"))
    monkeypatch.setenv("PYINSTALLER_RESET_ENVIRONMENT", "")
    return module


def test_it_is_gradstep(program, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["gradstep", "gallery"])
    assert program.main() == 0
    assert "06_iris.json" in capsys.readouterr().out


def test_it_runs_the_launcher_as_a_python_does(program, monkeypatch):
    launcher = ROOT / "core" / "gradstep_agent" / "launcher.py"
    ran = []
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", ["/opt/gradstep", str(launcher), "{}", "train.py", "--lr=1"])
    monkeypatch.setattr(
        program.runpy, "run_path", lambda path, run_name: ran.append((path, run_name, sys.argv[:]))
    )
    assert program.main() == 0
    assert ran == [(str(launcher), "__main__", [str(launcher), "{}", "train.py", "--lr=1"])]
    assert sys.path[0] == str(launcher.parent)


def test_other_programs_get_the_library_paths_of_the_user(program, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/gradstep/_internal")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/home/me/lib")
    monkeypatch.setenv("DYLD_LIBRARY_PATH", "/opt/gradstep/_internal")
    program._give_back_library_paths()
    assert os.environ["LD_LIBRARY_PATH"] == "/home/me/lib"
    assert "DYLD_LIBRARY_PATH" not in os.environ
    assert os.environ["PYINSTALLER_RESET_ENVIRONMENT"] == "1"
