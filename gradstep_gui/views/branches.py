"""The branches dock: every line of events, to be looked at or compared with the one on show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gradstep_gui.views.frame import View
from gradstep_gui.widgets.number_format import count_text, number_text
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.plain_table import PlainTable

if TYPE_CHECKING:
    from gradstep.history.branch_record import BranchRecord
    from gradstep.history.snapshot import Snapshot
    from gradstep_gui.views.model import BranchModel

__all__ = ["BranchesView"]


class BranchesView(View):
    """Each branch with where it began, how long it is, and where its loss has got to.

    Args:
        controller: Where branches come from; it looks at them and compares them.
    """

    def __init__(self, controller: BranchModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "branches", parent)
        self._branching = controller.branching
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
        self.show_button = QPushButton(self.tr("Look at It"), self)
        self.show_button.setToolTip(self.tr("Go to the end of the chosen branch (Enter)"))
        self.compare_button = QPushButton(self.tr("Compare"), self)
        self.compare_button.setToolTip(
            self.tr("Compare the branch on show with the chosen one, event by event")
        )
        self._note = QLabel(
            self.tr("Applied in the past, an operation begins a branch. So does What if…"), self
        )
        self._note.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        bar = QHBoxLayout()
        bar.setContentsMargins(4, 4, 4, 0)
        bar.addWidget(self.show_button)
        bar.addWidget(self.compare_button)
        bar.addStretch(1)
        bar.addWidget(self._note)
        content = QWidget(self)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(bar)
        column.addWidget(self.table, 1)
        self.place = Placeholder(
            content,
            self.tr(
                "There is one line of events so far.\n\nGo back and do something else, or ask "
                "Debug > What if…: the old line stays, and the new one is listed here."
            ),
            self,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)
        self.table.opened.connect(self._open_row)
        self.table.selectionModel().currentRowChanged.connect(self._offer)
        self.show_button.clicked.connect(lambda: self._open_row(self.table.currentIndex().row()))
        self.compare_button.clicked.connect(self._compare)
        controller.branching.branches_changed.connect(self._write)
        self._offer()

    def render(self, _snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show the branches as they are at this moment."""
        self._write()

    def _write(self) -> None:
        """List the branches; while nobody sees the dock, only once it is shown."""
        if not self.isVisible():
            return
        self._shown = self._branching.branches
        if len(self._shown) > 1:
            self.place.show_content()
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

    def _offer(self) -> None:
        chosen = self._chosen(self.table.currentIndex().row())
        other = chosen is not None and not chosen.is_current
        self.show_button.setEnabled(other)
        self.compare_button.setEnabled(other)

    def _open_row(self, row: int) -> None:
        chosen = self._chosen(row)
        if chosen is not None and not chosen.is_current:
            self._branching.checkout(chosen.id)

    def _compare(self) -> None:
        chosen = self._chosen(self.table.currentIndex().row())
        if chosen is not None:
            self._branching.compare(chosen.id)
