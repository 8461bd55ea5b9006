"""A view for Markdown, with the names of Operations in their colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QColor, QDesktopServices, QFont, QTextCursor, QTextDocument, QTextTable
from PySide6.QtWidgets import QFrame, QTextBrowser

from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QTextBlock
    from PySide6.QtWidgets import QWidget

    from gradstep_gui.theme import Theme

__all__ = ["LessonView"]

_SCALES = {1: 1.35, 2: 1.15}
_FEATURES = (
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub
    | QTextDocument.MarkdownFeature.MarkdownNoHTML
)


class LessonView(QTextBrowser):
    """Shows Markdown from an untrusted source: it loads no files and runs nothing.

    Args:
        kinds: The words that, when bold, get the colour of a kind of Operation.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> view = LessonView({"Forward": "forward"})
        >>> view.show_lesson("Press **Forward**.")
        >>> view.toPlainText()
        'Press Forward.'
    """

    def __init__(self, kinds: Mapping[str, str], parent: QWidget | None = None) -> None:
        self._kinds = dict(kinds)
        self._shown = ""
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # all text wraps
        self.setAccessibleName(self.tr("Lesson"))
        self.document().setDocumentMargin(10)
        self.document().setIndentWidth(24)  # Qt's default of 40 is too wide for a narrow dock
        self.anchorClicked.connect(_open_page)

    def show_lesson(self, markdown: str) -> None:
        """Show a text from its top."""
        self._shown = markdown
        self.document().setMarkdown(markdown, _FEATURES)
        self._apply_theme()
        self.setTextCursor(QTextCursor(self.document()))  # else Qt scrolls to the end
        self.verticalScrollBar().setValue(0)

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme, and the size of another font."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.FontChange}:
            self._apply_theme()

    def loadResource(self, _kind: int, _name: QUrl | str) -> None:
        """Load nothing."""

    def _apply_theme(self) -> None:
        """Style the text as one edit, because each edit lays out the whole text."""
        whole = QTextCursor(self.document())
        whole.beginEditBlock()
        self._style_parts(theme_of(self.palette()))
        whole.endEditBlock()

    def _style_parts(self, theme: Theme) -> None:
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                _style_table(frame, theme)
        block = self.document().begin()
        while block.isValid():
            scale = _SCALES.get(block.blockFormat().headingLevel())
            if scale is not None and block.blockNumber():
                _set_apart(block)
            if block.blockFormat().nonBreakableLines():
                _let_wrap(block)
            for start, length, text, font in _fragments(block):
                cursor = QTextCursor(self.document())
                cursor.setPosition(start)
                cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
                style = cursor.charFormat()
                if scale is not None:
                    style.clearProperty(style.Property.FontSizeAdjustment)
                    style.setFontPointSize(self.font().pointSizeF() * scale)
                elif font.bold() and text in self._kinds:
                    style.setForeground(QColor(theme.kind(self._kinds[text]).strong))
                elif font.fixedPitch() or style.fontFixedPitch():
                    style.setBackground(QColor(theme.alternate))
                    style.setFontPointSize(self.font().pointSizeF())
                else:
                    continue
                cursor.setCharFormat(style)
            block = block.next()


def _style_table(table: QTextTable, theme: Theme) -> None:
    """Give a table thin borders and padding."""
    looks = table.format()
    looks.setBorder(1)
    looks.setBorderStyle(looks.BorderStyle.BorderStyle_Solid)
    looks.setBorderBrush(QColor(theme.border))
    looks.setBorderCollapse(True)
    looks.setCellPadding(5)
    looks.setTopMargin(6)
    looks.setBottomMargin(6)
    table.setFormat(looks)


def _let_wrap(code: QTextBlock) -> None:
    """Wrap long lines of code instead of hiding their end."""
    lines = code.blockFormat()
    lines.setNonBreakableLines(False)
    QTextCursor(code).setBlockFormat(lines)


def _set_apart(heading: QTextBlock) -> None:
    """Set the margins of a heading, larger above than below."""
    room = heading.blockFormat()
    room.setTopMargin(16)
    room.setBottomMargin(6)
    QTextCursor(heading).setBlockFormat(room)


def _fragments(block: QTextBlock) -> list[tuple[int, int, str, QFont]]:
    """Return position, length, text and font of each part of a paragraph."""
    found = []
    part = block.begin()
    while not part.atEnd():
        piece = part.fragment()
        if piece.isValid():
            found.append(
                (piece.position(), piece.length(), piece.text(), piece.charFormat().font())
            )
        part += 1
    return found


def _open_page(link: QUrl) -> None:
    """Open an https link in the browser; ignore others."""
    if link.scheme() == "https":
        QDesktopServices.openUrl(link)
