"""Records a script on a thread of its own, while the open program stays usable."""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError, ScriptError, SessionError
from gradstep.script.mirror import Mirror
from gradstep.script.process import ScriptProcess
from gradstep.session.frame_recorder import FrameRecorder
from gradstep.session.schema import SUFFIX
from gradstep_gui.records import Failure
from gradstep_gui.worker.updates import FailureUpdate, RecordingUpdate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gradstep.script.command import ScriptCommand
    from gradstep.script.output_reader import OutputReader
    from gradstep.script.tape import ScriptRun
    from gradstep_gui.worker.worker_thread import WorkerThread

__all__ = ["RecordedScript", "record_script", "started"]


@dataclass(frozen=True, slots=True)
class RecordedScript:
    """A script that was recorded.

    Attributes:
        debugger: The Debugger of what it did, at its end.
        frames: The file that keeps it until then; None for none.
    """

    debugger: Debugger
    frames: FrameRecorder | None

    def discard_frames(self) -> None:
        """Delete the file: it is recorded elsewhere, or not wanted any more."""
        if self.frames is not None:
            self.frames.discard()


def record_script(
    command: ScriptCommand,
    thread: WorkerThread,
    should_stop: Callable[[], bool],
    output: OutputReader,
    recordings: Path | None = None,
) -> RecordedScript:
    """Run a script to its end, and return what it did.

    Args:
        command: What to run.
        thread: The thread that this is called on; it posts the progress.
        should_stop: True ends the script; what it did until then is recorded.
        output: Reads what it prints.
        recordings: The folder that keeps what it does meanwhile; None to keep it in memory alone.

    Raises:
        ScriptError: It cannot be started, or nothing of it was recorded.
    """
    frames = None if recordings is None else _begun(recordings, command, thread)
    try:
        return RecordedScript(_recorded(command, thread, should_stop, output, frames), frames)
    except GradStepError:
        if frames is not None:
            frames.discard()
        raise


def _recorded(
    command: ScriptCommand,
    thread: WorkerThread,
    should_stop: Callable[[], bool],
    output: OutputReader,
    frames: FrameRecorder | None,
) -> Debugger:
    process = started(command, output)
    process.keep_frame = None if frames is None else frames.take
    rows, name = process.tape.rows, PurePath(command.script).name

    def look() -> bool:
        thread.post(RecordingUpdate(name, len(rows)))
        return should_stop()

    try:
        process.run(look)
    except ScriptError:
        if not rows:  # else the recording says why it ends
            raise
    if not rows:
        raise _nothing(name, process.tape.run)
    debugger = Debugger(Mirror(process.tape))
    debugger.follow()
    return debugger


def started(command: ScriptCommand, output: OutputReader) -> ScriptProcess:
    """Return a script that was started, and whose output is read.

    Raises:
        ScriptError: It cannot be started.
    """
    try:
        return ScriptProcess(command, share=0, goes_on=False, output=output)
    except ScriptError:
        output.cancel()
        raise


def _begun(folder: Path, command: ScriptCommand, thread: WorkerThread) -> FrameRecorder | None:
    """Return what keeps the frames of a script in a folder; None where that is not possible."""

    def report(sentence: str) -> None:
        failure = Failure(_tr("record the script"), SessionError(sentence))
        thread.post(FailureUpdate((failure,)))

    try:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{os.getpid()}-{uuid.uuid4().hex[:8]}{SUFFIX}"
        return FrameRecorder(folder / name, command, report)
    except (OSError, SessionError) as error:
        report(_tr("nothing of it can be recovered after a crash: {0}").format(error))
        return None


def _nothing(name: str, run: ScriptRun) -> ScriptError:
    """Return why nothing was recorded."""
    if run.error:
        message = _tr("{0} ended with an error before any training: {1}").format(name, run.error)
        if run.lacks_torch:
            remedy = _tr("choose a Python that has PyTorch, or, without PyTorch, use --stand-in")
            return ScriptError(message, remedy)
        return ScriptError(message, _tr("run it in a terminal, and look at the traceback"))
    if not run.backend:
        message = _tr("no training was seen: {0} did not import torch").format(name)
        return ScriptError(message, _tr("record the script that trains the model"))
    message = _tr("no training was seen in {0}").format(name)
    return ScriptError(message, _tr("check its arguments, and whether it came to its loop"))


def _tr(text: str) -> str:
    return QCoreApplication.translate("ScriptRecorder", text)
