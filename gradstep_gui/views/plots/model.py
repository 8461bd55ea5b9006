"""What the plots ask of the controller, beyond what every view asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gradstep_gui.plotting.series import SeriesSource
from gradstep_gui.views.model import BranchModel, ViewModel

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from PySide6.QtCore import SignalInstance

    from gradstep_gui.plotting.ghosts import GhostCurves

__all__ = ["Ghosts", "PlotsModel"]


class Ghosts(BranchModel, Protocol):
    """What is known of the branches that are not on show."""

    @property
    def ghosts_changed(self) -> SignalInstance:
        """Emitted when they have other curves."""

    @property
    def ghosts(self) -> Mapping[int, GhostCurves]:
        """Their curves by the number of the branch."""

    def set_ghosts_wanted(self, columns: Collection[str]) -> None:
        """Say which columns are drawn of them."""


class PlotsModel(ViewModel, SeriesSource, Protocol):
    """A controller that hands out series and goes to an iteration."""

    @property
    def branches(self) -> Ghosts:
        """The other branches."""

    def seek_iteration(self, iteration: int) -> None:
        """Go to the moment when `iteration` iterations were complete, or as near as there is."""
