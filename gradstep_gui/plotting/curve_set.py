"""All curves of a view by column, fed by batches, with the iteration in progress as tail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep_gui.plotting.curve import Curve

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gradstep_gui.plotting.series import SeriesBatch

__all__ = ["CurveSet"]


class CurveSet:
    """The curves of a view: recorded rows, then a tail of the iteration in progress.

    Example:
        >>> curves = CurveSet(["loss/loss"])
        >>> curves.set_tail({"loss/loss": ([0.25, 0.5], [8.0, 7.0])})
        >>> curves["loss/loss"].y.tolist(), curves.recorded("loss/loss")
        ([8.0, 7.0], 0)
    """

    def __init__(self, columns: Collection[str] = ()) -> None:
        self._curves: dict[str, Curve] = {}
        self._recorded: dict[str, int] = {}
        self._revisions: dict[str, int] = {}
        self.keep(columns)

    def __getitem__(self, column: str) -> Curve:
        return self._curves[column]

    def __contains__(self, column: object) -> bool:
        return column in self._curves

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the curves."""
        return tuple(self._curves)

    def keep(self, columns: Collection[str]) -> None:
        """Keep exactly these columns; new ones start empty."""
        self._curves = {name: self._curves.get(name, Curve()) for name in columns}
        self._recorded = {name: self._recorded.get(name, 0) for name in columns}
        self._revisions = {name: self._revisions.get(name, 0) for name in columns}

    def recorded(self, column: str) -> int:
        """Return the number of recorded rows of a column; the rest is the tail."""
        return self._recorded[column]

    def revision(self, column: str) -> int:
        """Return a number that changes when recorded rows of a column are replaced."""
        return self._revisions[column]

    def last_iteration(self) -> float:
        """Return the last recorded iteration; 0 before any."""
        return max(
            (self._curves[name].point(n - 1)[0] for name, n in self._recorded.items() if n),
            default=0.0,
        )

    def apply(self, batch: SeriesBatch) -> None:
        """Apply a batch; columns that are not kept any more are ignored."""
        for name, patch in batch.columns.items():
            if name in self._curves:
                self._revisions[name] += patch.start < self._recorded[name]
                self._curves[name].patch(patch.start, patch.x, patch.y)
                self._recorded[name] = len(self._curves[name])

    def set_tail(self, points: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> None:
        """Append points of the iteration in progress, x and y, to the rows of some columns.

        A curve that has these points already stays as it is, and is not drawn again.
        """
        for name, curve in self._curves.items():
            tail = points.get(name, ((), ()))
            if not curve.ends_with(self._recorded[name], *tail):
                curve.patch(self._recorded[name], *tail)
