"""Chunks of Events as MessagePack; what repeats is stored once per chunk."""

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
"""Maximum number of Events in a chunk: decoding a whole one takes about 10 ms."""


class _EventRow(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True, gc=False):
    """One Event; operation, outcome, reads, writes and rows are indices into the chunk's tables."""

    iteration: int
    operation: int
    outcome: int
    reads: int
    writes: int
    checksum: int
    loss: float | None
    rows: int | None


class _EventChunk(msgspec.Struct, forbid_unknown_fields=True):
    """Consecutive Events as `lines`, and the tables that they refer to."""

    operations: list[Operation]
    outcomes: list[Outcome]
    addresses: list[tuple[str, ...]]
    rows: list[tuple[int, ...]]
    lines: list[_EventRow]


class _Numbering(dict[Any, int]):
    """Numbers distinct values in the order of their first use."""

    def __missing__(self, value: Any) -> int:  # noqa: ANN401 - whatever repeats
        number = self[value] = len(self)
        return number


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_EventChunk)


def encode_events(events: Sequence[Event]) -> bytes:
    """Return the bytes of consecutive Events."""
    # Operations are compared by their bytes, because SetHyperparameter may hold a list.
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
    """Yield the `count` Events of a chunk; the first one has the index `first`.

    Raises:
        SessionError: The chunk is inconsistent.
    """
    chunk = _DECODER.decode(body)
    if len(chunk.lines) != count:
        raise SessionError(f"a chunk of {count} Events in the file holds {len(chunk.lines)}")
    for index, line in enumerate(chunk.lines, first):
        places = (line.operation, line.outcome, line.reads, line.writes, line.rows or 0)
        if min(places) < 0:
            raise SessionError(f"Event {index:,} in the file refers to a missing entry")
        try:
            yield Event(
                index,
                line.iteration,
                chunk.operations[line.operation],
                chunk.outcomes[line.outcome],
                chunk.addresses[line.reads],
                chunk.addresses[line.writes],
                line.checksum,
                line.loss,
                None if line.rows is None else chunk.rows[line.rows],
            )
        except IndexError:
            raise SessionError(f"Event {index:,} in the file refers to a missing entry") from None
