"""Read program documents and the files that they name, which must be inside their folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gradstep.errors import ProgramError
from gradstep.program.schema.limits import MAX_BYTES
from gradstep.program.suggestions import choices

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "CachedFiles",
    "Files",
    "FolderFiles",
    "InMemoryFiles",
    "read_bytes",
    "reject_other_file_types",
]

_TABLE = "holds data, not a program or a session", "add it to a program as a data set of kind {}"
_SCRIPT = (
    "is Python code, which GradStep does not run",
    "describe its data, modules, losses and optimizers in a program document (.json)",
)
_WEIGHTS = (
    "holds the weights of a model, not a program or a session",
    "open a program (.json) or a session (.gradstep)",
)
_OTHER_TYPES = {
    ".csv": (_TABLE[0], _TABLE[1].format("csv")),
    ".tsv": (_TABLE[0], _TABLE[1].format("csv")),
    ".npy": (_TABLE[0], _TABLE[1].format("npy")),
    ".py": _SCRIPT,
    ".ipynb": _SCRIPT,
    ".pt": _WEIGHTS,
    ".pth": _WEIGHTS,
    ".ckpt": _WEIGHTS,
    ".safetensors": _WEIGHTS,
    ".onnx": _WEIGHTS,
}


class Files(Protocol):
    """Reads files by their path in the program."""

    def read(self, path: str, place: str) -> bytes:
        """Return the bytes of the file at `path`; errors name `place` in the document."""
        ...


class FolderFiles:
    """Files of a folder.

    Args:
        folder: The program's folder; None for a program that has not been saved.
        allow_outside: Follow paths out of the folder, since the user has picked them.

    Example:
        >>> FolderFiles(None).read("b.csv", "$.data.b.path")
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.data.b.path: the program is not saved, so 'b.csv' cannot be
        found; save it in the folder of the file
    """

    def __init__(self, folder: Path | None, *, allow_outside: bool = False) -> None:
        self._folder = folder
        self._allow_outside = allow_outside

    def read(self, path: str, place: str) -> bytes:
        """Return the bytes of a file in the folder; links are followed."""
        if self._folder is None:
            raise ProgramError(
                place,
                f"the program is not saved, so {path!r} cannot be found",
                "save it in the folder of the file",
            )
        try:
            folder = self._folder.resolve()
            found = (folder / path).resolve()
        except (OSError, RuntimeError, ValueError):
            raise ProgramError(place, f"{path!r} is not a path", "name a file") from None
        if not self._allow_outside and not found.is_relative_to(folder):
            raise ProgramError(
                place, f"{path!r} is outside the program's folder", "put the file in that folder"
            )
        return read_bytes(found, place)


class InMemoryFiles:
    """Files in memory, such as those that a session contains.

    Args:
        contents: The bytes of each file, by its path in the program.
    """

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents = contents

    def read(self, path: str, place: str) -> bytes:
        """Return the bytes of the file at `path`."""
        if path not in self._contents:
            raise ProgramError(place, f"there is no file {path!r}", choices(self._contents))
        return self._contents[path]


class CachedFiles:
    """Files whose contents are kept in memory after they are read.

    Args:
        files: The source of the files.

    Attributes:
        contents: The bytes of the files read so far, by path.

    Example:
        >>> files = CachedFiles(InMemoryFiles({"b.csv": b"u,y"}))
        >>> files.read("b.csv", "$")
        b'u,y'
        >>> files.contents
        {'b.csv': b'u,y'}
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self.contents: dict[str, bytes] = {}

    def read(self, path: str, place: str) -> bytes:
        """Return the bytes of a file and keep them."""
        self.contents[path] = raw = self._files.read(path, place)
        return raw


def read_bytes(path: Path, place: str = "") -> bytes:
    """Return the bytes of a file named by the user; reject it if it is too large."""
    try:
        if path.is_dir():
            raise ProgramError(place, f"{path} is a folder", "name a file in it")
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise ProgramError(place, f"there is no file {path}", "check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ProgramError(place, f"cannot read {path}: {reason}", "check the file") from None
    if len(raw) > MAX_BYTES:
        raise ProgramError(
            place, f"{path} is larger than {MAX_BYTES >> 20} MB", "use a smaller file"
        )
    return raw


def reject_other_file_types(path: Path) -> None:
    """Reject an existing file whose suffix belongs to another file type.

    Args:
        path: The file to open.

    Raises:
        ProgramError: If the file exists and has the suffix of another type; names the type.

    Example:
        >>> from pathlib import Path
        >>> reject_other_file_types(Path("iris.json"))
    """
    other = _OTHER_TYPES.get(path.suffix.lower())
    if other is not None and path.is_file():
        message, remedy = other
        raise ProgramError("", f"{path.name} {message}", remedy)
