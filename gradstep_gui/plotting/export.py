"""Export: the plots as a picture, as a drawing, or as the numbers themselves."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QBuffer, QPoint, QRect
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator

from gradstep.errors import GradStepError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from gradstep_gui.plotting.curve_set import CurveSet

__all__ = ["export_csv", "export_png", "export_svg"]


def export_png(widget: QWidget, path: Path) -> None:
    """Write a widget as a PNG, with as many pixels as the screen shows it with.

    Raises:
        GradStepError: The file cannot be written.
    """
    if not widget.grab().save(str(path), "PNG"):
        raise _unwritable(path)


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
    try:
        path.write_bytes(drawing.data().data())
    except OSError as error:
        raise _unwritable(path, error.strerror or "") from error


def export_csv(curves: CurveSet, columns: Sequence[str], path: Path) -> None:
    """Write the recorded rows of these columns, one iteration a line; a gap is an empty cell.

    Raises:
        GradStepError: The file cannot be written.
    """
    parts = [(curves[name], curves.recorded(name)) for name in columns]
    tables = [dict(zip(curve.x[:rows], curve.y[:rows], strict=True)) for curve, rows in parts]
    iterations = np.unique(np.concatenate([[], *(curve.x[:rows] for curve, rows in parts)]))
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["iteration", *columns])
            for iteration in iterations:
                values = [table.get(iteration, np.nan) for table in tables]
                cells = ["" if np.isnan(value) else repr(float(value)) for value in values]
                writer.writerow([int(iteration), *cells])
    except OSError as error:
        raise _unwritable(path, error.strerror or "") from error


def _unwritable(path: Path, why: str = "") -> GradStepError:
    return GradStepError(
        f"{path} cannot be written" + (f": {why}" if why else ""), "choose another place"
    )
