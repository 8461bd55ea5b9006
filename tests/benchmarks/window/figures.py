"""Figures beside their references, as a table in the terminal and in docs/measurements.md."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Figure", "Report", "percentiles", "ratio_figure"]

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docs" / "measurements"


@dataclass(frozen=True)
class Figure:
    """One measured figure.

    Args:
        what: What was measured.
        value: The figure.
        unit: Its unit.
        reference: What was measured beside it in the same run; None for nothing.
        reference_is: What the reference is.
        compared: The figure that the goal is about, such as the ratio; None for the figure itself.
        goal: The goal, such as "<= 1.5"; empty for none.
        note: What has to be known to read it.
    """

    what: str
    value: float
    unit: str
    reference: float | None = None
    reference_is: str = ""
    compared: float | None = None
    goal: str = ""
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without one."""
        if not self.goal:
            return None
        sign, limit = self.goal.split()[:2]
        found = self.value if self.compared is None else self.compared
        return bool(found <= float(limit) if sign == "<=" else found >= float(limit))


def ratio_figure(what, value, unit, reference, reference_is, goal="", note=""):
    """Return a figure whose goal is about its ratio to the reference."""
    return Figure(what, value, unit, reference, reference_is, value / reference, goal, note)


def percentiles(seconds):
    """Return the median, the 99th percentile and the largest of some times, in milliseconds."""
    found = np.asarray(seconds) * 1e3
    return float(np.median(found)), float(np.percentile(found, 99)), float(found.max())


@dataclass
class Report:
    """Collects the figures of one part, prints each at once and writes them as JSON.

    Args:
        part: Its name.
        is_kept: Whether they are written.
    """

    part: str
    is_kept: bool = True
    figures: list[Figure] = field(default_factory=list)

    def add(self, figure: Figure) -> None:
        """Add a figure, print it, and write docs/measurements/<part>.json."""
        self.figures.append(figure)
        if self.is_kept:
            self._write()
        sys.stdout.write(line_of(asdict(figure) | {"met": figure.met}) + "\n")
        sys.stdout.flush()

    def _write(self) -> None:
        FOLDER.mkdir(exist_ok=True)
        rows = [asdict(figure) | {"met": figure.met} for figure in self.figures]
        found = {"part": self.part, "conditions": conditions(), "figures": rows}
        path = FOLDER / f"{self.part}.json"
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def conditions() -> str:
    """Return on what, and how busy, it was measured."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}, "
        f"Python {platform.python_version()}, NumPy {np.__version__}"
    )


def number(value: float | None) -> str:
    """Return a number with three significant digits, or a dash."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def line_of(row: dict[str, Any]) -> str:
    """Return a row for the terminal."""
    compared = row["value"] if row["compared"] is None else row["compared"]
    verdict = {None: "", True: "met", False: "SHORT"}[row["met"]]
    reference = f"{number(row['reference'])} {row['reference_is']}" if row["reference_is"] else ""
    return (
        f"{row['what']:58} {number(row['value']):>9} {row['unit']:8} {reference:38} "
        f"{number(compared):>8} {row['goal']:>10}  {verdict}"
        + (f"\n      {row['note']}" if row["note"] else "")
    )
