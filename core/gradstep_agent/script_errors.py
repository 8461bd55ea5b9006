"""Errors that end a script because a variable no longer holds its parameter."""

from __future__ import annotations

import linecache
import re
from typing import TYPE_CHECKING

from gradstep_agent.sites import variables_of_loops
from gradstep_agent.user_code import failing_line

if TYPE_CHECKING:
    from gradstep_agent.registry import Registry

_NEAR = 10
"""Lines before an error that are searched."""


def rebound_in(registry: Registry, error: BaseException) -> list[str]:
    """Return the variables whose `.grad` is None in the failing line, as they hold a result.

    So it is after `w = w - lr * w.grad`, in the line `w.grad.zero_()`; `w` may be the variable of a
    loop over parameters.

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
    code = frame.f_code
    lines = linecache.getlines(code.co_filename, frame.f_globals)[:number]
    items = [
        name
        for name in variables_of_loops(code, number)
        if registry.is_result(frame.f_locals.get(name)) and _is_set_to_result(name, lines)
    ]
    return [
        name
        for name in dict.fromkeys((*registry.rebound(frame), *items))
        if lines and re.search(rf"(?<![\w.]){re.escape(name)}\.grad\b", lines[-1])
    ]


def _is_set_to_result(name: str, lines: list[str]) -> bool:
    """Return whether a line such as `p = p - lr * p.grad` stands before the last one."""
    update = re.compile(rf"\s*{re.escape(name)}\s*=\s*{re.escape(name)}\s*[-+]")
    return any(update.match(line) for line in lines[-_NEAR:])
