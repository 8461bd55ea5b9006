"""Atomic writes: a file is replaced as a whole, or stays as it was."""

from __future__ import annotations

import contextlib
import glob
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from gradstep.errors import SerializationError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["drafts_of", "replacing", "resolve_links", "write_text"]


_DRAFT = ".{}-{}.draft"


def resolve_links(path: Path) -> Path:
    """Return the file that a path leads to through its symbolic links, or the path itself.

    A link that is part of a ring is returned as it is, and so is a link to something that is no
    file, such as the pipe behind `/dev/stdout`: it cannot be replaced.
    """
    if not path.is_symlink() or (path.exists() and not path.is_file()):
        return path
    return Path(os.path.realpath(path))


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield an empty draft file that replaces `target` when the block ends without an error.

    Until then, and when anything fails, `target` stays as it was. The data are on the disk before
    `target` is replaced, so that a power failure leaves the old file or the new one. The new file
    gets the permissions of the old one. What is not a file, such as
    `/dev/stdout`, is yielded itself.

    Args:
        target: The file to replace; its folder must exist. Of a symbolic link, the file it leads to
            is replaced.

    Raises:
        OSError: The draft cannot be created or written to the disk, or cannot replace `target`.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with replacing(Path(folder, "a.txt")) as draft:
        ...         _ = draft.write_text("whole")
        ...     Path(folder, "a.txt").read_text()
        'whole'
    """
    target = resolve_links(target)
    if target.exists() and not target.is_file():
        yield target
        return
    draft = target.with_name(_DRAFT.format(target.name, secrets.token_hex(4)))
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    draft.touch(0o666 if mode is None else 0o600, exist_ok=False)  # no new readers
    try:
        yield draft
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        if mode is not None:
            draft.chmod(mode)
        draft.replace(target)
        with contextlib.suppress(OSError):  # the new file stands, whatever the folder permits
            _sync_folder(target.parent)
    finally:
        draft.unlink(missing_ok=True)


def drafts_of(target: Path) -> list[Path]:
    """Return the drafts of a file that are being written, or were when their process was killed."""
    return list(target.parent.glob(_DRAFT.format(glob.escape(target.name), "*")))


def write_text(path: Path, text: str) -> None:
    """Replace a file by a text in UTF-8, atomically.

    Args:
        path: The file; it need not exist yet.
        text: The text.

    Raises:
        SerializationError: The file cannot be written; it stays as it was.
    """
    try:
        with replacing(path) as draft:
            draft.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise SerializationError(
            f"{path} cannot be written: {error.strerror or error}", "choose another folder or name"
        ) from error


def _sync_folder(folder: Path) -> None:
    """Write the folder's entries to the disk, so that the replacement survives a power failure."""
    if os.name == "nt":  # Windows opens no folders
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
