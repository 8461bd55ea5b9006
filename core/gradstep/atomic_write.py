"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from gradstep.errors import SerializationError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["followed", "replacing", "write_text"]


def followed(path: Path) -> Path:
    """Return the file that a path means: where its links lead, or itself.

    Links in a ring lead nowhere; one of them is then what is meant. So is a link to a pipe, as
    `/dev/stdout` may be: what it names has no place in a folder.
    """
    if not path.is_symlink() or (path.exists() and not path.is_file()):
        return path
    return Path(os.path.realpath(path))


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give an empty file that takes the place of another once it has been written.

    Until then, and when anything fails, what was at `target` stays. What takes its place has its
    permissions. What is no file, such as `/dev/stdout`, is given itself: nothing takes its place.

    Args:
        target: Where to; its folder must be there. A link stays, and the file it leads to is meant.

    Raises:
        OSError: The file cannot be made, or cannot take that place.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with replacing(Path(folder, "a.txt")) as draft:
        ...         _ = draft.write_text("whole")
        ...     Path(folder, "a.txt").read_text()
        'whole'
    """
    target = followed(target)
    if target.exists() and not target.is_file():
        yield target
        return
    draft = target.with_name(f".{target.name}-{secrets.token_hex(4)}.draft")
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    draft.touch(0o666 if mode is None else 0o600, exist_ok=False)  # nobody sees more than before
    try:
        yield draft
        if mode is not None:
            draft.chmod(mode)
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


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power failure, where the system lets a folder be synced."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
