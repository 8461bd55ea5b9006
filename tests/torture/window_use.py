"""What a person does in a window, in the process's own event loop, with settings of its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["use_window"]

_LONGEST_S = 60


def use_window(home: Path | None, file: Path, save: Path | None = None) -> list[str]:
    """Open a file, run it, go back, save it and close the window; return what it has said.

    Args:
        home: The home folder; None for that of the process, if it has one.
        file: A program or a session.
        save: Where it is saved; None to save nothing.
    """
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from gradstep_gui import app
    from gradstep_gui.main_window import MainWindow

    if home is not None:
        _move_home(home)
    application = QApplication.instance() or QApplication([])
    said: list[str] = []
    errors: list[BaseException] = []

    def use() -> None:
        try:
            use_now()
        except BaseException as error:  # noqa: BLE001 - raised once the event loop has ended
            errors.append(error)
        finally:
            application.quit()

    def use_now() -> None:
        window = next(
            each
            for each in application.topLevelWidgets()
            if isinstance(each, MainWindow) and each.isVisible()
        )
        controller = window.controller
        try:
            for act in (
                lambda: controller.open(file, as_copy=True),
                lambda: controller.iterate(50),
                lambda: controller.seek(7),
                lambda: controller.iterate(3),
                lambda: None if save is None else controller.save(save),
            ):
                act()
                if not controller.wait_idle(_LONGEST_S):
                    raise AssertionError("the window hangs")
                application.processEvents()
            if controller.document is None:
                said.append("nothing is open")
        finally:
            said.extend(message.text for message in window.messages.history)
            window.discard()

    QTimer.singleShot(0, use)
    app.run(["gradstep"])
    if errors:
        raise errors[0]
    return said


def _move_home(home: Path) -> None:
    os.environ["HOME"] = str(home)
    for name in list(os.environ):
        if name.startswith("XDG_"):
            del os.environ[name]
