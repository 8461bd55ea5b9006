"""Columns that fit: as many whole columns as there is room for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from PySide6.QtWidgets import QAbstractScrollArea, QHeaderView

__all__ = ["FittedColumns", "widths_that_fit"]

_DIGIT = 8
"""The width of a digit in the font that widths are given for; they grow with the font."""


def widths_that_fit(
    groups: Sequence[Mapping[int, int]],
    room: int,
    growing: Collection[int],
    wanted: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """Return the width of each visible column; the others are hidden.

    Args:
        groups: Columns with their smallest widths, the most important groups first;
            those of one group are shown together or not at all. The first group always is.
        room: The available width in pixels.
        growing: The columns that share the remaining width, in proportion to their widths; all
            do when none of these is shown.
        wanted: Widths up to which columns grow before any other does.

    Returns:
        Widths in pixels.

    Example:
        >>> widths_that_fit([{0: 100, 1: 50}, {2: 60}, {3: 10}], 180, {0, 1})
        {0: 120, 1: 60}
        >>> widths_that_fit([{0: 50, 1: 50}], 180, {0, 1}, {0: 120})
        {0: 127, 1: 52}
    """
    shown = dict(groups[0])
    for group in groups[1:]:
        if sum(shown.values()) + sum(group.values()) > room:
            break
        shown.update(group)
    for column, width in (wanted or {}).items():
        if column in shown:
            spare = max(0, room - sum(shown.values()))
            shown[column] += max(0, min(spare, width - shown[column]))
    spare = max(0, room - sum(shown.values()))
    sharing = shown.keys() & frozenset(growing) or shown.keys()
    shares = sum(shown[column] for column in sharing)
    return {
        column: width + (spare * width // shares if column in sharing else 0)
        for column, width in shown.items()
    }


class FittedColumns(QObject):
    """Fits the columns of a tree or table to its width when that changes.

    A width that the user sets becomes the smallest width of the column.

    Args:
        view: The tree or table.
        header: Its horizontal header.
        groups: As for `widths_that_fit`, for a font of usual size.
        growing: As for `widths_that_fit`; all columns by default.
        wanted: As for `widths_that_fit`.
    """

    def __init__(
        self,
        view: QAbstractScrollArea,
        header: QHeaderView,
        groups: Sequence[Mapping[int, int]],
        growing: Collection[int] | None = None,
        wanted: Mapping[int, int] | None = None,
    ) -> None:
        super().__init__(view)
        self._header = header
        self._groups = [dict(group) for group in groups]
        self._growing = frozenset(range(header.count()) if growing is None else growing)
        self._wanted = dict(wanted or {})
        self._scale = 1.0
        self._fitting = False
        self._viewport = view.viewport()
        self._viewport.installEventFilter(self)
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(24)
        header.sectionResized.connect(self._keep)

    def make_room(self, column: int, width: int) -> None:
        """Make the smallest width of a column of the first group at least this many pixels."""
        least = math.ceil(width / self._scale)
        if least > self._groups[0][column]:
            self._groups[0][column] = least
            self._fit()

    def want(self, column: int, width: int) -> None:
        """Let a column grow to this many pixels before any other does, where there is room."""
        wanted = math.ceil(width / self._scale)
        if wanted > self._wanted.get(column, 0):
            self._wanted[column] = wanted
            self._fit()

    def set_group(self, number: int, widths: Mapping[int, int]) -> None:
        """Let a group have other columns; widths that the user has set are kept.

        Args:
            number: Which of the groups.
            widths: Its columns with their smallest widths; none for a group that is not shown.
        """
        if self._groups[number].keys() != widths.keys():
            self._groups[number] = dict(widths)
            self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the columns when the view is resized."""
        if watched is self._viewport and event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        self._fitting = True
        room, least = self._viewport.width(), sum(self._groups[0].values())
        wanted = self._viewport.fontMetrics().horizontalAdvance("0" * 10) / (10 * _DIGIT)
        self._scale = max(1.0, min(wanted, room / least))
        groups = [
            {column: int(width * self._scale) for column, width in group.items()}
            for group in self._groups
        ]
        wanted_widths = {column: int(width * self._scale) for column, width in self._wanted.items()}
        widths = widths_that_fit(groups, room, self._growing, wanted_widths)
        for column in range(self._header.count()):
            self._header.setSectionHidden(column, column not in widths)
            if column in widths:
                self._header.resizeSection(column, widths[column])
        self._fitting = False

    def _keep(self, column: int, _before: int, width: int) -> None:
        if self._fitting or width == 0:
            return
        for group in self._groups:
            if column in group:
                group[column] = round(width / self._scale)
