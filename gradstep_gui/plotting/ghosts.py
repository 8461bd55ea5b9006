"""The curves of other branches, drawn behind those of the current one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gradstep_gui.plotting.curve import Curve
from gradstep_gui.plotting.style import ghost_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from gradstep_gui.plotting.style import CurveStyle
    from gradstep_gui.theme import Theme

__all__ = ["GhostCurves", "Ghosts"]


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

    def __len__(self) -> int:
        return len(self._branches)

    @property
    def last_iteration(self) -> float:
        """The last iteration of any of them; 0 without any."""
        ends = [
            float(curve.x[-1])
            for _, curves in self._branches.values()
            for curve in curves.values()
            if len(curve)
        ]
        return max(ends, default=0.0)

    def take(self, branches: Mapping[int, GhostCurves]) -> None:
        """Replace the branches."""
        self._branches = {}
        for branch, ghost in branches.items():
            curves = {}
            for column, (x, y) in ghost.curves.items():
                curves[column] = Curve()
                curves[column].extend(x, y)
            self._branches[branch] = ghost.name, curves

    def entries(
        self, column: str, style: CurveStyle, theme: Theme, *, same_color: bool = False
    ) -> list[tuple[str, str, CurveStyle, Curve]]:
        """Return key, name, style and curve of a column on each branch.

        Args:
            column: The column.
            style: The style of that column on the current branch.
            theme: The theme.
            same_color: Draw ghosts in the colour of that column.
        """
        return [
            (
                f"{column}@{branch}",
                name,
                ghost_of(style, rank, theme, same_color=same_color),
                curves[column],
            )
            for rank, (branch, (name, curves)) in enumerate(self._branches.items())
            if column in curves
        ]

    def pairs(self, x: str, y: str) -> list[tuple[Curve, Curve]]:
        """Return two columns of each branch that has both."""
        return [
            (curves[x], curves[y])
            for _, curves in self._branches.values()
            if x in curves and y in curves
        ]
