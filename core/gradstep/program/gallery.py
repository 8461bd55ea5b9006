"""The gallery: the scenarios that ship with GradStep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradstep.program.document.codec import read
from gradstep.program.resources import resource

if TYPE_CHECKING:
    from pathlib import Path

    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = ["Scenario", "lesson", "scenarios"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One bundled program.

    Attributes:
        id: The stem of its file, such as "01_who_does_what".
        title: Its name.
        summary: The first sentence of its lesson.
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
        spec = read(path)
        summary = spec.description.split(". ")[0].split("\n")[0].rstrip(".") + "."
        found.append(Scenario(path.stem, spec.name, summary, path))
    return tuple(found)


def lesson(spec: ProgramSpec) -> str:
    """Return the lesson of a program, as Markdown.

    A bundled program has a lesson in a file next to its document, which is also found for a copy of
    the program. For any other program, the lesson is the description in its document.

    Args:
        spec: The program's document.

    Example:
        >>> lesson(read(scenarios()[0].path)).splitlines()[0]
        '# Who does what'
    """
    for path in _programs():
        text = path.with_suffix(".md")
        if text.exists() and read(path) == spec:
            return text.read_text(encoding="utf-8")
    return spec.description


def _programs() -> list[Path]:
    found = sorted(resource("scenarios").glob("*.json"))
    return [path for path in found if not path.stem.endswith(_LESSON)]
