"""Mutated lessons: checked as `gradstep lesson` does, with right and wrong answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gradstep.lessons import actions
from gradstep.lessons.codec import decode
from gradstep.lessons.gallery import lessons
from gradstep.lessons.walker import check_lesson
from tests.torture.mutations import Vocabulary, mutated

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["prepare"]


def prepare(folder: Path) -> Callable[[random.Random], str]:
    """Return an attack on the lessons that ship."""
    del folder
    documents = []
    for entry in lessons():
        document = json.loads(entry.path.read_text("utf-8"))
        program = entry.path.with_name(document["program"])
        document["program"] = json.loads(program.read_text("utf-8"))
        documents.append(document)
    actions._MAX_TIMES = 40  # longer ones take as long as they say
    vocabulary = Vocabulary(document["steps"] for document in documents)
    place = lessons()[0].path

    def case(draw: random.Random) -> str:
        base = draw.choice(documents)
        document = {**base, "steps": mutated(draw, base["steps"], vocabulary)}
        text = json.dumps(document).encode("utf-8", "surrogatepass")
        check_lesson(decode(text), place.parent)
        return "opened"

    return case
