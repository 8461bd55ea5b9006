"""Autosave: a recording of the open program, kept in case the process ends without closing it."""

from __future__ import annotations

import os
import uuid
from typing import TYPE_CHECKING

from gradstep.errors import SessionError
from gradstep.script.frame_file import has_frames, script_name
from gradstep.session.lock import lock_path
from gradstep.session.opening import log_path, program_name
from gradstep.session.recorder import leftovers, remove_stale_locks
from gradstep.session.schema import SUFFIX
from gradstep_gui.records import Leftover
from gradstep_gui.user_folders import state_folder

if TYPE_CHECKING:
    from pathlib import Path

    from gradstep.debugger import Debugger
    from gradstep.session.recorder import SessionRecorder

__all__ = ["Autosave", "RecordingsFolder", "recordings_folder", "remove_leftover", "size_of"]


class Autosave:
    """Records the open program; lives on the worker thread.

    Args:
        folder: The folder of the recordings; None to record nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._recorder: SessionRecorder | None = None
        self._debugger: Debugger | None = None

    @property
    def is_recording(self) -> bool:
        """Whether the open program is being recorded."""
        return self._recorder is not None

    def begin(self, debugger: Debugger) -> None:
        """Record another program from now on, and drop the recording of the previous one.

        That is dropped only then: at each moment one of them is complete.

        Raises:
            SessionError: It cannot be recorded; the program works without.
        """
        before, self._recorder, self._debugger = self._recorder, None, debugger
        try:
            self._recorder = self._begun(debugger)
        finally:
            if before is not None:
                before.discard()

    def follow(self, debugger: Debugger) -> None:
        """Record the Debugger that took the place of the one before, as that of a script does.

        Raises:
            SessionError: It cannot be recorded; the program works without.
        """
        if debugger is not self._debugger:
            self.begin(debugger)

    def _begun(self, debugger: Debugger) -> SessionRecorder | None:
        """Return a new recorder; None to record nothing."""
        if self._folder is None:
            return None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            remove_stale_locks(self._folder)
        except OSError as error:
            raise SessionError(
                f"{self._folder} cannot be created: {error.strerror}",
                "save often: nothing can be recovered after a crash",
            ) from error
        name = f"{os.getpid()}-{uuid.uuid4().hex[:8]}{SUFFIX}"
        return debugger.record_to(self._folder / name)

    def end(self) -> None:
        """Drop the recording: the user has closed the program, saved or not."""
        recorder, self._recorder, self._debugger = self._recorder, None, None
        if recorder is not None:
            recorder.discard()


def recordings_folder() -> Path:
    """Return the folder where the window records open programs."""
    return state_folder() / "recordings"


class RecordingsFolder:
    """The recordings that processes left behind in a folder.

    Args:
        folder: The folder of the recordings; None when nothing is recorded.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def found(self) -> tuple[Leftover, ...]:
        """Look for them; the newest is first."""
        folder = self._folder
        paths = leftovers(folder) if folder is not None and folder.is_dir() else ()
        return tuple(
            Leftover(
                path,
                script_name(path) if has_frames(path) else program_name(path),
                path.stat().st_mtime,
                size_of(path),
            )
            for path in paths
            if path.exists()
        )

    def remove(self, path: Path) -> None:
        """Remove one, with its side files.

        Raises:
            SessionError: It cannot be removed.
        """
        remove_leftover(path)


def size_of(path: Path) -> int:
    """Return the size of a recording and its log, in bytes."""
    return sum(part.stat().st_size for part in (path, log_path(path)) if part.exists())


def remove_leftover(path: Path) -> None:
    """Remove a recording and its side files.

    Raises:
        SessionError: It cannot be removed.
    """
    try:
        for part in (path, log_path(path), lock_path(path)):
            part.unlink(missing_ok=True)
    except OSError as error:
        raise SessionError(
            f"the recording {path} cannot be removed: {error.strerror or error}",
            "delete it by hand; until then it is offered at each start",
        ) from error
