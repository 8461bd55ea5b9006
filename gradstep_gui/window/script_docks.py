"""Docks that are for users' own scripts: hidden while a program is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep_gui.settings import CLOSED_SCRIPT_DOCKS
from gradstep_gui.window.docks import DOCKS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtWidgets import QDockWidget

    from gradstep_gui.records import Recording
    from gradstep_gui.settings import Settings
    from gradstep_gui.window.layouts import Layouts

__all__ = ["ScriptDocks"]


class ScriptDocks:
    """Shows the docks of scripts with a script, but for those that the user has closed.

    Args:
        docks: All docks, by id.
        layouts: The layouts, not all of which have a place for them.
        settings: Remembers which of them are closed.
    """

    def __init__(
        self, docks: Mapping[str, QDockWidget], layouts: Layouts, settings: Settings
    ) -> None:
        self._docks = {dock.id: docks[dock.id] for dock in DOCKS if dock.of_scripts}
        self._layouts = layouts
        self._settings = settings
        self._is_shown: bool | None = None

    def follow(self, recording: Recording | None, *, has_output: bool) -> None:
        """Show or hide them for what is open now.

        They come with a script that runs, and stay when it has ended. In a session there is nothing
        to show in them, unless its script ended with an error.

        Args:
            recording: The script that is open; None for a program.
            has_output: Whether a script has printed something here.
        """
        is_script = recording is not None and (
            recording.is_running or has_output or bool(recording.traceback) or bool(self._is_shown)
        )
        if is_script is self._is_shown:
            return
        self.remember()
        self._is_shown = is_script
        self._apply(self._settings.get(CLOSED_SCRIPT_DOCKS))

    def arrange(self) -> None:
        """Show or hide them after all docks were shown in their default places."""
        self._apply(())

    def follow_layout(self) -> None:
        """Show or hide them in another layout."""
        self._apply(self._settings.get(CLOSED_SCRIPT_DOCKS))

    def remember(self) -> None:
        """Remember which ones the user has closed."""
        if self._is_shown:
            before = self._settings.get(CLOSED_SCRIPT_DOCKS)
            closed = tuple(
                name
                for name, dock in self._docks.items()
                if (dock.isHidden() if self._layouts.lists(name) else name in before)
            )
            self._settings.set(CLOSED_SCRIPT_DOCKS, closed)

    def _apply(self, closed: tuple[str, ...]) -> None:
        for name, dock in self._docks.items():
            is_here = bool(self._is_shown) and self._layouts.lists(name)
            dock.setVisible(is_here and name not in closed)
