"""A typeset formula, with its text as fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import digits_font

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from gradstep_gui.widgets.text.typesetter import RenderedFormula, Typesetter

__all__ = ["FormulaLabel"]

TYPESET_TIMEOUT_MS = 150
"""The delay before the text is shown instead: a flash of text is worse than a gap."""

LEAST_SCALE = 0.55
"""The smallest scale of a formula that is too wide; below it, the text is shown."""


class FormulaLabel(QWidget):
    """Shows one formula in the text colour, scaled down when it is too wide.

    Args:
        typesetter: Renders the formulas.
        scale: The size of its letters, relative to the font.
        muted: Whether it is in the muted colour.
        parent: The parent widget.
    """

    def __init__(
        self,
        typesetter: Typesetter,
        scale: float = 1.5,
        *,
        muted: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._typesetter = typesetter
        self._scale = scale
        self._muted = muted
        self._latex = ""
        self._text = ""
        self._has_timed_out = False
        self._timeout = QTimer(self, singleShot=True, interval=TYPESET_TIMEOUT_MS)
        self._timeout.timeout.connect(self._give_up_waiting)
        typesetter.ready.connect(self._refresh)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """The formula as text."""
        return self._text

    @property
    def is_typeset(self) -> bool:
        """Whether it is drawn typeset."""
        picture = self._picture()
        return picture is not None and not picture.failed and self._fit(picture) >= LEAST_SCALE

    def show_formula(self, latex: str, text: str) -> None:
        """Show a formula.

        Args:
            latex: The formula in LaTeX; empty to show only the text.
            text: The formula as text, for screen readers and as fallback.
        """
        if (latex, text) == (self._latex, self._text):
            return
        self._latex, self._text = latex, text
        self._has_timed_out = False
        self._timeout.start()
        self.setAccessibleName(text)
        self.setToolTip(text)
        self._refresh()

    def sizeHint(self) -> QSize:
        """Return the size of the formula, or of its text."""
        picture = self._picture()
        if picture is not None and not picture.failed:
            return picture.size.toSize() + QSize(2, 2)
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._text), metrics.height() + 4)

    def minimumSizeHint(self) -> QSize:
        """Return the smallest readable size."""
        return QSize(40, self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._refresh()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the formula, or its text."""
        painter = QPainter(self)
        picture = self._picture()
        if picture is not None and self.is_typeset:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            size = picture.size * self._fit(picture)
            picture.paint(painter, QRectF(QPointF(0.0, (self.height() - size.height()) / 2), size))
        elif picture is not None or self._has_timed_out or not self._latex:
            painter.setFont(digits_font(self.font()))
            painter.setPen(self._color())
            text = painter.fontMetrics().elidedText(
                self._text, Qt.TextElideMode.ElideRight, self.width()
            )
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, text)

    def _picture(self) -> RenderedFormula | None:
        if not self._latex:
            return None
        size = round(self.fontMetrics().height() * self._scale * 0.8, 1)
        return self._typesetter.picture(self._latex, self._color(), size)

    def _fit(self, picture: RenderedFormula) -> float:
        return min(1.0, self.width() / QSizeF(picture.size).width())

    def _color(self) -> str:
        theme = theme_of(self.palette())
        return theme.muted if self._muted else theme.text

    def _give_up_waiting(self) -> None:
        self._has_timed_out = True
        self.update()

    def _refresh(self) -> None:
        self.updateGeometry()
        self.update()
