"""What a script says of itself in its comments: `# gradstep: gradient_accumulation`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["declared_intentions"]

_COMMENT = re.compile(r"#\s*gradstep:([\w ,]+)")


def declared_intentions(sources: Iterable[str]) -> dict[str, bool]:
    """Return what comments of a script declare as intended; False for what is declared as not.

    Args:
        sources: The texts of its files.

    Example:
        >>> declared_intentions(["x = 1  # gradstep: adversarial, not gradient_accumulation"])
        {'adversarial': True, 'gradient_accumulation': False}
    """
    found: dict[str, bool] = {}
    for source in sources:
        for comment in _COMMENT.findall(source):
            is_intended = True
            for word in re.findall(r"\w+", comment):
                if word != "not":
                    found[word] = is_intended
                is_intended = word != "not"
    return found
