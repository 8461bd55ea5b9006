"""Writes docs/measurements.md from the figures in docs/measurements/*.json."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "measurements"
REMARKS = FOLDER / "remarks.json"
"""By part, what has to be said about its figures: why they fall short, and what was tried."""

TITLES = {
    "attacks": "Attacks on what is kept and opened",
    "window-1-start": "First picture",
    "window-2-press": "From a press to its picture",
    "window-3-running": "A run with the window open",
    "window-4-travel": "Seeking, scrubbing and stepping",
    "window-5-curves": "Panning and zooming",
    "window-6-sessions": "Opening and saving long sessions",
    "window-7-recording": "What recording costs",
    "window-8-memory": "Memory of a long run",
    "window-9-held_script": "A script that is held",
}
HEAD = """# Measurements

Written by `make measurements`, which measures everything again (about half an hour) and then makes
this page; do not edit it. Each figure stands beside its reference, which was measured in the same
run, in turn with it. Goals are of the clock, on a machine that does nothing else. Where the machine
was busy, the clock measures the other processes too: the notes then give the same in processor
time, which they do not lengthen, and the goal has to be measured again on a quiet machine.
"""


def number(value: float | None) -> str:
    """Return a number with three significant digits, or a dash.

    Example:
        >>> number(1234.5), number(0.8765), number(None)
        ('1,234', '0.876', '–')
    """
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"  # noqa: PLR2004 - digits


def row_of(figure: dict[str, Any]) -> str:
    """Return a row of the table."""
    verdict = {None: "", True: "yes", False: "**no**"}[figure["met"]]
    reference = f"{number(figure['reference'])} {figure['reference_is']}"
    cells = (
        figure["what"].strip(),
        f"{number(figure['value'])} {figure['unit']}",
        reference if figure["reference_is"] else "",
        number(figure["compared"]) if figure["compared"] is not None else "",
        figure["goal"],
        verdict,
        figure["note"],
    )
    return "| " + " | ".join(cells) + " |"


def page(parts: list[dict[str, Any]], remarks: dict[str, list[str]]) -> str:
    """Return the whole page.

    Args:
        parts: What was measured.
        remarks: What is said about each part, by its name.
    """
    found = [HEAD]
    for part in parts:
        name = part["part"]
        found.append(f"\n## {TITLES.get(name, name.capitalize())}\n\n{part['conditions']}.\n")
        if said := remarks.get(name):
            found.append("\n".join(["", *(f"- {remark}" for remark in said), ""]))
        found.append(
            "\n| what | figure | reference | ratio or difference | goal | met | notes |\n"
            "|---|---|---|---|---|---|---|\n"
        )
        found.append("\n".join(map(row_of, part["figures"])) + "\n")
    return "".join(found)


def main() -> None:
    """Write the page."""
    paths = sorted(set(FOLDER.glob("*.json")) - {REMARKS})
    parts = [json.loads(path.read_text("utf-8")) for path in paths]
    remarks = json.loads(REMARKS.read_text("utf-8"))
    target = ROOT / "docs" / "measurements.md"
    target.write_text(page(parts, remarks), encoding="utf-8")
    sys.stdout.write(f"wrote {target.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
