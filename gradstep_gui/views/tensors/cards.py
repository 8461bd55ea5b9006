"""What the card of a tensor says: its lines, and which of them has just changed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.history.records.tensor import TensorRecord
from gradstep.program.operation import Freeze
from gradstep_gui.theme import kind_of
from gradstep_gui.views.labels import (
    kind_title,
    non_finite_text,
    not_recorded_text,
    shape_and_dtype_text,
    summary_text,
)
from gradstep_gui.widgets.number_format import inline_text, number_text, scalar_text, shape_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gradstep.history.records.snapshot import ModuleRecord, Snapshot
    from gradstep.history.records.tensor import ParameterRecord
    from gradstep.program.micro_step import MicroStep
    from gradstep_gui.widgets.tables.cells import Tone

__all__ = ["WRITTEN_OUT", "Card", "CardLine", "Heading", "Row", "card_of", "line_count", "rows_of"]

WRITTEN_OUT = 8
"""Tensors with up to this many elements are written out; of others a picture and the norm."""

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class CardLine:
    """One line of a card.

    Attributes:
        label: What it is: "data", "grad", or "state" before the first value of the state.
        key: The name of a value of the state, such as "exp_avg"; else empty.
        text: The value.
        address: Its address; empty where there is none.
        record: The tensor that has a picture beside its norm; None for what has neither.
        norm: What is shown beside the picture, in place of `text` where that does not fit.
        mark: The kind of Operation that just changed it, such as "step"; else empty.
        tone: The colour of the text; `none` for None.
        hint: More about it, as a tooltip.
    """

    label: str
    text: str
    address: str = ""
    key: str = ""
    record: TensorRecord | None = None
    norm: str = ""
    mark: str = ""
    tone: Tone = ""
    hint: str = ""

    @property
    def spoken(self) -> str:
        """The line for a screen reader."""
        words = " ".join(filter(None, (self.label, self.key, self.text)))
        if not self.mark:
            return words
        return _tr("{0}, just changed by {1}").format(words, kind_title(self.mark))


@dataclass(frozen=True, slots=True)
class Card:
    """The card of one tensor: its name, a note at the right, and its lines."""

    name: str
    note: str
    lines: tuple[CardLine, ...]
    is_warning: bool = False

    @property
    def spoken(self) -> str:
        """The card for a screen reader."""
        return ". ".join((f"{self.name}, {self.note}", *(line.spoken for line in self.lines)))


@dataclass(frozen=True, slots=True)
class Heading:
    """A module above the cards of its tensors."""

    name: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the list: a heading, or the card of a tensor with so many lines."""

    tensor: str = ""
    lines: int = 0
    heading: Heading | None = None


def _tr(text: str) -> str:
    return QCoreApplication.translate("TensorsView", text)


def line_count(record: ParameterRecord) -> int:
    """Return how many lines the card of a tensor has below its name."""
    if record.is_buffer:
        return 1
    state = sum([_state_lines(held) for held in record.buffers.values()])
    return 2 + (state or bool(record.held_by))


def _state_lines(state: Mapping[str, TensorRecord | float]) -> int:
    """Return the number of lines of an optimizer's state: its scalars share one."""
    tensors = [type(value) for value in state.values()].count(TensorRecord)
    return tensors + (tensors < len(state))


def rows_of(snapshot: Snapshot, wanted: str = "") -> tuple[Row, ...]:
    """Return the rows for a Snapshot: modules with their tensors, then the other tensors.

    Args:
        snapshot: The Snapshot.
        wanted: Words to filter tensors by; empty for all.

    Example:
        >>> from gradstep.history.records.snapshot import Snapshot
        >>> rows_of(Snapshot(None, 0, 0, 0, None))
        ()
    """
    owned: set[str] = set()
    rows = [row for module in snapshot.modules for row in _module_rows(module, snapshot, owned)]
    free = [_row(record) for name, record in snapshot.parameters.items() if name not in owned]
    if rows and free:
        rows.append(Row(heading=Heading(_tr("Outside of modules"))))
    return tuple(_filtered([*rows, *free], wanted))


def _module_rows(module: ModuleRecord, snapshot: Snapshot, owned: set[str]) -> Iterator[Row]:
    names = [name for name in module.parameters if name in snapshot.parameters]
    owned.update(names)
    if names:
        detail = f"{module.kind}({module.detail})" if module.detail else module.kind
        if not module.training:
            detail = _tr("{0}, eval").format(detail)
        yield Row(heading=Heading(module.name, detail))
    yield from (_row(snapshot.parameters[name]) for name in names)
    for child in module.children:
        yield from _module_rows(child, snapshot, owned)


def _row(record: ParameterRecord) -> Row:
    return Row(record.name, line_count(record))


