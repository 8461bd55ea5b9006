"""The list of the bundled lessons, read without importing the code that runs them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from gradstep.lessons.schema import GROUPS, SUFFIX
from gradstep.program.resources import resource

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LessonEntry", "lessons"]


@dataclass(frozen=True, slots=True)
class LessonEntry:
    """A bundled lesson.

    Attributes:
        id: Its name in reports, such as "01_who_does_what".
        title: Its title.
        summary: What it teaches, in one sentence.
        group: The id of its group.
        path: Its file.
        steps: The number of its steps.
    """

    id: str
    title: str
    summary: str
    group: str
    path: Path
    steps: int


@cache
def lessons() -> tuple[LessonEntry, ...]:
    """Return the bundled lessons, by group, and in a group by number.

    Example:
        >>> lessons()[0].id
        '01_who_does_what'
    """
    found = []
    for path in sorted(resource("scenarios").glob(f"*{SUFFIX}")):
        lesson = json.loads(path.read_bytes())  # ours: it was validated by the tests
        name = path.name.removesuffix(SUFFIX)
        title, summary, group = (lesson[key] for key in ("title", "summary", "group"))
        found.append(LessonEntry(name, title, summary, group, path, len(lesson["steps"])))
    order = list(GROUPS)
    return tuple(sorted(found, key=lambda entry: order.index(entry.group)))
