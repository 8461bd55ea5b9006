"""Crash reports: uncaught errors are logged and shown, and the session continues."""

from __future__ import annotations

import faulthandler
import logging
import platform
import sys
import threading
import traceback
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
    qVersion,
)

from gradstep.version import version
from gradstep_gui.user_folders import log_folder

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import TextIO

__all__ = ["CrashReporter", "report_text"]

LOG_BYTES = 1_000_000
LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def report_text(error: BaseException, doing: str = "") -> str:
    """Return the report of a bug.

    Args:
        error: The error.
        doing: What was being done, in the user's words.

    Example:
        >>> print(report_text(ZeroDivisionError("oops"), "go back"))
        GradStep ... on Python ..., Qt ..., ...
        While: go back
        <BLANKLINE>
        ZeroDivisionError: oops
        <BLANKLINE>
    """
    head = (
        f"GradStep {version()} on Python {platform.python_version()}, "
        f"Qt {qVersion()}, {platform.platform()}"
    )
    lines = [head, f"While: {doing}"] if doing else [head]
    return "\n".join([*lines, "", "".join(traceback.format_exception(error))])


class CrashReporter(QObject):
    """Owns the error hooks of Python, its threads, the interpreter and Qt.

    Args:
        folder: The folder of the log; by default the system's log folder.
        parent: Its owner.

    Attributes:
        unwritable: Why the log cannot be written, as in a read-only home; "" when it can. Errors
            are still shown then, and faults go to the terminal.
    """

    crashed = Signal(str)
    """A bug, as a report. Emitted on any thread; received on the window's."""

    def __init__(self, folder: Path | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._log = logging.getLogger("gradstep_gui")
        self._handler: logging.Handler = logging.NullHandler()
        self._faults: TextIO | None = None
        self.unwritable = ""
        folder = folder or log_folder()
        path = folder / "gradstep.log"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._handler = RotatingFileHandler(
                path, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8"
            )
            self._faults = (folder / "faults.log").open("a", encoding="utf-8")
        except OSError as error:
            self.unwritable = f"{error.filename or path}: {error.strerror or error}"
        self._handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        self._log.addHandler(self._handler)

    def install(self) -> None:
        """Install the hooks."""
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        if self._faults is not None:
            faulthandler.enable(self._faults)
        elif sys.stderr is not None:  # None when the window is started without a terminal
            faulthandler.enable()
        qInstallMessageHandler(self._on_qt_message)

    def remove(self) -> None:
        """Restore the hooks of Python and Qt."""
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__
        qInstallMessageHandler(None)
        faulthandler.disable()
        if self._faults is not None:
            self._faults.close()
        self._log.removeHandler(self._handler)
        self._handler.close()

    def report(self, error: BaseException, doing: str = "") -> None:
        """Log an error, and emit its report."""
        text = report_text(error, doing)
        self._log.error("%s", text)
        self.crashed.emit(text)

    def _on_exception(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        self.report(error)

    def _on_thread_exception(self, caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:
            self.report(caught.exc_value)

    def _on_qt_message(self, kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        self._log.log(LEVELS.get(kind, logging.WARNING), "Qt: %s", message)
        if kind in {QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg}:
            print(message, file=sys.stderr)  # noqa: T201 - the terminal may be all that is left
