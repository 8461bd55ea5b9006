"""The gallery: the scenarios that ship with GradStep."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradstep.program.resources import resource

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Scenario", "scenarios"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One bundled program.

    Attributes:
        id: The stem of its file, such as "01_who_does_what".
        title: Its name.
        summary: The first sentence of its description.
        path: Its document.
    """

    id: str
    title: str
    summary: str
    path: Path


_LESSON = ".lesson"
"""What the stem of a file ends with that is a lesson beside a program."""


def scenarios() -> tuple[Scenario, ...]:
    """Return the bundled programs, in the order of their numbers.

    Example:
        >>> scenarios()[0].id
        '01_who_does_what'
    """
    found = []
    for path in _programs():
        spec = json.loads(path.read_bytes())  # ours: it was validated by the tests
        summary = spec["description"].split(". ")[0].split("\n")[0].rstrip(".") + "."
        found.append(Scenario(path.stem, spec["name"], summary, path))
    return tuple(found)


def _programs() -> list[Path]:
    found = sorted(resource("scenarios").glob("*.json"))
    return [path for path in found if not path.stem.endswith(_LESSON)]
