"""Mutated programs: opened, run, stepped into, looked at and exported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError
from gradstep.program.document import codec
from gradstep.program.gallery import scenarios
from tests.torture.mutations import Vocabulary, mutated

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["prepare", "use"]

_EVENTS = 12


def prepare(folder: Path) -> Callable[[random.Random], str]:
    """Return an attack on the programs that ship."""
    del folder
    entries = scenarios()
    documents = [json.loads(entry.path.read_text("utf-8")) for entry in entries]
    vocabulary = Vocabulary(documents)

    def case(draw: random.Random) -> str:
        place = draw.randrange(len(documents))
        document = mutated(draw, documents[place], vocabulary)
        spec = codec.decode(_encoded(document))
        debugger = Debugger(spec, entries[place].path.parent)
        use(debugger, draw)
        return "opened"

    return case


def _encoded(document: Any) -> bytes:
    return json.dumps(document).encode("utf-8", "surrogatepass")


def use(debugger: Debugger, draw: random.Random) -> None:
    """Do what a person might with a program; only a `GradStepError` may come of each part."""
    parts: list[Callable[[], Any]] = [
        lambda: [debugger.step_over() for _ in range(_EVENTS)],
        lambda: [debugger.step_into() for _ in range(_EVENTS)],
        lambda: repr(debugger.snapshot),
        lambda: debugger.listing,
        debugger.script,
        lambda: debugger.explain(draw.choice(list(debugger.program.tensors) or ["x"])),
        lambda: codec.encode(debugger.program.spec),
        lambda: debugger.seek(draw.randrange(len(debugger.events) + 1)),
        debugger.back,
        lambda: debugger.what_if(skip=(1,)),
        lambda: debugger.iterate(1),
        lambda: debugger.findings,
    ]
    for part in parts[:1] + draw.sample(parts, 5):
        try:
            part()
        except GradStepError:
            continue
