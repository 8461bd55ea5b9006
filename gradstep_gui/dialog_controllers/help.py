"""Help: shows the pages of the Help menu, and the list of keyboard shortcuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from gradstep.program.schema.reference import tables
from gradstep_gui.resources import resource
from gradstep_gui.views.labels import KIND_TITLES, kind_title
from gradstep_gui.widgets.dialogs.text_dialogs import HelpWindow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtWidgets import QMenuBar, QWidget

__all__ = ["HelpDialogController", "page_of", "reader", "shortcuts", "title_of"]

_PAGES = {
    name: f"help/{name}.md"
    for name in ("first_steps", "questions", "scripts", "programs", "lessons")
}


class HelpDialogController(QObject):
    """Shows the pages of the Help menu in one separate window.

    Args:
        window: The main window; its menus are the source of the shortcut list.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._shown: HelpWindow | None = None

    @property
    def shown(self) -> HelpWindow | None:
        """The help window; None until a page was shown."""
        return self._shown

    def show_page(self, name: str) -> None:
        """Show a page: "first_steps", "questions", "scripts", "programs" or "shortcuts"."""
        if self._shown is None:
            self._shown = reader(self._window)
        page = page_of(name) if name in _PAGES else shortcuts(self._window.menuBar())
        self._shown.show_page(title_of(page), page)


def reader(parent: QWidget) -> HelpWindow:
    """Return a window for help pages, which closes with its parent."""
    return HelpWindow({kind_title(kind): kind for kind in KIND_TITLES}, parent)


def title_of(page: str) -> str:
    r"""Return the first heading of a page.

    Example:
        >>> title_of("# First steps\nThere are four calls.")
        'First steps'
    """
    return page.partition("\n")[0].lstrip("# ")


def page_of(name: str) -> str:
    """Return a help page as Markdown; `programs` lists every kind that a document may name.

    Example:
        >>> page_of("first_steps").splitlines()[0]
        '# First steps'
    """
    page = resource(_PAGES[name]).read_text(encoding="utf-8")
    return f"{page}\n{tables()}" if name == "programs" else page


def shortcuts(bar: QMenuBar) -> str:
    """Return the shortcuts of every action in a menu bar, as Markdown."""
    translate = QCoreApplication.translate
    parts = ["# " + translate("Help", "Keyboard Shortcuts")]
    for entry in bar.actions():
        menu = entry.menu()
        if isinstance(menu, QMenu):
            parts.extend(_table(_plain(entry.text()), list(_keys(menu))))
    time_line = [
        (
            translate("Help", "Left, Right"),
            translate("Help", "previous, next event"),
        ),
        (
            translate("Help", "Ctrl+Left, Ctrl+Right"),
            translate("Help", "previous, next iteration"),
        ),
        (
            translate("Help", "Home, End"),
            translate("Help", "start, latest event"),
        ),
    ]
    parts.extend(_table(translate("Help", "Timeline"), time_line))
    return "\n\n".join(parts) + "\n"


def _table(title: str, rows: list[tuple[str, str]]) -> Iterator[str]:
    if rows:
        lines = [f"| `{keys}` | {words} |" for keys, words in rows]
        head = QCoreApplication.translate("Help", "| Keys | Action |")
        yield "\n".join([f"## {title}", "", head, "|---|---|", *lines])


def _keys(menu: QMenu) -> Iterator[tuple[str, str]]:
    """Yield the shortcuts and title of each action in a menu that has a shortcut."""
    native = QKeySequence.SequenceFormat.NativeText
    for action in menu.actions():
        keys = ", ".join(each.toString(native) for each in action.shortcuts())
        if keys:
            yield keys, _plain(action.text())


def _plain(text: str) -> str:
    return text.replace("&", "").rstrip("…")
