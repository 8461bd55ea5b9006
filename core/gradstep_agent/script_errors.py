"""Errors that end a script because of what a tensor is: a result, a leaf, or no probabilities."""

from __future__ import annotations

import ast
import linecache
import re
from pathlib import PurePath
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from gradstep_agent.object_parts import dictionary_of
from gradstep_agent.sites import shown_file, variables_of_loops
from gradstep_agent.syntax import syntax_of
from gradstep_agent.user_code import failing_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from gradstep_agent.registry import Registry

_NEAR = 10
"""Lines before an error that are searched."""
_LONGEST = 100
"""Longer expressions are not named."""
_CHANGED = "leaf Variable that requires grad is being used in an in-place operation"
_OPTIMIZED = "can't optimize a non-leaf Tensor"
_OUTSIDE = "all elements of input should be between 0 and 1"


def notices_of(registry: Registry, error: BaseException) -> list[tuple[str, str, str]]:
    """Return which variables an error is due to: what was noticed, the variable, and the target.

    - "in_place": a leaf that requires a gradient, which the line changes in place;
    - "result": a result that requires a gradient, whose `.grad` is None, or that is no parameter;
    - "outside": the loss that the line was to compute of values which are no probabilities;
    - "rebound": a result that requires none; its target is empty, that of the others the line.

    Args:
        registry: What has names.
        error: What has ended the script.
    """
    found = failing_line(error)
    if found is None:
        return []
    (frame, line), message = found, str(error)
    place = f"{PurePath(shown_file(frame.f_code)).name}:{line}"
    if type(error) is RuntimeError and _CHANGED in message:
        named = _named(_changed(frame, line), registry.is_trained_leaf, frame)
        return [("in_place", name, place) for name in named]
    if type(error) is ValueError and _OPTIMIZED in message:
        named = _named(_nodes(frame, line), registry.is_inner_result, frame)
        return [("result", name, place) for name in named]
    if type(error) is RuntimeError and _OUTSIDE in message:
        named = _set_in(frame, line) if _has_outside(error) else []
        return [("outside", name, place) for name in named]
    if type(error) not in (AttributeError, TypeError) or "NoneType" not in message:
        return []
    named = _named(_owners_of_grad(frame, line), registry.is_inner_result, frame)
    results = [("result", name, place) for name in named]
    return results or [("rebound", name, "") for name in _rebound(registry, frame, line)]


def _rebound(registry: Registry, frame: FrameType, number: int) -> list[str]:
    """Return the variables whose `.grad` is None in a line that failed, as they hold a result.

    So it is after `w = w - lr * w.grad`, in the line `w.grad.zero_()`; `w` may be the variable of a
    loop over parameters.
    """
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


def _named(
    nodes: Iterator[ast.expr], is_one: Callable[[object], bool], frame: FrameType
) -> list[str]:
    """Return how the script spells those of some expressions that hold such a tensor."""
    found = [ast.unparse(node) for node in nodes if is_one(_value(node, frame))]
    return [name for name in dict.fromkeys(found) if len(name) <= _LONGEST]


def _nodes(frame: FrameType, line: int) -> Iterator[Any]:
    """Yield the parts of the statements in a line."""
    for node in ast.walk(syntax_of(frame.f_code.co_filename)):
        if getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", 0) or 0):
            yield node


def _has_outside(error: BaseException) -> bool:
    """Return whether a binary cross-entropy was given numbers below 0 or above 1; NaN is none."""
    for frame, _ in walk_tb(error.__traceback__):
        if frame.f_code.co_name == "binary_cross_entropy":
            values = frame.f_locals.get("input")
            return values is not None and bool(((values < 0) | (values > 1)).any())
    return False


def _set_in(frame: FrameType, line: int) -> list[str]:
    """Return the variable that a line sets, or else what it calls."""
    nodes = list(_nodes(frame, line))
    found: list[ast.expr] = [
        target for node in nodes if isinstance(node, ast.Assign) for target in node.targets
    ]
    found += [node.func for node in nodes if isinstance(node, ast.Call)]
    names = (ast.unparse(node) for node in found if isinstance(node, (ast.Name, ast.Attribute)))
    return [name for name in names if len(name) <= _LONGEST][:1]


def _owners_of_grad(frame: FrameType, line: int) -> Iterator[ast.expr]:
    """Yield what has `.grad` read in a line."""
    for node in _nodes(frame, line):
        if isinstance(node, ast.Attribute) and node.attr == "grad":
            yield node.value


def _changed(frame: FrameType, line: int) -> Iterator[ast.expr]:
    """Yield what a line changes in place, as in `w -= 1`, `w[0] = 1` or `w.sub_(1)`."""
    for node in _nodes(frame, line):
        owners: list[ast.expr] = []
        if isinstance(node, ast.AugAssign):
            owners = [node.target]
        elif isinstance(node, ast.Assign):
            owners = [target for target in node.targets if isinstance(target, ast.Subscript)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            owners = [node.func.value] if name.endswith("_") and not name.endswith("__") else []
        for owner in owners:
            part = owner
            yield part
            while isinstance(part, ast.Subscript):
                part = part.value
                yield part


def _value(node: ast.expr, frame: FrameType) -> object:
    """Return what a name, an attribute or an item stands for; None for anything else.

    No code of the user's runs for it.
    """
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        parts = dictionary_of(_value(node.value, frame))
        parameters = parts.get("_parameters")
        if type(parameters) is dict and node.attr in parameters:
            return parameters[node.attr]
        return parts.get(node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner, place = _value(node.value, frame), node.slice.value
        if type(owner) in (list, tuple) and type(place) is int and 0 <= place < len(owner):  # type: ignore[arg-type]
            return owner[place]  # type: ignore[index]
        if type(owner) is dict and type(place) in (int, str):
            return owner.get(place)
    return None
