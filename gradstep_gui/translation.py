"""Marking words in tables for translation, and counting in translated words."""

from __future__ import annotations

__all__ = ["QT_TRANSLATE_NOOP", "counted"]


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Mark words for translation, and return them as they are.

    PySide6 types its own as returning an object; the translation tools go by the name.

    Example:
        >>> QT_TRANSLATE_NOOP("Menu", "&File")
        '&File'
    """
    return text


def counted(count: int, one: str, several: str) -> str:
    """Format a count with the singular or plural text; `{0}` is the count.

    Example:
        >>> counted(1, "{0} step", "{0} steps"), counted(1200, "{0} step", "{0} steps")
        ('1 step', '1,200 steps')
    """
    return (one if count == 1 else several).format(f"{count:,}")
