"""Runs of Events as MessagePack, with what repeats stored once a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.errors import SessionError
from gradstep.history.records.event import Event, Outcome
from gradstep.program.operation import Operation  # noqa: TC001 - msgspec reads the annotations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["CHUNK", "decode_events", "encode_events"]

CHUNK = 4096
"""Events in a run at most: a run is decoded whole, in some 10 ms."""


class _EventRow(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True, gc=False):
    """One Event; the first five numbers but `iteration` are places in the run's tables."""

    iteration: int
    operation: int
    outcome: int
    reads: int
    writes: int
    checksum: int
    loss: float | None
    rows: int | None


class _EventChunk(msgspec.Struct, forbid_unknown_fields=True):
    """Events in order, and the tables that they refer to."""

    operations: list[Operation]
    outcomes: list[Outcome]
    addresses: list[tuple[str, ...]]
    rows: list[tuple[int, ...]]
    lines: list[_EventRow]


class _Numbering(dict[Any, int]):
    """Numbers distinct values in the order in which they are first met."""

    def __missing__(self, value: Any) -> int:  # noqa: ANN401 - whatever repeats
        number = self[value] = len(self)
        return number


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_EventChunk)


def encode_events(events: Sequence[Event]) -> bytes:
    """Return the bytes of consecutive Events."""
    # SetHyperparameter may hold a list, so that Operations are told apart by their bytes.
    operations, outcomes, addresses, rows = _Numbering(), _Numbering(), _Numbering(), _Numbering()
    lines = [
        _EventRow(
            event.iteration,
            operations[_ENCODER.encode(event.operation)],
            outcomes[event.outcome],
            addresses[event.reads],
            addresses[event.writes],
            event.checksum,
            event.loss,
            None if event.rows is None else rows[event.rows],
        )
        for event in events
    ]
    return _ENCODER.encode(
        {
            "operations": [msgspec.Raw(operation) for operation in operations],
            "outcomes": list(outcomes),
            "addresses": list(addresses),
            "rows": list(rows),
            "lines": lines,
        }
    )


def decode_events(body: bytes, first: int, count: int) -> Iterator[Event]:
    """Yield the `count` Events of a run, the first of which has the index `first`.

    Raises:
        SessionError: When the run does not hold what it says.
    """
    run = _DECODER.decode(body)
    if len(run.lines) != count:
        raise SessionError(f"a run of {count} Events in the file holds {len(run.lines)}")
    for index, line in enumerate(run.lines, first):
        places = (line.operation, line.outcome, line.reads, line.writes, line.rows or 0)
        if min(places) < 0:
            raise SessionError(f"Event {index:,} in the file refers to nothing")
        try:
            yield Event(
                index,
                line.iteration,
                run.operations[line.operation],
                run.outcomes[line.outcome],
                run.addresses[line.reads],
                run.addresses[line.writes],
                line.checksum,
                line.loss,
                None if line.rows is None else run.rows[line.rows],
            )
        except IndexError:
            raise SessionError(f"Event {index:,} in the file refers to nothing") from None
