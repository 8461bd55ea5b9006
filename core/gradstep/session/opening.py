"""Opening session files, which are not trusted: nothing is used before it has been checked."""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
import struct
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gradstep.atomic_write import resolve_links
from gradstep.errors import ProgramError, SerializationError, SessionError
from gradstep.program.document import codec
from gradstep.program.schema.limits import MAX_BYTES
from gradstep.session.lock import in_use, is_locked
from gradstep.session.schema import APPLICATION_ID, SUFFIX, VERSION, check_schema, migrate

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "DATABASE_MAGIC",
    "check_output",
    "format_version",
    "has_log",
    "is_session",
    "log_path",
    "opened",
    "program_name",
    "rank_path",
    "remedy_for_missing",
    "unfinished_path",
]

DATABASE_MAGIC = b"SQLite format 3\x00"
"""The first bytes of every session, and of other databases."""
_HEADER = 100
_KINDS = {
    SUFFIX: "a session",
    ".json": "a program",
    ".py": "a Python script",
    **dict.fromkeys((".csv", ".tsv", ".npy", ".npz"), "a file of data"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".bmp", ".svg", ".pdf"), "a picture"),
}
"""The kinds of files, by their usual suffixes."""
_LOGGED = 2  # "File format version numbers" in "Database File Format" of SQLite's docs
_LARGEST_FILE = 4 << 30
_LARGEST_VALUE = 1 << 30
_SLOWEST_OPENING_S = 60.0
_INSTRUCTIONS_PER_CLOCK_CHECK = 20_000
# Nothing a session needs comes near these; after "Defense Against The Dark Arts" in SQLite's docs.
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: _LARGEST_VALUE,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 50,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 20,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 3,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 8,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 50,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 20,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
}
_REMEDY = "open a copy or an autosave of it"
# What damaged bytes may raise, besides our own errors, until all records are read.
_DAMAGE = (
    sqlite3.Error,
    msgspec.MsgspecError,
    UnicodeError,
    RecursionError,
    OverflowError,
    ValueError,
    TypeError,
    MemoryError,
)


def is_session(path: Path) -> bool:
    """Whether a file is a session, by its content.

    A missing, empty or damaged file is a session when its suffix is that of sessions: opening it
    then reports what is wrong with the session.

    Example:
        >>> from pathlib import Path
        >>> is_session(Path("nowhere.gradstep")), is_session(Path("nowhere.json"))
        (True, False)
    """
    header = _header(path)
    if header.startswith(DATABASE_MAGIC) and _application_id(header) == APPLICATION_ID:
        return True
    return path.suffix == SUFFIX and not _is_document(header)


def rank_path(path: Path, rank: int | str) -> Path:
    """Return the file for one rank of a distributed script.

    Args:
        path: The file that was chosen, for all ranks or for another one.
        rank: The rank, such as 1, or "1.2" for its second process.

    Example:
        >>> rank_path(Path("run.gradstep"), 1), rank_path(Path("run.rank0.gradstep"), 1)
        (PosixPath('run.rank1.gradstep'), PosixPath('run.rank1.gradstep'))
    """
    stem = re.sub(r"\.rank\d+$", "", path.stem)
    return path.with_name(f"{stem}.rank{rank}{path.suffix or SUFFIX}")


def check_output(path: Path, suffix: str) -> None:
    """Check that writing a file of one kind replaces no file of another kind.

    What exists is judged by its content, and what does not exist by its name.

    Args:
        path: The file to write.
        suffix: The usual suffix of what is to be written: ".gradstep", ".py" or ".png".

    Raises:
        SerializationError: The path belongs to a file of another kind.

    Example:
        >>> from pathlib import Path
        >>> check_output(Path("nowhere.gradstep"), ".py")
        Traceback (most recent call last):
        gradstep.errors.SerializationError: nowhere.gradstep is named as a session, not ...
    """
    is_document = _is_document(_header(path))
    found = SUFFIX if is_session(path) else ".json" if is_document else path.suffix.lower()
    if found in _KINDS and _KINDS[found] != _KINDS[suffix]:
        verb, no = ("is", "not") if path.exists() else ("is named as", "not as")
        raise SerializationError(
            f"{path} {verb} {_KINDS[found]}, {no} {_KINDS[suffix]}",
            f"choose another name, which ends in {suffix}",
        )


def _header(path: Path) -> bytes:
    """Return the first bytes of a file; none when it cannot be read."""
    if not path.is_file():  # a pipe would wait for a writer
        return b""
    with contextlib.suppress(OSError), path.open("rb") as file:
        return file.read(_HEADER)
    return b""


def _is_document(header: bytes) -> bool:
    """Whether a file with these first bytes is a JSON document."""
    return header.lstrip().startswith(b"{")


