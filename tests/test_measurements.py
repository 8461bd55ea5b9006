"""The page of measurements holds every figure, and is what its command writes."""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).parents[1]

spec = spec_from_file_location("measurements", ROOT / "scripts" / "measurements.py")
measurements = module_from_spec(spec)
spec.loader.exec_module(measurements)

FIGURE = {
    "what": "first paint",
    "value": 433.0,
    "unit": "ms",
    "reference": 555.0,
    "reference_is": "ms bare window",
    "compared": 0.78,
    "goal": "<= 1.5",
    "note": "quickest of 3",
    "met": True,
}


def test_a_figure_stands_beside_its_reference_and_its_goal():
    row = measurements.row_of(FIGURE)
    cells = [cell.strip() for cell in row.strip("| ").split("|")]
    assert cells == [
        *("first paint", "433 ms", "555 ms bare window", "0.78", "<= 1.5", "yes"),
        "quickest of 3",
    ]


def test_a_goal_that_is_missed_is_said_in_bold():
    assert "**no**" in measurements.row_of(FIGURE | {"met": False})


def test_the_page_is_what_the_command_writes_from_the_figures():
    paths = sorted(set(measurements.FOLDER.glob("*.json")) - {measurements.REMARKS})
    parts = [json.loads(path.read_text("utf-8")) for path in paths]
    remarks = json.loads(measurements.REMARKS.read_text("utf-8"))
    page = measurements.page(parts, remarks)
    assert (ROOT / "docs" / "measurements.md").read_text("utf-8") == page
    assert {part["part"] for part in parts} <= measurements.TITLES.keys() | remarks.keys()
