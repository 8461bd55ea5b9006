"""The landscape tab: contours of the loss, the paths of all branches, and the last Step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QProgressBar, QVBoxLayout, QWidget

from gradstep_gui.plotting.landscape_plot import LandscapePlot, PlanePath, Surface
from gradstep_gui.plotting.legend import Legend, LegendEntry
from gradstep_gui.plotting.style import CurveStyle, ghost_of, style_of
from gradstep_gui.theme import theme_of
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.landscape.choices import (
    count_of,
    elements_of,
    place_text,
    plan_text,
    signature_of,
    training_losses,
)
from gradstep_gui.views.landscape.offer import LandscapeOffer
from gradstep_gui.views.landscape.toolbar import LandscapeToolbar
from gradstep_gui.views.model import LandscapeModel, ViewModel
from gradstep_gui.widgets.number_format import number_text
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent, QPoint, SignalInstance
    from PySide6.QtGui import QHideEvent, QShowEvent

    from gradstep.history.records.landscape import (
        Arrow,
        BranchPath,
        Landscape,
        LandscapeArrows,
        LandscapePlan,
        LandscapeRequest,
    )
    from gradstep.history.records.snapshot import Snapshot

__all__ = ["LandscapeView", "LandscapesModel"]

_KEY = "landscape"
_WHOLE = 2
"""A program of so many numbers is shown as a whole, without being asked."""

_QUICK_S = 1.5
"""What takes no longer is computed again without being asked."""


class LandscapesModel(ViewModel, Protocol):
    """The controller as the landscape tab sees it."""

    @property
    def landscapes(self) -> LandscapeModel:
        """Landscapes."""

    @property
    def listing_changed(self) -> SignalInstance:
        """Emitted when another program was opened."""


class LandscapeView(DockView):
    """The landscape tab.

    It computes nothing while it is hidden. A program of one or two numbers is computed at once;
    for others it says what that would take.

    Args:
        controller: The controller.
        parent: The parent widget.
    """

    def __init__(self, controller: LandscapesModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, _KEY, parent)
        self._model = controller
        self._signature: tuple[object, ...] | None = None
        self._landscape: Landscape | None = None
        self._arrows: LandscapeArrows | None = None
        self._request: LandscapeRequest | None = None
        self._is_small = False
        self._was_asked = False
        self._is_quick = False
        self._has_tools, self._has_loss, self._obstacle = True, False, ""
        self._framed: tuple[float, ...] = ()
        self._is_computing = False
        self._is_new = True
        self._asked: object = None
        self._reframed = -1
        self._readout = ""
        self.toolbar = LandscapeToolbar()
        self.plot = LandscapePlot()
        self.legend = Legend()
        self.notes = ElidedLabel()
        self.progress = QProgressBar()
        self._content = QWidget()
        self.place = LandscapeOffer(self._content)
        self._asked_at: tuple[float, float] | None = None
        self._menu = QMenu(self)
        # Made here: of entries that Qt makes, PySide may lose track.
        self._began = QAction(self.tr("What If the Run Had &Begun Here"), self)
        self._moved = QAction(self.tr("What If It &Moved Here Now"), self)
        self._menu.addActions([self._began, self._moved])
        self._assemble()

    @property
    def landscape(self) -> Landscape | None:
        """The landscape that is drawn; None where there is none."""
        return self._landscape

    @property
    def is_computing(self) -> bool:
        """Whether a landscape is being computed."""
        return self._is_computing

    def show_tools(self, *, always: bool) -> None:
        """Show the toolbar, always or only where there are axes to choose.

        Args:
            always: Whether also for a program of one or two numbers.
        """
        self._has_tools = always
        self._show_tools()

    def _show_tools(self) -> None:
        has_landscape = self._has_loss and not self._obstacle
        self.toolbar.setVisible(has_landscape and (self._has_tools or not self._is_small))

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show a Snapshot."""
        self._obstacle = snapshot.abilities.landscape
        if self._obstacle:
            self._forget()
            self.place.show_sentence(self._obstacle)
            self._show_tools()
            return
        signature = signature_of(snapshot)
        if signature != self._signature or self._is_new:
            self._begin(snapshot, signature)
        self._show_tools()
        self._draw()
        if not self._model.state.changes_rapidly:
            self._look_around(snapshot)

    # --- asking ---------------------------------------------------------------------------

    def _forget(self) -> None:
        """Forget the program before."""
        self._landscape, self._arrows, self._request = None, None, None
        self._asked, self._reframed, self._readout = None, -1, ""
        self._stop()

    def _begin(self, snapshot: Snapshot, signature: tuple[object, ...]) -> None:
        """Show another program."""
        self._forget()
        self._signature, self._is_new = signature, False
        count = count_of(snapshot)
        self._is_small, self._was_asked, self._is_quick = 0 < count <= _WHOLE, False, False
        kind = "elements" if count <= _WHOLE else "random"
        self.toolbar.offer(elements_of(snapshot), training_losses(snapshot), kind)  # type: ignore[arg-type]
        self.plot.set_log(None)
        self.plot.set_surface(None)
        self._has_loss = bool(count and snapshot.losses)
        if not self._has_loss:
            self.place.show_sentence(
                self.tr("This program trains no tensor: there is no landscape.")
            )
            return
        self._ask()

    def _ask(self) -> None:
        """Compute what is chosen, or ask first what it would take."""
        self._framed = ()
        if self._is_small:
            self._compute()
        else:
            self._model.landscapes.plan(self.toolbar.request())

    def _compute(self, bounds: tuple[float, ...] = ()) -> None:
        """Compute what is chosen around the present moment."""
        if not self.is_seen:
            self._is_new = True
            return
        self._request = self.toolbar.request(bounds)
        self._is_computing = True
        self._asked = None
        if self._landscape is None:
            self.place.show_sentence(self.tr("Computing the landscape…"))
        self._show_work()
        self.progress.setRange(0, 0)
        self.progress.show()
        self._model.landscapes.compute(self._request)

    def _stop(self) -> None:
        self._model.landscapes.cancel()
        self._end()

    def _end(self) -> None:
        """Note that nothing is computed any more."""
        self._is_computing = False
        self._show_work()
        self.progress.hide()

    def _show_work(self) -> None:
        found, arrows = self._landscape, self._arrows
        stale = arrows is not None and arrows.is_stale
        whole = found is not None and found.is_whole and found.is_complete and not stale
        self.toolbar.show_work(computing=self._is_computing, useful=found is not None and not whole)

    def _press(self) -> None:
        if self._is_computing:
            self._stop()
            self._show_notes()
            if self._landscape is None:
                self.place.show_sentence(self.tr("Cancelled."), with_button=True)
        else:
            self._was_asked = True
            self._compute(self._framed)

    def _look_around(self, snapshot: Snapshot) -> None:
        """Ask for the arrows of this moment, and for more of the landscape where a path left it."""
        found, moment = self._landscape, self._model.landscapes.moment
        if found is None or moment is None or self._is_computing:
            return
        here = (snapshot.event_index, snapshot.event_count, self._current_branch())
        if here != self._asked:
            self._asked = here
            self._model.landscapes.find_arrows()
        leaves = _leaves(found, moment.paths[:1])
        if leaves and self._is_small and self._reframed != snapshot.event_count:
            self._reframed = snapshot.event_count
            self._compute()

    def _current_branch(self) -> int:
        return next((item.id for item in self._model.branches.records if item.is_current), 0)

    # --- answers --------------------------------------------------------------------------

    def _take_plan(self, plan: LandscapePlan) -> None:
        if not self.is_seen or plan.request != self.toolbar.request():
            return
        self._is_quick = plan.seconds <= _QUICK_S
        if plan.obstacle:
            self.place.show_sentence(plan.obstacle)
        elif self._was_asked and self._is_quick:
            self._compute()
        else:
            self._landscape = None
            self.place.show_sentence(plan_text(plan), with_button=True)

    def _take_landscape(self, found: Landscape) -> None:
        if found.request != self._request:
            return
        if found.obstacle:
            self._landscape = None
            self._end()
            self.place.show_sentence(found.obstacle)
            return
        self.progress.setRange(0, found.total)
        self.progress.setValue(found.done)
        before, self._landscape = self._landscape, found
        if len(found.x) and (before is None or found.values is not before.values):
            self._show_surface(found, before)
        if found.is_complete:
            self._end()
            snapshot = self._model.snapshot
            if snapshot is not None:
                self._draw()
                self._look_around(snapshot)

    def _take_arrows(self, arrows: LandscapeArrows) -> None:
        snapshot = self._model.snapshot
        if snapshot is None or arrows.event != snapshot.event_index:
            return
        self._arrows = arrows
        self._show_work()
        if arrows.is_stale and self._is_small and not self._is_computing:
            self._compute()
        self._draw()

    def _take_moved(self) -> None:
        """Draw the paths of new branches, which come without a new Snapshot."""
        snapshot, moment = self._model.snapshot, self._model.landscapes.moment
        if snapshot is None or moment is None or not self.is_seen:
            return
        if moment.event == snapshot.event_index and not self._model.state.changes_rapidly:
            self._draw()

    def _take_state(self) -> None:
        """Look around where a run, or a drag of the time line, has come to its end."""
        snapshot = self._model.snapshot
        if snapshot is not None and self.is_seen and not self._model.state.changes_rapidly:
            self._look_around(snapshot)

    def _take_listing(self) -> None:
        self._is_new = True

    # --- drawing --------------------------------------------------------------------------

    def _show_surface(self, found: Landscape, before: Landscape | None) -> None:
        surface = Surface(found.x, found.y, found.values, found.axes, found.loss)
        same = before is not None and before.request == found.request and len(before.x) > 0
        self.plot.set_surface(surface, keep_range=same or bool(found.request.bounds))
        self.toolbar.show_log(self.plot.is_log)
        self.toolbar.equal.setEnabled(not surface.is_flat)
        self.place.show_content()
        self._draw()

    def _draw(self) -> None:
        """Draw the paths, the present point and the arrows."""
        found, moment = self._landscape, self._model.landscapes.moment
        if found is None or not len(found.x) or moment is None or moment.request != found.request:
            return
        theme = theme_of(self.palette())
        paths = moment.paths or found.paths
        entries, drawn, shown = [], [], []
        for rank, path in enumerate(paths):
            own = style_of(0, theme)
            style = own if rank == 0 else ghost_of(path.branch, 0, theme)
            drawn.append(PlanePath(path.iterations, path.x, path.y, style))
            entries.append(LegendEntry(f"branch{path.branch}", path.name, style))
        self.plot.set_paths(drawn, float(moment.iteration), moment.point)
        arrows = self._arrows
        current = arrows is not None and arrows.request == found.request
        if not current or arrows is None or arrows.event != moment.event:
            self.plot.set_arrows(None, None)
        else:
            self.plot.set_arrows(_ends(arrows.gradient), _ends(arrows.step))
            for key, label, arrow in (
                ("backward", self.tr("−gradient"), arrows.gradient),
                ("step", self.tr("step"), arrows.step),
            ):
                if arrow is not None:
                    style = CurveStyle(theme.kind(key).strong)
                    size = self.tr("norm {0}").format(number_text(arrow.norm, 4))
                    shown.append(LegendEntry(key, label, style, size))
        # The arrows before the other branches, of which there may be more than have room.
        self.legend.set_entries((*entries[:1], *shown, *entries[1:]))
        self._show_notes()

    def _show_notes(self) -> None:
        found, arrows = self._landscape, self._arrows
        if found is None or self._readout:
            self.notes.setText(self._readout)
            return
        notes = found.notes
        if not found.is_complete and not self._is_computing:
            notes = (self.tr("Cancelled: only some of the points are computed."), *notes)
        elif arrows is not None and arrows.is_stale and not self._is_computing:
            stale = self.tr("Computed after event {0}, where what it holds was different.")
            self.notes.setText(" ".join((stale.format(found.event), *notes)))
            return
        hint = self.tr("Double-click a place to see the run begin there.")
        self.notes.setText(" ".join((hint, *notes)))

    # --- user input -----------------------------------------------------------------------

    def _hover(self, point: tuple[float, float] | None) -> None:
        found, surface = self._landscape, self.plot.surface
        self._readout = ""
        if point is not None and found is not None and surface is not None:
            self._readout = place_text(found, point, surface.at(*point))
        self._show_notes()

    def _start_elsewhere(self, x: float, y: float, *, now: bool = False) -> None:
        if self._landscape is not None and self._model.state.work == "paused":
            self._model.landscapes.start_elsewhere((x, y), now=now)

    def _frame(self, bounds: tuple[float, ...]) -> None:
        """Compute the part that the user has zoomed to, at once or when it is asked for."""
        found = self._landscape
        self._framed = bounds
        quick = self._is_small or self._is_quick
        if found is not None and found.is_complete and quick and not self._is_computing:
            self._compute(bounds)

    def _reset(self) -> None:
        """Show the whole landscape again."""
        found = self._landscape
        self._framed = ()
        if found is not None and found.request.bounds:
            self._landscape = None
            self._compute()
        else:
            self.plot.show_all()

    def _show_menu(self, place: QPoint, point: tuple[float, float] | None) -> None:
        self._asked_at = point
        for entry in (self._began, self._moved):
            entry.setVisible(point is not None)
        self._menu.popup(place)

    def _start_at_menu(self, *, now: bool) -> None:
        if self._asked_at is not None:
            self._start_elsewhere(*self._asked_at, now=now)

    # --- the widget -----------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the place of each moment, and continue."""
        self._model.landscapes.set_wanted(True)
        if self._landscape is not None and not self._landscape.is_complete:
            self._is_new = True  # it was being computed when it was hidden
        self._rendered = None
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Compute nothing more, and begin anew when it is shown again."""
        self._is_new = self._is_new or self._is_computing
        self._stop()
        self._model.landscapes.set_wanted(False)
        super().hideEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == event.Type.PaletteChange and self._landscape is not None:
            self._draw()

    def _assemble(self) -> None:
        self.setAccessibleName(self.tr("Landscape"))
        self.progress.setAccessibleName(self.tr("Points that are computed"))
        self._began.triggered.connect(lambda: self._start_at_menu(now=False))
        self._moved.triggered.connect(lambda: self._start_at_menu(now=True))
        self._menu.addSeparator()
        self._menu.addActions(self.toolbar.menu.actions())
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(4)
        self.progress.hide()
        self.notes.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        inner = QVBoxLayout(self._content)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        below = QHBoxLayout()
        below.setContentsMargins(8, 2, 8, 4)
        below.addWidget(self.notes)
        inner.addWidget(self.legend)
        inner.addWidget(self.plot, stretch=1)
        inner.addLayout(below)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.toolbar)
        layout.addWidget(self.progress)
        layout.addWidget(self.place, stretch=1)
        self.toolbar.requested.connect(self._ask)
        self.toolbar.pressed.connect(self._press)
        self.place.accepted.connect(self._press)
        self.toolbar.log.toggled.connect(self.plot.set_log)
        self.toolbar.equal.toggled.connect(self.plot.set_equal)
        self.toolbar.reset.triggered.connect(self._reset)
        self.plot.hovered.connect(self._hover)
        self.plot.chosen.connect(self._start_elsewhere)
        self.plot.framed.connect(self._frame)
        self.plot.reset.connect(self._reset)
        self.plot.menu_requested.connect(self._show_menu)
        self._model.landscapes.computed.connect(self._take_landscape)
        self._model.landscapes.planned.connect(self._take_plan)
        self._model.landscapes.moved.connect(self._take_moved)
        self._model.landscapes.arrows_found.connect(self._take_arrows)
        self._model.state_changed.connect(self._take_state)
        self._model.listing_changed.connect(self._take_listing)


def _leaves(found: Landscape, paths: tuple[BranchPath, ...]) -> bool:
    """Return whether a path goes beyond the part that is computed."""
    if found.request.bounds:
        return False
    for path in paths:
        for values, axis in ((path.x, found.x), (path.y, found.y)):
            if not len(axis):
                continue
            with np.errstate(invalid="ignore"):
                if ((values < axis[0]) | (values > axis[-1])).any():
                    return True
    return False


def _ends(arrow: Arrow | None) -> tuple[tuple[float, float], tuple[float, float]] | None:
    return None if arrow is None else (arrow.start, arrow.change)
