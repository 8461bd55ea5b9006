"""Marking words in tables for translation."""

from __future__ import annotations

__all__ = ["QT_TRANSLATE_NOOP"]


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Mark words for translation, and return them as they are.

    PySide6 types its own as returning an object; the translation tools go by the name.

    Example:
        >>> QT_TRANSLATE_NOOP("Menu", "&File")
        '&File'
    """
    return text
