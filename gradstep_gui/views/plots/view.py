"""The plots dock: losses, metrics, gradients and parameters over iterations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication, QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from gradstep.errors import GradStepError
from gradstep_gui.plotting import columns
from gradstep_gui.plotting.chooser import CurveChooser
from gradstep_gui.plotting.curve_set import CurveSet
from gradstep_gui.plotting.export import export_csv, export_picture, export_svg
from gradstep_gui.plotting.ghosts import Ghosts
from gradstep_gui.plotting.plane import PlanePlot
from gradstep_gui.plotting.series import SeriesSource
from gradstep_gui.plotting.smoothing import SmoothedCurves
from gradstep_gui.plotting.stack import PlotStack
from gradstep_gui.theme import kind_of, theme_of
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.model import BranchModel, ViewModel
from gradstep_gui.views.plots.current_iteration import CurrentIteration
from gradstep_gui.views.plots.curve_choice import (
    addresses_of,
    default_choice,
    offered,
    signature,
    texts_of,
)
from gradstep_gui.views.plots.gradient_flow import GradientFlow
from gradstep_gui.views.plots.styling import (
    is_of_loss,
    is_of_output,
    is_of_tensor,
    style_panels,
    styles_of,
    write_empty_texts,
)
from gradstep_gui.views.plots.toolbar import PlotsToolbar
from gradstep_gui.widgets.dialogs.questions import ask_new_path
from gradstep_gui.widgets.number_format import number_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from PySide6.QtCore import QEvent, SignalInstance

    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.plotting.ghosts import GhostCurves

__all__ = ["GhostSource", "PlotsModel", "PlotsView"]

_KEY = "plots"
_PAIR = 2


class GhostSource(BranchModel, Protocol):
    """The curves of the branches other than the current one."""

    @property
    def ghosts_changed(self) -> SignalInstance:
        """Emitted when they have new curves."""

    @property
    def ghosts(self) -> Mapping[int, GhostCurves]:
        """Their curves by the id of the branch."""

    @property
    def ghosts_left_out(self) -> int:
        """How many older branches have none, because there are too many."""

    def set_ghosts_wanted(self, columns: Collection[str]) -> None:
        """Request these columns of every other branch."""


class PlotsModel(ViewModel, SeriesSource, Protocol):
    """The controller as the plots dock sees it."""

    @property
    def branches(self) -> GhostSource:
        """The branches."""

    @property
    def series_changed(self) -> SignalInstance:
        """Emitted when requested columns have come while the moment is still the same."""

    def seek_iteration(self, iteration: int) -> None:
        """Seek to the end of an iteration, or as near to it as the History goes."""


class PlotsView(DockView):
    """The plots dock.

    Args:
        controller: The controller, which also supplies the series.
        parent: The parent widget.
    """

    failed = Signal(str, str)
    """An export failed: the error and the remedy."""

    def __init__(self, controller: PlotsModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, _KEY, parent)
        self._model = controller
        self._curves = CurveSet()
        self._ghosts = Ghosts()
        self._smoothed = SmoothedCurves()
        self._timeline = CurrentIteration(controller)
        self._signature: tuple[object, ...] | None = None
        self._names: tuple[str, ...] = ()
        self._outputs: Mapping[str, float] = {}
        self._chosen: tuple[str, ...] = ()
        self._metrics: frozenset[str] = frozenset()
        self._has_losses = True
        self._addresses: dict[str, str] = {}
        self.toolbar = PlotsToolbar()
        self.chooser = CurveChooser()
        self.stack = PlotStack(
            {
                "loss": self.tr("Loss"),
                "metrics": self.tr("Metrics"),
                "outputs": self.tr("Outputs"),
                "grad": self.tr(".grad"),
                "parameters": self.tr("Parameters"),
            },
            number_text,
        )
        self.plane = PlanePlot()
        self.flow = GradientFlow()
        self._side = QSplitter(Qt.Orientation.Vertical)
        self._assemble()

    @property
    def chosen(self) -> tuple[str, ...]:
        """The columns drawn; those of `.grad` are implied."""
        return self._chosen

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show a Snapshot."""
        now = signature(snapshot)
        if now != self._signature:
            self._signature = now
            self._names = ()
            self._outputs = {}
            self._timeline.clear()
            self._metrics = snapshot.metrics
            self._has_losses = bool(snapshot.losses)
            self.flow.follow(snapshot)
            self.stack.offer("metrics", offered=bool(snapshot.metrics))
            chosen = default_choice(snapshot)
            self._offer(snapshot, chosen)
            self.choose(chosen)
        self._draw()

    def choose(self, chosen: Sequence[str]) -> None:
        """Draw these columns: losses, outputs, norms and elements; `.grad` is implied."""
        self._chosen = tuple(chosen)
        every = [*chosen, *map(columns.gradient_of, filter(is_of_tensor, chosen))]
        self._addresses = {column: columns.parse(column).address for column in every}
        self._curves.keep(every)
        self.chooser.set_chosen(chosen)
        self._restyle()
        pair = self._pair()
        self.toolbar.offer_plane(pair is not None)
        if pair is not None:
            self.plane.set_names(*(columns.parse(column).label for column in pair))
        self.want(addresses_of(chosen))
        self._want_series()
        self._want_ghosts()
        self._draw()

    def reset_axes(self) -> None:
        """Show every iteration on linear axes, as for a program that was just opened."""
        for panel in self.stack.panels.values():
            panel.set_log(log=False)
        self.stack.show_all()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        if event.type() == event.Type.PaletteChange and self._chosen:
            self._restyle()
            self._draw()
        super().changeEvent(event)

    def export(self, path: Path) -> None:
        """Write the plots to a file, in the format of its suffix.

        Raises:
            GradStepError: The suffix is unknown, or the file cannot be written.
        """
        _write_plots(self.stack, self._curves, path)

    # --- drawing --------------------------------------------------------------------------

    def _draw(self) -> None:
        snapshot = self._model.snapshot
        if snapshot is None:
            return
        batch = self._model.take_series(_KEY)
        self._curves.apply(batch)
        self.flow.apply(batch)
        if batch.names and batch.names != self._names:
            self._names = batch.names
            # Later: this may be the answer to a tick, whose item must not be deleted during it.
            QTimer.singleShot(0, self, self._offer_recorded)
        if batch.in_progress is not None:
            self._outputs = batch.in_progress
        self._timeline.take(snapshot, self._curves.columns, self._outputs)
        self._curves.set_tail(self._timeline.tail(self._curves.columns))
        self._smooth()
        changed = [
            column for column, address in self._addresses.items() if address in snapshot.changed
        ]
        kind = "" if snapshot.event is None else kind_of(snapshot.event.operation)
        self.stack.set_changed(changed, kind)
        end = self._timeline.end(max(self._curves.last_iteration(), self._ghosts.last_iteration))
        now = self._timeline.now(snapshot)
        present = texts_of(snapshot, self._curves.columns)
        present |= self._recorded_values(snapshot, end if now is None else now)
        write_empty_texts(self.stack, present, has_losses=self._has_losses)
        self.stack.refresh(end, now, present)
        self._draw_plane()
        if self.toolbar.flow.isChecked():
            self.flow.draw(snapshot, end if now is None else now)

    def _recorded_values(self, snapshot: Snapshot, x: float) -> dict[str, str]:
        """Return the last recorded values up to x of what has no value in a Snapshot.

        These are the outputs of layers, and losses that only sums compute, without a Forward of
        their own.
        """
        parts = [columns.loss(name) for name, value in snapshot.losses.items() if value is None]
        outputs = [column for column in self._chosen if is_of_output(column)]
        values = {
            column: self._curves[column].last_finite(x)
            for column in (*parts, *outputs)
            if column in self._curves
        }
        return {column: number_text(value) for column, value in values.items() if value is not None}

    def _pair(self) -> tuple[str, str] | None:
        """Return the two chosen elements, if exactly two are chosen."""
        elements = [column for column in self._chosen if column.startswith("element/")]
        return (elements[0], elements[1]) if len(elements) == _PAIR else None

    def _draw_plane(self) -> None:
        pair = self._pair()
        if self.plane.isVisible() and pair is not None:
            self.plane.draw(
                self._curves[pair[0]],
                self._curves[pair[1]],
                self.stack.now,
                self._ghosts.pairs(*pair),
            )

    def _show_plane(self, shown: bool) -> None:
        self.plane.setVisible(shown)
        self._side.setVisible(shown or self.toolbar.flow.isChecked())
        self._draw_plane()

    def _show_flow(self, shown: bool) -> None:
        self.flow.setVisible(shown)
        self._side.setVisible(shown or self.toolbar.plane.isChecked())
        self._want_series()
        self._draw()

    def _want_series(self) -> None:
        more = self.flow.columns if self.toolbar.flow.isChecked() else ()
        wanted = dict.fromkeys([*self._curves.columns, *more])
        self._model.set_series_wanted(_KEY, tuple(wanted))

    def _smooth(self) -> None:
        losses = [column for column in self._chosen if is_of_loss(column)]
        self._smoothed.follow(self._curves, losses if self._smoothed.weight else ())

    def _set_smoothing(self, weight: float) -> None:
        self._smoothed.set_weight(weight)
        if self._chosen:
            self._restyle()
            self._draw()

    def _restyle(self) -> None:
        theme = theme_of(self.palette())
        self._smooth()
        style_panels(
            self.stack,
            self._curves,
            self._chosen,
            theme,
            self._ghosts,
            self._smoothed,
            self._metrics,
        )
        self.chooser.set_styles(styles_of(self._chosen, theme))

    def _want_ghosts(self) -> None:
        """Request the same curves of the other branches, losses first."""
        losses = [column for column in self._chosen if is_of_loss(column)]
        wanted = dict.fromkeys((*losses, *self._curves.columns))
        is_on = self.toolbar.ghosts.isChecked()
        self._model.branches.set_ghosts_wanted(tuple(wanted) if is_on else ())

    def _take_ghosts(self) -> None:
        branches = self._model.branches
        self._ghosts.take(branches.ghosts, branches.ghosts_left_out)
        is_off = not self.toolbar.ghosts.isChecked()
        self.toolbar.ghosts.setVisible(bool(self._ghosts) or is_off)
        self._restyle()
        self._draw()

    def _offer_recorded(self) -> None:
        """List the columns again, now that others are recorded."""
        snapshot = self._model.snapshot
        if snapshot is not None:
            self._offer(snapshot, self._chosen)

    def _offer(self, snapshot: Snapshot, chosen: Sequence[str]) -> None:
        rows = offered(snapshot, self._names)
        rows += tuple(column for column in chosen if column not in rows)
        shapes = {name: p.value.shape for name, p in snapshot.parameters.items()}
        self.chooser.offer(rows, shapes, chosen, snapshot.metrics)
        self.chooser.set_styles(styles_of(chosen, theme_of(self.palette())))

    # --- user input -----------------------------------------------------------------------

    def _go_to(self, iteration: float) -> None:
        event = self._timeline.event_near(iteration)
        if event is not None:
            self._model.seek(event)
        else:
            self._model.seek_iteration(round(iteration))

    def _export_as(self, kind: str) -> None:
        path = _ask_path(self, kind)
        if path is None:
            return
        try:
            self.export(path)
        except GradStepError as error:
            self.failed.emit(error.message, error.remedy)

    def _show_menu(self, place: QPoint) -> None:
        self.toolbar.menu.popup(place)

    def _assemble(self) -> None:
        self.setAccessibleName(self.tr("Plots"))
        self.stack.setAccessibleName(
            self.tr("Plots of losses, metrics, layer outputs, gradients and parameters")
        )
        self.chooser.hide()
        for part in (self.plane, self.flow):
            part.hide()
            self._side.addWidget(part)
        self._side.hide()
        self._side.setChildrenCollapsible(False)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.stack)
        split.addWidget(self._side)
        split.addWidget(self.chooser)
        split.setSizes([500, 380, 220])
        for place, stretch in enumerate((4, 3, 0)):
            split.setStretchFactor(place, stretch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.toolbar)
        layout.addWidget(split, stretch=1)
        self.chooser.chosen_changed.connect(self.choose)
        self.toolbar.chooser_requested.connect(self.chooser.setVisible)
        self.toolbar.plane_requested.connect(self._show_plane)
        self.toolbar.all_requested.connect(self.stack.show_all)
        self.toolbar.recent_requested.connect(self.stack.show_recent)
        self.toolbar.flow_requested.connect(self._show_flow)
        self.toolbar.smoothing_requested.connect(self._set_smoothing)
        self.toolbar.ghosts_requested.connect(self._want_ghosts)
        self._model.branches.ghosts_changed.connect(self._take_ghosts)
        self._model.series_changed.connect(self._draw)
        self.toolbar.export_requested.connect(self._export_as)
        self.stack.range_changed.connect(self.toolbar.show_range)
        self.stack.cursor_moved.connect(self.toolbar.show_cursor)
        self.stack.iteration_chosen.connect(self._go_to)
        self.stack.menu_requested.connect(self._show_menu)


