"""Of which class a script's scheduler is that a loop inside of another steps."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.spellings import last_step
from gradstep.diagnostics.script_edits.syntax import parsed, statement_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gradstep.diagnostics.script_edits.syntax import Statement

__all__ = ["class_of_schedule"]


def class_of_schedule(files: Mapping[str, str], scheduler: str, place: str) -> str:
    r"""Return the class of a scheduler that was made before both loops around its step.

    The outer one may be where the function is called that has the inner one.

    Args:
        files: The texts of the script's own files by name.
        scheduler: The scheduler.
        place: The line of its step, such as "train.py:12".

    Returns:
        The class; "" where the text names none, or several, or where a loop may be one over whole
        trainings, each with a scheduler of its own.

    Example:
        >>> text = "sched = StepLR(opt, 9)\nfor e in a:\n    for b in e:\n        sched.step()\n"
        >>> class_of_schedule({"a.py": text}, "self.sched", "a.py:4")
        'StepLR'
    """
    found = statement_in(files, place)
    if found is None or not found[1].loops:
        return ""
    step = found[1]
    made = [one for text in files.values() for one in _made(text, last_step(scheduler))]
    kinds = {kind for kind, _ in made}
    if len(kinds) != 1 or not all(_is_before(one, step) for _, one in made):
        return ""
    return kinds.pop()


def _is_before(made: Statement, step: Statement) -> bool:
    """Return whether a statement is no part of an outer loop that a step is in."""
    if made.loops:
        return False
    return len(step.loops) > 1 or ast.dump(made.function) != ast.dump(step.function)


def _made(text: str, variable: str) -> Iterator[tuple[str, Statement]]:
    """Yield the classes, or other functions, of what is assigned to a variable; "" for others."""
    script = parsed(text)
    for one in () if script is None else script.statements():
        targets = one.node.targets if isinstance(one.node, ast.Assign) else ()
        if not any(last_step(ast.unparse(target)) == variable for target in targets):
            continue
        match one.node:
            case ast.Assign(value=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))):
                yield name, one
            case ast.Assign(value=ast.Name(id=name)) if name == variable:  # self.sched = sched
                pass
            case _:
                yield "", one
