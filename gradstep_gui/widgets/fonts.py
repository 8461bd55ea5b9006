"""Fonts derived from a widget's font, such as one with digits of equal width."""

from __future__ import annotations

from PySide6.QtGui import QFont

__all__ = ["digits_font", "emphasis_font", "small_font"]

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
