"""Errors that end a script because a variable no longer holds its parameter."""

from __future__ import annotations

import linecache
import re
from typing import TYPE_CHECKING

from gradstep_agent.user_code import failing_line

if TYPE_CHECKING:
    from gradstep_agent.registry import Registry


def rebound_in(registry: Registry, error: BaseException) -> list[str]:
    """Return the variables whose `.grad` is None in the failing line, as they hold a result.

    So it is after `w = w - lr * w.grad`, in the line `w.grad.zero_()`.

    Args:
        registry: What has names.
        error: What has ended the script.
    """
    if type(error) not in (AttributeError, TypeError) or "NoneType" not in str(error):
        return []
    found = failing_line(error)
    if found is None:
        return []
    frame, number = found
    line = linecache.getline(frame.f_code.co_filename, number, frame.f_globals)
    return [
        name
        for name in registry.rebound(frame)
        if re.search(rf"(?<![\w.]){re.escape(name)}\.grad\b", line)
    ]
