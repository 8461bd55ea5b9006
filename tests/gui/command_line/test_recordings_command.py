"""`gradstep recordings` lists and deletes what crashed processes left behind."""

from __future__ import annotations

import json

import pytest

from gradstep.debugger import Debugger
from gradstep.program.gallery import scenarios
from gradstep.session.lock import SessionLock, lock_path
from gradstep_gui.command_line import recordings_command


@pytest.fixture
def folder(tmp_path):
    """Two recordings left behind, one damaged one, and one that is still being written."""
    debugger = Debugger.open(scenarios()[0].path)
    debugger.iterate(2)
    for name in ("1-a", "2-b", "3-live"):
        debugger.save(tmp_path / f"{name}.gradstep")
        lock_path(tmp_path / f"{name}.gradstep").touch()
    (tmp_path / "4-bad.gradstep").write_bytes(b"nothing")
    lock_path(tmp_path / "4-bad.gradstep").touch()
    lock_path(tmp_path / "3-live.gradstep").unlink()
    lock = SessionLock(tmp_path / "3-live.gradstep")
    yield tmp_path
    lock.release()


def names(folder):
    return sorted(path.name for path in folder.glob("*.gradstep"))


def test_recordings_are_listed_with_program_events_and_size(gradstep, folder):
    status, out, err = gradstep("recordings", "--folder", folder)
    assert (status, err) == (0, "")
    assert "3-live" not in out
    lines = {line.split()[0]: line for line in out.splitlines() if line.strip()}
    assert " 8  " in lines["1-a.gradstep"]
    assert "damaged" in lines["4-bad.gradstep"]
    assert f"Folder: {folder}" in out
    listed = json.loads(gradstep("recordings", "--folder", folder, "--json")[1])["recordings"]
    sizes = {item["name"]: item["bytes"] for item in listed}
    assert sizes["1-a.gradstep"] == (folder / "1-a.gradstep").stat().st_size


@pytest.mark.parametrize("changed", [2**40, -(2**40), float("nan")])
def test_a_date_that_no_calendar_has_is_none(changed):
    assert recordings_command._date(changed) == "out of range"


def test_a_recording_is_deleted_by_name(gradstep, folder):
    status, out, _ = gradstep("recordings", "--folder", folder, "--delete", "1-a.gradstep")
    assert (status, out.startswith("Deleted 1 recording, ")) == (0, True)
    assert names(folder) == ["2-b.gradstep", "3-live.gradstep", "4-bad.gradstep"]
    assert not lock_path(folder / "1-a.gradstep").exists()


def test_all_are_deleted_but_those_that_are_being_written(gradstep, folder):
    assert gradstep("recordings", "--folder", folder, "--delete-all")[0] == 0
    assert names(folder) == ["3-live.gradstep"]
    out = gradstep("recordings", "--folder", folder)[1]
    assert out == "There are no recordings of crashed processes.\n"


def test_an_unknown_recording_deletes_nothing(gradstep, folder):
    words = ["--delete", "1-a.gradstep", "--delete", "5-c.gradstep"]
    status, _, err = gradstep("recordings", "--folder", folder, *words)
    assert (status, "there is no recording '5-c.gradstep'" in err) == (2, True)
    assert len(names(folder)) == 4
    assert gradstep("recordings", "--folder", folder / "none")[0] == 0
