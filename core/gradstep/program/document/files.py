"""Read program documents and the files that they name, which must be inside their folder."""

from __future__ import annotations

from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias

from gradstep.errors import ProgramError
from gradstep.program.schema.limits import MAX_BYTES, MAX_DATA_BYTES
from gradstep.program.suggestions import choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

__all__ = [
    "CachedFiles",
    "Files",
    "FolderFiles",
    "InMemoryFiles",
    "Take",
    "read_bytes",
    "reject_other_file_types",
]

_TABLE = "holds data, not a program or a session", "add it to a program as a data set of kind {}"
_SCRIPT = (
    "is Python code, not a program or a session",
    "record it with gradstep record, or open it in the window",
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


Take: TypeAlias = "Callable[[Iterator[bytes]], bytes] | None"
"""Takes what is needed from the lines of a file, from the first; None to take the whole file."""


class Files(Protocol):
    """Reads files by their path in the program."""

    def read(self, path: str, place: str, take: Take = None) -> bytes:
        """Return what `take` takes from the file at `path`; errors name `place` in the document."""
        ...


class FolderFiles:
    """Files of a folder.

    Args:
        folder: The program's folder; None for a program that has not been saved.

    Example:
        >>> FolderFiles(None).read("b.csv", "$.data.b.path")
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.data.b.path: the program is not saved, so 'b.csv' cannot be
        found; save it in the folder of the file
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def read(self, path: str, place: str, take: Take = None) -> bytes:
        """Return the bytes of a file in the folder, or what `take` takes; links are followed."""
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
        if not found.is_relative_to(folder):
            raise ProgramError(
                place, f"{path!r} is outside the program's folder", "put the file in that folder"
            )
        return _read_data(found, place, take)


class InMemoryFiles:
    """Files in memory, such as those that a session contains.

    Args:
        contents: The bytes of each file, by its path in the program.
    """

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents = contents

    def read(self, path: str, place: str, take: Take = None) -> bytes:
        """Return the bytes of the file at `path`, or what `take` takes."""
        if path not in self._contents:
            raise ProgramError(place, f"there is no file {path!r}", choices(self._contents))
        raw = self._contents[path]
        return raw if take is None else take(iter(BytesIO(raw)))


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

    def read(self, path: str, place: str, take: Take = None) -> bytes:
        """Return the bytes of a file, or what `take` takes, and keep them."""
        raw = self._files.read(path, place, take)
        if len(self.contents.setdefault(path, raw)) != len(raw):
            raise ProgramError(
                place,
                f"another data set reads another part of {path}",
                "give both the same limit, or make two files of it",
            )
        return raw


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a document named by the user; reject it if it is too large."""
    with _opened(path, "") as file:
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise ProgramError("", f"{path} is larger than {MAX_BYTES >> 20} MB", "use a smaller file")
    return raw


def _read_data(path: Path, place: str, take: Take) -> bytes:
    """Return the bytes of a data file, or what `take` takes of them."""
    with _opened(path, place) as file:
        raw = file.read(MAX_DATA_BYTES + 1) if take is None else take(_lines(file))
    if len(raw) > MAX_DATA_BYTES:
        remedy = 'of a CSV file, read the first rows, with "limit": 100000; of an array, save fewer'
        raise ProgramError(place, f"{path} is larger than {MAX_DATA_BYTES >> 20} MB", remedy)
    return raw


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, up to a little more than the most that may be read."""
    size = 0
    while size <= MAX_DATA_BYTES and (line := file.readline(MAX_DATA_BYTES + 1)):
        size += len(line)
        yield line


@contextmanager
def _opened(path: Path, place: str) -> Iterator[BinaryIO]:
    try:
        if path.is_dir():
            raise ProgramError(place, f"{path} is a folder", "name a file in it")
        with path.open("rb") as file:
            yield file
    except (FileNotFoundError, NotADirectoryError):
        raise ProgramError(place, f"there is no file {path}", "check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ProgramError(place, f"cannot read {path}: {reason}", "check the file") from None


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
