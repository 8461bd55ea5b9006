"""Export of plots as PNG, SVG or CSV."""

from __future__ import annotations

import csv
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QBuffer, QPoint, QRect
from PySide6.QtGui import QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator

from gradstep.atomic_write import replacing
from gradstep.errors import GradStepError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from gradstep_gui.plotting.curve_set import CurveSet

__all__ = ["check_picture", "export_csv", "export_picture", "export_svg"]


def export_picture(widget: QWidget, path: Path) -> None:
    """Write a widget as an image, in the resolution of the screen.

    Args:
        widget: What to draw.
        path: The image file; its suffix selects the format.

    Raises:
        GradStepError: The suffix is that of no image format, or the file cannot be written.
    """
    check_picture(path)
    picture = widget.grab()
    with _replaced(path) as draft:
        if not picture.save(str(draft), path.suffix[1:].upper()):
            raise OSError


def check_picture(path: Path) -> None:
    """Check that a file is named as an image that can be written.

    Raises:
        GradStepError: Its suffix is that of no image format.

    Example:
        >>> from pathlib import Path
        >>> check_picture(Path("program.json"))
        Traceback (most recent call last):
        gradstep.errors.GradStepError: program.json is not named as an image: .json; ...
    """
    if path.suffix[1:].lower() not in {
        bytes(kind.data()).decode() for kind in QImageWriter.supportedImageFormats()
    }:
        ending = path.suffix or "no suffix"
        raise GradStepError(f"{path} is not named as an image: {ending}", "end its name in .png")


def export_svg(widget: QWidget, path: Path) -> None:
    """Write a widget as an SVG drawing.

    Raises:
        GradStepError: The file cannot be written.
    """
    drawing = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(drawing)
    generator.setSize(widget.size())
    generator.setViewBox(QRect(QPoint(0, 0), widget.size()))
    generator.setResolution(widget.logicalDpiX())
    generator.setTitle(widget.accessibleName())
    painter = QPainter(generator)
    widget.render(painter, QPoint(0, 0))
    painter.end()
    with _replaced(path) as draft:
        draft.write_bytes(drawing.data().data())


def export_csv(curves: CurveSet, columns: Sequence[str], path: Path) -> None:
    """Write the recorded rows of these columns, one iteration per line; gaps are empty cells.

    Raises:
        GradStepError: The file cannot be written.
    """
    parts = [curves[name].points(0, curves.recorded(name)) for name in columns]
    tables = [dict(zip(x, y, strict=True)) for x, y in parts]
    iterations = np.unique(np.concatenate([[], *(x for x, _ in parts)]))
    with _replaced(path) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["iteration", *columns])
        for iteration in iterations:
            values = [table.get(iteration, np.nan) for table in tables]
            cells = ["" if np.isnan(value) else repr(float(value)) for value in values]
            writer.writerow([int(iteration), *cells])


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """Yield a draft that replaces a file; on an error the file stays, and is named."""
    try:
        with replacing(path) as draft:
            yield draft
    except OSError as error:
        why = f": {error.strerror}" if error.strerror else ""
        raise GradStepError(f"{path} cannot be written{why}", "choose another place") from error
