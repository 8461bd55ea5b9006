"""Exporting: where a person wants the plots written, and writing them there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.errors import GradStepError
from gradstep_gui.plotting.export import export_csv, export_png, export_svg
from gradstep_gui.widgets.dialogs.questions import ask_new_path

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gradstep_gui.plotting.curve_set import CurveSet
    from gradstep_gui.plotting.stack import PlotStack

__all__ = ["ask_where", "write"]


def ask_where(parent: QWidget, kind: str) -> Path | None:
    """Ask a person for a file of this kind ("png", "svg", "csv"); None when they cancel."""
    filters = {
        "png": QCoreApplication.translate("PlotsView", "Pictures (*.png)"),
        "svg": QCoreApplication.translate("PlotsView", "Drawings (*.svg)"),
        "csv": QCoreApplication.translate("PlotsView", "Tables (*.csv)"),
    }
    title = QCoreApplication.translate("PlotsView", "Export the plots")
    return ask_new_path(parent, title, Path(f"gradstep.{kind}"), filters[kind])


def write(stack: PlotStack, curves: CurveSet, path: Path) -> None:
    """Write the plots to a file, in the format that its suffix names.

    Raises:
        GradStepError: The suffix is another one, or the file cannot be written.
    """
    match path.suffix.lower():
        case ".png":
            export_png(stack.sheet, path)
        case ".svg":
            export_svg(stack.sheet, path)
        case ".csv":
            export_csv(curves, curves.columns, path)
        case other:
            raise GradStepError(
                QCoreApplication.translate(
                    "PlotsView", "Plots cannot be written as '{suffix}'"
                ).format(suffix=other),
                QCoreApplication.translate("PlotsView", "name the file .png, .svg or .csv"),
            )
