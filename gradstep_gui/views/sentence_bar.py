"""The sentence bar: what the last Operation did, and a link to all that it read and wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from gradstep.history.effects import effects_of
from gradstep_gui.theme import blend, kind_of, theme_of
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.labels import operation_text
from gradstep_gui.widgets.accessibility import announce
from gradstep_gui.widgets.columns_popup import ColumnsPopup
from gradstep_gui.widgets.number_format import count_text
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["SentenceBar"]

_STRIP = 4
"""The width of the strip in the colour of the Operation, in logical pixels."""

_LARGER = 1.1
"""The sentence is read first: its type is so much larger, where it fits."""

_MOST_LINES = 2

_TINT = 0.14
"""The share of the colour of errors in the background of a failure."""


class SentenceBar(DockView):
    """The sentence of the current moment: one line, and a second one where it needs it.

    The second line keeps its room until the width or the font changes, so that nothing jumps while
    long and short sentences follow each other. Screen readers hear the sentence whenever it changes
    while nothing runs.

    Attributes:
        label: Shows the sentence.
        popup: Lists what the last Event read, wrote and left alone.
    """

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "sentence", parent)
        self.setObjectName("sentence")
        self._snapshot: Snapshot | None = None
        self._lines = 1
        self.label = ElidedLabel(self)
        self.label.setObjectName("sentence.text")
        self.label.setAccessibleName(self.tr("What just happened"))
        self._link = QToolButton(self, autoRaise=True)
        self._link.setObjectName("sentence.effects")
        self._link.setText(self.tr("What does it read and write?"))
        self._link.setToolTip(
            self.tr("List what the last operation read, what it wrote, and what it left alone")
        )
        self._link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._link.setVisible(False)
        self._link.clicked.connect(self.show_effects)
        self.popup = ColumnsPopup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(_STRIP + 10, 1, 4, 1)
        layout.setSpacing(12)
        layout.addWidget(self.label, 1)
        layout.addWidget(self._link)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._apply_theme()

    @property
    def sentence(self) -> str:
        """The sentence that is shown."""
        return self.label.text()

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show the sentence of a Snapshot."""
        self._snapshot = snapshot
        has_effects = snapshot.event is not None and snapshot.inside is None
        self._link.setVisible(has_effects)
        if snapshot.sentence == self.label.text():
            return
        self.popup.close()  # it is about an earlier moment
        self.label.setText(snapshot.sentence)
        self.label.setAccessibleName(snapshot.sentence)
        self._fit_type()
        self.update()
        if not self.controller.state.changes_rapidly:
            announce(self.label, snapshot.sentence)

    @Slot()
    def show_effects(self) -> None:
        """Open the table of what the last Event read, wrote and left alone; or close it."""
        snapshot = self._snapshot
        if self.popup.isVisible():
            self.popup.close()
            return
        if snapshot is None or snapshot.event is None:
            return
        event, effects = snapshot.event, effects_of(snapshot.event, snapshot)
        title = self.tr("{name}, event {index}").format(
            name=operation_text(event.operation), index=count_text(event.index)
        )
        columns = [
            (self.tr("Reads"), effects.reads),
            (self.tr("Writes"), effects.writes),
            (self.tr("Leaves alone"), effects.leaves),
        ]
        self.popup.show_columns(title, columns, self.tr("nothing"))
        self.popup.open_above(self, self._link)

    def sizeHint(self) -> QSize:
        """Return the height of the lines."""
        more = (self._lines - 1) * self.fontMetrics().lineSpacing()
        return QSize(200, round(_LARGER * self.fontMetrics().height()) + 10 + more)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the sentence to the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._begin_anew()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.FontChange}:
            self._apply_theme()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the background and the strip in the colours of the Operation, or of an error."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.base))
        snapshot = self._snapshot
        if snapshot is None or snapshot.event is None:
            return
        operation = snapshot.walked or snapshot.event.operation
        colors = theme.kind(kind_of(operation))
        failed = snapshot.inside is None and not snapshot.event.outcome.ok
        ground = blend(theme.error, theme.base, _TINT) if failed else colors.soft
        painter.fillRect(self.rect(), QColor(ground))
        strip = QRectF(0, 0, _STRIP, self.height())
        painter.fillRect(strip, QColor(theme.error if failed else colors.strong))

    def _apply_theme(self) -> None:
        palette = self._link.palette()
        link = QColor(theme_of(self.palette()).accent)
        if palette.color(QPalette.ColorRole.ButtonText) != link:
            for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
                palette.setColor(group, QPalette.ColorRole.ButtonText, link)
            self._link.setPalette(palette)
        font = QFont(self.font())
        font.setUnderline(True)
        self._link.setFont(font)
        self._begin_anew()

    def _begin_anew(self) -> None:
        """Fit the sentence to another width or font."""
        self.label.most_lines = self._lines = 1
        self._fit_type()
        self.updateGeometry()

    def _fit_type(self) -> None:
        """Set the sentence in larger type if it fits, and in two lines if it needs them."""
        larger = QFont(self.font())
        if larger.pointSizeF() > 0:
            larger.setPointSizeF(larger.pointSizeF() * _LARGER)
        room, text = self.label.width(), self.label.text()
        fits = QFontMetrics(larger).horizontalAdvance(text) <= room
        self.label.setFont(larger if fits else self.font())
        needs_more = QFontMetrics(self.font()).horizontalAdvance(text) > room > 0
        if needs_more and self._lines < _MOST_LINES:
            self.label.most_lines = self._lines = _MOST_LINES
            self.updateGeometry()
