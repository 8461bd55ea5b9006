"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gradstep.errors import SerializationError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["replacing", "write_text"]


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give an empty file that takes the place of another once it has been written.

    Until then, and when anything fails, what was at `target` stays. What takes its place has its
    permissions.

    Args:
        target: Where to; its folder must be there.

    Raises:
        OSError: The file cannot be made, or cannot take that place.

    Example:
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with replacing(Path(folder, "a.txt")) as draft:
        ...         _ = draft.write_text("whole")
        ...     Path(folder, "a.txt").read_text()
        'whole'
    """
    handle, name = tempfile.mkstemp(".draft", f".{target.name}-", target.parent)
    os.close(handle)
    draft = Path(name)
    try:
        _set_permissions(draft, target)
        yield draft
        draft.replace(target)
        _sync_folder(target.parent)
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, whole or not at all.

    Args:
        path: Where to; a file that is there is replaced.
        text: What to write, as UTF-8.

    Raises:
        SerializationError: The file cannot be written; what was there stays.
    """
    try:
        with replacing(path) as draft:
            draft.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise SerializationError(
            f"{path} cannot be written: {error.strerror or error}", "write it in another place"
        ) from error


def _set_permissions(draft: Path, target: Path) -> None:
    """Give the draft the permissions of what it replaces, or those of any new file."""
    if target.exists():
        draft.chmod(target.stat().st_mode & 0o777)
        return
    mask = os.umask(0)
    os.umask(mask)
    draft.chmod(0o666 & ~mask)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power failure, where the system lets a folder be synced."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
