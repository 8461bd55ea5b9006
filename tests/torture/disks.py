"""Small disks of the test's own: a tmpfs in a mount namespace, filled to the page or read-only."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["can_mount", "empty", "fill", "left", "make_room", "mount", "protect", "separately"]

_FILLER = "filler"


@cache
def separately() -> tuple[str, ...]:
    """Return what a command begins with to get mounts of its own; empty where that is denied."""
    if shutil.which("unshare") is None:
        return ()
    for command in (("unshare", "--mount"), ("unshare", "--user", "--map-root-user", "--mount")):
        trial = [*command, "mount", "-t", "tmpfs", "-o", "size=64k", "none", "/mnt"]
        if subprocess.run(trial, capture_output=True, check=False).returncode == 0:
            return command
    return ()


def can_mount() -> bool:
    """Whether small disks can be had here."""
    return bool(separately())


def mount(folder: Path, kilobytes: int) -> None:
    """Put an empty disk at a folder; for a process that was started `separately`."""
    folder.mkdir(parents=True, exist_ok=True)
    options = f"size={kilobytes}k,mode=1777"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=True)


def protect(folder: Path, *, protected: bool = True) -> None:
    """Make a disk read-only, or writable again."""
    mode = "ro" if protected else "rw"
    subprocess.run(["mount", "-o", f"remount,{mode}", folder], check=True)


def free_pages(folder: Path) -> int:
    """Return how many pages can still be written."""
    return os.statvfs(folder).f_bavail


def fill(folder: Path, free: int) -> None:
    """Fill a disk so that just this many pages can still be written."""
    make_room(folder)
    page = os.statvfs(folder).f_frsize
    count = free_pages(folder) - free
    if count > 0:
        (folder / _FILLER).write_bytes(bytes(page * count))


def make_room(folder: Path) -> None:
    """Undo `fill`."""
    (folder / _FILLER).unlink(missing_ok=True)


def empty(folder: Path) -> None:
    """Remove everything from a disk."""
    for path in _entries(folder):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def left(folder: Path) -> set[str]:
    """Return the names of what is on a disk, without what fills it."""
    return {path.name for path in _entries(folder)} - {_FILLER}


def _entries(folder: Path) -> Iterator[Path]:
    return folder.iterdir()