def _ask_path(parent: QWidget, kind: str) -> Path | None:
    """Ask for a file of a kind ("png", "svg", "csv"); None when cancelled."""
    filters = {
        "png": QCoreApplication.translate("PlotsView", "Images (*.png)"),
        "svg": QCoreApplication.translate("PlotsView", "Vector graphics (*.svg)"),
        "csv": QCoreApplication.translate("PlotsView", "CSV files (*.csv)"),
    }
    title = QCoreApplication.translate("PlotsView", "Export Plots")
    return ask_new_path(parent, title, Path(f"gradstep.{kind}"), filters[kind])


def _write_plots(stack: PlotStack, curves: CurveSet, path: Path) -> None:
    """Write the plots to a file, in the format of its suffix.

    Raises:
        GradStepError: The suffix is unknown, or the file cannot be written.
    """
    match path.suffix.lower():
        case ".png":
            export_picture(stack.sheet, path)
        case ".svg":
            export_svg(stack.sheet, path)
        case ".csv":
            export_csv(curves, curves.columns, path)
        case other:
            raise GradStepError(
                QCoreApplication.translate(
                    "PlotsView", "Plots cannot be written as '{suffix}'"
                ).format(suffix=other),
                QCoreApplication.translate("PlotsView", "name the file .png, .svg or .csv"),
            )
