"""Records a script on a thread of its own, while the open program stays usable."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.debugger import Debugger
from gradstep.errors import ScriptError
from gradstep.script.mirror import Mirror
from gradstep.script.process import ScriptProcess
from gradstep_gui.worker.updates import RecordingUpdate

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.script.command import ScriptCommand
    from gradstep.script.output_reader import OutputReader
    from gradstep.script.tape import ScriptRun
    from gradstep_gui.worker.worker_thread import WorkerThread

__all__ = ["record_script", "started"]


def record_script(
    command: ScriptCommand,
    thread: WorkerThread,
    should_stop: Callable[[], bool],
    output: OutputReader,
) -> Debugger:
    """Run a script to its end, and return the Debugger of what it did, at its end.

    Args:
        command: What to run.
        thread: The thread that this is called on; it posts the progress.
        should_stop: True ends the script; what it did until then is recorded.
        output: Reads what it prints.

    Raises:
        ScriptError: It cannot be started, or nothing of it was recorded.
    """
    process = started(command, output)
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


def _nothing(name: str, run: ScriptRun) -> ScriptError:
    """Return why nothing was recorded."""
    if run.error:
        message = _tr("{0} ended with an error before any training: {1}").format(name, run.error)
        return ScriptError(message, _tr("run it in a terminal, and look at the traceback"))
    if not run.backend:
        message = _tr("no training was seen: {0} did not import torch").format(name)
        return ScriptError(message, _tr("record the script that trains the model"))
    message = _tr("no training was seen in {0}").format(name)
    return ScriptError(message, _tr("check its arguments, and whether it came to its loop"))


def _tr(text: str) -> str:
    return QCoreApplication.translate("ScriptRecorder", text)
