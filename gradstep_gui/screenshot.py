"""Pictures of the window, without a display."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEventLoop

from gradstep.errors import GradStepError
from gradstep.session.opening import check_output
from gradstep_gui.action_ids import ActionId
from gradstep_gui.app import build
from gradstep_gui.messages import MessageKind
from gradstep_gui.plotting.export import check_picture, export_picture
from gradstep_gui.settings import CHOSEN_LAYOUT, LANGUAGE, THEME, Settings
from gradstep_gui.widgets.text.typesetter import Typesetter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from gradstep_gui.action_ids import LayoutId
    from gradstep_gui.language import LanguageChoice
    from gradstep_gui.main_window import MainWindow
    from gradstep_gui.theme import Choice

__all__ = ["screenshot"]

OPEN_TIMEOUT_S = 60.0
RUN_TIMEOUT_S = 600.0
FORMULA_TIMEOUT_S = 20.0


def screenshot(
    out: Path,
    file: Path | None = None,
    *,
    dock: str | None = None,
    layout: LayoutId | None = None,
    size: tuple[int, int] = (1280, 800),
    theme: Choice | None = None,
    iterations: int = 0,
    press: Sequence[str] = (),
    language: LanguageChoice = "en",
) -> None:
    """Draw the window, or one dock, to an image file; needs no display.

    Args:
        out: The image file; its suffix selects the format.
        file: The program or session to open; None for the welcome page.
        dock: The id of one dock, such as "plots"; None for the whole window.
        layout: The layout; that of a first start when None.
        size: Width and height of the window in pixels.
        theme: The theme; light when None.
        iterations: The number of iterations to run first.
        press: Ids of Actions to trigger then: of the Debug menu, such as "debug.step_into", or of
            those that show a dock, such as "view.findings".
        language: The language.

    Raises:
        GradStepError: The file cannot be opened, `out` is not named as an image, leads to a program
            or session or cannot be written, there is no such dock or Action, or the Action is
            disabled or would open a dialog.
    """
    check_picture(out)
    check_output(out, ".png")
    with TemporaryDirectory() as folder:
        settings = Settings(Path(folder) / "settings.ini")
        settings.set(THEME, theme or "light")
        settings.set(LANGUAGE, language)
        if layout is not None:
            settings.set(CHOSEN_LAYOUT, layout)
        window = build(["gradstep"], settings)[1]
        try:
            window.resize(*size)
            window.show()
            if file is not None:
                _open_now(window, file)
            if iterations:
                window.controller.iterate(iterations)
                window.controller.wait_idle(RUN_TIMEOUT_S)
            for action in press:
                _press(window, action)
            _draw(window, out, dock)
        finally:
            window.discard()


def _press(window: MainWindow, name: str) -> None:
    """Trigger an Action, and wait until it is done."""
    known = [
        *(one for one in window.actions_by_id if one.startswith("debug.")),
        *(ActionId.SHOW_PLOTS, ActionId.SHOW_GRAPH, ActionId.SHOW_FINDINGS, ActionId.SHOW_DATA),
        ActionId.SHOW_LANDSCAPE,
    ]
    if name not in known:
        raise GradStepError(f"there is no action {name!r} to press", f"use {', '.join(known)}")
    if window.actions_by_id[name].text().endswith("…"):
        raise GradStepError(f"{name} asks for something first", "press one that asks for nothing")
    if not window.actions_by_id[name].isEnabled():
        raise GradStepError(f"{name} is disabled at that point", "press what must come before it")
    window.actions_by_id[name].trigger()
    _settle(window)


def _draw(window: MainWindow, out: Path, dock: str | None) -> None:
    if dock is not None and dock in window.views:
        window.show_view(dock)  # a dock behind a tab draws nothing
    _settle(window)
    _await_formulas(window)
    export_picture(_subject(window, dock), out)


def _subject(window: MainWindow, dock: str | None) -> QWidget:
    """Return the window, or one of its views."""
    if dock is None:
        return window
    views = window.views
    if dock not in views:
        raise GradStepError(f"there is no dock {dock!r}", f"use one of: {', '.join(views)}")
    return views[dock]


def _open_now(window: MainWindow, file: Path) -> None:
    window.documents.open(file)
    window.controller.wait_idle(OPEN_TIMEOUT_S)
    if window.controller.document is None:
        error = next(
            (m for m in reversed(window.messages.history) if m.kind is MessageKind.ERROR), None
        )
        raise GradStepError(
            error.text if error else f"{file} could not be opened in {OPEN_TIMEOUT_S:g} s",
            error.remedy if error else "",
        )


def _settle(window: MainWindow) -> None:
    """Let views fetch arrays and everything be laid out."""
    for _round in range(4):
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
        window.controller.wait_idle(OPEN_TIMEOUT_S)


def _await_formulas(window: MainWindow) -> None:
    """Wait until the visible formulas are typeset; after a timeout they stay text."""
    typesetters, deadline = window.findChildren(Typesetter), monotonic() + FORMULA_TIMEOUT_S
    while any(each.is_busy for each in typesetters) and monotonic() < deadline:
        # It polls for results, so there is always an event to come.
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
