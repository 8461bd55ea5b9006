"""Parts of sentences: counts with their nouns, lists, and clauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["clause", "listed", "pluralize"]


def clause(sentence: str) -> str:
    """Return a sentence as a part of another one: not capitalized, and without its full stop.

    Example:
        >>> clause("The script has ended."), clause("PyTorch has no such method.")
        ('the script has ended', 'PyTorch has no such method')
    """
    word = sentence.partition(" ")[0]
    is_plain = word.isalpha() and word[1:].islower()
    return (sentence[:1].lower() + sentence[1:] if is_plain else sentence).rstrip(".")


def listed(texts: Iterable[str]) -> str:
    """Return texts as a list in a sentence.

    Example:
        >>> listed(["a"]), listed(["a", "b", "c"]), listed([])
        ('a', 'a, b and c', '')
    """
    parts = list(texts)
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def pluralize(count: int, one: str, several: str = "") -> str:
    """Return a count, with thousands separators, and its noun in the singular or plural.

    Args:
        count: The number.
        one: The noun in the singular.
        several: The plural, when it is not `one` with an s.

    Example:
        >>> pluralize(1, "Event"), pluralize(0, "Event"), pluralize(12_345, "batch", "batches")
        ('1 Event', '0 Events', '12,345 batches')
    """
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"
