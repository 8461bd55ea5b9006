"""OperationEffect: what carrying out one Operation read and wrote."""

from __future__ import annotations

import msgspec

__all__ = ["Batch", "OperationEffect"]


class OperationEffect(msgspec.Struct, frozen=True, gc=False):
    """What one Operation did to a Program.

    Attributes:
        reads: Addresses of what it read, in the notation of `gradstep.history.records.snapshot`.
        writes: Addresses of what it changed, in the same notation.
        loss: The loss's value after a Forward, or what a Step that evaluates it returns; else None.
        rows: Which rows of the data set it computed a loss on; None when it used no data.
        message: A note, such as "2 of 4 parameters had no gradient and were skipped".
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    loss: float | None = None
    rows: tuple[int, ...] | None = None
    message: str = ""


class Batch(msgspec.Struct, frozen=True, gc=False):
    """The batch a loss last saw: `rows` of `data`; batch `number` of `count` in epoch `epoch`.

    `number` and `epoch` count from 1.
    """

    data: str
    rows: tuple[int, ...]
    epoch: int
    number: int
    count: int
