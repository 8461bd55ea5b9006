"""Rows of formulas that measure equal parts once.

To stretch its brackets, a row of ziamath first lays out its contents to measure them, and then
again to place them. So what is nested n deep is laid out 2^n times, and most of the time that a
formula takes goes into measuring the same few parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from ziamath.nodes.mnode import Mnode
from ziamath.nodes.mrow import Mrow

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

__all__ = ["MeasuredRow"]

MOST_KNOWN = 4096
"""Heights that are kept; each takes about 0.5 kB."""

_known: dict[Hashable, tuple[float, float]] = {}
"""The lowest and the highest point of each part by everything that ziamath makes it from."""


class MeasuredRow(Mrow, tag="mrow"):  # type: ignore[call-arg, misc]  # ziamath has no types
    """A row that takes the heights of its parts from earlier measurements, also of other formulas.

    Its definition alone makes ziamath use it for each row.
    """

    def _get_height_nostretch(
        self, line: Sequence[ET.Element], **options: object
    ) -> tuple[float, float]:
        """Return the lowest and the highest point of a row whose brackets are not stretched."""
        options["nostretch"] = True
        around = self.font, self.size, repr(self.style), repr(options)
        heights = [
            self._height(ET.tostring(part), around, options)
            for part in line
            if part.tag != "mo" or (part.text or "").strip()
        ]
        lowest, highest = zip((9999, -9999), *heights, strict=True)
        return min(lowest), max(highest)

    def _height(
        self, part: bytes, around: Hashable, options: dict[str, object]
    ) -> tuple[float, float]:
        known = _known.get((part, around))
        if known is None:
            box = Mnode.fromelement(ET.fromstring(part), parent=self, **options).bbox
            if len(_known) >= MOST_KNOWN:
                _known.clear()
            known = _known[part, around] = box.ymin, box.ymax
        return known
