"""WindowCommands: what Actions do to the window itself: theme, layout, palette and dialogs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, Signal, qVersion
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMainWindow, QMessageBox

from gradstep.version import version
from gradstep_gui import theme
from gradstep_gui.action_ids import LayoutId, ViewId, dock_toggle_id
from gradstep_gui.resources import application_icon
from gradstep_gui.settings import LANGUAGE, MEMORY, MEMORY_RANGE, RUN_UNTIL_ITERATION, THEME
from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.command_palette import CommandPalette
from gradstep_gui.widgets.dialogs import questions as dialogs
from gradstep_gui.widgets.dialogs.text_dialogs import show_text

if TYPE_CHECKING:
    from gradstep_gui.controller import Controller
    from gradstep_gui.language import LanguageChoice
    from gradstep_gui.messages import Messages
    from gradstep_gui.settings import Settings
    from gradstep_gui.theme import Choice

__all__ = ["WindowCommands"]

ITERATIONS_PROPOSED = 100

_DOCK = dock_toggle_id("")


class WindowCommands(QObject):
    """The window as Actions see it.

    Args:
        window: The window.
        controller: Runs iterations, and knows the findings.
        settings: Stores the theme and the memory limit.
        messages: The messages so far.

    Attributes:
        layout_choice: The layout that is shown, or will be when something is opened.
    """

    layout_requested = Signal(str)
    """The user wants another layout: its id."""

    zoom_requested = Signal(int)
    """The user wants larger or smaller text, by so many steps; 0 for the usual size."""

    layout_reset = Signal()
    """The user wants the default places of the layout."""

    view_requested = Signal(str)
    """The user wants to see a view: its name."""

    what_if_requested = Signal()
    """The user wants to run a what-if."""

    resume_check_requested = Signal()
    """The user wants to run a resume check."""

    page_requested = Signal(str)
    """The user wants to read a help page: its name."""

    def __init__(
        self,
        window: QMainWindow,
        controller: Controller,
        settings: Settings,
        messages: Messages,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self._settings = settings
        self._messages = messages
        self._palette: CommandPalette | None = None
        self.layout_choice = LayoutId.LEARN

    @property
    def theme_choice(self) -> Choice:
        """The chosen theme."""
        return self._settings.get(THEME)

    @property
    def palette(self) -> CommandPalette | None:
        """The command palette that was opened last."""
        return self._palette

    def choose_theme(self, choice: Choice) -> None:
        """Change the theme, and store it."""
        self._settings.set(THEME, choice)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            theme.apply(application, choice)

    @property
    def language_choice(self) -> LanguageChoice:
        """The chosen language."""
        return self._settings.get(LANGUAGE)

    def choose_language(self, choice: LanguageChoice) -> None:
        """Store another language, and say when it is shown."""
        if choice != self.language_choice:
            self._settings.set(LANGUAGE, choice)
            self._messages.notice(self.tr("The language changes when GradStep is started again"))

    def choose_layout(self, layout: LayoutId) -> None:
        """Change to another layout."""
        self.layout_requested.emit(layout)

    def zoom(self, steps: int) -> None:
        """Make all text larger or smaller by steps; 0 for the usual size."""
        self.zoom_requested.emit(steps)

    @property
    def is_full_screen(self) -> bool:
        """Whether the window fills the whole screen."""
        return self._window.isFullScreen()

    def toggle_full_screen(self) -> None:
        """Fill the whole screen, or return to the window that it was."""
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def restore_layout(self) -> None:
        """Put every dock of the layout back in its default place."""
        self.layout_reset.emit()

    def show_view(self, name: str) -> None:
        """Bring a view or a dock to the front."""
        self.view_requested.emit(name)

    def go_to_finding(self, *, later: bool) -> None:
        """Go to the nearest Event with a finding, and show it.

        Args:
            later: Whether to go forward rather than back.
        """
        snapshot = self._controller.snapshot
        if snapshot is None:
            return
        here = snapshot.event_index
        wrong = self._controller.muted_findings.unmuted(snapshot)
        found = [item.after(here) if later else item.before(here) for item in wrong]
        known = [event for event in found if event is not None]
        if known:
            self.show_view(ViewId.FINDINGS)
            self._controller.seek(min(known) if later else max(known))

    def ask_what_if(self) -> None:
        """Ask for the edits of a what-if that begins at the current Event."""
        self.what_if_requested.emit()

    def ask_overlays(self) -> None:
        """Ask for sessions, and draw their losses."""
        paths = dialogs.ask_session_paths(self._window)
        if paths:
            self._controller.branches.overlay(paths)

    def ask_resume_check(self) -> None:
        """Ask where to interrupt the run, for a resume check."""
        self.resume_check_requested.emit()

    def show_palette(self) -> None:
        """Open the command palette."""
        if self._palette is not None:
            self._palette.deleteLater()
        actions = [
            found for found in self._window.findChildren(QAction) if "." in found.objectName()
        ]
        named = {found.objectName() for found in actions}
        shown = [
            self._shower(found)
            for found in actions
            if found.objectName().startswith(_DOCK)
            and f"view.{found.objectName().removeprefix(_DOCK)}" not in named
        ]
        others = [found for found in actions if not found.objectName().startswith(_DOCK)]
        self._palette = CommandPalette([*others, *shown], self._window)
        for made in shown:
            made.setParent(self._palette)  # deleted with it
        self._palette.open()

    def _shower(self, toggle: QAction) -> QAction:
        """Return an action that raises a dock; its toggle would hide it when it is behind a tab."""
        name = toggle.objectName().removeprefix(_DOCK)
        made = QAction(self.tr("Show {name}").format(name=toggle.text()), self)
        made.setEnabled(self._controller.document is not None)
        made.triggered.connect(lambda: self.show_view(name))
        return made

    def show_messages(self) -> None:
        """Show all messages so far, the latest first."""
        lines = [
            f"{message.at:%H:%M:%S}  {message.kind.upper()}  {message.text}"
            + (f"\n          {message.remedy}" if message.remedy else "")
            for message in reversed(self._messages.history)
        ]
        text = "\n".join(lines) or self.tr("No messages yet")
        show_text(self._window, self.tr("Messages"), text)

    def show_page(self, name: str) -> None:
        """Show a help page."""
        self.page_requested.emit(name)

    def show_about(self) -> None:
        """Show the About box."""
        words = self.tr(
            "<h3>GradStep {version}</h3><p>A debugger for gradient descent: pause the training "
            "loop, and see what each call reads and writes.</p><p>MIT licence. Qt {qt}.</p>"
        ).format(version=version(), qt=qVersion())
        box = QMessageBox(self._window)
        box.setWindowTitle(self.tr("About GradStep"))
        box.setText(words)
        box.setIconPixmap(application_icon().pixmap(QSize(64, 64)))
        box.setStandardButtons(QMessageBox.StandardButton.Close)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        remove_button_icons(box)
        box.open()

    def ask_iterations(self) -> None:
        """Ask for a number of iterations, and run them."""
        document = self._controller.document
        proposed = document.iterations if document is not None else None
        count = dialogs.ask_count(self._window, proposed or ITERATIONS_PROPOSED)
        if count is not None:
            self._controller.iterate(count)

    def ask_iteration(self) -> None:
        """Ask for an iteration, and run until it is done."""
        snapshot = self._controller.snapshot
        done = 0 if snapshot is None else snapshot.iteration
        known = self._settings.get(RUN_UNTIL_ITERATION)
        proposed = known if known > done else done + ITERATIONS_PROPOSED
        chosen = dialogs.ask_iteration(self._window, proposed, done)
        if chosen is not None:
            self._settings.set(RUN_UNTIL_ITERATION, chosen)
            self._controller.run_until_iteration(chosen)

    def ask_memory(self) -> None:
        """Ask for the memory limit of going back, and store it."""
        chosen = dialogs.ask_memory(self._window, self._settings.get(MEMORY), MEMORY_RANGE)
        if chosen is not None:
            self._settings.set(MEMORY, chosen)
            self._controller.set_memory(chosen)

    def quit(self) -> None:
        """Close the window, after the guard of unsaved changes."""
        self._window.close()
