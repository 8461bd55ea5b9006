"""Where a script calls the `step` of an optimizer, as far as names tell."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.spellings import last_step
from gradstep.diagnostics.script_edits.syntax import parsed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["step_calls"]


def step_calls(
    files: Mapping[str, str], optimizer: str, others: Collection[str]
) -> tuple[str, ...] | None:
    r"""Return the lines that call the `step` of an optimizer, also by a scaler.

    Args:
        files: The texts of the script's own files by name.
        optimizer: The optimizer.
        others: The other optimizers, and the schedulers.

    Returns:
        The lines, such as "train.py:12"; None where a call may be of any of them, as that of the
        variable of a loop.

    Example:
        >>> files = {"a.py": "generator_opt.step()\nscaler.step(critic_opt)\n"}
        >>> step_calls(files, "critic_opt", ["generator_opt"])
        ('a.py:2',)
    """
    own, known = last_step(optimizer), set(map(last_step, others))
    found: list[str] = []
    for file, text in files.items():
        script = parsed(text)
        if script is None:
            return None
        for call in ast.walk(script.tree):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            if call.func.attr != "step":
                continue
            names = {last_step(ast.unparse(one)) for one in (call.func.value, *call.args[:1])}
            if own in names:
                found.append(f"{file}:{call.lineno}")
            elif names.isdisjoint(known):
                return None
    return tuple(found)
