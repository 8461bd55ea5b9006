"""What a graph canvas draws: boxes and the links between them, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

__all__ = ["Box", "Link", "Look", "Status"]

Look = Literal["operation", "leaf", "root", "group"]
"""The shape of a box: a rectangle, a pill, a pill with a double rim, a pile of rectangles."""

Status = Literal["planned", "recorded", "visited", "freed", "changed"]
"""What has become of it; each has a rim of its own, and all but `recorded` say so in a word."""


@dataclass(frozen=True, slots=True)
class Box:
    """One box.

    Attributes:
        key: What it stands for.
        title: Its first line.
        lines: Its other lines.
        look: Its shape.
        status: What has become of it.
        badge: The words of its status, on its upper rim; empty for none.
        visited: Whether it has the ground of what was visited.
        lit: The kind of Operation whose current box it is, such as "backward"; else empty.
        reserve: Words that it has room for, though they are not there yet.
        hint: What is told of it on hover, and to a screen reader.

    Example:
        >>> Box(0, "loss", ("0.5",)).words
        'loss, 0.5'
        >>> Box(1, "MulBackward0", ("2",), badge="freed", lit="backward").words
        'MulBackward0, 2, freed, current'
    """

    key: int
    title: str
    lines: tuple[str, ...] = ()
    look: Look = "operation"
    status: Status = "recorded"
    badge: str = ""
    visited: bool = False
    lit: str = ""
    hint: str = ""
    reserve: str = ""

    @property
    def words(self) -> str:
        """All that can be seen of it, in words."""
        current = QCoreApplication.translate("GraphCanvas", "current") if self.lit else ""
        return ", ".join(filter(None, (self.title, *self.lines, self.badge, current)))


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two boxes, by their places in the list of boxes.

    Attributes:
        upper: Where it begins.
        lower: Where it leads to; what is computed later stands lower.
        text: What has gone along it, upwards; empty for nothing yet.
        lit: Whether it has only just gone.
        faint: Whether it is not there yet.
    """

    upper: int
    lower: int
    text: str = ""
    lit: bool = False
    faint: bool = False
