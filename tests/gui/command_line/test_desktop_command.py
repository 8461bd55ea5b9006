"""`gradstep --install-desktop` writes what a Linux desktop needs, and takes it away again."""

from __future__ import annotations

import configparser
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gradstep_gui.command_line import desktop_command

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktop entries")
INSTALLED = {
    "applications/gradstep.desktop",
    "icons/hicolor/scalable/apps/gradstep.svg",
    "mime/packages/gradstep.xml",
}


@pytest.fixture
def data(tmp_path, monkeypatch):
    """The folder of the user's data, on a desktop without its programs."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("APPIMAGE", raising=False)
    return tmp_path / "data"


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def entry(data):
    parser = configparser.RawConfigParser(strict=True)
    parser.optionxform = str
    parser.read(data / "applications/gradstep.desktop", encoding="utf-8")
    return dict(parser["Desktop Entry"])


def test_it_writes_the_entry_the_types_and_the_icon(gradstep, data):
    status, out, err = gradstep("--install-desktop")
    assert (status, err) == (0, "")
    assert files(data) == INSTALLED
    assert all(str(data / name) in out for name in INSTALLED)
    assert "update-mime-database is not installed" in out
    types = ElementTree.parse(data / "mime/packages/gradstep.xml").getroot()
    named = {item.get("type") for item in types}
    assert named == set(filter(None, entry(data)["MimeType"].split(";")))


def test_what_it_writes_starts_this_gradstep(gradstep, data, tmp_path, monkeypatch):
    own = tmp_path / 'my "tools"' / "gradstep"
    own.parent.mkdir()
    for name in ("gradstep", "gradstep-window"):
        own.with_name(name).write_text(f"#!/bin/sh\necho {name} $1\n")
        own.with_name(name).chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(own)])
    gradstep("--install-desktop")
    words = shlex.split(entry(data)["Exec"].replace("\\\\", "\\"))
    assert words == [str(own.with_name("gradstep-window")), "%f"]
    assert entry(data)["TryExec"] == words[0]


def test_an_app_image_is_started_by_its_own_path(gradstep, data, monkeypatch):
    monkeypatch.setenv("APPIMAGE", "/opt/GradStep 50%.AppImage")
    gradstep("--install-desktop")
    assert entry(data)["Exec"] == '"/opt/GradStep 50%%.AppImage" %f'


def test_a_module_is_started_by_its_python(gradstep, data, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/nowhere/gradstep_gui/__main__.py"])
    gradstep("--install-desktop")
    assert entry(data)["Exec"] == f"{sys.executable} -m gradstep_gui %f"


def test_it_has_the_desktop_notice_where_it_can(gradstep, data, tmp_path, monkeypatch):
    for name in ("update-mime-database", "update-desktop-database"):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho "{name} $1" >> {tmp_path}/calls\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    out = gradstep("--install-desktop")[1]
    assert "not installed" not in out
    assert (tmp_path / "calls").read_text().splitlines() == [
        f"update-mime-database {data}/mime",
        f"update-desktop-database {data}/applications",
    ]


def test_uninstalling_deletes_just_that(gradstep, data):
    gradstep("--install-desktop")
    other = data / "applications/other.desktop"
    other.write_text("[Desktop Entry]\n")
    assert gradstep("--uninstall-desktop")[0] == 0
    assert files(data) == {"applications/other.desktop"}
    out = gradstep("--uninstall-desktop")[1]
    assert out == f"There is nothing of GradStep in {data}.\n"


def test_a_folder_that_cannot_be_written_is_an_error(gradstep, data, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", "/proc/nowhere")
    status, _, err = gradstep("--install-desktop")
    assert status == 2
    assert "XDG_DATA_HOME" in err


def test_other_systems_are_told_what_to_do_there(gradstep, data, monkeypatch):
    monkeypatch.setattr(desktop_command.sys, "platform", "win32")
    status, _, err = gradstep("--install-desktop")
    assert status == 2
    assert "belong to Linux" in err


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="not installed")
def test_the_entry_is_valid(gradstep, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    gradstep("--install-desktop")
    path = Path(tmp_path, "applications/gradstep.desktop")
    done = subprocess.run(
        ["desktop-file-validate", path], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
