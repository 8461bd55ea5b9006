"""OperationEffect: what one Operation read and wrote."""

from __future__ import annotations

import msgspec

__all__ = ["Batch", "OperationEffect"]


class OperationEffect(msgspec.Struct, frozen=True, gc=False):
    """What one Operation did to a Program.

    Attributes:
        reads: The addresses read, in the notation of `gradstep.history.records.snapshot`.
        writes: The addresses changed, in the same notation.
        loss: The value of a Forward, or the value returned by a Step that evaluates the loss; else
            None.
        rows: The rows of the data set that the loss was computed on; None without data.
        message: A note, such as "2 of 4 parameters had no gradient and were skipped".
        parts: The values of the other losses that the loss of a Forward was computed from.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    loss: float | None = None
    rows: tuple[int, ...] | None = None
    message: str = ""
    parts: tuple[tuple[str, float], ...] = ()


class Batch(msgspec.Struct, frozen=True, gc=False):
    """The last batch of a loss: `rows` of `data`; batch `number` of `count` in epoch `epoch`.

    `number` and `epoch` count from 1.
    """

    data: str
    rows: tuple[int, ...]
    epoch: int
    number: int
    count: int
