"""The branches dock: every branch, to switch to, compare, rename and remove."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gradstep_gui.plotting.style import branch_color, style_of
from gradstep_gui.theme import theme_of
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.widgets.number_format import count_text, number_text
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.tables.cells import Cell, Title
from gradstep_gui.widgets.tables.table import CellTable
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.history.records.branch import BranchRecord
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["BranchesView"]


class BranchesView(DockView):
    """A table of branches: where each begins, how long it is, and its last loss.

    Args:
        controller: The controller, which holds the branches.
    """

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "branches", parent)
        self._branches = controller.branches
        self._shown: tuple[BranchRecord, ...] = ()
        self.table = CellTable(self.tr("Branches"), self)
        self._titles = (
            Title(self.tr("Branch"), self.tr("The current branch is bold")),
            Title(
                self.tr("Forked From"), self.tr("The parent branch, and the last event in common")
            ),
            Title(self.tr("Events"), self.tr("Events, including those shared with the parent")),
            Title(self.tr("Iterations"), self.tr("Complete iterations")),
            Title(
                self.tr("Last Loss"),
                self.tr("The program's first loss in the last complete iteration"),
            ),
        )
        self._process_title = Title(
            self.tr("Process"),
            self.tr("Whether the script can be continued on this branch: its process is held"),
        )
        bar = QHBoxLayout()
        bar.setContentsMargins(4, 4, 4, 0)
        self.show_button = self._offer_to(
            bar,
            self.tr("Switch To"),
            self.tr("Go to the last event of the selected branch (Enter)"),
            lambda branch: self._branches.checkout(branch.id),
        )
        self.compare_button = self._offer_to(
            bar,
            self.tr("Compare"),
            self.tr("Compare the current branch with the selected one, event by event"),
            lambda branch: self._branches.compare(branch.id),
        )
        self.rename_button = self._offer_to(
            bar,
            self.tr("Rename"),
            self.tr("Rename the selected branch (F2)"),
            lambda _: self.table.rename_row(self.table.currentIndex().row()),
            "F2",
        )
        self.remove_button = self._offer_to(
            bar,
            self.tr("Remove"),
            self.tr("Remove the selected branch (Del); it can be restored"),
            lambda branch: self._branches.remove(branch.id),
            "Del",
        )
        self.note = ElidedLabel(self)
        self.note.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        bar.addSpacing(8)
        bar.addWidget(self.note, 1)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        content = QWidget(self)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(bar)
        column.addWidget(self.table, 1)
        self.place = Placeholder(content, self._no_branches(), self)
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
        """Show the branches."""
        self._write()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._write()

    def _write(self) -> None:
        """List the branches, unless the dock is hidden."""
        if not self.isVisible():
            return
        self._shown = self._branches.records
        if len(self._shown) > 1:
            self.place.show_content()
        else:
            snapshot = self.controller.snapshot
            obstacle = "" if snapshot is None else _obstacle(snapshot)
            self.place.show_sentence(self._no_branches(obstacle))
        words = self.tr("An operation applied in the past starts a branch. So does What If.")
        if self._has_processes:
            words = self.tr("A change in the past starts a branch.")
        self.note.setText(words)
        titles = (*self._titles, self._process_title) if self._has_processes else self._titles
        self.table.show_rows(titles, [self._cells(item) for item in self._shown])
        self.table.stretch(0)
        self._offer()

    def _cells(self, branch: BranchRecord) -> tuple[Cell, ...]:
        bold, fork = branch.is_current, ""
        if branch.parent:
            fork = self.tr("{name}, after {event}").format(
                name=branch.parent, event=count_text(branch.forked_at)
            )
        return (
            Cell(branch.name, self._color_hint(), bold=bold, swatch=self._color(branch)),
            Cell(fork, bold=bold),
            Cell(count_text(branch.events), number=True, bold=bold),
            Cell(count_text(branch.iterations), number=True, bold=bold),
            Cell(number_text(branch.loss), number=True, bold=bold),
            *((Cell(self._process(branch), bold=bold),) if self._has_processes else ()),
        )

    def _color(self, branch: BranchRecord) -> str:
        """Return the colour that the curves of a branch have in the plots."""
        theme = theme_of(self.palette())
        return style_of(0, theme).color if branch.is_current else branch_color(branch.id, theme)

    def _color_hint(self) -> str:
        return self.tr("The colour of its loss in Plots and Compare")

    @property
    def _has_processes(self) -> bool:
        return any(branch.process for branch in self._shown)

    def _process(self, branch: BranchRecord) -> str:
        texts = {"held": self.tr("Held"), "ended": self.tr("Ended")}
        return texts.get(branch.process, "")

    def _chosen(self, row: int) -> BranchRecord | None:
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def _no_branches(self, obstacle: str = "") -> str:
        if obstacle:
            return self.tr("There is only one branch.\n\n{0}").format(obstacle)
        return self.tr(
            "There is only one branch.\n\nGo back and apply another operation, or use "
            "Experiment > What If…: the result becomes a new branch and is listed here."
        )

    def _offer_to(
        self,
        bar: QHBoxLayout,
        title: str,
        meaning: str,
        do: Callable[[BranchRecord], object],
        keys: str = "",
    ) -> QPushButton:
        """Add a button and a menu entry for the selected branch."""
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
        """Enable the actions: nothing during a run, and only Rename for the current branch."""
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


def _obstacle(snapshot: Snapshot) -> str:
    """Return why no branch can be begun; empty if one can be."""
    abilities = snapshot.abilities
    return abilities.diverge if abilities.edit else ""
