"""What Actions do to the window itself: theme, layout, palette, messages, about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, Signal, qVersion
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMainWindow, QMessageBox

from gradstep.version import version
from gradstep_gui import theme
from gradstep_gui.action_ids import dock_toggle_id
from gradstep_gui.resources import application_icon
from gradstep_gui.settings import MEMORY, MEMORY_RANGE, THEME
from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.command_palette import CommandPalette
from gradstep_gui.widgets.dialogs import questions as dialogs
from gradstep_gui.widgets.dialogs.text_dialogs import show_text

if TYPE_CHECKING:
    from gradstep_gui.controller import Controller
    from gradstep_gui.messages import Messages
    from gradstep_gui.settings import Settings
    from gradstep_gui.theme import Choice

__all__ = ["WindowCommands"]

ITERATIONS_PROPOSED = 100

_DOCK = dock_toggle_id("")


class WindowCommands(QObject):
    """The window, as Actions see it.

    Args:
        window: The window.
        controller: Runs iterations.
        settings: Remembers the theme.
        messages: What was said.
    """

    layout_reset = Signal()
    """Every dock is to go where it was at first."""

    view_wanted = Signal(str)
    """A view is to come to the front: its name."""

    what_if_asked = Signal()
    """A person wants to ask what would have been."""

    resume_check_asked = Signal()
    """A person wants to know whether the run could have been resumed."""

    page_wanted = Signal(str)
    """A page of the Help menu is to be shown: its name."""

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

    @property
    def theme_choice(self) -> Choice:
        """The theme that was chosen."""
        return self._settings.get(THEME)

    @property
    def palette(self) -> CommandPalette | None:
        """The command palette that was opened last."""
        return self._palette

    def choose_theme(self, choice: Choice) -> None:
        """Dress in another theme, and remember it."""
        self._settings.set(THEME, choice)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            theme.apply(application, choice)

    def restore_layout(self) -> None:
        """Put every dock where it was at first."""
        self.layout_reset.emit()

    def show_view(self, name: str) -> None:
        """Bring a view or a dock to the front."""
        self.view_wanted.emit(name)

    def go_to_finding(self, *, later: bool) -> None:
        """Go to the nearest Event at which a mistake or a suspicion was found, and show it.

        Args:
            later: Whether to go on, rather than back.
        """
        snapshot = self._controller.snapshot
        if snapshot is None:
            return
        here = snapshot.event_index
        wrong = self._controller.muted_findings.unmuted(snapshot)
        found = [item.after(here) if later else item.before(here) for item in wrong]
        known = [event for event in found if event is not None]
        if known:
            self.show_view("findings")
            self._controller.seek(min(known) if later else max(known))

    def ask_what_if(self) -> None:
        """Ask what would have been, from the Event on show on."""
        self.what_if_asked.emit()

    def ask_resume_check(self) -> None:
        """Ask whether the run could have been broken off and resumed."""
        self.resume_check_asked.emit()

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
            made.setParent(self._palette)  # they go with it
        self._palette.open()

    def _shower(self, toggle: QAction) -> QAction:
        """Return what brings a dock to the front; its toggle would hide it behind other tabs."""
        name = toggle.objectName().removeprefix(_DOCK)
        made = QAction(self.tr("Show {name}").format(name=toggle.text()), self)
        made.setEnabled(self._controller.document is not None)
        made.triggered.connect(lambda: self.show_view(name))
        return made

    def show_messages(self) -> None:
        """Show what has been said so far, the latest first."""
        lines = [
            f"{said.at:%H:%M:%S}  {said.kind.upper()}  {said.text}"
            + (f"\n          {said.remedy}" if said.remedy else "")
            for said in reversed(self._messages.history)
        ]
        text = "\n".join(lines) or self.tr("Nothing has been said yet.")
        show_text(self._window, self.tr("Messages"), text)

    def show_page(self, name: str) -> None:
        """Show a page of the Help menu."""
        self.page_wanted.emit(name)

    def show_about(self) -> None:
        """Say what this program is."""
        words = self.tr(
            "<h3>GradStep {version}</h3><p>A debugger for gradient descent: hold the training "
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
        """Ask how many iterations to run, and run them."""
        document = self._controller.document
        proposed = document.iterations if document is not None else None
        count = dialogs.ask_count(self._window, proposed or ITERATIONS_PROPOSED)
        if count is not None:
            self._controller.iterate(count)

    def ask_memory(self) -> None:
        """Ask how much memory going back may take, and remember it."""
        chosen = dialogs.ask_memory(self._window, self._settings.get(MEMORY), MEMORY_RANGE)
        if chosen is not None:
            self._settings.set(MEMORY, chosen)
            self._controller.set_memory(chosen)

    def quit(self) -> None:
        """Close the window, with the unsaved-change guard."""
        self._window.close()
