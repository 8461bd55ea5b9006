"""Of which class a script's scheduler is, and what it counts, as far as the text tells."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from gradstep.diagnostics.script_edits.spellings import last_step
from gradstep.diagnostics.script_edits.syntax import parsed, statement_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gradstep.diagnostics.script_edits.syntax import Statement

__all__ = ["BatchSchedule", "class_of_schedule", "schedule_of_batches"]


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


class BatchSchedule(NamedTuple):
    """A schedule whose length is counted in batches.

    Attributes:
        kind: Its class.
        loader: What gives the batches, as the script spells it.
        line: Where it was made, such as "train.py:12".
    """

    kind: str
    loader: str
    line: str


def schedule_of_batches(files: Mapping[str, str], scheduler: str) -> BatchSchedule | None:
    r"""Return what is known of a scheduler whose length is a multiple of the number of batches.

    Args:
        files: The texts of the script's own files by name.
        scheduler: The scheduler.

    Returns:
        It; None where the text does not show that, as where no loop that calls `backward` goes over
        these batches.

    Example:
        >>> text = "sched = OneCycleLR(o, 1, 9 * len(data))\nfor x in data:\n    f(x).backward()\n"
        >>> schedule_of_batches({"a.py": text}, "sched").loader
        'data'
    """
    made = [
        (file, kind, one)
        for file, text in files.items()
        for kind, one in _made(text, last_step(scheduler))
    ]
    if len(made) != 1 or not made[0][1]:
        return None
    ((file, kind, one),) = made
    script = parsed(files[file])
    if script is None:
        return None
    trained = {
        ast.unparse(part)
        for loop in ast.walk(script.tree)
        if isinstance(loop, ast.For) and "backward" in set(_attributes(loop))
        for part in ast.walk(loop.iter)
        if isinstance(part, (ast.Name, ast.Attribute))
    }
    counted = [name for name in _multiplied_lengths(script.tree, one) if name in trained]
    return BatchSchedule(kind, counted[0], f"{file}:{one.node.lineno}") if counted else None


def _attributes(node: ast.AST) -> Iterator[str]:
    return (one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute))


def _multiplied_lengths(tree: ast.AST, made: Statement) -> Iterator[str]:
    """Yield of what lengths are multiplied in the arguments of a call, or in their variables."""
    call = made.node.value  # type: ignore[attr-defined]
    given = [*call.args[1:], *(item.value for item in call.keywords)]
    names = {one.id for one in given if isinstance(one, ast.Name)}
    given += [
        one.value
        for one in ast.walk(tree)
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) in names
    ]
    products = [
        part
        for value in given
        for part in ast.walk(value)
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult)
    ]
    steps = [item.value for item in call.keywords if item.arg == "steps_per_epoch"]
    for product in (*products, *steps):
        yield from _lengths(product)


def _lengths(node: ast.expr) -> Iterator[str]:
    for one in ast.walk(node):
        match one:
            case ast.Call(func=ast.Name(id="len"), args=[argument]):
                yield ast.unparse(argument)
