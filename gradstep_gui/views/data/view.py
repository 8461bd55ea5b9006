"""The data tab: the data of the program, and what the model makes of them at this moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from gradstep_gui.plotting.confusion_matrix import ConfusionMatrix
from gradstep_gui.plotting.fit_legend import FitLegend
from gradstep_gui.plotting.fit_plot import FitPlot
from gradstep_gui.plotting.image_sheet import ImageSheet
from gradstep_gui.views.data.pictures import (
    chosen_rows,
    counts_of,
    images_of,
    marks_of,
    parts_of,
    points_of,
)
from gradstep_gui.views.data.words import (
    cell_text,
    example_text,
    part_title,
    picture_title,
    score_text,
)
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.widgets.bars import CompactTabBar
from gradstep_gui.widgets.fonts import digits_font
from gradstep_gui.widgets.placeholder import Placeholder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PySide6.QtGui import QHideEvent, QShowEvent

    from gradstep.history.records.fit import Fit, Picture
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["DataView"]

_MARGIN = 8


class DataView(DockView):
    """What the model predicts for its data, as a picture that fits them.

    While it is hidden, nothing is predicted.

    Args:
        controller: The controller, which predicts.
    """

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "data", parent)
        self._requests = controller.fit_requests
        self._fit: Fit | None = None
        self._loss = ""
        self._chosen: NDArray[np.intp] | None = None
        self.losses = QComboBox(self)
        self.losses.setAccessibleName(self.tr("Loss whose output is shown"))
        self.losses.setToolTip(self.tr("The loss whose output is compared with its targets"))
        self.rows = QComboBox(self)
        self.rows.setAccessibleName(self.tr("Rows to show"))
        self.rows.setToolTip(self.tr("Which rows of the data are shown"))
        self.tabs = CompactTabBar(self.tr("Picture"), self)
        self.plot = FitPlot(self)
        self.plot.setAccessibleName(self.tr("Data and predictions"))
        self.images = ImageSheet(self)
        self.images.setAccessibleName(self.tr("Images with predictions"))
        self.matrix = ConfusionMatrix(self)
        self.matrix.setAccessibleName(self.tr("Confusion matrix"))
        self.legend = FitLegend(self)
        self.text = QLabel(self)
        self.text.setFont(digits_font(self.font()))
        self.text.setWordWrap(True)
        self.text.setMinimumWidth(1)  # a long sentence must not widen the window
        self.text.setAccessibleName(self.tr("Predictions in words"))
        self.text.setToolTip(
            self.tr(
                "Predicted with the parameters of this moment, in evaluation mode: Dropout does "
                "nothing, and BatchNorm uses its running statistics. The program is not touched."
            )
        )
        self._pages = QStackedWidget(self)
        self._page: FitPlot | ImageSheet | ConfusionMatrix = self.plot
        for page in (self.plot, self.images, self.matrix):
            self._pages.addWidget(page)
            page.pointed.connect(self._show_pointed)
        self.place = Placeholder(
            self._content(), self.tr("Open a program to see what its model predicts."), self
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._top())
        layout.addWidget(self.place, 1)
        self.losses.activated.connect(self._choose_loss)
        self.rows.activated.connect(self._draw)
        self.tabs.currentChanged.connect(self._choose_picture)
        self._requests.answered.connect(self._take_fit)

    @property
    def fit(self) -> Fit | None:
        """What is shown; None before the first answer."""
        return self._fit

    @property
    def picture(self) -> Picture | None:
        """What is drawn of it; None where there is nothing to draw."""
        if self._fit is None or not self._fit.pictures:
            return None
        return self._fit.pictures[max(self.tabs.currentIndex(), 0)]

    def render(self, _snapshot: Snapshot) -> None:  # type: ignore[override]
        """Ask for the predictions of a new moment; during a run they come by themselves."""
        if self.controller.state.work != "running":
            self._requests.ask(self._loss)

    def showEvent(self, event: QShowEvent) -> None:
        """Follow runs from now on."""
        self._requests.follow(self._loss)
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Ask for nothing any more."""
        self._requests.follow(None)
        super().hideEvent(event)

    def _top(self) -> QWidget:
        bar = QWidget(self)
        row = QHBoxLayout(bar)
        row.setContentsMargins(_MARGIN, 4, _MARGIN, 0)
        row.addWidget(self.losses)
        row.addWidget(self.tabs)
        row.addStretch(1)
        row.addWidget(self.rows)
        for part in (self.losses, self.tabs, self.rows):
            part.hide()
        return bar

    def _content(self) -> QWidget:
        content = QWidget(self)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 6)
        column.setSpacing(4)
        column.addWidget(self._pages, 1)
        below = QVBoxLayout()
        below.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        below.setSpacing(2)
        below.addWidget(self.legend)
        below.addWidget(self.text)
        column.addLayout(below)
        return content

    # --- drawing --------------------------------------------------------------------------

    @Slot(object)
    def _take_fit(self, fit: Fit) -> None:
        if not self.is_seen:
            return
        before, self._fit = self._fit, fit
        self._loss = fit.loss
        if before is None or before.choices != fit.choices:
            self.losses.clear()
            for choice in fit.choices:
                self.losses.addItem(f"{choice.loss} ({choice.data})", choice.loss)
        self.losses.setCurrentIndex(self.losses.findData(fit.loss))
        self.losses.setVisible(len(fit.choices) > 1)
        if before is None or before.pictures != fit.pictures:
            self.tabs.set_titles([picture_title(picture) for picture in fit.pictures])
        self.tabs.setVisible(len(fit.pictures) > 1)
        if fit.obstacle:
            self.rows.hide()
            self.place.show_sentence(fit.obstacle)
            return
        self._offer_rows()
        self.place.show_content()
        if self.controller.state.changes_rapidly:
            self.controller.in_turn(self._draw)  # so that the window stays responsive
        else:
            self._draw()

    def _offer_rows(self) -> None:
        """Offer the rows that the picture can be limited to; the chosen ones stay if possible."""
        fit, picture = self._fit, self.picture
        if fit is None or picture is None:
            return
        parts = parts_of(fit, picture)
        offered = tuple(self.rows.itemData(at) for at in range(self.rows.count()))
        if parts != offered:
            chosen = self.rows.currentData()
            self.rows.clear()
            for part in parts:
                self.rows.addItem(part_title(part), part)
            self.rows.setCurrentIndex(max(self.rows.findData(chosen), 0))
        self.rows.setVisible(len(parts) > 1)

    @Slot()
    def _draw(self) -> None:
        fit, picture = self._fit, self.picture
        if fit is None or picture is None:
            return
        part = self.rows.currentData() or ""
        self._chosen = chosen_rows(fit, part)
        match picture:
            case "images":
                self.images.draw(images_of(fit, self._chosen))
                self._page = self.images
            case "confusion":
                self.matrix.draw(counts_of(fit, part))
                self._page = self.matrix
            case _:
                self.plot.draw(points_of(fit, picture, self._chosen))
                self._page = self.plot
        self._pages.setCurrentWidget(self._page)
        self.legend.show_marks(marks_of(fit, picture))
        self._show_pointed()

    @Slot()
    def _show_pointed(self) -> None:
        """Describe what the mouse or a key points at, and otherwise the whole."""
        fit, picture = self._fit, self.picture
        if fit is None or picture is None or self._chosen is None:
            return
        score = score_text(fit)
        at = self._page.current
        if at < 0:
            text = score
        elif picture == "confusion":
            truth, predicted = divmod(at, len(fit.classes))
            counts = counts_of(fit, self.rows.currentData() or "").counts
            text = cell_text(fit, int(counts[truth, predicted]), truth, predicted)
        else:
            text = example_text(fit, int(self._chosen[at]))
        self.text.setText(text)
        self._page.setAccessibleDescription(text)

    # --- user input -----------------------------------------------------------------------

    @Slot()
    def _choose_loss(self) -> None:
        self._loss = self.losses.currentData()
        self._requests.follow(self._loss)
        self._requests.ask(self._loss)

    @Slot()
    def _choose_picture(self) -> None:
        self._offer_rows()
        self._draw()
