"""The composition root: builds the application, the controller and the window."""

from __future__ import annotations

import gc
import sys
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from gradstep.errors import GradStepError
from gradstep.program.gallery import scenarios
from gradstep_gui.crash import CrashReporter, report_text
from gradstep_gui.cycle_collector import CycleCollector
from gradstep_gui.language import install_language
from gradstep_gui.main_window import Core, MainWindow
from gradstep_gui.messages import Messages
from gradstep_gui.overrides import guard_overrides
from gradstep_gui.resources import application_icon
from gradstep_gui.settings import LANGUAGE, MEMORY, THEME, Settings
from gradstep_gui.startup import Startup
from gradstep_gui.theme import apply as apply_theme
from gradstep_gui.user_folders import has_home
from gradstep_gui.widgets.accessibility import install_accessible_roles
from gradstep_gui.widgets.scenario_list import Card

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.script.channel import Channel
    from gradstep.script.command import ScriptCommand
    from gradstep_gui.language import LanguageChoice
    from gradstep_gui.records import Failure

__all__ = ["begin", "build", "collect_cycles", "run"]

SWITCH_INTERVAL_S = 5e-5
"""How soon the window's thread gets the interpreter from the worker; the default is 5 ms.

Less than the time in which Operations on small arrays let it go of their own accord, for a
microsecond: that wakes the thread that waits, which comes too late and waits anew. At 1 ms, it
could wait for half a second."""


def build(
    argv: Sequence[str], settings: Settings | None = None, recordings: Path | None = None
) -> tuple[QApplication, MainWindow]:
    """Build the application and its whole window, without showing it, and open the file.

    Args:
        argv: The arguments of the process: its name, then at most one file to open.
        settings: As in `begin`.
        recordings: As in `begin`.

    Returns:
        The application (the running one, if there is one) and the window.
    """
    application, window = begin(argv, settings, recordings)
    window.complete()
    _open_argument(window, argv)
    return application, window


def begin(
    argv: Sequence[str],
    settings: Settings | None = None,
    recordings: Path | None = None,
    language: LanguageChoice | None = None,
) -> tuple[QApplication, MainWindow]:
    """Build the application and what the first picture of its window shows.

    Args:
        argv: The arguments of the process: its name, then at most one file to open.
        settings: The settings; the user's own when None.
        recordings: The folder where the open program is recorded; by default the user's own, but
            none with other settings.
        language: The language; the one in the settings when None.

    Returns:
        The application (the running one, if there is one) and the window.
    """
    application = QApplication.instance() or QApplication(list(argv[:1]))
    if not isinstance(application, QApplication):
        raise GradStepError("a Qt application without windows is running", "start a new process")
    guard_overrides()  # before any object exists: PySide looks a method up once an object
    QCoreApplication.setApplicationName("GradStep")
    QCoreApplication.setOrganizationName("GradStep")
    application.setWindowIcon(application_icon())
    application.setDesktopFileName("gradstep")
    remembered = Settings() if settings is None else settings
    install_language(application, remembered.get(LANGUAGE) if language is None else language)
    apply_theme(application, remembered.get(THEME))
    application.styleHints().colorSchemeChanged.connect(
        lambda: apply_theme(application, remembered.get(THEME))
    )
    install_accessible_roles()
    messages = Messages()
    is_own = settings is None and recordings is None
    window = MainWindow(
        remembered, messages, lambda: _make_core(window, remembered, recordings, is_own=is_own)
    )
    messages.setParent(window)
    return application, window


def _make_core(
    window: MainWindow, settings: Settings, recordings: Path | None, *, is_own: bool
) -> Core:
    """Make what the window works on; `is_own` to record in the user's own folder."""
    # Imported here, as that takes longer than everything that the first picture needs.
    from gradstep_gui.controller import Controller  # noqa: PLC0415
    from gradstep_gui.worker.autosave import RecordingsFolder, recordings_folder  # noqa: PLC0415

    folder = recordings_folder() if is_own else recordings
    controller = Controller(window.messages, recordings=folder)
    controller.set_memory(settings.get(MEMORY))
    controller.crashed.connect(lambda failure: _show_failure(failure, window))
    cards = [Card(found.title, found.summary, found.path) for found in scenarios()]
    return Core(controller, cards, RecordingsFolder(folder))


def _open_argument(window: MainWindow, argv: Sequence[str]) -> None:
    if len(argv) > 1:
        window.documents.open(Path(argv[1]))


def run(
    argv: Sequence[str],
    script: ScriptCommand | None = None,
    channel: Channel | None = None,
    ranks: Sequence[tuple[ScriptCommand, Channel]] = (),
    language: LanguageChoice | None = None,
) -> int:
    """Show the window until it is closed, and return the exit status.

    Args:
        argv: As in `build`.
        script: A script to debug.
        channel: The connection to it, where it runs already.
        ranks: The same for each of several processes of one job.
        language: As in `begin`.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    application, window = begin(argv, language=language)
    reporter = CrashReporter()
    reporter.crashed.connect(lambda report: _show_report(report, window))
    reporter.install()

    def open_all() -> None:
        collect_cycles(window)
        _report_folders(window, reporter.unwritable)
        _open_argument(window, argv)
        if script is not None:
            window.controller.debug(script, channel)
        elif ranks:
            window.controller.debug_ranks(ranks)
        window.follow_opening()

    if len(argv) > 1 or script is not None or ranks:
        is_running = channel is not None or bool(ranks)
        window.await_opening(_sentence_of_opening(window, argv, script, is_running=is_running))
    Startup(window, open_all).begin()
    window.appear()
    try:
        return application.exec()
    finally:
        reporter.remove()


def collect_cycles(window: MainWindow) -> None:
    """Collect reference cycles on this thread, except in what a complete window consists of."""
    gc.freeze()
    collector = CycleCollector(window)
    window.controller.snapshot_changed.connect(collector.note_work)
    window.controller.state_changed.connect(collector.note_work)


def _report_folders(window: MainWindow, unwritable: str) -> None:
    """Say which folders of the user cannot be used."""
    if unwritable:
        window.messages.warning(
            window.tr("The error log cannot be written: {0}").format(unwritable),
            window.tr("copy an error report before you close it"),
        )
    if not has_home():
        window.messages.warning(
            window.tr("There is no home folder: settings and recordings go with this window"),
            window.tr("set HOME to a folder that you can write to, and start again"),
        )


def _sentence_of_opening(
    window: MainWindow, argv: Sequence[str], script: ScriptCommand | None, *, is_running: bool
) -> str:
    """Return what is shown until that is open which the window was started with."""
    if is_running:
        return window.tr("Connecting…")
    if script is None:
        return window.tr("Opening {0}…").format(Path(argv[1]).name)
    words = window.tr(
        "Starting {0}…\n\nIt will be held before its first operation. "
        "Importing PyTorch can take several seconds."
    )
    return words.format(PurePath(script.script).name)


def _show_failure(failure: Failure, window: MainWindow) -> None:
    _show_report(report_text(failure.error, failure.task), window)


def _show_report(report: str, window: MainWindow) -> None:
    from gradstep_gui.widgets.dialogs.text_dialogs import CrashDialog  # noqa: PLC0415 - rarely

    CrashDialog(report, window).open()
