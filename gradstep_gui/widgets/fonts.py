"""Fonts derived from a widget's font, such as one with digits of equal width."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase

__all__ = ["digits_font", "emphasis_font", "scaled", "small_font"]

_TABULAR_FIGURES = QFont.Tag.fromString("tnum")


def digits_font(base: QFont) -> QFont:
    """Return `base` with tabular figures: the OpenType feature `tnum`.

    Example:
        >>> digits_font(QFont()).featureTags() != []
        True
    """
    font = QFont(base)
    font.setFeature(_TABULAR_FIGURES, 1)
    return font


def small_font(base: QFont) -> QFont:
    """Return `base` one step smaller, for captions.

    Example:
        >>> base = QFont(); base.setPointSizeF(10.0)
        >>> small_font(base).pointSizeF()
        9.0
    """
    font = QFont(base)
    if base.pointSizeF() > 0:
        font.setPointSizeF(base.pointSizeF() * 0.9)
    else:
        font.setPixelSize(max(1, round(base.pixelSize() * 0.9)))
    return font


def emphasis_font(base: QFont) -> QFont:
    """Return `base` in bold, for titles and current rows.

    Example:
        >>> emphasis_font(QFont()).bold()
        True
    """
    font = QFont(base)
    font.setBold(True)
    return font


def scaled(pixels: float, font: QFont) -> int:
    """Return a length that grows with a font: `pixels` at the size that the desktop prefers.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        >>> large = QFont(font); large.setPointSizeF(1.5 * font.pointSizeF())
        >>> scaled(24, font), scaled(24, large)
        (24, 36)
    """
    plain = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if font.pointSizeF() <= 0 or plain.pointSizeF() <= 0:
        return round(pixels)  # sizes in pixels do not follow the zoom
    return round(pixels * font.pointSizeF() / plain.pointSizeF())
