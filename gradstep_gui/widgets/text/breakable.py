"""Places to break long words, such as paths and the names of tensors, which have no spaces."""

from __future__ import annotations

import re

__all__ = ["breakable"]

LONG = 30
"""Letters from which on a word may be broken."""

_JOINT = re.compile(r"([._/\[])")


def breakable(text: str) -> str:
    r"""Return `text` with an invisible place to break a line after each joint of a long word.

    Example:
        >>> breakable("short.word in model.0.a_name_that_somebody_has_chosen").count("\u200b")
        7
    """
    words = (_JOINT.sub("\\1\u200b", w) if len(w) >= LONG else w for w in text.split(" "))
    return " ".join(words)
