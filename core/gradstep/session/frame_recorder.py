"""FrameRecorder: what a script sends, in a file beside the session that it will become.

A recording without a window is a session only once the script has ended. Until then it is kept
here as it arrives, in the format of `gradstep_agent.record`: if GradStep is killed, the file opens
as what was recorded so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gradstep.errors import SessionError
from gradstep.script.frames import MAX_ARGUMENTS, MAX_TEXT, Checkpoint, Hello
from gradstep.session.lock import SessionLock, in_use, is_locked
from gradstep.session.opening import unfinished_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gradstep.script.command import ScriptCommand
    from gradstep.script.frames import Frame

__all__ = ["FrameRecorder"]


class FrameRecorder:
    """Writes the frames of a script to a new file, as they arrive.

    What was written survives the end of this process, however it ends. A disk that is full ends the
    writing, not the recording.

    Args:
        session: The session that the recording will become; the file is beside it.
        command: What is recorded.
        report: Called once, with a sentence, if the file cannot be written any more.

    Attributes:
        path: The file.
        earlier: Files of earlier recordings of this session that were not finished.

    Raises:
        SessionError: The file cannot be created, or the session is in use.
    """

    def __init__(
        self, session: Path, command: ScriptCommand, report: Callable[[str], None]
    ) -> None:
        if session.is_dir():
            raise SessionError(f"{session} is a folder", "choose another name")
        if is_locked(session):
            raise in_use(session, "choose another name")
        self.earlier: list[Path] = []
        self._command = command
        self._report = report
        self._is_written = True
        number = 1
        while True:
            self.path = unfinished_path(session, number)
            if not self._is_taken():
                break
            number += 1

    def _is_taken(self) -> bool:
        """Open the file, unless there is one already."""
        path = self.path
        if path.exists():
            if not is_locked(path):
                self.earlier.append(path)
            return True
        try:
            self._lock = SessionLock(path)
        except SessionError as error:
            if is_locked(path):
                return True
            raise SessionError(error.message, "choose another folder") from None
        try:
            self._file = path.open("xb", buffering=0)
        except FileExistsError:  # another process has just created it, and ended
            self._lock.release()
            return True
        except OSError as error:
            self._lock.release()
            raise SessionError(
                f"{path} cannot be written: {error.strerror}", "choose another folder"
            ) from None
        return False

    @property
    def is_empty(self) -> bool:
        """Whether nothing has arrived."""
        return self._is_written and not self._file.tell()

    def take(self, frame: Frame, body: bytes) -> None:
        """Write a frame that has arrived."""
        if not self._is_written or isinstance(frame, Checkpoint):  # its process will have ended
            return
        if isinstance(frame, Hello):
            frame = self._described(frame)
        header = msgspec.json.encode(msgspec.structs.replace(frame, ring=None))
        sizes = len(header).to_bytes(4, "little") + len(body).to_bytes(4, "little")
        try:
            self._write(sizes + header)
            self._write(body)
        except OSError as error:
            self._is_written = False
            self._report(
                f"{self.path} cannot be written any more: {error.strerror}; the script continues, "
                "and is recorded in memory until it ends"
            )

    def _described(self, frame: Hello) -> Hello:
        """Return the first frame with the name of the script, which its process may not know."""
        arguments = [text[:MAX_TEXT] for text in self._command.arguments[:MAX_ARGUMENTS]]
        return msgspec.structs.replace(
            frame, script=self._command.name[:MAX_TEXT], arguments=arguments
        )

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._file.write(rest) :]

    def close(self) -> None:
        """End the writing, and leave the file."""
        if not self._file.closed:
            self._file.close()
            self._lock.release()

    def discard(self) -> None:
        """Delete the file: a session has all of it.

        Raises:
            SessionError: It cannot be deleted.
        """
        self._file.close()
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise SessionError(
                f"{self.path} cannot be deleted: {error.strerror}", "delete it by hand"
            ) from error
        finally:
            self._lock.release()
