"""The branches dock: every line of events, to be looked at, compared, renamed and removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gradstep_gui.views.dock_view import View
from gradstep_gui.widgets.number_format import count_text, number_text
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.tables.plain_table import PlainTable
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.history.records.branch import BranchRecord
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["BranchesView"]


class BranchesView(View):
    """Each branch with where it began, how long it is, and where its loss has got to.

    Args:
        controller: Where branches come from; it does with them what is asked for.
    """

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "branches", parent)
        self._branches = controller.branches
        self._shown: tuple[BranchRecord, ...] = ()
        self.table = PlainTable(
            self.tr("Branches"),
            (
                (self.tr("Branch"), self.tr("What it is called; the one on show is in bold")),
                (self.tr("Leaves"), self.tr("The branch it left, and the last event they share")),
                (self.tr("Events"), self.tr("How many events it has, shared ones included")),
                (self.tr("Iterations"), self.tr("How many iterations are complete at its end")),
                (self.tr("Last loss"), self.tr("The first loss of the program, at its end")),
            ),
            self,
        )
        bar = QHBoxLayout()
        bar.setContentsMargins(4, 4, 4, 0)
        self.show_button = self._offer_to(
            bar,
            self.tr("Look at It"),
            self.tr("Go to the end of the chosen branch (Enter)"),
            lambda branch: self._branches.checkout(branch.id),
        )
        self.compare_button = self._offer_to(
            bar,
            self.tr("Compare"),
            self.tr("Compare the branch on show with the chosen one, event by event"),
            lambda branch: self._branches.compare(branch.id),
        )
        self.rename_button = self._offer_to(
            bar,
            self.tr("Rename"),
            self.tr("Call the chosen branch otherwise (F2)"),
            lambda _: self.table.rename_row(self.table.currentIndex().row()),
            "F2",
        )
        self.remove_button = self._offer_to(
            bar,
            self.tr("Remove"),
            self.tr("Remove the chosen branch (Del); it can be brought back"),
            lambda branch: self._branches.remove(branch.id),
            "Del",
        )
        note = ElidedLabel(self)
        note.setText(self.tr("Applied in the past, an operation begins a branch. So does What If…"))
        note.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        bar.addSpacing(8)
        bar.addWidget(note, 1)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        content = QWidget(self)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(bar)
        column.addWidget(self.table, 1)
        self.place = Placeholder(
            content,
            self._alone(),
            self,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)
        self.table.opened.connect(self._open_row)
        self.table.renamed.connect(self._rename)
        self.table.selectionModel().currentRowChanged.connect(self._offer)
        controller.branches.branches_changed.connect(self._write)
        controller.state_changed.connect(self._offer)
        self._offer()

    def render(self, _snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show the branches as they are at this moment."""
        self._write()

    def _write(self) -> None:
        """List the branches; while nobody sees the dock, only once it is shown."""
        if not self.isVisible():
            return
        self._shown = self._branches.records
        if len(self._shown) > 1:
            self.place.show_content()
        else:
            self.place.show_sentence(self._alone())
        bold = next((row for row, item in enumerate(self._shown) if item.is_current), -1)
        self.table.set_rows([self._texts(item) for item in self._shown], bold)
        self._offer()

    def _texts(self, branch: BranchRecord) -> tuple[str, ...]:
        leaves = self.tr("{name}, after {event}").format(
            name=branch.parent, event=count_text(branch.forked_at)
        )
        return (
            branch.name,
            leaves if branch.parent else "",
            count_text(branch.events),
            count_text(branch.iterations),
            number_text(branch.loss),
        )

    def _chosen(self, row: int) -> BranchRecord | None:
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def _alone(self) -> str:
        return self.tr(
            "There is one line of events so far.\n\nGo back and do something else, or ask "
            "Experiment > What If…: the old line stays, and the new one is listed here."
        )

    def _offer_to(
        self,
        bar: QHBoxLayout,
        title: str,
        meaning: str,
        do: Callable[[BranchRecord], object],
        keys: str = "",
    ) -> QPushButton:
        """Add a button, and an entry to the table's menu, that do something with the chosen one."""
        action = QAction(title, self.table)
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda: self._with_chosen(do))
        self.table.addAction(action)
        button = QPushButton(title, self)
        button.setToolTip(meaning)
        button.clicked.connect(action.trigger)
        action.enabledChanged.connect(button.setEnabled)
        bar.addWidget(button)
        return button

    def _with_chosen(self, do: Callable[[BranchRecord], object]) -> None:
        chosen = self._chosen(self.table.currentIndex().row())
        if chosen is not None:
            do(chosen)

    def _offer(self) -> None:
        """Let be done what can be: what is on show can only be renamed, and while nothing runs."""
        chosen = self._chosen(self.table.currentIndex().row())
        can = chosen is not None and self.controller.state.work == "paused"
        is_other = chosen is not None and not chosen.is_current
        look, compare, rename, remove = self.table.actions()
        rename.setEnabled(can)
        for action in (look, compare, remove):
            action.setEnabled(can and is_other)

    def _open_row(self, row: int) -> None:
        chosen = self._chosen(row)
        if chosen is not None and not chosen.is_current:
            self._branches.checkout(chosen.id)

    def _rename(self, row: int, name: str) -> None:
        chosen = self._chosen(row)
        if chosen is not None:
            self._branches.rename(chosen.id, name)
