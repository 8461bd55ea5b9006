"""Adds up what came of attacks in a file that `make measurements` makes a page of."""

from __future__ import annotations

import json
import os
import platform
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tests.torture.sandbox import Tally

__all__ = ["add_up"]

_GOALS = {
    "sessions": ("mutated sessions", 100_000),
    "programs": ("mutated programs", 20_000),
    "lessons": ("mutated lessons", 20_000),
    "expressions": ("random expressions", 100_000),
    "arithmetic": ("replays with other last bits", None),
    "travels": ("random ways through recordings", 10_000),
    "kills": ("kills", 1_000),
    "places": ("bad places", None),
}
"""What the cases of each kind are, and how many the issue asks for."""

_SHOWN = 6
"""Outcomes of a kind that the page lists."""


def add_up(path: Path, kind: str, tally: Tally) -> None:
    """Add the cases of a kind to those of earlier attacks.

    Args:
        path: A JSON file; made where there is none.
        kind: The kind.
        tally: What came of them.
    """
    part: dict[str, Any] = {"part": "attacks", "conditions": _conditions(), "figures": []}
    if path.exists():
        part = json.loads(path.read_text("utf-8"))
    figures = {figure["kind"]: figure for figure in part["figures"]}
    outcomes = figures.get(kind, {}).get("outcomes", {})
    for outcome, count in tally.counts.items():
        outcomes[outcome] = outcomes.get(outcome, 0) + count
    wrong = figures.get(kind, {}).get("wrong", 0) + len(tally.wrong)
    figures[kind] = _figure(kind, outcomes, wrong)
    part["figures"] = [figures[known] for known in _GOALS if known in figures]
    path.write_text(json.dumps(part, indent=1) + "\n", encoding="utf-8")


def _figure(kind: str, outcomes: dict[str, int], wrong: int) -> dict[str, Any]:
    what, goal = _GOALS[kind]
    count = sum(outcomes.values())
    ordered = sorted(outcomes.items(), key=lambda item: -item[1])[:_SHOWN]
    if kind in {"kills", "places"}:  # each outcome names what was tried
        note = f"{wrong} wrong"
    else:
        note = (
            ", ".join(f"{number:,} {outcome}" for outcome, number in ordered) + f"; {wrong} wrong"
        )
    return {
        "kind": kind,
        "what": what,
        "value": count,
        "unit": "cases",
        "reference": None,
        "reference_is": "",
        "compared": None,
        "goal": "none wrong" if goal is None else f"{goal:,}, none wrong",
        "met": not wrong and count >= (goal or 0),
        "note": note,
        "outcomes": outcomes,
        "wrong": wrong,
    }


def _conditions() -> str:
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"{system}, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}"
