"""The files that ship with the program, and icons in the colour that is asked for."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

__all__ = ["application_icon", "icon", "resource"]

SIZES = (16, 20, 24, 32, 48, 64)
"""Edge lengths in pixels: the sizes in use, at one and at two pixels a point."""


def resource(name: str) -> Path:
    """Return the path of a shipped file: inside the package when installed, else in the checkout.

    Example:
        >>> resource("icons/forward.svg").name
        'forward.svg'
    """
    package = Path(__file__).parent
    installed = package / "resources"
    return (installed if installed.is_dir() else package.parent / "resources") / name


@lru_cache(maxsize=256)
def icon(name: str, color: str, disabled: str) -> QIcon:
    """Return one of our line icons, drawn in a colour.

    Args:
        name: The file in `icons/` without its ending.
        color: `#rrggbb` for use.
        disabled: `#rrggbb` for when it cannot be used.
    """
    source = resource(f"icons/{name}.svg").read_text(encoding="utf-8")
    drawn = QIcon()
    for mode, paint in ((QIcon.Mode.Normal, color), (QIcon.Mode.Disabled, disabled)):
        renderer = QSvgRenderer(QByteArray(source.replace("currentColor", paint).encode()))
        for size in SIZES:
            drawn.addPixmap(_render(renderer, size), mode)
    return drawn


@lru_cache(maxsize=1)
def application_icon() -> QIcon:
    """Return the window's icon."""
    renderer = QSvgRenderer(str(resource("icons/gradstep.svg")))
    drawn = QIcon()
    for size in (*SIZES, 128, 256):
        drawn.addPixmap(_render(renderer, size))
    return drawn


def _render(renderer: QSvgRenderer, size: int) -> QPixmap:
    pixmap = QPixmap(QSize(size, size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
