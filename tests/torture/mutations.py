"""Changes to JSON documents: other values, names, and parts of the same kinds."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator

__all__ = ["Vocabulary", "mutated"]

_NUMBERS = (
    *(0, -1, 1, 2, 3, 7, 64, 2**31, 2**53 + 1, 10**30, -(10**30)),
    *(0.5, -0.5, 1e-300, 1e300, -1e300, 0.1, 1e-8),
)
_OTHERS = (None, True, False, "", "x", "\0", "\ud800", "(" * 300, "a." * 200, [], {}, [[]], [None])


class Vocabulary:
    """The parts that documents are made of, by the key that holds them.

    Args:
        documents: Sound documents.
    """

    def __init__(self, documents: Iterable[Any]) -> None:
        self.parts: dict[str, list[Any]] = {}
        for document in documents:
            for _owner, key, value in places(document):
                if isinstance(key, str):
                    self.parts.setdefault(key, []).append(value)
        self.keys = sorted(self.parts)


def places(tree: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield every list and object with each of its keys and what is there."""
    keys = (
        list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    )
    for key in keys:
        yield tree, key, tree[key]
        yield from places(tree[key])


def mutated(draw: random.Random, document: Any, vocabulary: Vocabulary) -> Any:
    """Return a document with one to four parts changed."""
    tree = json.loads(json.dumps(document))
    for _ in range(draw.choice((1, 1, 1, 1, 1, 2, 3))):
        owner, key, value = draw.choice(list(places(tree)) or [(tree, "name", "")])
        match draw.randrange(14):
            case 0 if isinstance(owner, dict):
                owner.pop(key, None)
            case 1 if isinstance(owner, dict):
                name = draw.choice(vocabulary.keys)
                owner[name] = deepcopy(draw.choice(vocabulary.parts[name]))
            case 2 if isinstance(owner, list):
                owner.insert(key, deepcopy(draw.choice(owner)))
            case 3 if isinstance(owner, list):
                del owner[key]
            case 4:
                owner[key] = deepcopy(draw.choice((*_NUMBERS, *_OTHERS)))
            case _:
                owner[key] = deepcopy(_another(draw, key, value, vocabulary))
    return tree


def _another(draw: random.Random, key: Any, value: Any, vocabulary: Vocabulary) -> Any:
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        half = value // 2 if isinstance(value, int) else value / 2
        small = (value + 1, value - 1, value * 2, half, -value, 0, 1)
        return draw.choice(small) if draw.random() < 0.6 else draw.choice(_NUMBERS)
    known = vocabulary.parts.get(key) if isinstance(key, str) else None
    return draw.choice(known) if known else draw.choice((*_NUMBERS, *_OTHERS))
