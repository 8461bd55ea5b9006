"""The files that a program names: found beside it, and never outside its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gradstep.errors import ProgramError
from gradstep.program.document.codec import read_bytes
from gradstep.program.suggestions import choices

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Files", "FolderFiles", "HeldFiles", "RecordedFiles"]


class Files(Protocol):
    """Gives the bytes of a file by the path that the program names it with."""

    def read(self, path: str, place: str) -> bytes:
        """Return the bytes of the file at `path`; blame `place` when there is none."""
        ...


class FolderFiles:
    """Files of a folder.

    Args:
        folder: The program's folder; None when the program has none, as one just typed.
        allow_outside: Follow paths out of the folder, since the user has picked them.

    Example:
        >>> FolderFiles(None).read("b.csv", "$.data.b.path")
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.data.b.path: the program has no folder to find 'b.csv' in;
        save it beside the file
    """

    def __init__(self, folder: Path | None, *, allow_outside: bool = False) -> None:
        self._folder = folder
        self._allow_outside = allow_outside

    def read(self, path: str, place: str) -> bytes:
        """Return the bytes of a file in the folder, links followed."""
        if self._folder is None:
            raise ProgramError(
                place, f"the program has no folder to find {path!r} in", "save it beside the file"
            )
        try:
            folder = self._folder.resolve()
            found = (folder / path).resolve()
        except (OSError, RuntimeError, ValueError):
            raise ProgramError(place, f"{path!r} is not a path", "name a file") from None
        if not self._allow_outside and not found.is_relative_to(folder):
            raise ProgramError(
                place, f"{path!r} leaves the program's folder", "put the file beside the program"
            )
        return read_bytes(found, place)


class HeldFiles:
    """Files held in memory, as a session file carries them.

    Args:
        held: Bytes by the path that the program names them with.
    """

    def __init__(self, held: Mapping[str, bytes]) -> None:
        self._held = held

    def read(self, path: str, place: str) -> bytes:
        """Return the bytes held under `path`."""
        if path not in self._held:
            raise ProgramError(place, f"there is no file {path!r}", choices(self._held))
        return self._held[path]


class RecordedFiles:
    """Files that are remembered as they are read.

    Args:
        files: Where they are found.

    Attributes:
        held: What was read, by path.

    Example:
        >>> files = RecordedFiles(HeldFiles({"b.csv": b"u,y"}))
        >>> files.read("b.csv", "$")
        b'u,y'
        >>> files.held
        {'b.csv': b'u,y'}
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self.held: dict[str, bytes] = {}

    def read(self, path: str, place: str) -> bytes:
        """Return the bytes of a file, and remember them."""
        self.held[path] = raw = self._files.read(path, place)
        return raw
