"""Files of frames: what a process has recorded itself with `gradstep_agent.record(path)`."""

from __future__ import annotations

import contextlib
from pathlib import PurePath
from typing import TYPE_CHECKING

from gradstep.errors import ScriptError
from gradstep.script.frame_reader import FrameReader
from gradstep.script.frames import HEADER_BYTES, Hello
from gradstep.script.tape import RECORDING_BYTES, ScriptRun, Tape
from gradstep.script.tape_writer import TapeWriter

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["has_frames", "read_frames", "script_name"]

_START = b'{"type":"hello"'
_CHUNK = 1 << 20


def has_frames(path: Path) -> bool:
    """Return whether a file begins as those that an agent writes."""
    if not path.is_file():
        return False
    with contextlib.suppress(OSError), path.open("rb") as file:
        return file.read(HEADER_BYTES + len(_START))[HEADER_BYTES:] == _START
    return False


def script_name(path: Path) -> str:
    """Return the script that a file of frames is of, reading only its beginning.

    Args:
        path: The file.

    Returns:
        Its name; empty when it cannot be told.

    Example:
        >>> from pathlib import Path
        >>> script_name(Path("nowhere.gradstep"))
        ''
    """
    with contextlib.suppress(OSError, ScriptError), path.open("rb") as file:
        for frame, _body in FrameReader().feed(file.read(_CHUNK)):
            if isinstance(frame, Hello):
                return PurePath(frame.script).name
    return ""


def read_frames(path: Path) -> Tape:
    """Return what a process has recorded; of one that was killed, what it did until then.

    Args:
        path: The file.

    Raises:
        ScriptError: The file cannot be read, or holds something else before any Event.
    """
    tape = Tape(ScriptRun(path.name))
    writer, reader = TapeWriter(tape), FrameReader()
    lost = "the process ended without a last message, or still runs"
    try:
        with path.open("rb") as file:
            while data := file.read(_CHUNK):
                for frame, body in reader.feed(data):
                    writer.take(frame, body)
                if tape.memory + reader.kept_bytes > RECORDING_BYTES:
                    taken = f"{RECORDING_BYTES >> 20:,} MB"
                    lost = f"the recording is read to here: its values take {taken}"
                    break
    except OSError as error:
        raise ScriptError(f"{path} cannot be read: {error.strerror}", "check the file") from None
    except ScriptError as error:
        if not tape.rows:
            raise
        lost = error.message
    writer.finish(tape.run.lost or lost)
    return tape
