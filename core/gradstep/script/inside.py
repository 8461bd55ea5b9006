"""Inside: what a script was seen to do inside one Operation, part by part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.script.frames import Held, Micro

__all__ = ["INSIDE_BYTES", "Inside", "Part"]

INSIDE_BYTES = 1 << 28
"""Memory for the arrays inside one Operation; parts after that have none."""


@dataclass(frozen=True, slots=True)
class Part:
    """A node, or the beginning or end of a module.

    Attributes:
        frame: What and where it is.
        arrays: What it was given and what it gave on, by the names that the frame has for them.
        note: Why some of them are absent; empty where none is.
    """

    frame: Micro
    arrays: dict[str, NDArray[Any]]
    note: str = ""


@dataclass(slots=True)
class Inside:
    """The parts of one Operation that have been seen.

    Attributes:
        held: Where the script was held before the Operation.
        parts: The parts, in order.
        graph: The number of the graph that a Backward follows; None for other Operations.
        numbers: The places in that graph of the script's own numbers of nodes.
        nbytes: Memory of the arrays.
    """

    held: Held
    parts: list[Part] = field(default_factory=list)
    graph: int | None = None
    numbers: dict[int, int] = field(default_factory=dict)
    nbytes: int = 0

    def add(self, frame: Micro, arrays: dict[str, NDArray[Any]]) -> None:
        """Add a part; once the memory is used up, without its arrays."""
        size = sum(array.nbytes for array in arrays.values())
        note = ""
        if frame.omitted:
            note = f"not shown, as it is larger than 16 MB: {', '.join(frame.omitted)}"
        if self.nbytes + size > INSIDE_BYTES:
            arrays, note = {}, "no values from here on: they take more than 256 MB"
        else:
            self.nbytes += size
        self.parts.append(Part(frame, arrays, note))
