"""The bar that shows messages, in room of its own so that it covers nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from gradstep_gui.messages import Message, MessageKind
from gradstep_gui.resources import icon
from gradstep_gui.theme import KindColors, Theme, blend, theme_of
from gradstep_gui.widgets.accessibility import announce
from gradstep_gui.widgets.text.long_text import with_break_points

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent

__all__ = ["MessageBar"]

PAD = 8
RADIUS = 6.0
NOTICE_MS, OFFER_MS = 6_000, 20_000
"""How long a notice stays, without and with an offer;
warnings and errors stay."""


_LEAST_LINES = 3
"""So many lines of a message are shown, also where the widgets above leave it little room."""


class MessageBar(QWidget):
    """Shows the latest message with its remedy until it is dismissed.

    It stands below what the message is about and is as high as its text needs; without a message
    it takes no room.
    """

    history_requested = Signal()
    """The history of messages should be shown."""

    action_requested = Signal(str)
    """The action that the message offers should be triggered: its id."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._message: Message | None = None
        self._icon = QLabel(self)
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.RichText)
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._text.setMinimumSize(1, 1)
        self._text.setAccessibleName(self.tr("Message"))
        self._offer = QPushButton(self)
        self._offer.setVisible(False)
        self._offer.clicked.connect(self._take_offer)
        self._history = QToolButton(self, autoRaise=True)
        self._history.setToolTip(self.tr("Show all messages"))
        self._history.setAccessibleName(self.tr("Show all messages"))
        self._history.clicked.connect(self.history_requested)
        self._dismiss = QToolButton(self, autoRaise=True)
        self._dismiss.setToolTip(self.tr("Dismiss"))
        self._dismiss.setAccessibleName(self.tr("Dismiss"))
        self._dismiss.clicked.connect(self.dismiss)
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(14, PAD, PAD, PAD)
        row.setSpacing(10)
        for widget in (self._icon, self._text, self._offer, self._history, self._dismiss):
            row.addWidget(widget)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.dismiss)
        self.setVisible(False)

    @property
    def message(self) -> Message | None:
        """The current message, or None."""
        return self._message

    def show_message(self, message: Message) -> None:
        """Show a message in place of the last one."""
        self._message = message
        self._offer.setText(message.offer)
        self._offer.setVisible(bool(message.action))
        self._timer.stop()
        if message.kind is MessageKind.NOTICE:
            self._timer.start(OFFER_MS if message.action else NOTICE_MS)
        self._apply_theme()
        self.setVisible(True)
        spoken = " ".join(filter(None, (message.text, message.remedy)))
        announce(self, spoken, urgent=message.kind is MessageKind.ERROR)

    def dismiss(self) -> None:
        """Hide the bar."""
        self._timer.stop()
        self._message = None
        self.setVisible(False)

    def hasHeightForWidth(self) -> bool:
        """Return True: a narrow bar breaks its text into lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height that the text needs."""
        used = self._row.sizeHint().width() - self._text.sizeHint().width()
        words = self._text.heightForWidth(max(1, width - used))
        return max(words, self._dismiss.sizeHint().height()) + 2 * PAD

    def sizeHint(self) -> QSize:
        """Return the size that it needs in the width of the widget that it is in."""
        ground = self.parentWidget()
        width = self.width() if ground is None else ground.width()
        return QSize(super().sizeHint().width(), self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Return the size below which the buttons or the first lines of the text are cut."""
        used = self._row.sizeHint().width() - self._text.sizeHint().width()
        most = _LEAST_LINES * self._text.fontMetrics().lineSpacing() + 2 * PAD
        buttons = self._dismiss.sizeHint().height() + 2 * PAD
        return QSize(used, max(buttons, min(most, self.sizeHint().height())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for the height that the text needs in another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._apply_theme()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a card in the colours of the message's kind."""
        theme = theme_of(self.palette())
        colors = _colors(theme, self._message)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = QPainterPath()
        card.addRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        painter.fillPath(card, QColor(colors.soft))
        painter.setClipPath(card)
        painter.fillRect(0, 0, 4, self.height(), QColor(colors.strong))
        painter.setClipping(False)
        painter.setPen(QPen(QColor(colors.strong), 1))
        painter.drawPath(card)

    def _take_offer(self) -> None:
        action = "" if self._message is None else self._message.action
        self.dismiss()
        self.action_requested.emit(action)

    def _apply_theme(self) -> None:
        theme = theme_of(self.palette())
        for button, name in ((self._history, "history"), (self._dismiss, "close")):
            button.setIcon(icon(name, theme.text, theme.muted))
        if self._message is None:
            return
        color = _colors(theme, self._message).strong
        drawn = icon(str(self._message.kind), color, color)
        self._icon.setPixmap(drawn.pixmap(QSize(20, 20), self.devicePixelRatioF()))
        text = _escaped(_sentence(self._message.text))
        if self._message.remedy:
            text = f"<b>{text}</b>&ensp;{_escaped(_sentence(self._message.remedy))}"
        self._text.setText(text)
        self.updateGeometry()
        self.update()


def _colors(theme: Theme, message: Message | None) -> KindColors:
    if message is not None and message.kind is MessageKind.ERROR:
        return _tinted(theme.error, theme)
    if message is not None and message.kind is MessageKind.WARNING:
        return _tinted(theme.warning, theme)
    return _tinted(theme.accent, theme)


def _tinted(color: str, theme: Theme) -> KindColors:
    return KindColors(color, blend(color, theme.base, 0.14))


def _sentence(text: str) -> str:
    """Return a text as a sentence: capitalized, except for names such as `loss_a`, with a stop."""
    text = text.strip()
    word, *_ = text.split(maxsplit=1) or ("",)
    text = text[:1].upper() + text[1:] if len(word) > 1 and word.isalpha() else text
    return text if not text or text[-1] in ".!?…" else f"{text}."


def _escaped(text: str) -> str:
    words = with_break_points(text)
    return words.replace("&", "&amp;").replace("<", "&lt;").replace("\n", "<br>")