def _filtered(rows: Sequence[Row], wanted: str) -> Iterator[Row]:
    """Yield the tensors that a filter keeps, and the headings that still have some below."""
    words = wanted.lower().split()
    heading: Row | None = None
    for row in rows:
        if row.heading is not None:
            heading = row
        elif all(word in row.tensor.lower() for word in words):
            if heading is not None:
                yield heading
                heading = None
            yield row


def card_of(record: ParameterRecord, snapshot: Snapshot) -> Card:
    """Return the card of a tensor at a moment."""
    lines = [_tensor_line("data", record.name, record.value)]
    if not record.is_buffer:
        lines.append(_gradient_line(record))
        lines += _state(record)
    note, is_warning = _note(record, snapshot)
    return Card(record.name, note, tuple(_marked(line, snapshot) for line in lines), is_warning)


def _marked(line: CardLine, snapshot: Snapshot) -> CardLine:
    """Return a line with a mark if it has just changed.

    Inside of an Operation that is what the last micro-step wrote.
    """
    walked, event = snapshot.walked, snapshot.event
    if walked is not None:
        changed = snapshot.micro_step is not None and _wrote(snapshot.micro_step, line)
        return replace(line, mark=kind_of(walked)) if changed else line
    if event is None or isinstance(event.operation, Freeze):  # which writes flags only
        return line
    changed = line.address in snapshot.changed
    return replace(line, mark=kind_of(event.operation)) if changed else line


def _wrote(step: MicroStep, line: CardLine) -> bool:
    """Whether a micro-step wrote what a line shows.

    Those of an update list all that belongs to their tensor; their titles say which of it.
    """
    if step.writes is None or line.address not in step.writes:
        return False
    return step.kind != "term" or step.title == ("param" if line.label == "data" else line.key)


def _tensor_line(label: str, address: str, record: TensorRecord, key: str = "") -> CardLine:
    odd = non_finite_text(record)
    tone: Tone = "error" if odd else ""
    hint = f"{address}  {shape_and_dtype_text(record)}\n{summary_text(record)}"
    if not record.is_recorded:
        return CardLine(label, not_recorded_text(), address, key, tone="muted", hint=hint)
    size = math.prod(record.shape)
    if record.array is None or size > WRITTEN_OUT:
        is_number = size == 1 and not odd
        text = number_text(record.minimum, _DIGITS) if is_number else _norm(record)
        return CardLine(label, text, address, key, record, text, tone=tone, hint=hint)
    text = inline_text(record.array, _DIGITS)
    if size == 1:
        return CardLine(label, text, address, key, tone=tone, hint=hint)
    return CardLine(label, text, address, key, record, _norm(record), tone=tone, hint=hint)


def _norm(record: TensorRecord) -> str:
    odd = non_finite_text(record)
    norm = _tr("norm {0}").format(number_text(record.norm, _DIGITS))
    return f"{odd}, {norm}" if odd else norm


def _gradient_line(record: ParameterRecord) -> CardLine:
    address = f"{record.name}.grad"
    if record.gradient is not None:
        return _tensor_line("grad", address, record.gradient)
    hint = _tr("{0} is None, which is not zero: there is no gradient").format(address)
    return CardLine("grad", "None", address, tone="none", hint=hint)


def _state(record: ParameterRecord) -> Iterator[CardLine]:
    """Yield the lines of what optimizers store for a tensor."""
    label, several = "state", len(record.held_by) > 1
    for holder, state in record.buffers.items():
        prefix = f"{holder}: " if several else ""
        scalars = [key for key, value in state.items() if not isinstance(value, TensorRecord)]
        if scalars:
            text = ", ".join(f"{key} {_scalar(state[key])}" for key in scalars)
            address = f"{holder}/{record.name}/{scalars[0]}"
            yield CardLine(label, prefix + text, address, hint=_tr("Kept by {0}").format(holder))
            label = ""
        for key, value in state.items():
            if isinstance(value, TensorRecord):
                line = _tensor_line(label, f"{holder}/{record.name}/{key}", value, prefix + key)
                yield line
                label = ""
    if label and record.held_by:
        hint = _tr("{0} stores nothing for {1}").format(", ".join(record.held_by), record.name)
        yield CardLine("state", _tr("nothing stored"), tone="muted", hint=hint)


def _scalar(value: TensorRecord | float) -> str:
    return "" if isinstance(value, TensorRecord) else scalar_text(value)


def _note(record: ParameterRecord, snapshot: Snapshot) -> tuple[str, bool]:
    """Return the note at the right of the name, and whether it is a warning."""
    shape = shape_text(record.value.shape)
    if record.is_buffer:
        return _tr("{0}, buffer").format(shape), False
    if not record.requires_grad:
        frozen = _tr("{0}, frozen") if record.held_by else _tr("{0}, no gradient wanted")
        return frozen.format(shape), False
    if not record.held_by and snapshot.optimizers:
        return _tr("⚠ no optimizer"), True
    if len(snapshot.optimizers) > 1:
        return f"{shape}, {', '.join(record.held_by)}", False
    return shape, False
