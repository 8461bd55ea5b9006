"""What the plots ask of the controller, beyond what every view asks."""

from __future__ import annotations

from typing import Protocol

from gradstep_gui.plotting.series import SeriesSource
from gradstep_gui.views.model import ViewModel

__all__ = ["PlotsModel"]


class PlotsModel(ViewModel, SeriesSource, Protocol):
    """A controller that hands out series and goes to an iteration."""

    def seek_iteration(self, iteration: int) -> None:
        """Go to the moment when `iteration` iterations were complete, or as near as there is."""
