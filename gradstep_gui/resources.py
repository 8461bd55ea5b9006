"""Files that ship with GradStep, and icons drawn in a colour."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

__all__ = ["application_icon", "icon", "resource"]

SIZES = (16, 20, 24, 32, 48, 64)
"""Edge lengths of icons in pixels, for screens with a scale of 1 and 2."""


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
    """Return a line icon, drawn in a colour.

    Args:
        name: The file in `icons/` without its suffix.
        color: `#rrggbb` of the icon.
        disabled: `#rrggbb` of the disabled icon.
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
