"""The details of one Event: outcome, remedy, and every address that it read and wrote."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QTextBrowser, QWidget

from gradstep.program.operation import Forward
from gradstep_gui.theme import kind_of, theme_of
from gradstep_gui.views.event_log.cells import shown_addresses
from gradstep_gui.views.labels import operation_text
from gradstep_gui.widgets.number_format import count_text, counted_text, full_text

if TYPE_CHECKING:
    from gradstep.history.records.event import Event

__all__ = ["EventDetails"]

_MOST = 200
"""Addresses listed; of the others only the count is shown."""


class EventDetails(QTextBrowser):
    """Text that can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._shown: Event | None = None
        super().__init__(parent)
        self.setAccessibleName(self.tr("Details of the selected event"))
        self.setOpenLinks(False)
        self.show_start()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of the current theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._shown is not None:
            shown, self._shown = self._shown, None
            self.show_event(shown)

    def show_start(self) -> None:
        """Show the state before the first Event."""
        self._shown = None
        self.setHtml(
            f"<b>{escape(self.tr('Start'))}</b><p>"
            + escape(self.tr("The program before the first event: nothing has been computed yet."))
        )

    def show_event(self, event: Event) -> None:
        """Show the details of an Event."""
        if event == self._shown:
            return
        self._shown = event
        theme = theme_of(self.palette())
        title = operation_text(event.operation)
        colour = theme.kind(kind_of(event.operation)).strong
        when = self.tr("Event {0}, iteration {1}").format(
            count_text(event.index), count_text(event.iteration)
        )
        if event.operation.at:
            when = self.tr("{0}, {1}").format(when, event.operation.at)
        lines = [
            f"<div style='color:{colour}'><b>{escape(title)}</b></div>",
            f"<div style='color:{theme.muted}'>{escape(when)}</div>",
        ]
        outcome = event.outcome
        if outcome.ok and outcome.message:
            lines.append(f"<p>{escape(outcome.message)}</p>")
        if not outcome.ok:
            said = outcome.message  # a script's begins with its own type
            if not event.operation.at:
                said = f"{outcome.error}: {said}"
            lines.append(
                f"<p style='color:{theme.error}'>✖ {escape(said)}</p>"
                f"<p>{escape(outcome.remedy)}</p>"
            )
        if event.loss is not None:
            operation = event.operation
            name = operation.loss if isinstance(operation, Forward) else self.tr("loss")
            lines.append(f"<p>{escape(name)} = {escape(full_text(event.loss))}</p>")
        lines.append(self._list(self.tr("Read"), shown_addresses(event, event.reads)))
        lines.append(self._list(self.tr("Wrote"), shown_addresses(event, event.writes)))
        if event.rows is not None:
            rows = tuple(str(row) for row in event.rows[:_MOST])
            more = ", …" if len(event.rows) > _MOST else ""
            words = self.tr("{0} data row"), self.tr("{0} data rows")
            title = counted_text(len(event.rows), *words)
            lines.append(f"<p><b>{escape(title)}</b><br>{', '.join(rows)}{more}</p>")
        self.setHtml("".join(lines))

    def _list(self, title: str, addresses: tuple[str, ...]) -> str:
        shown = [escape(address) for address in addresses[:_MOST]] or [escape(self.tr("nothing"))]
        if len(addresses) > _MOST:
            left = count_text(len(addresses) - _MOST)
            shown.append(escape(self.tr("and {0} more").format(left)))
        return f"<p><b>{escape(title)}</b><br>{'<br>'.join(shown)}</p>"
