"""The output dock: what a script prints that was started from the window, and a line to type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.model import ViewModel
from gradstep_gui.widgets.fields import FilterField
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.text.output_text import OutputText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import SignalInstance
    from PySide6.QtGui import QKeyEvent

    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.records import Document

__all__ = ["OutputView"]

_PAUSE_MS = 50
"""How often text that arrives is drawn."""


class Source(Protocol):
    """A script whose output is shown."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def is_recorded(self) -> bool:
        """Whether it is recorded, rather than debugged."""

    @property
    def has_ended(self) -> bool:
        """Whether it has ended; processes of its branches may go on."""

    @property
    def awaits_input(self) -> bool:
        """Whether it is known to wait for a line of input."""

    def take(self, *, whole: bool = False) -> tuple[int, int, Sequence[tuple[str, str]]]:
        """Return what has been printed since this was called before; with `whole`, everything.

        Returns:
            The number of the first line that is kept, that of the first one that has changed, and
            the streams and texts of that line and of all after it.
        """

    def clear(self) -> None:
        """Forget what has been printed."""

    def type_line(self, text: str) -> None:
        """Type a line, for the script to read."""

    def end_input(self) -> None:
        """Tell the script that there is no more input."""


class Output(Protocol):
    """The output of scripts."""

    @property
    def changed(self) -> SignalInstance:
        """Emitted when there is another script, or something to take."""

    @property
    def awaited_changed(self) -> SignalInstance:
        """Emitted when a script has begun or stopped to wait for a line of input."""

    @property
    def sources(self) -> Sequence[Source]:
        """The scripts, the latest last."""


class OutputModel(ViewModel, Protocol):
    """The controller, as the output dock sees it."""

    @property
    def output(self) -> Output:
        """What scripts print that were started from the window."""

    @property
    def document(self) -> Document | None:
        """What is open; None when nothing is."""

    @property
    def document_changed(self) -> SignalInstance:
        """Emitted with the `Document` that was opened or has changed."""


