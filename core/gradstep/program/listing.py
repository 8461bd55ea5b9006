"""Listing: a program to be read, as the script that it stands for and the lesson it comes with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradstep.program.operation import Operation

__all__ = ["LineSpan", "Listing"]


@dataclass(frozen=True, slots=True)
class LineSpan:
    """The lines of code that one line of the program's loop stands for.

    Attributes:
        operation: What the loop's line does.
        first: Number of the first line of code, counted from 1.
        last: Number of the last one.
        every: The line is done in every so-manieth iteration.
    """

    operation: Operation
    first: int
    last: int
    every: int = 1


@dataclass(frozen=True, slots=True)
class Listing:
    """A program to be read.

    Attributes:
        title: Its name.
        lesson: What there is to do and to see, as Markdown; empty when nobody wrote it down.
        code: The PyTorch script that does the same. Data that would fill pages is left out.
        spans: For each line of the loop, in order, where it is in the code.
        others: Operations that can be done by hand besides the four of every loop.

    Example:
        >>> from gradstep.program.operation import Backward
        >>> listing = Listing("tiny", "", "loss.backward()", (LineSpan(Backward(), 1, 1),))
        >>> listing.spans[0].first
        1
    """

    title: str
    lesson: str
    code: str
    spans: tuple[LineSpan, ...]
    others: tuple[Operation, ...] = ()
