"""The main window: places menus, toolbar, docks and bars."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QStatusBar,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui import theme
from gradstep_gui.action import ActionContext, Menu
from gradstep_gui.action_ids import ActionId, LayoutId, ViewId
from gradstep_gui.overrides import guard_overrides
from gradstep_gui.resources import application_icon
from gradstep_gui.settings import CHOSEN_LAYOUT, GEOMETRY, SMOOTHING
from gradstep_gui.start_page import lesson_cards, recent_files
from gradstep_gui.widgets.message_bar import MessageBar
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.welcome import Welcome
from gradstep_gui.window.action_set import ActionSet
from gradstep_gui.window.zoom import Zoom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from PySide6.QtCore import QMimeData
    from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent

    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui import window_parts as parts  # noqa: TC004 - see _import_parts
    from gradstep_gui.controller import Controller
    from gradstep_gui.messages import Messages
    from gradstep_gui.records import Document, State
    from gradstep_gui.settings import Settings
    from gradstep_gui.views.plots import PlotsView
    from gradstep_gui.widgets.lesson_list import LessonCard
    from gradstep_gui.widgets.scenario_list import Card

__all__ = ["Core", "MainWindow"]

_PLANE = 2
"""The loss of a program of so many numbers is a landscape that can be seen as a whole."""


def _import_parts() -> None:
    """Import what the window is made of."""
    global parts  # noqa: PLW0603 - everything here is written as if it had been imported above
    from gradstep_gui import window_parts as parts  # noqa: PLC0415 - after the first picture


_OF_FIRST_PAGE = (ActionId.LAYOUT_LEARN, ActionId.LAYOUT_DEBUG, ActionId.LAYOUT_PRESENT)

SLOW_OPENING_MS = 400
"""After this time the window says that it is opening something; sooner, it would flicker."""

FIRST_SIZE = (1280, 800)
SMALLEST = (960, 600)


def smallest_on(screen: QSize) -> QSize:
    """Return the minimum size of the window: never larger than the screen.

    Example:
        >>> smallest_on(QSize(1920, 1080)), smallest_on(QSize(800, 600))
        (PySide6.QtCore.QSize(960, 600), PySide6.QtCore.QSize(800, 600))
    """
    return QSize(*SMALLEST).boundedTo(screen)


class Core(NamedTuple):
    """What the window works on: it takes a while to be imported and made."""

    controller: Controller
    """The way to the Debugger."""
    cards: Sequence[Card]
    """The example programs."""
    leftovers: parts.Leftovers | None = None
    """The recordings that processes left behind; None for none."""


class MainWindow(QMainWindow):
    """The main window.

    At first it has its menus and its first page alone, which is all that the first picture shows.
    `complete` makes the rest: at once, or step by step in idle time with `complete_next`.

    Args:
        settings: The user's settings.
        messages: Messages to show.
        make_core: Makes what the window works on; called by the first step of completing it.
    """

    controller: Controller
    targets: parts.Targets
    documents: parts.Documents
    commands: parts.WindowCommands
    docks: Mapping[str, QDockWidget]
    layouts: parts.Layouts
    _context: ActionContext

    def __init__(
        self, settings: Settings, messages: Messages, make_core: Callable[[], Core]
    ) -> None:
        super().__init__()
        self.setObjectName("window")
        self.setWindowTitle("GradStep")
        self.setWindowIcon(application_icon())
        self.setAcceptDrops(True)
        self.messages = messages
        self._settings = settings
        self._leaving = self._was_inside = self._is_new = False
        self._zoom = Zoom(settings, self)
        self._zoom.apply()  # before the docks: their titles keep the size that they begin with
        self._action_set = ActionSet(self._whole_context, self)
        self._menus = self._action_set.fill(self.menuBar())
        self._action_set.color_icons(theme.theme_of(self.palette()), _OF_FIRST_PAGE)
        for menu in self._menus.values():
            menu.aboutToShow.connect(self.complete)
        self._pages = QStackedWidget(self)
        self._first_page = Placeholder(self._make_welcome(), "", self)
        self._first_page.show_content()
        self._awaits_opening = False
        self._slow_opening = QTimer(self, singleShot=True, interval=SLOW_OPENING_MS)
        self._slow_opening.timeout.connect(
            lambda: self._first_page.show_sentence(self.tr("Opening…"))
        )
        self._pages.addWidget(self._first_page)
        self.message_bar = MessageBar(self)
        self.setCentralWidget(_above(self._pages, self.message_bar))
        self.setStatusBar(_empty_status_bar(self))
        self._is_first_start = self._restore_size(settings)
        self._make_core = make_core
        self._steps: Iterator[None] | None = self._assemble()
        self._is_assembling = False

    @property
    def is_complete(self) -> bool:
        """Whether everything has been made."""
        return self._steps is None

    def complete(self) -> None:
        """Make everything that is not there yet."""
        while not self.is_complete and not self._is_assembling:
            self.complete_next()

    def complete_next(self) -> None:
        """Make a part of what is not there yet."""
        if self._steps is None:
            return
        self._is_assembling = True
        try:
            next(self._steps)
        except StopIteration:
            self._steps = None
        finally:
            self._is_assembling = False

    def _whole_context(self) -> ActionContext:
        self.complete()
        return self._context

    def _assemble(self) -> Iterator[None]:  # noqa: PLR0915 - one statement a part
        """Make everything but the first page, and yield between any two parts of it."""
        _import_parts()
        guard_overrides()
        yield
        controller, cards, leftovers = self._make_core()
        settings, messages = self._settings, self.messages
        self.controller = controller
        controller.setParent(self)  # ends with the window, and so does all that it calls back
        self.targets = parts.Targets(self)
        self.documents = parts.Documents(controller, settings, cards, leftovers, self)
        self.commands = parts.WindowCommands(self, controller, settings, messages)
        self._context = ActionContext(controller, self.targets, self.documents, self.commands)
        self._recent_menu = QMenu(self.tr("Open &Recent"), self)
        self._menus[Menu.FILE].insertMenu(self.actions_by_id[ActionId.RECOVER], self._recent_menu)
        self.other_operations = self._add_other_operations()
        self.toolbar = parts.DebugToolbar(self.actions_by_id, self.targets, self)
        self.addToolBar(self.toolbar)
        self.toolbar.hide()
        self.time_line = self._add_time_line()
        self.time_line.hide()
        yield
        self.sentence_bar = parts.SentenceToolBar(controller, self)
        self.status_line = parts.StatusLine(
            self.actions_by_id[ActionId.CANCEL_SAVE],
            self.actions_by_id[ActionId.STOP_RECORDING],
            self,
        )
        self.setStatusBar(self.status_line)
        yield
        self.centre = parts.Centre(controller, self)
        self._pages.addWidget(self.centre)
        yield
        self.docks = parts.make_docks(self, controller)
        yield
        self._presenter = parts.MessagePresenter(
            self.message_bar, messages, controller, self.docks[ViewId.FINDINGS], self
        )
        self._make_dialog_controllers()
        yield
        self.layouts = parts.Layouts(self, self.docks, self.centre, settings)
        actions = self.actions_by_id.values()
        self.key_display = parts.KeyDisplay(actions, self.toolbar.empty_part, self)
        self.lesson_guide = self._add_lessons()
        self._script_docks = parts.ScriptDocks(self.docks, self.layouts, settings)
        self._dock_titles = parts.DockTitles(self, tuple(self.docks.values()))
        parts.DockWidths(self, tuple(self.docks.values()))
        parts.FocusRings(self)
        yield
        self._fill_view_menu()
        self._add_context_menus()
        self._lesson_dock = parts.LessonDock(self.docks[ViewId.LESSON], controller, self.layouts)
        self._ranks_dock = parts.RanksDock(self.docks[ViewId.RANKS], controller, self.messages)
        self._connect()
        self._restyle()
        yield
        self._fill_recent_menu()
        self._show_title()
        self._follow_layout()
        self._hide_docks()
        self._ask_pictures()
        self._offer_recovery()

    @property
    def actions_by_id(self) -> Mapping[str, QAction]:
        """The QActions by id."""
        return self._action_set.by_id

    @property
    def plots(self) -> PlotsView:
        """The plots."""
        return self.centre.plots

    @property
    def views(self) -> Mapping[str, QWidget]:
        """The views that can be drawn alone: those of the centre, and the docks, by id."""
        return {**self.centre.views, **self.docks}

    def show_view(self, name: str) -> None:
        """Bring a view or a dock to the front, also one that the layout hides."""
        self.layouts.bring_up(name)

    @property
    def is_open(self) -> bool:
        """Whether a program is shown instead of the welcome page."""
        return self._pages.currentIndex() > 0

    def await_opening(self, sentence: str) -> None:
        """Show a sentence instead of the lessons, as something is about to be opened."""
        self._awaits_opening = True
        self._first_page.show_sentence(sentence)

    def follow_opening(self) -> None:
        """Show the lessons again unless something is being opened; call it once that has begun."""
        self._awaits_opening = False
        self._show_first_page(self.controller.state)

    def discard(self) -> None:
        """Close without asking about unsaved changes."""
        self._leaving = True
        self.close()

    def appear(self) -> None:
        """Show the window as it was left; the first time, as large as the screen.

        Also where it would be larger than the screen with its frame.
        """
        room = self.screen().availableSize()
        fits = room.width() > self.width() and room.height() > self.height()
        if fits and not self._is_first_start:
            self.show()
        else:
            self.showMaximized()

    # --- events ---------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about unsaved changes before closing; store the layout."""
        if not self.is_complete:
            self._settings.set(GEOMETRY, self.saveGeometry())
            if hasattr(self, "controller"):
                self.controller.close()
            super().closeEvent(event)
            return
        document = self.controller.document
        busy = self.controller.state.saving
        unsaved = document is not None and document.modified
        if (unsaved or busy) and not self._leaving:
            event.ignore()
            self.documents.guard(self._leave)
            return
        self._settings.set(GEOMETRY, self.saveGeometry())
        if self.is_open:
            self.lesson_guide.put_away()
            self.layouts.remember()
            self._script_docks.remember()
        self.controller.close()
        super().closeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Adopt the colours of another theme."""
        super().changeEvent(event)
        if not getattr(self, "is_complete", False):
            return  # all of it will begin with the present colours
        if event.type() == QEvent.Type.PaletteChange:
            self._restyle()
        elif event.type() == QEvent.Type.WindowStateChange:
            self._show_state(self.controller.state)  # full screen has a check mark

    def focusNextPrevChild(self, onwards: bool) -> bool:
        """Let the Tab key skip widgets in docks behind others, which Qt takes for visible."""
        if not self.is_complete:
            return super().focusNextPrevChild(onwards)
        found = parts.next_by_tab(self, onwards=onwards)
        if found is None:
            return False
        found.setFocus(
            Qt.FocusReason.TabFocusReason if onwards else Qt.FocusReason.BacktabFocusReason
        )
        return True

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept the drag of a local file."""
        if _dropped_file(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the dropped file."""
        path = _dropped_file(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self._open(path)

    def _restore_size(self, settings: Settings) -> bool:
        """Take the size and state that the window was left in; return whether there is none."""
        self.setMinimumSize(smallest_on(self.screen().availableSize()))
        is_first = not self.restoreGeometry(settings.get(GEOMETRY))
        if is_first:
            self.resize(*FIRST_SIZE)
        return is_first

    # --- construction ---------------------------------------------------------------------

    def _make_welcome(self) -> Welcome:
        layouts = [self.actions_by_id[name] for name in _OF_FIRST_PAGE]
        chosen = list(LayoutId).index(self._settings.get(CHOSEN_LAYOUT) or LayoutId.LEARN)
        layouts[chosen].setChecked(True)
        cards, recent = lesson_cards(self._settings), recent_files(self._settings)
        page = Welcome(cards, recent, layouts, self)
        page.chosen.connect(self._open_lesson)
        page.lessons.picture_wanted.connect(self._want_picture)
        page.help_requested.connect(lambda: self._trigger(ActionId.FIRST_STEPS))
        page.own_requested.connect(lambda: self._trigger(ActionId.NEW_PROGRAM))
        page.open_requested.connect(self._ask_open)
        page.script_requested.connect(self._ask_script)
        page.recent_chosen.connect(self._open)
        self._welcome, self._pictures_wanted = page, dict[str, Path]()
        return page

    def _open_lesson(self, card: LessonCard) -> None:
        self.complete()
        self.documents.open_lesson(card.path)

    def _open(self, path: Path) -> None:
        self.complete()
        self.documents.open(path)

    def _ask_open(self) -> None:
        self.complete()
        self.documents.ask_open()

    def _ask_script(self) -> None:
        self.complete()
        self.documents.ask_script()

    def _want_picture(self, lesson: str, path: Path) -> None:
        """Ask for the picture of a lesson as soon as the window is complete."""
        self._pictures_wanted[lesson] = path
        if self.is_complete:
            self._ask_pictures()

    def _ask_pictures(self) -> None:
        lessons = self.controller.lessons
        while self._pictures_wanted:
            lessons.ask_picture(*self._pictures_wanted.popitem())

    def _add_time_line(self) -> parts.FlatToolBar:
        self.addToolBarBreak()
        bar = parts.FlatToolBar("toolbar.time_line", self.tr("Timeline"), self)
        for part in (ActionId.GO_TO_START, None, ActionId.GO_TO_END):
            if part is None:
                bar.addWidget(parts.TimelineView(self.controller, bar))
            else:
                end = QToolButton(bar, autoRaise=True)
                end.setDefaultAction(self.actions_by_id[part])
                end.setAccessibleName(self.actions_by_id[part].text().replace("&", ""))
                bar.addWidget(end)
        self.addToolBar(bar)
        return bar

    def _add_lessons(self) -> parts.LessonGuide:
        """List the lessons in their menu, and have the window point at what they ask for."""
        lesson = self.docks[ViewId.LESSON].widget()
        if isinstance(lesson, parts.LessonStepsView):
            parts.LessonMenus(
                self._menus[Menu.LESSONS],
                self.actions_by_id[ActionId.OPEN_LESSON],
                self.documents,
                lesson,
            )
        return parts.LessonGuide(
            self, self.toolbar, self.controller, self.actions_by_id, self.layouts
        )

    def _add_other_operations(self) -> parts.OtherOperationsMenu:
        """Put the other Operations below the four buttons' Actions."""
        made = parts.OtherOperationsMenu(self.controller, self)
        entries = self._menus[Menu.DEBUG].actions()
        after = entries.index(self.actions_by_id[ActionId.STEP]) + 1
        self._menus[Menu.DEBUG].insertMenu(entries[after], made)
        return made

    def _fill_view_menu(self) -> None:
        before = self.actions_by_id[ActionId.LAYOUT_LEARN]
        toggles = [dock.toggleViewAction() for dock in self.docks.values()]
        bars = (self.time_line, self.sentence_bar)
        for toggle in (*(bar.toggleViewAction() for bar in bars), *toggles):
            self._menus[Menu.VIEW].insertAction(before, toggle)
        self._menus[Menu.VIEW].insertSeparator(before)

    def _add_context_menus(self) -> None:
        """Give views context menus for the values they show."""
        parameters = self.docks[ViewId.PARAMETERS].widget()
        if isinstance(parameters, parts.ParametersView):
            parameters.tensor_menu_requested.connect(self.place_menu.pop_up_tensor)
        for dock in self.docks.values():
            view = dock.widget()
            if isinstance(view, parts.DockView):
                view.value_menu_requested.connect(self.place_menu.pop_up)

    def _make_dialog_controllers(self) -> None:
        """Make the controllers of the dialogs."""
        self.help = parts.HelpDialogController(self)
        self.recovery = parts.RecoveryDialogController(self, self.documents, self.messages)
        self.what_if = parts.WhatIfDialogController(self, self.controller, self.messages)
        self.remedy = parts.RemedyDialogController(self, self.controller, self.documents)
        self.resume_check = parts.ResumeDialogController(self, self.controller)
        self.other_value = parts.OtherValueDialogController(self, self.controller)
        self.program_editor = parts.ProgramDialogController(
            self, self.controller, self.documents, self.messages
        )
        self.lessons = parts.LessonDialogController(
            self, self.controller, self.documents, self.messages
        )
        self.export = parts.ExportDialogController(
            self, self.controller, self.documents, self.messages
        )
        self.script_run = parts.ScriptRunDialogController(
            self, self.controller, self.documents, self.messages, self._settings
        )
        self.place_menu = parts.PlaceMenu(self, self.controller, self.actions_by_id, self.show_view)

    def _connect(self) -> None:
        controller = self.controller
        controller.snapshot_changed.connect(self.toolbar.show_snapshot)
        controller.snapshot_changed.connect(self.status_line.show_snapshot)
        controller.lessons.changed.connect(self.status_line.show_lesson)
        controller.snapshot_changed.connect(self._show_snapshot)
        controller.opened.connect(self._reset_switches)
        controller.document_changed.connect(self._show_document)
        controller.state_changed.connect(self._show_state)
        controller.lessons.pictured.connect(self._welcome.lessons.show_picture)
        self.targets.changed.connect(lambda: self._show_state(controller.state))
        self.targets.changed.connect(self._show_next)
        controller.selected_changed.connect(self._action_set.show_tensor)
        controller.selected_changed.connect(lambda _: self._show_state(controller.state))
        self.targets.changed.connect(lambda: controller.adapt_runs(self.targets.of_runs()))
        self.plots.toolbar.smoothing.setValue(self._settings.get(SMOOTHING))
        self.plots.toolbar.smoothing_requested.connect(
            lambda weight: self._settings.set(SMOOTHING, weight)
        )
        self.plots.failed.connect(self.messages.error)
        self.status_line.findings_requested.connect(lambda: self.show_view(ViewId.FINDINGS))
        self.message_bar.action_requested.connect(self._trigger)
        self.message_bar.history_requested.connect(self.commands.show_messages)
        self.documents.recent_changed.connect(self._fill_recent_menu)
        self.documents.broken_document_changed.connect(lambda: self._show_state(controller.state))
        self.documents.leftovers_changed.connect(lambda: self._show_state(controller.state))
        self.commands.what_if_requested.connect(self.what_if.ask)
        self.commands.resume_check_requested.connect(self.resume_check.ask)
        self.other_operations.value_requested.connect(self.other_value.ask)
        controller.branches.compared.connect(lambda _: self.show_view(ViewId.COMPARE))
        controller.branches.progressed.connect(self.status_line.show_progress)
        controller.save_progressed.connect(self.status_line.show_save_progress)
        controller.recording_progressed.connect(self.status_line.show_recording_progress)
        event_log = self.docks[ViewId.EVENT_LOG].widget()
        if isinstance(event_log, parts.EventLogView):
            event_log.what_if_requested.connect(self.what_if.ask)
        output = self.docks[ViewId.OUTPUT].widget()
        if isinstance(output, parts.OutputView):
            output.awaited.connect(lambda: self.show_view(ViewId.OUTPUT))
        variables = self.docks[ViewId.VARIABLES].widget()
        if isinstance(variables, parts.VariablesView):
            variables.frame_chosen.connect(self._show_line)
        parts.FieldShortcuts(self)
        self.commands.layout_reset.connect(self._restore_layout)
        self.commands.zoom_requested.connect(self._zoom.change)
        self.commands.layout_requested.connect(self._choose_layout)
        self.layouts.arranging.connect(self._follow_type_scale)
        self.layouts.changed.connect(self._follow_layout)
        self.commands.view_requested.connect(self.show_view)
        self.commands.page_requested.connect(self.help.show_page)
        controller.explain_requests.wanted.connect(lambda: self.show_view(ViewId.EXPLAIN))
        controller.breakpoints.changed.connect(self.status_line.show_breaks)

    # --- updates --------------------------------------------------------------------------

    def _show_document(self, document: Document) -> None:
        self.targets.follow_document(document)
        self.status_line.show_document(document)
        self._show_title()
        if not self.is_open:
            ignored = QSizePolicy.Policy.Ignored
            self._first_page.setSizePolicy(ignored, ignored)  # it needs no room any more
            self._pages.setCurrentIndex(1)
            for bar in (self.toolbar, self.time_line):
                bar.setVisible(True)
            self.message_bar.dismiss()
        self._presenter.follow_document(document)
        self.layouts.open(is_script=document.recording is not None)
        has_output = self.controller.output.has_begun
        self._script_docks.follow(document.recording, has_output=has_output)

    def _reset_switches(self) -> None:
        """Have what is opened begin as it is described: no option of another program applies."""
        self.targets.set_options(hold=False, retain_graph=False, zeros=False)
        self.plots.reset_axes()
        if self.is_open:
            self.layouts.raise_fronts()
        self._is_new = True

    def _show_snapshot(self, snapshot: Snapshot) -> None:
        self.targets.follow_abilities(snapshot.abilities)
        self.targets.follow_loop(snapshot.next_operation)
        self.targets.follow_optimizers(snapshot.optimizers.values())
        self._show_next()
        is_plane = self._is_new and parts.count_of(snapshot) == _PLANE
        if is_plane and ViewId.LANDSCAPE not in self.layouts.current.tabs:
            self.show_view(ViewId.LANDSCAPE)  # its path says more than the one plot
        self._is_new = False
        is_inside = snapshot.inside is not None
        if is_inside and not self._was_inside:
            self.show_view(ViewId.INSIDE)
        self._was_inside = is_inside

    def _show_next(self) -> None:
        """Show what goes on next wherever that is shown."""
        snapshot = self.controller.snapshot
        following = None if snapshot is None else self.targets.upcoming(snapshot)
        self.toolbar.show_next(following)
        self.status_line.show_next(following)

    def _show_state(self, state: State) -> None:
        broken = self.documents.broken_document is not None
        recovery = bool(self.documents.leftovers)
        self._action_set.show_state(
            dataclasses.replace(state, has_recovery=recovery, has_broken_document=broken)
        )
        self.toolbar.show_state(state)
        self.status_line.show_state(state)
        self._show_first_page(state)
        self.setWindowModified(state.modified)

    def _show_first_page(self, state: State) -> None:
        """Show the lessons, or that something is being opened where that takes its time."""
        if state.work != "loading":
            self._slow_opening.stop()
            if not self._awaits_opening:
                self._first_page.show_content()
        elif not self.is_open and self._first_page.shows_content:
            self._slow_opening.start()

    def _show_line(self, file: str, line: int) -> None:
        """Show a line of a script."""
        program = self.docks[ViewId.PROGRAM].widget()
        if isinstance(program, parts.ProgramView) and program.show_line(file, line):
            self.show_view(ViewId.PROGRAM)

    def _show_title(self) -> None:
        document = self.controller.document
        if document is None:
            self.setWindowTitle("GradStep")
        else:
            name = document.path.name if document.path is not None else document.name
            self.setWindowTitle(f"{name}[*] — GradStep")
            self.setWindowFilePath(str(document.path) if document.path is not None else "")

    def _fill_recent_menu(self) -> None:
        self._recent_menu.clear()
        for path in self.documents.recent:
            entry = self._recent_menu.addAction(path.name)
            entry.setToolTip(str(path))
            entry.triggered.connect(lambda _checked=False, chosen=path: self.documents.open(chosen))
        self._recent_menu.setEnabled(not self._recent_menu.isEmpty())

    def _hide_docks(self) -> None:
        for part in (self.toolbar, self.time_line, *self.docks.values()):
            part.setVisible(False)

    def _restyle(self) -> None:
        colors = theme.theme_of(self.palette())
        self._action_set.color_icons(colors)
        for tabs in self.findChildren(QTabBar):
            parts.style_tabs(tabs, colors)
            holder = tabs.parentWidget()  # Qt tells it of no other palette
            if holder is not None and holder is not self:
                holder.setPalette(QPalette())
        self._dock_titles.follow()

    def _restore_layout(self) -> None:
        self.time_line.setVisible(True)
        self.layouts.restore()
        self._script_docks.arrange()

    def _choose_layout(self, name: str) -> None:
        self._script_docks.remember()
        self.layouts.choose(LayoutId(name))

    def _follow_layout(self) -> None:
        """Show and hide what depends on what is open as well."""
        self.commands.layout_choice = self.layouts.current.id
        layout = self.layouts.current
        self._follow_type_scale()
        self.key_display.switch(on=layout.shows_keys)
        self.toolbar.list_buttons(layout.buttons)
        self._script_docks.follow_layout()
        self._lesson_dock.follow_layout()
        self._ranks_dock.follow_layout()
        self._show_state(self.controller.state)

    def _follow_type_scale(self) -> None:
        self._zoom.set_type_scale(self.layouts.current.type_scale)

    def _trigger(self, action: str) -> None:
        self.actions_by_id[action].trigger()

    def _offer_recovery(self) -> None:
        if self.documents.leftovers:
            self.messages.warning(
                self.tr("GradStep ended unexpectedly last time"),
                self.tr("What was open was recorded, up to the last event."),
                ActionId.RECOVER,
                self.tr("&Recover"),
            )

    def _leave(self) -> None:
        self._leaving = True
        QTimer.singleShot(0, self.close)


def _empty_status_bar(window: QWidget) -> QStatusBar:
    """Return a status bar as high as that of the complete window."""
    bar = QStatusBar(window)
    button = QToolButton(bar, autoRaise=True)
    button.setText(" ")
    button.setEnabled(False)
    button.setMinimumHeight(button.sizeHint().height() + 2)
    bar.addPermanentWidget(button)
    return bar


def _above(content: QWidget, bar: QWidget) -> QWidget:
    """Return a widget with the content above the bar, which takes room only while it is shown."""
    both = QWidget()
    column = QVBoxLayout(both)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(content, 1)
    column.addWidget(bar)
    return both


def _dropped_file(data: QMimeData) -> Path | None:
    """Return the first of the dragged URLs, where it is a local file."""
    url = next(iter(data.urls()), None)  # a list of URLs may be empty
    return Path(url.toLocalFile()) if url is not None and url.isLocalFile() else None