class OutputView(DockView):
    """The lines of a script, and below them a field for its input.

    Args:
        controller: The controller.
    """

    awaited = Signal()
    """A script waits for a line of input: its dock should be in sight."""

    def __init__(self, controller: OutputModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "output", parent)
        self._controller = controller
        self._source: Source | None = None
        self._traceback = ""
        self._drawing = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._drawing.timeout.connect(self._draw)
        self.text = OutputText(self)
        self.scripts = QComboBox(self)
        for part in (self.scripts, self.scripts.view()):
            part.setAccessibleName(self.tr("Script whose output is shown"))
        self.scripts.currentIndexChanged.connect(self._choose)
        self.scripts.hide()
        self.input = _InputField(self)
        self.input.returnPressed.connect(self._send)
        self.input.ended.connect(self._end_input)
        self.find_button = self._button(self.tr("Find"), self.tr("Find in the output (Ctrl+F)"))
        self.find_button.clicked.connect(self._begin_find)
        self.copy = self._button(self.tr("Copy"), self.tr("Copy the selected text, or all of it"))
        self.copy.clicked.connect(self._copy)
        self.clear = self._button(self.tr("Clear"), self.tr("Forget the output up to here"))
        self.clear.clicked.connect(self._clear)
        content = QWidget(self)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._make_find_bar())
        column.addWidget(self.text, 1)
        below = QHBoxLayout()
        below.setContentsMargins(4, 3, 4, 3)
        below.setSpacing(4)
        below.addWidget(self.scripts)
        below.addWidget(self.input, 1)
        for button in (self.find_button, self.copy, self.clear):
            below.addWidget(button)
        column.addLayout(below)
        self.place = Placeholder(content, self._nothing(), self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self._begin_find)
        controller.output.changed.connect(self._take_news)
        controller.output.awaited_changed.connect(self._show_awaited)
        controller.document_changed.connect(self._show_input)

    def render(self, _snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show whether the script goes on, or how it has ended."""
        self._show_input()
        if self._source is None:
            self._show_traceback()

    @Slot()
    def _catch_up(self) -> None:
        """Show what was printed meanwhile, also by a script that has done no Operation yet."""
        super()._catch_up()
        self._take_news()

    def _show_traceback(self) -> None:
        """Show how a script ended whose output is not here; without an error, why it is not."""
        document = self._controller.document
        recording = None if document is None else document.recording
        ends = recording is not None and not recording.is_running
        traceback = recording.traceback if recording is not None and ends else ""
        if not traceback:
            self.place.show_sentence(self._nothing())
        elif traceback != self._traceback or not self.place.shows_content:
            note = self.tr("What the script printed is not here. It ended with this error:")
            self.text.restart(0)
            lines = [("note", note), *(("err", line) for line in traceback.splitlines())]
            self.text.replace_from(0, 0, lines)
            self.place.show_content()
        self._traceback = traceback

    def _nothing(self) -> str:
        document = self._controller.document
        recording = None if document is None else document.recording
        if recording is None:
            return self.tr("What a script prints is shown here: open one with File > Run Script…")
        if recording.is_running:
            return self.tr(
                "This script prints where it was started, such as the terminal of gradstep debug. "
                "One that is opened in the window prints here."
            )
        return self.tr(
            "What a script prints is not part of its session. "
            "It is shown here while the script is run with File > Run Script…"
        )

    def _button(self, title: str, tip: str) -> QToolButton:
        button = QToolButton(self, autoRaise=True)
        button.setText(title)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        return button

    # -- the text ------------------------------------------------------------------------------

    @Slot()
    def _take_news(self) -> None:
        """Draw what has come soon, together with what comes until then."""
        if not self._drawing.isActive() and self.is_seen:
            self._drawing.start()

    @Slot()
    def _draw(self) -> None:
        sources = self._controller.output.sources
        if sources and self._source not in sources:
            self._source = None
            self._list_scripts(sources)
            self._show_source(sources[-1])
        elif len(sources) != self.scripts.count():
            self._list_scripts(sources)
            self._show_source(sources[-1])
        if self._source is not None:
            self.text.replace_from(*self._source.take())
            self.place.show_content()
            self._show_input()

    def _list_scripts(self, sources: Sequence[Source]) -> None:
        words = self.tr("{0} (recorded)")
        with QSignalBlocker(self.scripts):
            self.scripts.clear()
            for source in sources:
                name = words.format(source.name) if source.is_recorded else source.name
                self.scripts.addItem(name)
            self.scripts.setCurrentIndex(len(sources) - 1)
        self.scripts.setVisible(len(sources) > 1)

    def _show_source(self, source: Source) -> None:
        """Show another script, or the same from its beginning."""
        self._source = source
        first, start, lines = source.take(whole=True)
        self.text.restart(first)
        self.text.replace_from(first, start, lines)
        self._show_input()

    @Slot(int)
    def _choose(self, number: int) -> None:
        sources = self._controller.output.sources
        if 0 <= number < len(sources):
            self._show_source(sources[number])

    @Slot()
    def _copy(self) -> None:
        if self.text.textCursor().hasSelection():
            self.text.copy()
        else:
            QGuiApplication.clipboard().setText(self.text.toPlainText())

    @Slot()
    def _clear(self) -> None:
        if self._source is not None:
            self._source.clear()

    # -- finding -------------------------------------------------------------------------------

    def _make_find_bar(self) -> QWidget:
        self.find_bar = QWidget(self)
        self.wanted = FilterField(self.tr("Find in the output"), self)
        self.wanted.textChanged.connect(lambda: self._find(backwards=False, again=False))
        self.wanted.returnPressed.connect(lambda: self._find(backwards=False))
        self.found = QLabel(self)
        row = QHBoxLayout(self.find_bar)
        row.setContentsMargins(4, 3, 4, 3)
        row.setSpacing(4)
        row.addWidget(self.wanted, 1)
        row.addWidget(self.found)
        steps: tuple[tuple[str, str, str, Callable[[], object]], ...] = (
            (
                self.tr("Previous"),
                self.tr("Go to the place before (Shift+F3)"),
                "Shift+F3",
                lambda: self._find(backwards=True),
            ),
            (
                self.tr("Next"),
                self.tr("Go to the next place (F3)"),
                "F3",
                lambda: self._find(backwards=False),
            ),
            (self.tr("Close"), self.tr("Stop finding (Esc)"), "Esc", self._end_find),
        )
        for title, tip, keys, go in steps:
            button = self._button(title, tip)
            button.clicked.connect(go)
            row.addWidget(button)
            shortcut = QShortcut(QKeySequence(keys), self.find_bar)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(go)
        self.find_bar.hide()
        return self.find_bar

    @Slot()
    def _begin_find(self) -> None:
        self.find_bar.show()
        self.wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.wanted.selectAll()

    @Slot()
    def _end_find(self) -> None:
        self.find_bar.hide()
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _find(self, *, backwards: bool, again: bool = True) -> None:
        """Go to a place where the text stands; not `again`: also to the one that is selected."""
        if not again:
            cursor = self.text.textCursor()
            cursor.setPosition(cursor.selectionStart())
            self.text.setTextCursor(cursor)
        wanted = self.wanted.text()
        is_there = self.text.find_text(wanted, backwards=backwards)
        self.found.setText(self.tr("not found") if wanted and not is_there else "")

    # -- the input -----------------------------------------------------------------------------

    @Slot()
    def _show_input(self) -> None:
        """Show whether the script can still be given a line."""
        source, document = self._source, self._controller.document
        recording = None if document is None else document.recording
        goes_on = source is not None and (
            not source.has_ended
            or (not source.is_recorded and recording is not None and recording.is_running)
        )
        words = self.tr("Input for the script: Enter sends the line, Ctrl+D ends the input")
        if source is not None and source.awaits_input:
            words = self.tr("The script waits for a line: type it here, and press Enter")
        self.input.setPlaceholderText(words if goes_on else self.tr("The script has ended"))
        self.input.setEnabled(goes_on)

    @Slot()
    def _show_awaited(self) -> None:
        if any(source.awaits_input for source in self._controller.output.sources):
            self.awaited.emit()
        self._show_input()

    @Slot()
    def _send(self) -> None:
        if self._source is not None:
            self._source.type_line(self.input.text())
            self.input.clear()

    @Slot()
    def _end_input(self) -> None:
        if self._source is not None:
            self._source.end_input()


class _InputField(QLineEdit):
    """A line for the script; Ctrl+D ends the input."""

    ended = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Input for the script"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End the input on Ctrl+D, where nothing is typed."""
        is_end = event.key() == Qt.Key.Key_D and (
            event.modifiers() == Qt.KeyboardModifier.ControlModifier
        )
        if is_end and not self.text():
            self.ended.emit()
        else:
            super().keyPressEvent(event)
