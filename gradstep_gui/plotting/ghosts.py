"""The curves of other branches, drawn behind those of the current one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gradstep_gui.plotting.curve import Curve
from gradstep_gui.plotting.style import ghost_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from gradstep_gui.plotting.style import CurveStyle
    from gradstep_gui.theme import Theme

__all__ = ["MOST_CURVES", "GhostCurves", "Ghosts"]

MOST_CURVES = 48
"""Curves of other branches in one panel: more cannot be told apart, and make drawing slow."""


class GhostCurves(Protocol):
    """The curves of one branch."""

    @property
    def name(self) -> str:
        """The name."""

    @property
    def curves(self) -> Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Iterations and values by column."""


class Ghosts:
    """Keeps one Curve for each column of each branch.

    Attributes:
        unread: How many branches there are beside them.

    Example:
        >>> import numpy as np
        >>> from types import SimpleNamespace
        >>> ghosts = Ghosts()
        >>> points = np.arange(3.0), np.ones(3)
        >>> ghosts.take({1: SimpleNamespace(name="lr = 0.5", curves={"loss/loss": points})})
        >>> ghosts.last_iteration
        2.0
    """

    def __init__(self) -> None:
        self._branches: dict[int, tuple[str, dict[str, Curve]]] = {}
        self.unread = 0

    def __len__(self) -> int:
        return len(self._branches)

    @property
    def last_iteration(self) -> float:
        """The last iteration of any of them; 0 without any."""
        ends = [
            curve.point(-1)[0]
            for _, curves in self._branches.values()
            for curve in curves.values()
            if len(curve)
        ]
        return max(ends, default=0.0)

    def take(self, branches: Mapping[int, GhostCurves], unread: int = 0) -> None:
        """Replace the branches, beside which there are others without curves."""
        self._branches, self.unread = {}, unread
        for branch, ghost in branches.items():
            curves = {}
            for column, (x, y) in ghost.curves.items():
                curves[column] = Curve()
                curves[column].extend(x, y)
            self._branches[branch] = ghost.name, curves

    def entries(
        self, columns: Sequence[str], theme: Theme
    ) -> list[tuple[str, str, CurveStyle, Curve]]:
        """Return key, name of the branch, style and curve of some columns on each branch.

        Where these are very many curves, the oldest branches are left out; see `left_out`.
        """
        return [
            (f"{column}@{branch}", name, ghost_of(branch, rank, theme), curves[column])
            for branch, (name, curves) in self._drawn(columns).items()
            for rank, column in enumerate(columns)
            if column in curves
        ]

    def left_out(self, columns: Sequence[str]) -> int:
        """Return how many branches `entries` leaves out."""
        return len(self._with_any(columns)) - len(self._drawn(columns))

    def _with_any(self, columns: Sequence[str]) -> dict[int, tuple[str, dict[str, Curve]]]:
        return {
            branch: found
            for branch, found in self._branches.items()
            if any(column in found[1] for column in columns)
        }

    def _drawn(self, columns: Sequence[str]) -> dict[int, tuple[str, dict[str, Curve]]]:
        """Return the latest branches, as many as can be told apart."""
        found = self._with_any(columns)
        most = MOST_CURVES // max(1, len(columns))
        return dict(list(found.items())[max(0, len(found) - most) :])

    def pairs(self, x: str, y: str) -> list[tuple[int, Curve, Curve]]:
        """Return the id and two columns of each branch that has both."""
        return [
            (branch, curves[x], curves[y])
            for branch, (_, curves) in self._branches.items()
            if x in curves and y in curves
        ]
