"""Atomic writes: a file is replaced as a whole, or stays as it was."""

import os
from pathlib import Path

import pytest

from gradstep.atomic_write import replacing, write_text
from gradstep.errors import SerializationError


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("before")
    path.chmod(0o640)
    write_text(path, "after é\n")
    assert path.read_bytes() == "after é\n".encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert [item.name for item in tmp_path.iterdir()] == ["a.py"]


def test_a_draft_is_private_until_it_replaces_the_file(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("before")
    path.chmod(0o444)
    with replacing(path) as draft:
        assert draft.stat().st_mode & 0o777 == 0o600
        draft.write_text("after")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("after", 0o444)


def test_a_new_file_has_the_permissions_of_any_other(tmp_path):
    write_text(tmp_path / "a.py", "text")
    (tmp_path / "b.py").touch()
    assert (tmp_path / "a.py").stat().st_mode == (tmp_path / "b.py").stat().st_mode


def test_a_link_stays_and_the_file_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "kept").mkdir()
    path, link = tmp_path / "kept" / "a.py", tmp_path / "link.py"
    path.write_text("before")
    link.symlink_to(path)
    write_text(link, "after")
    assert (link.is_symlink(), path.read_text()) == (True, "after")
    assert sorted(item.name for item in tmp_path.rglob("*")) == ["a.py", "kept", "link.py"]


def test_a_link_that_leads_to_itself_is_replaced(tmp_path):
    ring = tmp_path / "ring.py"
    ring.symlink_to(ring)
    write_text(ring, "text")
    assert ring.read_text() == "text"


def test_a_pipe_is_written_to_directly(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text(pipe, "text")
        assert os.read(end, 10) == b"text"
    finally:
        os.close(end)
    assert pipe.is_fifo()


def test_a_file_stays_when_writing_is_interrupted(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("before")

    def write_half():
        with replacing(path) as draft:
            draft.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text() == "before"
    assert [item.name for item in tmp_path.iterdir()] == ["a.py"]


def test_a_missing_folder_is_reported(tmp_path):
    with pytest.raises(SerializationError, match=r"a\.py cannot be written: No such file"):
        write_text(tmp_path / "none" / "a.py", "text")
    (tmp_path / "folder").mkdir()
    with pytest.raises(SerializationError, match="cannot be written"):
        write_text(tmp_path / "folder", "text")
    assert [item.name for item in tmp_path.iterdir()] == ["folder"]


def test_a_link_to_a_pipe_is_written_to_directly():
    reading, writing = os.pipe()
    try:
        write_text(Path(f"/dev/fd/{writing}"), "text")
        assert os.read(reading, 10) == b"text"
    finally:
        os.close(reading)
        os.close(writing)


@pytest.fixture
def synced(monkeypatch):
    """What was synced to the disk, and the text at `a.py` then, in order."""
    calls, real = [], os.fsync

    def fsync(handle):
        path = Path(f"/proc/self/fd/{handle}").readlink()
        target = (path if path.is_dir() else path.parent) / "a.py"
        calls.append((path.is_dir(), target.read_text() if target.exists() else None))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    return calls


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="paths of open files are in /proc")
def test_data_are_on_the_disk_before_they_replace_the_file(tmp_path, synced):
    (tmp_path / "a.py").write_text("before")
    write_text(tmp_path / "a.py", "after")
    file, folder = (False, "before"), (True, "after")
    assert synced == [file, folder]


def test_a_folder_that_cannot_be_synced_is_not_a_failure(tmp_path, monkeypatch):
    real = os.open

    def open_except_folder(path, flags, *rest, **named):
        if Path(path) == tmp_path:
            raise PermissionError(13, "Permission denied")
        return real(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", open_except_folder)
    write_text(tmp_path / "a.py", "text")
    assert (tmp_path / "a.py").read_text() == "text"


def test_data_that_cannot_be_synced_leave_the_old_file(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("before")

    def fail(handle):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(SerializationError, match="Input/output error"):
        write_text(tmp_path / "a.py", "after")
    assert (tmp_path / "a.py").read_text() == "before"
    assert [item.name for item in tmp_path.iterdir()] == ["a.py"]
