"""The program of the bundle, which is GradStep and the Python of scripts without PyTorch."""

from __future__ import annotations

import importlib.util
import os
import subprocess
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


@pytest.fixture
def maker(monkeypatch, tmp_path):
    """scripts/make_bundle.py, with a bundle whose program says how it was called."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    module = importlib.import_module("make_bundle")
    monkeypatch.setattr(module, "MADE", tmp_path)
    tried = []
    monkeypatch.setattr(module, "_try", lambda words, _version: tried.append(words))
    program = tmp_path / "gradstep" / "gradstep"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$0 $*"\n')
    program.chmod(0o755)
    return module, module._app_dir(program.parent), tried


@pytest.mark.skipif(os.name != "posix", reason="AppImages are for Linux")
def test_an_app_dir_starts_the_bundle_wherever_it_is(maker, tmp_path):
    _, app, _ = maker
    moved = app.rename(tmp_path / "moved here.AppDir")
    done = subprocess.run(
        [moved / "AppRun", "run", "a b.json"], env={}, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{moved}/usr/lib/gradstep/gradstep run a b.json\n"
    entry = (moved / "gradstep.desktop").read_text("utf-8")
    assert "\nExec=gradstep %f\n" in entry
    assert "\nIcon=gradstep\n" in entry
    assert (moved / ".DirIcon").resolve() == moved / "gradstep.svg"


@pytest.mark.skipif(os.name != "posix", reason="AppImages are for Linux")
def test_an_app_image_is_made_and_tried_where_the_tool_is_installed(maker, tmp_path, monkeypatch):
    module, app, tried = maker
    tool = tmp_path / "bin" / "appimagetool"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\nfor out; do :; done\necho "$ARCH $VERSION $*" > "$out"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tool.parent))
    image = tmp_path / "gradstep.AppImage"
    module._make_app_image(app, image, "1.2.3")
    assert image.read_text().split()[1:] == ["1.2.3", "--no-appstream", str(app), str(image)]
    assert tried == [[image, "--appimage-extract-and-run"]]


@pytest.mark.skipif(os.name != "posix", reason="AppImages are for Linux")
def test_without_the_tool_the_app_dir_is_tried_and_the_tool_named(maker, monkeypatch, capsys):
    module, app, tried = maker
    monkeypatch.setenv("PATH", "")
    module._make_app_image(app, app.parent / "gradstep.AppImage", "1.2.3")
    assert tried == [[app / "AppRun"]]
    assert "There is no AppImage: appimagetool is not installed" in capsys.readouterr().out
