"""Inline values: after each line of a script, what it was the last to write, as it is now."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from gradstep.program.operation import Forward, loop_key
from gradstep_gui.views.labels import is_tiny, non_finite_text, tensor_text
from gradstep_gui.widgets.number_format import number_text, value_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gradstep.history.records.event import Event
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.tensor import TensorRecord
    from gradstep.program.listing import LineSpan, Listing

__all__ = ["InlineValues", "inline_values", "value_line"]

_DEFINITION = re.compile(r"\s*(?:async\s+def|def|class)\s")
_MOST_EVENTS = 200
"""Events that are looked through for the last one of each line: a few iterations."""

_MOST_NAMED = 6
"""Values after one line; there is no room for more."""


class InlineValues(NamedTuple):
    """What stands after the lines of a script.

    Attributes:
        texts: The text by the index of the line's span.
        wanted: The addresses of the arrays that are written out.
    """

    texts: Mapping[int, str]
    wanted: tuple[str, ...]


def inline_values(listing: Listing, snapshot: Snapshot, events: Iterable[Event]) -> InlineValues:
    """Return what stands after each line: what it was the last to write.

    A value stands after one line only. After `zero_grad()` it says that x.grad is None, and nothing
    stands after `backward()` until that writes x.grad again.

    Args:
        listing: The script.
        snapshot: The moment.
        events: The Events up to that moment, the newest first.
    """
    written: dict[int, list[str]] = {}
    taken: set[str] = set()
    for event, index in _lines_of(listing, snapshot, events):
        fresh = [address for address in event.writes if address not in taken]
        taken.update(fresh)
        if index is not None:
            written.setdefault(index, []).extend(fresh)
            if len(written) == len(listing.spans):
                break
    texts: dict[int, str] = {}
    wanted: list[str] = []
    for index, addresses in written.items():
        shown = [
            (text, address)
            for address in _important_first(addresses, snapshot)
            if (text := _text(address, snapshot))
        ][:_MOST_NAMED]
        if shown:
            texts[index] = ", ".join(text for text, _ in shown)
            wanted += [address for _, address in shown if _is_written_out(address, snapshot)]
    return InlineValues(texts, tuple(wanted))


def value_line(listing: Listing, span: LineSpan) -> int:
    """Return the number of the line after which the values of a span stand.

    A script's Forward is where its model was called. The loss stands where the script assigns it,
    as after `prediction = model(x)` it would look like the prediction; not in another function.
    """
    operation = span.operation
    if not span.file or not isinstance(operation, Forward):
        return span.last
    assigned = re.compile(rf"\s*{re.escape(operation.loss)}\s*=(?!=)")
    for number, line in enumerate(listing.files.get(span.file, "").splitlines(), 1):
        if number < span.first:
            continue
        if assigned.match(line):
            return number
        if _DEFINITION.match(line):
            break
    return span.last


def _lines_of(
    listing: Listing, snapshot: Snapshot, events: Iterable[Event]
) -> Iterator[tuple[Event, int | None]]:
    """Yield the Events that succeeded, the newest first, each with the index of its line."""
    by_place = {span.operation.at: index for index, span in enumerate(listing.spans)}
    count = len(listing.spans)
    before = (snapshot.next_line or 0) - 1
    keys = [loop_key(span.operation) for span in listing.spans]
    for event in islice(events, _MOST_EVENTS):
        if not event.outcome.ok:
            continue
        if event.operation.at:
            yield event, by_place.get(event.operation.at)
            continue
        wanted = loop_key(event.operation)
        alike = [place for place, key in enumerate(keys) if key == wanted]
        # Of lines that do the same, the last one before the line of the Event after it.
        place = min(alike, key=lambda at: (before - at) % count, default=None)
        if place is not None:
            before = place - 1
        yield event, place


def _important_first(addresses: Sequence[str], snapshot: Snapshot) -> list[str]:
    """Return losses first, then tensors and gradients, then hyperparameters and state."""

    def rank(address: str) -> int:
        if address in snapshot.losses:
            return 0
        return 1 if _tensor(address, snapshot) is not None else 2

    return sorted(addresses, key=rank)


def _tensor(address: str, snapshot: Snapshot) -> str | None:
    """Return the name of the tensor whose values or gradient an address names."""
    name = address if address in snapshot.parameters else address.removesuffix(".grad")
    return name if name in snapshot.parameters else None


def _record(address: str, snapshot: Snapshot) -> TensorRecord | None:
    """Return the record of a tensor's values or gradient; None for a gradient that is None."""
    parameter = snapshot.parameters[_tensor(address, snapshot) or ""]
    return parameter.value if address == parameter.name else parameter.gradient


def _is_written_out(address: str, snapshot: Snapshot) -> bool:
    if _tensor(address, snapshot) is None:
        return False
    record = _record(address, snapshot)
    return record is not None and is_tiny(record)


def _text(address: str, snapshot: Snapshot) -> str:
    """Return a name and its value; empty for what has no value to show, such as a graph."""
    if address in snapshot.losses:
        loss = snapshot.losses[address]
        return "" if loss is None else f"{address} = {number_text(loss)}"
    if _tensor(address, snapshot) is not None:
        record = _record(address, snapshot)
        if record is None or is_tiny(record) or not record.is_recorded:
            return f"{address} = {tensor_text(record)}"
        if not non_finite_text(record):
            return f"|{address}| = {number_text(record.norm)}"
        return f"{address}: {tensor_text(record)}"
    optimizer, _, option = address.partition("/")
    if optimizer in snapshot.optimizers and "/" not in option:
        groups = snapshot.optimizers[optimizer].groups
        values = [value_text(group.hyperparameters.get(option)) for group in groups]
        return f"{option} = {', '.join(dict.fromkeys(values))}"
    return ""
