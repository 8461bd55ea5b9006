"""The cells of the event log."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.program.operation import SetMode
from gradstep_gui.theme import kind_of
from gradstep_gui.views.labels import operation_target, operation_title
from gradstep_gui.widgets.number_format import count_text, full_text, number_text
from gradstep_gui.widgets.tables.cells import Cell, Tone

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gradstep.history.records.event import Event

__all__ = [
    "EventColumn",
    "RowContext",
    "addresses_text",
    "event_cell",
    "index_text",
    "shown_addresses",
    "start_cell",
]

_MOST_HINTED = 40
"""Addresses in a tooltip; the details of the Event list more."""


class EventColumn(IntEnum):
    """The columns, from left to right."""

    INDEX = 0
    ITERATION = 1
    OPERATION = 2
    LINE = 3
    OUTCOME = 4
    LOSS = 5
    READ = 6
    WROTE = 7


@dataclass(frozen=True, slots=True)
class RowContext:
    """What a row needs to know besides its Event.

    Attributes:
        is_current: Whether the cursor is right after its Event.
        is_future: Whether the cursor is before its Event.
        tensors: The names of the program's tensors.
        is_hit: Whether a breakpoint stopped a run there.
    """

    is_current: bool
    is_future: bool
    tensors: Collection[str]
    is_hit: bool = False


def _tr(text: str) -> str:
    return QCoreApplication.translate("EventLog", text)


def start_cell(column: EventColumn, line: RowContext) -> Cell:
    """Return a cell of the first row: the state before the first Event."""
    if column == EventColumn.INDEX:
        return _index(0, "", line)
    if column == EventColumn.OPERATION:
        return Cell(
            _tr("Start"), _tr("The program before the first event"), after=_tr("initial state")
        )
    return Cell("")


def event_cell(column: EventColumn, event: Event, line: RowContext) -> Cell:
    """Return a cell of an Event's row."""
    tone: Tone = "muted" if line.is_future else ""
    kind = kind_of(event.operation)
    match column:
        case EventColumn.INDEX:
            return _index(event.index, kind, line)
        case EventColumn.ITERATION:
            return Cell(count_text(event.iteration), tone=tone, number=True)
        case EventColumn.OPERATION:
            return _operation(event, kind, tone)
        case EventColumn.LINE:
            return Cell(event.operation.at, tone=tone)
        case EventColumn.OUTCOME:
            return _outcome(event, tone)
    return _evidence(column, event, line, tone)


def _evidence(column: EventColumn, event: Event, line: RowContext, tone: Tone) -> Cell:
    if column == EventColumn.LOSS:
        if event.loss is None:
            return Cell("", tone=tone, number=True)
        return Cell(number_text(event.loss), full_text(event.loss), tone, number=True)
    if column == EventColumn.READ:
        read = shown_addresses(event, event.reads)
        return Cell(addresses_text(read, line.tensors), "\n".join(read[:_MOST_HINTED]), tone)
    outcome = event.outcome
    if not outcome.ok:
        return Cell(outcome.message, _outcome_hint(event), "error", after=outcome.remedy)
    written = shown_addresses(event, event.writes)
    hint = "\n".join((*filter(None, [outcome.message]), *written[:_MOST_HINTED]))
    return Cell(addresses_text(written, line.tensors), hint, tone, after=outcome.message)


def index_text(index: int, *, is_current: bool, is_hit: bool) -> str:
    """Return the number of an Event with its marks.

    Example:
        >>> index_text(12803, is_current=True, is_hit=False)
        '▶ 12,803'
    """
    return f"{'▶ ' if is_current else ''}{'● ' if is_hit else ''}{count_text(index)}"


def _index(index: int, kind: str, line: RowContext) -> Cell:
    text = index_text(index, is_current=line.is_current, is_hit=line.is_hit)
    hint = _tr("Press Enter or click to go here")
    if line.is_hit:
        hint = _tr("A breakpoint stopped a run here")
    if line.is_current:
        shown = _tr("The current event")
        tooltip = f"{shown}\n{hint}" if line.is_hit else shown
        return Cell(text, tooltip, "", kind or "edit", number=True)
    return Cell(text, hint, "muted" if line.is_future else "", number=True)


def _operation(event: Event, kind: str, tone: Tone) -> Cell:
    title, target = operation_title(event.operation), operation_target(event.operation)
    if event.outcome.ok:
        return Cell(title, f"{title} {target}", tone, after=target, swatch=kind)
    hint = f"{title} {target}: {event.outcome.message}"
    return Cell(f"✖ {title}", hint, "error", after=target, swatch=kind)


def _outcome(event: Event, tone: Tone) -> Cell:
    if event.outcome.ok:
        return Cell(_tr("ok"), event.outcome.message, tone or "muted")
    return Cell(_tr("failed"), _outcome_hint(event), "error")


def _outcome_hint(event: Event) -> str:
    return "\n".join(filter(None, (event.outcome.message, event.outcome.remedy)))


_TENSOR, _GRAD, _SETTING = "tensor", "grad", "hyperparameter"


def shown_addresses(event: Event, addresses: tuple[str, ...]) -> tuple[str, ...]:
    """Return what an Event read or wrote, in words that no module's name can be mistaken for."""
    if "generator" not in addresses or isinstance(event.operation, SetMode):
        return addresses  # setting a mode writes to the module of that name
    named = _tr("random generator")
    return tuple(named if address == "generator" else address for address in addresses)


def addresses_text(addresses: Iterable[str], tensors: Collection[str]) -> str:
    """Summarize addresses by kind: a single one by its name, several by their count.

    Hyperparameters come last, because they matter least here.

    Args:
        addresses: The addresses that an Event read or wrote.
        tensors: The names of the program's tensors.

    Returns:
        The text; empty when there are no addresses.

    Example:
        >>> addresses_text(["w.grad", "b.grad", "loss", "optimizer/w/exp_avg"], {"w", "b"})
        '2 grads, loss, optimizer/w/exp_avg'
    """
    groups: dict[str, list[str]] = {}
    for address in addresses:
        groups.setdefault(_kind(address, tensors), []).append(address)
    if _SETTING in groups:
        groups[_SETTING] = groups.pop(_SETTING)
    return ", ".join(
        members[0] if len(members) == 1 else _several(kind, len(members))
        for kind, members in groups.items()
    )


def _kind(address: str, tensors: Collection[str]) -> str:
    if address in tensors:
        return _TENSOR
    if address.endswith(".grad"):
        return _GRAD
    _, slash, rest = address.partition("/")
    if slash and "/" in rest:
        return rest.rpartition("/")[2]
    return _SETTING if slash else address


def _several(kind: str, count: int) -> str:
    translate = QCoreApplication.translate
    number = count_text(count)
    if kind == _TENSOR:
        return translate("EventLog", "{0} tensors").format(number)
    if kind == _GRAD:
        return translate("EventLog", "{0} grads").format(number)
    if kind == _SETTING:
        return translate("EventLog", "{0} hyperparameters").format(number)
    return f"{number} {kind}"
