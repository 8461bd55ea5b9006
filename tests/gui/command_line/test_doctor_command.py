"""`gradstep doctor` names what is missing on a machine, with what to do about it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata

import pytest

from gradstep_gui.command_line import doctor_command

FACTS = {
    "qt": "6.11.3",
    "platform": "offscreen",
    "screens": ["800x800 at 1"],
    "families": 35,
    "text": "DejaVu Sans",
    "code": "DejaVu Sans Mono",
    "is_fixed": True,
}
TORCH = """#!/bin/sh
echo '{"version": "3.12.1", "torch": "2.13.0"}'
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine that has everything, with the folders in an empty place."""
    for name in ("CONFIG", "STATE", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setattr(doctor_command, "_asked", lambda _environment: dict(FACTS))
    python = tmp_path / "python"
    python.write_text(TORCH)
    python.chmod(0o755)
    monkeypatch.setattr(doctor_command, "find_python", lambda: str(python))
    return tmp_path


def checks(gradstep):
    status, out, err = gradstep("doctor", "--json")
    assert err == ""
    found = json.loads(out)
    assert status == (1 if found["problems"] else 0)
    return {(check["subject"], check["level"]): check for check in found["checks"]}


def test_a_machine_that_has_everything_is_told_so(gradstep, machine):
    status, out, err = gradstep("doctor")
    assert (status, err) == (0, "")
    assert out.endswith("\nEverything that GradStep needs is here.\n")
    lines = {line.split()[1]: line for line in out.splitlines() if line.startswith("ok")}
    assert f"numpy {metadata.version('numpy')}" in lines["Packages"]
    assert "6.11.3, platform plugin offscreen" in lines["Qt"]
    assert "2.13.0 in Python 3.12.1" in lines["PyTorch"]
    assert str(machine / "CONFIG" / "gradstep") in lines["Settings"]
    assert not (machine / "CONFIG").exists()


def test_missing_libraries_come_with_the_one_command(gradstep, machine, monkeypatch):
    monkeypatch.setattr(doctor_command, "missing_packages", lambda _platform: ("libxcb-cursor0",))
    found = checks(gradstep)["Libraries", "problem"]
    assert found["text"] == "missing for a window: libxcb-cursor0"
    assert found["remedy"].endswith("libxcb-cursor0")


def test_a_machine_without_a_display_is_told_what_works_there(gradstep, machine, monkeypatch):
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(doctor_command, "missing_packages", lambda _platform: ())
    found = checks(gradstep)["Display", "problem"]
    assert found["text"] == "there is no display to open a window on"
    assert "gradstep run FILE" in found["remedy"]


def test_a_qt_that_does_not_start_is_a_problem(gradstep, machine, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    found = checks(gradstep)["Qt", "problem"]
    assert found["text"] == "Qt does not start: status 1"


@pytest.mark.parametrize(
    ("changed", "level", "text"),
    [
        ({"families": 0}, "problem", "Qt finds no fonts"),
        ({"is_fixed": False}, "note", "numbers do not line up"),
    ],
)
def test_fonts_that_cannot_be_used_are_reported(
    gradstep, machine, monkeypatch, changed, level, text
):
    monkeypatch.setattr(doctor_command, "_asked", lambda _environment: FACTS | changed)
    found = checks(gradstep)["Fonts", level]
    assert text in found["text"]
    assert "fonts-dejavu-core" in found["remedy"]


def test_a_folder_that_cannot_be_written_is_a_problem_with_its_variable(
    gradstep, machine, monkeypatch
):
    monkeypatch.setenv("XDG_CONFIG_HOME", "/proc/nowhere")
    found = checks(gradstep)["Settings", "problem"]
    assert found["text"].startswith("/proc/nowhere/gradstep cannot be written: ")
    assert "XDG_CONFIG_HOME" in found["remedy"]


def test_a_package_that_is_missing_is_named(gradstep, machine, monkeypatch):
    monkeypatch.setattr(
        metadata, "requires", lambda _name: ["numpy>=2", "nothing-such>=1", 'torch; extra == "x"']
    )
    found = checks(gradstep)
    assert found["Packages", "problem"]["text"] == "not installed: nothing-such"
    assert "pip install nothing-such" in found["Packages", "problem"]["remedy"]


def test_a_python_without_torch_is_a_note_that_names_the_stand_in(gradstep, machine, monkeypatch):
    (machine / "python").write_text(TORCH.replace('"2.13.0"', "null"))
    found = checks(gradstep)["PyTorch", "note"]
    assert "not found in Python 3.12.1" in found["text"]
    assert "--stand-in" in found["remedy"]


def test_torch_is_found_without_importing_it(tmp_path):
    (tmp_path / "torch.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "torch-9.9.dist-info").mkdir()
    (tmp_path / "torch-9.9.dist-info" / "METADATA").write_text("Name: torch\nVersion: 9.9\n")
    words = [sys.executable, "-c", doctor_command._ASK_PYTHON]
    done = subprocess.run(
        words, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["torch"] == "9.9"


def test_qt_is_asked_in_a_process_of_its_own():
    facts = doctor_command._asked({"QT_QPA_PLATFORM": "offscreen"})
    assert facts["platform"] == "offscreen"
    assert facts["families"] > 0
    assert facts["screens"]
