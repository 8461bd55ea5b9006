"""Listing: a program as readable code, with what its document says about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.program.operation import LoopLine, Operation

__all__ = ["LineSpan", "Listing"]


@dataclass(frozen=True, slots=True)
class LineSpan:
    """The lines of code of one line of the program's loop.

    Attributes:
        operation: The Operation of the loop's line.
        first: Number of the first line of code, from 1.
        last: Number of the last line of code.
        every: When the line runs, as in the document: every `every`th iteration, or by epochs.
        file: The name of its file, for a script; empty for a program.
        line: The line of the program's loop; None for a script.
    """

    operation: Operation
    first: int
    last: int
    every: int | str | tuple[int, str] = 1
    file: str = ""
    line: LoopLine | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A program as readable code.

    Attributes:
        title: The program's name.
        description: What its document says about it, as Markdown; empty if it says nothing.
        code: The equivalent PyTorch script, without large data.
        spans: The code lines of each line of the loop, in order.
        others: Operations that the user can apply besides Zero Grad, Forward, Backward and Step.
        files: The texts of a script's own files by name, that of `code` first; empty for a program.

    Example:
        >>> from gradstep.program.operation import Backward
        >>> listing = Listing("tiny", "", "loss.backward()", (LineSpan(Backward(), 1, 1),))
        >>> listing.spans[0].first
        1
    """

    title: str
    description: str
    code: str
    spans: tuple[LineSpan, ...]
    others: tuple[Operation, ...] = ()
    files: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
