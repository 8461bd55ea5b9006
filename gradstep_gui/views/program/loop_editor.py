"""LoopEditor: the lines of a program's loop are edited in its script.

Each edit is one `EditLoop`, so that it can be undone, and makes a branch in the past.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from gradstep.program.loop_edits import (
    insert_line,
    move_line,
    remove_line,
    repeat_line,
    replace_line,
    switch_line,
)
from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    ClipGradValue,
    Forward,
    ReplaceOptimizer,
    SetBatchSize,
    Step,
    ZeroGrad,
)
from gradstep_gui.views.labels import operation_target, operation_text, operation_title
from gradstep_gui.views.model import ViewModel
from gradstep_gui.widgets.dialogs.value_dialog import ValueDialog
from gradstep_gui.widgets.text.code_view import LineRange
from gradstep_gui.widgets.text.line_editor import LineEditor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.listing import Listing
    from gradstep.program.operation import EditLoop, LoopLine, Operation
    from gradstep_gui.records import Document, State
    from gradstep_gui.widgets.text.code_view import CodeView

__all__ = ["LoopEditor", "LoopModel", "palette_of"]

_PERIODS = (2, 4, 10)
"""Numbers of iterations that the menu offers for a line that does not run in each of them."""


_MAX_DIGITS = 12
"""Digits of a batch size; there are no data sets with as many rows."""


class LoopModel(ViewModel, Protocol):
    """The controller, as the editor of the loop sees it."""

    @property
    def document(self) -> Document | None:
        """What is open; None when nothing is."""


class PaletteGroup(NamedTuple):
    """Operations of one kind that can be a line of the loop.

    Attributes:
        title: What they do.
        operations: The Operations.
    """

    title: str
    operations: tuple[Operation, ...]


def palette_of(document: Document | None, listing: Listing) -> tuple[PaletteGroup, ...]:
    """Return the Operations that can be inserted into the loop, by kind.

    Args:
        document: What is open, which names the losses and the optimizers.
        listing: The program, with the Operations that it has besides the usual four.
    """
    losses = () if document is None else document.losses
    optimizers = () if document is None else document.optimizers
    operations: list[Operation] = [
        *map(ZeroGrad, optimizers),
        *map(Forward, losses),
        *map(Backward, losses),
        *map(Step, optimizers),
        *listing.others,
    ]
    groups: dict[str, list[Operation]] = {}
    for operation in operations:
        groups.setdefault(operation_title(operation), []).append(operation)
    return tuple(PaletteGroup(title, tuple(found)) for title, found in groups.items())


class LoopEditor(QObject):
    """Edits the loop of a program: by dragging, with the context menu, and with keys.

    Args:
        controller: The controller.
        code: The script.
    """

    def __init__(self, controller: LoopModel, code: CodeView) -> None:
        super().__init__(code)
        self._controller = controller
        self._code = code
        self._listing: Listing | None = None
        self._snapshot: Snapshot | None = None
        self._selected: int | None = None
        self.dialog: ValueDialog | None = None
        self.lines = LineEditor(code)
        self.lines.moved.connect(self._move)
        self.insert_menu = QMenu(self.tr("Insert Line Below"), code)
        self.insert_menu.aboutToShow.connect(self._fill_insert_menu)
        self.move_up = self._action(self.tr("Move Line Up"), "Alt+Up", lambda: self._shift(-1))
        self.move_down = self._action(self.tr("Move Line Down"), "Alt+Down", lambda: self._shift(1))
        self.switch = self._action(self.tr("Switch Line Off or On"), "Ctrl+/", self._switch)
        self.repeat = self._action(self.tr("Duplicate Line"), "Shift+Alt+Down", self._repeat)
        self.remove = self._action(self.tr("Delete Line"), "Del", self._remove)
        self.insert = self._action(self.tr("Insert Line Below…"), "Ins", self._open_palette)
        code.menu_opening.connect(self._extend_menu)
        controller.state_changed.connect(self._enable)

    @property
    def loop(self) -> tuple[LoopLine, ...]:
        """The lines of the loop; empty for a script."""
        spans = () if self._listing is None else self._listing.spans
        return tuple(span.line for span in spans if span.line is not None)

    def show_listing(self, listing: Listing) -> None:
        """Show the lines of a program, or that a script has none to be edited."""
        self._listing = listing
        if self.dialog is not None:
            self.dialog.reject()  # it asked about another loop
        self.lines.show_lines(
            [LineRange(span.first, span.last) for span in listing.spans if span.line is not None]
        )
        self._code.show_off(
            [
                number
                for span in listing.spans
                if span.line is not None and not span.line.enabled
                for number in range(span.first, span.last + 1)
            ]
        )
        if self._selected is not None:
            self.lines.select(self._selected)
            self._selected = None
        self._enable(self._controller.state)

    def show_moment(self, snapshot: Snapshot) -> None:
        """Note which line comes next."""
        self._snapshot = snapshot

    # -- what can be done ------------------------------------------------------------------------

    def _action(self, text: str, keys: str, run: Callable[[], None]) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(run)
        self._code.addAction(action)
        return action

    def _can_edit(self, state: State) -> bool:
        return bool(self.loop) and state.work == "paused" and not state.abilities.edit

    def _enable(self, state: State) -> None:
        can_edit = self._can_edit(state)
        for action in (
            self.move_up,
            self.move_down,
            self.switch,
            self.repeat,
            self.remove,
            self.insert,
        ):
            action.setEnabled(can_edit)
        self.insert_menu.setEnabled(can_edit)
        self.lines.set_enabled(can_edit)

    def _apply(self, edit: EditLoop, selected: int) -> None:
        self._selected = selected
        self._controller.apply(edit)

    def _edit(self, make: Callable[[Sequence[LoopLine], int], EditLoop], selected: int) -> None:
        """Apply an edit that is made from the lines and the index of the next one."""
        snapshot = self._snapshot
        if snapshot is not None and self._can_edit(self._controller.state):
            self._apply(make(self.loop, snapshot.next_line or 0), selected)

    def _move(self, at: int, to: int) -> None:
        self._edit(lambda lines, following: move_line(lines, following, at, to), to)

    def _shift(self, by: int) -> None:
        at = self.lines.current
        if at is not None and 0 <= at + by < len(self.loop):
            self._move(at, at + by)

    def _switch(self) -> None:
        at = self.lines.current
        if at is not None:
            self._edit(lambda lines, following: switch_line(lines, following, at), at)

    def _repeat(self) -> None:
        at = self.lines.current
        if at is not None:
            self._edit(lambda lines, following: repeat_line(lines, following, at), at + 1)

    def _remove(self) -> None:
        at = self.lines.current
        if at is not None and len(self.loop) > 1:
            selected = min(at, len(self.loop) - 2)
            self._edit(lambda lines, following: remove_line(lines, following, at), selected)

    def _insert(self, operation: Operation) -> None:
        """Insert a line below the current one; without one, at the end of the loop."""
        current = self.lines.current
        at = len(self.loop) if current is None else current + 1
        self._edit(lambda lines, following: insert_line(lines, following, at, operation), at)

    def _replace(self, at: int, line: LoopLine) -> None:
        self._edit(lambda lines, following: replace_line(lines, following, at, line), at)

    # -- menus -----------------------------------------------------------------------------------

    def _fill_insert_menu(self) -> None:
        menu, listing = self.insert_menu, self._listing
        menu.clear()
        if listing is None:
            return
        for group in palette_of(self._controller.document, listing):
            self._add_choices(menu, group.title, group.operations, self._insert)

    def _add_choices(
        self,
        menu: QMenu,
        title: str,
        operations: Iterable[Operation],
        choose: Callable[[Operation], None],
    ) -> None:
        """Add Operations of one kind to a menu, several of them as a menu of their own."""
        found = list(operations)
        if len(found) == 1:
            entry = menu.addAction(operation_text(found[0]))
            entry.triggered.connect(lambda: choose(found[0]))
            return
        inner = menu.addMenu(title)
        for operation in found:
            entry = inner.addAction(operation_target(operation))
            entry.triggered.connect(lambda _checked=False, chosen=operation: choose(chosen))

    def _open_palette(self) -> None:
        """Open the palette at the line with the text cursor."""
        place = self._code.cursorRect().bottomLeft()
        self.insert_menu.popup(self._code.viewport().mapToGlobal(place))

    def _extend_menu(self, menu: QMenu, line: int) -> None:
        """Add what can be done with a line of the loop to its context menu."""
        at = self.lines.index_of(line)
        if at is None:
            return
        self.lines.select(at)
        menu.addSeparator()
        for action in (self.move_up, self.move_down, self.switch, self.repeat, self.remove):
            menu.addAction(action)
        self.switch.setText(
            self.tr("Switch Line Off") if self.loop[at].enabled else self.tr("Switch Line On")
        )
        menu.addMenu(self.insert_menu)
        if self._can_edit(self._controller.state):
            menu.addSeparator()
            self._add_changes(menu, at)

    def _add_changes(self, menu: QMenu, at: int) -> None:
        """Add what can be changed in a line: its arguments, and in which iterations it runs."""
        line = self.loop[at]
        operation = line.operation
        match operation:
            case Backward(retain_graph=is_kept):
                self._add_switch(menu, self.tr("Retain Graph"), at, "retain_graph", is_on=is_kept)
            case ZeroGrad(set_to_none=to_none):
                self._add_switch(menu, self.tr("Set to None"), at, "set_to_none", is_on=to_none)
            case ClipGradNorm(max_norm=limit):
                self._add_value(menu, self.tr("Maximum Norm…"), at, "max_norm", limit)
            case ClipGradValue(clip_value=limit):
                self._add_value(menu, self.tr("Maximum Value…"), at, "clip_value", limit)
            case Forward():
                self._add_others(menu, lambda other: isinstance(other, SetBatchSize))
                self._add_other_sizes(menu)
            case Step(optimizer=name):
                self._add_others(
                    menu,
                    lambda other: (
                        isinstance(other, ReplaceOptimizer)
                        and other.optimizer == name
                        and not other.rebind
                    ),
                )
            case _:
                pass
        self._add_periods(menu, at)

    def _add_switch(self, menu: QMenu, title: str, at: int, field: str, *, is_on: bool) -> None:
        entry = menu.addAction(title)
        entry.setCheckable(True)
        entry.setChecked(is_on)
        entry.triggered.connect(lambda: self._set(at, field, not is_on))

    def _set(self, at: int, field: str, value: object) -> None:
        """Change an argument of a line."""
        line = self.loop[at]
        changed = msgspec.structs.replace(line.operation, **{field: value})
        self._replace(at, msgspec.structs.replace(line, operation=changed))

    def _add_value(self, menu: QMenu, title: str, at: int, field: str, value: float) -> None:
        menu.addAction(title).triggered.connect(lambda: self._ask(title, at, field, value))

    def _ask(self, title: str, at: int, field: str, value: float) -> None:
        """Ask for a number in a line."""
        label = self.tr("&{0} of {1}:").format(field, operation_title(self.loop[at].operation))
        dialog = self._open_dialog(
            title.rstrip("…"), label, f"{value:.12g}", self._problem_of_limit
        )
        dialog.accepted.connect(lambda: self._set(at, field, float(dialog.field.text())))

    def _open_dialog(
        self, title: str, label: str, proposed: str, problem: Callable[[str], str]
    ) -> ValueDialog:
        dialog = ValueDialog(title, label, proposed, problem, self._code.window())
        dialog.finished.connect(self._forget_dialog)
        self.dialog = dialog
        dialog.open()
        return dialog

    def _forget_dialog(self) -> None:
        self.dialog = None

    def _problem_of_limit(self, text: str) -> str:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        return "" if value > 0 else self.tr("{0} is not a number above 0.").format(text or "…")

    def _add_others(self, menu: QMenu, is_wanted: Callable[[Operation], bool]) -> None:
        """Add Operations that change something for what comes, rather than the line."""
        others = () if self._listing is None else self._listing.others
        groups: dict[str, list[Operation]] = {}
        for operation in filter(is_wanted, others):
            groups.setdefault(operation_title(operation), []).append(operation)
        for title, found in groups.items():
            self._add_choices(menu, title, found, self._controller.apply)

    def _add_other_sizes(self, menu: QMenu) -> None:
        """Add an entry for each data set that asks for its batch size."""
        others = () if self._listing is None else self._listing.others
        names = dict.fromkeys(other.data for other in others if isinstance(other, SetBatchSize))
        for name in names:
            entry = menu.addAction(self.tr("Batch Size of {0}…").format(name))
            entry.triggered.connect(lambda _checked=False, data=name: self._ask_size(data))

    def _ask_size(self, data: str) -> None:
        label = self.tr('&Batch size of {0}, or "all":').format(data)
        dialog = self._open_dialog(self.tr("Set Batch Size"), label, "", self._problem_of_size)

        def apply() -> None:
            text = dialog.field.text().strip()
            size = None if text.lower() == "all" else int(text)
            self._controller.apply(SetBatchSize(data, size))

        dialog.accepted.connect(apply)

    def _problem_of_size(self, text: str) -> str:
        text = text.strip()
        is_size = text.isdecimal() and text.isascii() and len(text) <= _MAX_DIGITS and int(text) > 0
        if text.lower() == "all" or is_size:
            return ""
        return self.tr('{0} is not a whole number from 1, or "all".').format(text or "…")

    def _add_periods(self, menu: QMenu, at: int) -> None:
        line = self.loop[at]
        inner = menu.addMenu(self.tr("Runs"))
        choices: list[tuple[str, int | str]] = [(self.tr("In Every Iteration"), 1)]
        choices += [
            (
                self.tr("In Every {0}th Iteration").format(count)
                if count > 2  # noqa: PLR2004
                else self.tr("In Every Second Iteration"),
                count,
            )
            for count in _PERIODS
        ]
        choices.append((self.tr("At the End of an Epoch"), "epoch"))
        for title, every in choices:
            entry = inner.addAction(title)
            entry.setCheckable(True)
            entry.setChecked(line.every == every)
            changed = msgspec.structs.replace(line, every=every, offset=0)
            entry.triggered.connect(
                lambda _checked=False, wanted=changed: self._replace(at, wanted)
            )
