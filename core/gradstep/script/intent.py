"""What a script says of itself in its comments: `# gradstep: gradient_accumulation`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args

from gradstep.program.schema.program_spec import Intent

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["declared_intent"]

_COMMENT = re.compile(r"#\s*gradstep:([\w ,]+)")


def declared_intent(sources: Iterable[str]) -> list[Intent]:
    """Return the intents that comments of a script declare.

    Args:
        sources: The texts of its files.

    Example:
        >>> declared_intent(["x = 1  # gradstep: adversarial, frozen_backbone"])
        ['frozen_backbone', 'adversarial']
    """
    words = {
        word
        for source in sources
        for comment in _COMMENT.findall(source)
        for word in re.findall(r"\w+", comment)
    }
    return [intent for intent in get_args(Intent) if intent in words]
