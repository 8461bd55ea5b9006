from __future__ import annotations

from pathlib import Path

import pytest

from gradstep.errors import SessionError
from gradstep.session.lock import SessionLock, is_locked, lock_path


def test_a_released_lock_leaves_no_file(tmp_path):
    path = tmp_path / "a.gradstep"
    lock = SessionLock(path)
    assert is_locked(path)
    lock.release()
    assert (is_locked(path), lock_path(path).exists()) == (False, False)


def test_a_lock_file_is_deleted_after_closing_where_open_files_cannot_be(tmp_path, monkeypatch):
    path = tmp_path / "a.gradstep"
    lock = SessionLock(path)
    remove = Path.unlink

    def as_on_windows(self, missing_ok=False):
        if is_locked(path):
            raise PermissionError(13, "the process cannot access the file")
        remove(self, missing_ok)

    monkeypatch.setattr(Path, "unlink", as_on_windows)
    lock.release()
    assert not lock_path(path).exists()


def test_a_lock_ends_even_if_its_file_cannot_be_deleted(tmp_path, monkeypatch):
    def fail(self, missing_ok=False):
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "a.gradstep"
    lock = SessionLock(path)
    monkeypatch.setattr(Path, "unlink", fail)
    lock.release()
    monkeypatch.undo()
    assert not is_locked(path)
    SessionLock(path).release()


def test_a_session_is_locked_by_one_process_at_a_time(tmp_path):
    path = tmp_path / "a.gradstep"
    lock = SessionLock(path)
    with pytest.raises(SessionError, match=r"a.gradstep is in use: another GradStep"):
        SessionLock(path)
    lock.release()


def test_a_folder_that_supports_no_locks_is_reported_as_such(tmp_path, monkeypatch):
    def fail(_descriptor, *, blocking):
        raise OSError(95, "Operation not supported")

    path = tmp_path / "a.gradstep"
    monkeypatch.setattr("gradstep.session.lock.lock_descriptor", fail)
    with pytest.raises(SessionError, match=r"folder supports no locks \(Operation not supported\)"):
        SessionLock(path)
    lock_path(path).touch()
    assert not is_locked(path)


def test_a_lock_in_a_folder_that_cannot_be_written_is_seen(tmp_path):
    path = tmp_path / "a.gradstep"
    lock = SessionLock(path)
    lock_path(path).chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        assert is_locked(path)
    finally:
        tmp_path.chmod(0o755)
        lock.release()
