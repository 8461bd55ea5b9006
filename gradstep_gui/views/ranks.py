"""The ranks dock: where each process of a distributed script is, and whether they agree."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout

from gradstep_gui.theme import theme_of
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.widgets.number_format import count_text, counted_text, number_text
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.tables.cells import Cell, Title
from gradstep_gui.widgets.tables.table import CellTable

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gradstep.history.records.ranks import RankDivergence, RankRecord
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.theme import Theme
    from gradstep_gui.views.model import ViewModel

__all__ = ["RanksView"]

_LEAST_NOTES = 44


class RanksView(DockView):
    """A table of ranks; below it what is wrong with them, with the values that show it.

    A click on a rank shows it in the other docks, and a click on an Event goes there.

    Args:
        controller: The controller, which holds the ranks.
    """

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "ranks", parent)
        self._ranks = controller.ranks
        self.setWindowTitle(self.tr("Ranks"))
        self.table = CellTable(self.tr("Ranks"), self)
        self._titles = (
            Title(self.tr("Rank"), self.tr("The rank that is shown is bold; click another one")),
            Title(self.tr("State"), self.tr("Where the process is")),
            Title(self.tr("Iteration"), self.tr("Complete iterations")),
            Title(self.tr("Loss"), self.tr("The loss that was computed last, on its own batch")),
            Title(self.tr("Parameters"), self.tr("The norm of all parameters")),
            Title(self.tr("Gradients"), self.tr("The norm of all their gradients")),
            Title(
                self.tr("Compared With Rank 0"),
                self.tr("Whether the parameters are equal after each Step, bit for bit"),
            ),
            Title(self.tr("Process"), self.tr("The process, and the machine that it runs on")),
        )
        self.notes = QLabel(self)
        self.notes.setWordWrap(True)
        self.notes.setMargin(6)
        self.notes.setMinimumWidth(1)  # a long name must not widen the dock
        self.notes.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.notes.setTextFormat(Qt.TextFormat.RichText)
        self.notes.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.notes.setAccessibleName(self.tr("What is wrong with the ranks"))
        self.notes.linkActivated.connect(self._go)
        self._around_notes = QScrollArea(self)
        self._around_notes.setWidget(self.notes)
        self._around_notes.setWidgetResizable(True)
        self._around_notes.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the text takes it
        self._around_notes.setFrameShape(QFrame.Shape.NoFrame)
        self._around_notes.setMinimumHeight(_LEAST_NOTES)
        content = QFrame(self)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.table, 1)
        column.addWidget(self._around_notes, 1)
        self.place = Placeholder(
            content,
            self.tr(
                "There is one process.\n\nThe ranks of a script that torchrun starts are listed "
                "here: gradstep debug -- torchrun --nproc-per-node 2 train.py"
            ),
            self,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)
        self.table.chosen.connect(self._show)
        self._ranks.changed.connect(self._write)

    def render(self, _snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show the ranks."""
        self._write()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._write()

    def _write(self) -> None:
        """List the ranks, and say in the title of the dock how many differ."""
        records = self._ranks.records
        wrong = sum(record.divergence is not None or record.is_first_failure for record in records)
        title = self.tr("Ranks ({0})").format(count_text(wrong)) if wrong else self.tr("Ranks")
        self.setWindowTitle(title)
        if not self.isVisible():
            return
        if not records:
            self.place.show_sentence(self.place.sentence)
            return
        self.place.show_content()
        self.table.show_rows(self._titles, [self._cells(record) for record in records])
        self.table.stretch(1)
        notes = self._notes(records, theme_of(self.palette()))
        if notes != self.notes.text():
            self.notes.setText(notes)
        self._around_notes.setVisible(bool(notes))

    def _cells(self, record: RankRecord) -> tuple[Cell, ...]:
        bold = record.is_shown
        state = self._state(record)
        failed = record.state == "ended" and bool(record.error or record.status)
        iteration = "" if record.iteration is None else count_text(record.iteration)
        process = "" if record.pid is None else str(record.pid)
        return (
            Cell(str(record.number), bold=bold),
            Cell(state, hint=state, bold=bold, tone="error" if failed else ""),
            Cell(iteration, number=True, bold=bold),
            *(
                Cell("" if value is None else number_text(value), number=True, bold=bold)
                for value in (record.loss, record.parameter_norm, record.gradient_norm)
            ),
            self._agreement(record),
            Cell(process or record.host, hint=record.host, after=record.host if process else ""),
        )

    def _state(self, record: RankRecord) -> str:
        where = f"{record.place}, {record.at}" if record.at else record.place
        if record.state == "held":
            return self.tr("Held before {0}").format(where)
        if record.state != "ended":
            return self._under_way(record, where)
        if record.ended_after is not None:
            words = self.tr("Ended by torchrun, after rank {0} had failed")
            return words.format(record.ended_after)
        if record.error:
            return self.tr("Ended: {0}").format(record.error)
        if record.status is None:
            return self.tr("Ended")
        return self.tr("Ended with status {0}").format(record.status)

    def _under_way(self, record: RankRecord, where: str) -> str:
        if record.state == "running" and not where:
            return self.tr("Starting")
        if record.state == "running":
            words = self.tr("Running after {0}") if record.is_past else self.tr("Running {0}")
            return words.format(where)
        if not where:
            return self.tr("Waits for other ranks before its first operation")
        words = self.tr("Waits for other ranks in {0}")
        if record.is_past:
            words = self.tr("Waits for other ranks after {0}")
        return words.format(where)

    def _agreement(self, record: RankRecord) -> Cell:
        divergence = record.divergence
        if divergence is None:
            if not record.compared:
                return Cell("")
            steps = counted_text(record.compared, self.tr("{0} Step"), self.tr("{0} Steps"))
            return Cell(self.tr("Equal after {0}").format(steps), tone="muted")
        if divergence.equal_since is not None:
            text = self.tr("Equal again since Step #{0}").format(divergence.equal_since)
            return Cell(text, hint=divergence.sentence, tone="warning")
        where = divergence.difference.place
        text = self.tr("Differs before the first Step: {0}").format(where)
        if divergence.step:
            text = self.tr("Differs since Step #{0}: {1}").format(divergence.step, where)
        tone = "error" if divergence.is_synchronized else "warning"
        return Cell(text, hint=divergence.sentence, tone=tone)  # type: ignore[arg-type] # one of two

    def _notes(self, records: tuple[RankRecord, ...], theme: Theme) -> str:
        """Return what is wrong, as rich text; empty for nothing."""
        found = [
            self._divergence_note(record, record.divergence, theme)
            for record in records
            if record.divergence is not None
        ]
        found += [
            _paragraph(
                theme.error,
                self.tr("Rank {0} has failed").format(record.number),
                f"{escape(record.error)}{_traceback(record)}",
            )
            for record in records
            if record.is_first_failure
        ]
        return "".join(found)

    def _divergence_note(self, record: RankRecord, divergence: RankDivergence, theme: Theme) -> str:
        color = theme.error if divergence.is_synchronized else theme.warning
        difference = divergence.difference
        values = self.tr("{0} is {1} on rank {2} and {3} on rank {4}.").format(
            difference.place, difference.a, divergence.first, difference.b, record.number
        )
        if divergence.largest is not None:
            values += " " + self.tr("The largest difference in this tensor is {0}.").format(
                number_text(divergence.largest)
            )
        more = divergence.tensors - 1
        if more:
            values += " " + counted_text(
                more, self.tr("{0} other tensor differs."), self.tr("{0} other tensors differ.")
            )
        meaning = self.tr("Nothing that GradStep sees keeps them equal: each rank trains its own.")
        if divergence.is_synchronized:
            meaning = self.tr(
                "DistributedDataParallel averages gradients: parameters stay equal only while "
                "every rank does the same with them."
            )
        link = ""
        if divergence.event:
            style = f"style='color:{theme.accent}'"
            link = f"<a {style} href='{record.number}/{divergence.event}'>" + escape(
                self.tr("Event {0} on rank {1}").format(count_text(divergence.event), record.number)
            )
            link += f"</a>, {escape(divergence.at)}. " if divergence.at else "</a>. "
        text = " ".join(escape(part) for part in (values, divergence.cause, meaning))
        return _paragraph(color, divergence.sentence, link + text)

    def _show(self, row: int) -> None:
        records = self._ranks.records
        if row < len(records) and not records[row].is_shown:
            self._ranks.show(records[row].number)

    def _go(self, link: str) -> None:
        number, _, event = link.partition("/")
        shown = next((record.number for record in self._ranks.records if record.is_shown), None)
        if shown != int(number):
            self._ranks.show(int(number))
        self.controller.seek(int(event))


def _paragraph(color: str, title: str, text: str) -> str:
    return f"<p style='margin:0 0 4px 0'><b style='color:{color}'>▲ {escape(title)}.</b> {text}</p>"


def _traceback(record: RankRecord) -> str:
    if not record.traceback:
        return ""
    return f"<pre style='margin:2px 0 0 0'>{escape(record.traceback)}</pre>"