@contextlib.contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a session file for reading, without changing it.

    If its recording was interrupted, a copy is completed from the write-ahead log; if its format is
    older, a copy is migrated.

    Args:
        path: A `.gradstep` file.

    Raises:
        SessionError: The file is not a sound session; also raised for damage that is found inside
            the `with` block.
    """
    path = resolve_links(path)  # its log and its lock are beside the file, not beside a link to it
    try:
        with contextlib.ExitStack() as stack:
            header = _inspected_header(path)
            version = _version(header)
            interrupted = _was_interrupted(header)
            if interrupted or version < VERSION:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="gradstep-"))
                copy = Path(shutil.copy(path, folder))
                if interrupted and log_path(path).exists():
                    shutil.copy(log_path(path), folder)
                connection = stack.enter_context(_connected(copy, "rw"))
                migrate(connection, version)
            else:
                # Immutable: SQLite takes no locks, replays no journal and writes nothing.
                connection = stack.enter_context(_connected(path, "ro&immutable=1"))
            _check(connection)
            yield connection
    except SessionError as error:
        if error.remedy:
            raise
        raise SessionError(f"{path.name} is damaged: {error.message}", _REMEDY) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise SessionError(f"{path.name} cannot be read: {reason}", "check the file") from error
    except _DAMAGE as error:
        if "interrupted" in str(error):
            raise SessionError(
                f"{path.name} takes more than {_SLOWEST_OPENING_S:.0f} s to check",
                "it is damaged or too large; open a copy or an autosave",
            ) from error
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise SessionError(f"{path.name} is damaged: {reason}", _REMEDY) from error


def program_name(path: Path) -> str:
    """Return the name of the program that a session holds, without reading or checking the rest.

    Args:
        path: The file; it may be damaged, or be recorded to.

    Returns:
        The name; empty when it cannot be read.

    Example:
        >>> from pathlib import Path
        >>> program_name(Path("nowhere.gradstep"))
        ''
    """
    with contextlib.suppress(ProgramError, *_DAMAGE), _connected(path, "ro&immutable=1") as reader:
        row = reader.execute(
            "SELECT body FROM spec WHERE length(body) <= ?", (MAX_BYTES,)
        ).fetchone()
        return "" if row is None else codec.decode_outline(row[0]).name
    return ""


def log_path(path: Path) -> Path:
    """Return the path of a session file's write-ahead log."""
    return path.with_name(f"{path.name}-wal")


def unfinished_path(session: Path, number: int = 1) -> Path:
    """Return the path of a script's recording before it becomes a session.

    Args:
        session: The session.
        number: Counts recordings that were not finished, from 1.

    Example:
        >>> from pathlib import Path
        >>> unfinished_path(Path("run.gradstep")).name
        'run.unfinished.gradstep'
        >>> unfinished_path(Path("run.gradstep"), 2).name
        'run.unfinished-2.gradstep'
    """
    mark = f"-{number}" if number > 1 else ""
    return session.with_name(f"{session.stem}.unfinished{mark}{SUFFIX}")


def remedy_for_missing(path: Path) -> str:
    """Return what to do where a file does not exist."""
    unfinished = unfinished_path(path)
    if path.suffix == SUFFIX and unfinished.is_file():
        return f"its recording was not finished: open {unfinished}"
    return "check the path"


def has_log(path: Path) -> bool:
    """Whether a session file has a write-ahead log of its own."""
    return log_path(path).exists() and _was_interrupted(_inspected_header(path))


def format_version(path: Path) -> int:
    """Return the format version of a session file; reads only its header.

    Raises:
        SessionError: The file is not a session, or its format is newer than this GradStep.
    """
    return _version(_inspected_header(path))


def _inspected_header(path: Path) -> bytes:
    name = path.name
    if not path.exists():
        raise SessionError(f"there is no file {path}", remedy_for_missing(path))
    if not path.is_file():
        raise SessionError(f"{path} is not a file", "choose a .gradstep file")
    if is_locked(path):
        raise in_use(path, "close it there first")
    size = path.stat().st_size
    with path.open("rb") as file:
        header = file.read(_HEADER)
    if not header:
        raise SessionError(f"{name} is empty", "choose another file")
    if not header.startswith(DATABASE_MAGIC) or len(header) < _HEADER:
        raise SessionError(f"{name} is not a session", "open a file that GradStep has saved")
    if _application_id(header) != APPLICATION_ID:
        raise SessionError(
            f"{name} is a database of another program", "open a file that GradStep has saved"
        )
    if size > _LARGEST_FILE:
        raise SessionError(
            f"{name} is larger than {_LARGEST_FILE >> 30} GB", "choose a smaller one"
        )
    return header


def _application_id(header: bytes) -> int | None:
    """Return the application id in the header of a database; None when the header is cut off."""
    return struct.unpack_from(">I", header, 68)[0] if len(header) == _HEADER else None


def _version(header: bytes) -> int:
    version = int(struct.unpack_from(">I", header, 60)[0])
    if version > VERSION:
        raise SessionError(
            f"the session has format {version}; this GradStep reads formats up to {VERSION}",
            "open it with a newer GradStep",
        )
    return version


def _was_interrupted(header: bytes) -> bool:
    """Whether the recording was interrupted, so that its end may be in a log beside the file.

    SQLite marks the header before it creates the log, and unmarks it after deleting the log. A log
    beside an unmarked file belongs to an earlier file of that name, and would damage this one.
    """
    return header[18] == _LOGGED or header[19] == _LOGGED


@contextlib.contextmanager
def _connected(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        for limit, most in _LIMITS.items():
            connection.setlimit(limit, most)
        deadline = time.monotonic() + _SLOWEST_OPENING_S
        connection.set_progress_handler(
            lambda: time.monotonic() > deadline, _INSTRUCTIONS_PER_CLOCK_CHECK
        )
        for pragma in (
            "trusted_schema = OFF",
            "cell_size_check = ON",
            "mmap_size = 0",
            "temp_store = MEMORY",
        ):
            connection.execute(f"PRAGMA {pragma}")
        yield connection
    finally:
        connection.close()


def _check(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only = ON")
    check_schema(connection)
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != ("ok",):
        raise SessionError(f"the file is damaged: {str(verdict[0])[:200]}", _REMEDY)
