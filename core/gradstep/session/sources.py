"""The data files that a program names: taken into a session, and put back for a program to read."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from gradstep.errors import SessionError
from gradstep.program.data_spec import Csv, Npy
from gradstep.program.document import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gradstep.program.spec import ProgramSpec

__all__ = ["check_path", "embedded", "unpacked"]

_LONGEST_PATH = 255
_PATH_FIELDS = {Csv: ("path",), Npy: ("inputs", "targets")}


def embedded(spec: ProgramSpec, folder: Path) -> tuple[ProgramSpec, dict[str, bytes]]:
    """Return a spec that names its data files by paths of a session, and those files.

    Args:
        spec: A program.
        folder: Where its relative paths begin.

    Raises:
        ProgramError: When a file cannot be read.
    """
    files: dict[str, bytes] = {}
    data = dict(spec.data)
    for name, source in spec.data.items():
        inside: dict[str, str] = {}
        for field in _PATH_FIELDS.get(type(source), ()):
            path = getattr(source, field)
            if path is not None:
                inside[field] = f"data/{name}.{field}{Path(path).suffix}"
                files[inside[field]] = read_bytes(folder / path, f"$.data.{name}.{field}")
        data[name] = msgspec.structs.replace(source, **inside)
    return msgspec.structs.replace(spec, data=data), files


def check_path(path: str) -> None:
    """Refuse a path that would leave the folder it is unpacked into.

    Raises:
        SessionError: When it would, or when some system could not hold it.
    """
    parts = PurePosixPath(path).parts
    if (
        not parts
        or PurePosixPath(path).is_absolute()
        or ".." in parts
        or len(path) > _LONGEST_PATH
        or any(character in path for character in '\\:*?"<>|\0')
        or not path.isprintable()
    ):
        raise SessionError(f"the session holds a file with the unsafe path {path[:80]!r}")


@contextlib.contextmanager
def unpacked(files: Mapping[str, bytes]) -> Iterator[Path]:
    """Give a folder that holds a session's files while a program is built from them."""
    with tempfile.TemporaryDirectory(prefix="gradstep-") as name:
        folder = Path(name)
        for path, body in files.items():
            check_path(path)
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(body)
        yield folder
