"""The boxes and links that a graph canvas draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

__all__ = ["Box", "Link", "Look", "Status"]

Look = Literal["operation", "leaf", "root", "group"]
"""The shape of a box: rectangle, pill, pill with a double border, stacked rectangles."""

Status = Literal["planned", "recorded", "visited", "freed", "changed"]
"""The status of a box; each has its own border."""


@dataclass(frozen=True, slots=True)
class Box:
    """One box.

    Attributes:
        key: Its identity.
        title: The first line of text.
        lines: The other lines.
        look: The shape.
        status: The status, which decides the border.
        badge: The label on its upper border; empty for none.
        visited: Whether it has the background of visited boxes.
        lit: The kind of Operation that is at this box, such as "backward"; else empty.
        reserve: A text to reserve room for.
        hint: The tooltip.

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
        """Its visible content as text, for screen readers."""
        current = QCoreApplication.translate("GraphCanvas", "current") if self.lit else ""
        return ", ".join(filter(None, (self.title, *self.lines, self.badge, current)))


@dataclass(frozen=True, slots=True)
class Link:
    """A link between two boxes, by their indices in the list of boxes.

    Attributes:
        upper: The upper box.
        lower: The lower box, which is computed later.
        text: The gradient on it; empty when there is none yet.
        lit: Whether the gradient is new.
        faint: Whether it is not recorded yet.
    """

    upper: int
    lower: int
    text: str = ""
    lit: bool = False
    faint: bool = False
