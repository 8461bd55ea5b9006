"""A save that is killed at any call leaves the old session or the new one."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from gradstep.session import opening, schema, store
from gradstep.session.record import Session
from gradstep.session.store import read, write

# Saves again and again, each time in a process that is killed before one call later than the last.
KILLED = """
import os, signal, sys
from pathlib import Path
from gradstep.session import opening, schema, store
from gradstep.session.record import Session

target, after, into, version = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
spec = store.read(after).spec
if version != "3":
    schema.MIGRATIONS[3] = lambda _: None
    for module in (schema, opening, store):
        module.VERSION = int(version)
before = {path.name: path.read_bytes() for path in target.parent.iterdir()}
calls = ("open", "rename", "replace", "unlink", "remove", "fsync", "chmod", "link", "stat", "close",
         "utime", "sendfile", "copy_file_range")

def killed_at(last):
    count = 0
    def watched(call):
        def counting(*args, **options):
            nonlocal count
            count += 1
            if count > last:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **options)
        return counting
    for name in calls:
        if hasattr(os, name):
            setattr(os, name, watched(getattr(os, name)))
    store.write(target, Session(spec, watches=("after",)))
    os._exit(0)

for number in range(1000):
    for path in target.parent.iterdir():
        path.unlink()
    for name, content in before.items():
        (target.parent / name).write_bytes(content)
    child = os.fork()
    if not child:
        killed_at(number)
    status = os.waitpid(child, 0)[1]
    left = into / str(number)
    left.mkdir()
    for path in target.parent.iterdir():
        (left / path.name).write_bytes(path.read_bytes())
    if status == 0:
        break
print(number)
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")


@pytest.fixture
def cut_short(saved, tmp_path):
    """A recording whose last change is only in its log."""
    writer = sqlite3.connect(saved, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("UPDATE watches SET text = 'before'")
    folder = tmp_path / "cut short"
    folder.mkdir()
    for path in (saved, opening.log_path(saved)):
        shutil.copy(path, folder)
    writer.close()
    return folder / saved.name


def killed_everywhere(target, tmp_path, session, version="3"):
    """Return the folders that killed saves leave, by the number of calls they made."""
    after, into = tmp_path / "spec.gradstep", tmp_path / "left"
    write(after, Session(session.spec))
    into.mkdir()
    command = [sys.executable, "-c", KILLED, target, after, into, version]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    return [into / str(number) for number in range(int(finished.stdout) + 1)]


def test_a_save_killed_at_any_call_leaves_the_old_session_or_the_new_one(
    cut_short, session, tmp_path
):
    seen = [
        read(folder / cut_short.name).watches
        for folder in killed_everywhere(cut_short, tmp_path, session)
    ]
    old, new = seen.count(("before",)), seen.count(("after",))
    assert seen == [("before",)] * old + [("after",)] * new
    assert (old > 5, new > 2) == (True, True)


@pytest.mark.slow
def test_a_save_over_an_older_format_killed_at_any_call_leaves_both_whole(
    cut_short, session, tmp_path, monkeypatch
):
    folders = killed_everywhere(cut_short, tmp_path, session, version="4")
    monkeypatch.setattr(schema, "MIGRATIONS", {3: lambda _: None})
    for module in (schema, opening, store):
        monkeypatch.setattr(module, "VERSION", 4)
    seen = [read(folder / cut_short.name).watches for folder in folders]
    assert set(seen) == {("before",), ("after",)}
    for folder, watches in zip(folders, seen, strict=True):
        if watches == ("after",):
            kept = Path(shutil.copy(folder / f"{cut_short.name}.format3", tmp_path))
            shutil.copy(opening.log_path(folder / kept.name), tmp_path)
            assert read(kept).watches == ("before",)
