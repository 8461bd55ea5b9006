"""Which line of a script changes tensors without calling an Operation: `w -= lr * w.grad`.

The agent notices such a change at the next Operation. The source says which line did it: what
changes a tensor in place, or sets its `.grad`, between the Operation before and that one.
"""

from __future__ import annotations

import ast
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from gradstep_agent.syntax import syntax_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_PARTS = re.compile(r"[.\[\]\"']+")
_CHANGE_NO_VALUE = frozenset(("requires_grad_", "detach_", "share_memory_", "rename_"))
_CLEARING = frozenset(("zero_", "zeros_"))
_VECTOR_TO_PARAMETERS = "vector_to_parameters"
_END = sys.maxsize


class Place(NamedTuple):
    """Where an Operation is called.

    Attributes:
        code: What calls it.
        line: The line.
    """

    code: CodeType
    line: int


class _Change(NamedTuple):
    """A line that may change a tensor.

    Attributes:
        file: The file.
        line: The line.
        function: The first line of the function around it; 0 outside of all functions.
        what: "update", "clear" or "gradient".
    """

    file: str
    line: int
    function: int
    what: str


class _Segment(NamedTuple):
    """Some lines of a function.

    Attributes:
        file: The file.
        function: Its first line; 0 for what is outside of all functions.
        start: The last line before them.
        end: The first line after them.
    """

    file: str
    function: int
    start: int
    end: int


def changing_line(
    what: str, names: Sequence[str], before: Place | None, after: Place | None
) -> tuple[CodeType, int] | None:
    """Return the line that has changed tensors between two Operations.

    Args:
        what: "update" of values, or "clear" or "gradient" of gradients.
        names: What was changed, such as "model.weight.grad".
        before: The Operation before; None for none.
        after: The one that comes next; None at the end of the script.

    Returns:
        The code of one of the two, in whose file the line is, and the line, the first where there
        are several; None where the source does not say.
    """
    segments = _segments(before, after)
    for place in filter(None, (before, after)):
        file = place.code.co_filename
        found = _changes(file, names)
        if what == "update":
            found = [one for one in found if one.what == what]
        else:
            found = [one for one in found if one.what != "update"]
            found = [one for one in found if one.what == what] or found
        line = _first_in(segments, found)
        if line:
            return place.code, line
    return None


def _segments(before: Place | None, after: Place | None) -> list[_Segment]:
    """Return the lines between two Operations in their functions, in the order that they run in."""
    if before is not None and after is not None and before.code is after.code:
        if before.line < after.line:
            return [_segment(before, before.line, after.line)]
        return [
            segment
            for first, last in _loops_around(before, after.line)
            for segment in (
                _segment(before, before.line, last + 1),
                _segment(after, first - 1, after.line),
            )
        ]
    found = [] if before is None else [_segment(before, before.line, _END)]
    return found if after is None else [*found, _segment(after, 0, after.line)]


def _segment(place: Place, start: int, end: int) -> _Segment:
    return _Segment(place.code.co_filename, _first(place.code), start, end)


def _first_in(segments: list[_Segment], changes: list[_Change]) -> int:
    """Return the line of the first change; where there is none, that of a function in the file.

    Returns:
        0 where more than one function may have done it, or none.
    """
    for segment in segments:
        where = (segment.file, segment.function)
        lines = [
            one.line
            for one in changes
            if (one.file, one.function) == where and segment.start < one.line < segment.end
        ]
        if lines:
            return min(lines)
    own = {(segment.file, segment.function) for segment in segments}
    elsewhere = [one for one in changes if (one.file, one.function) not in own and one.function]
    is_one_function = len({one.function for one in elsewhere}) == 1
    return min(one.line for one in elsewhere) if is_one_function else 0


def _first(code: CodeType) -> int:
    """Return the first line of a function; 0 for what is outside of all functions."""
    return 0 if code.co_name == "<module>" else code.co_firstlineno


def _loops_around(place: Place, line: int) -> list[tuple[int, int]]:
    """Return the lines of the loops around a place and a line of its function, innermost first.

    The function is the last one: it may be called again and again.
    """
    lines = (place.line, line)
    loops = [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(syntax_of(place.code.co_filename))
        if isinstance(node, _LOOPS) and node.lineno >= _first(place.code)
    ]
    around = [loop for loop in loops if loop[0] <= min(lines) and max(lines) <= loop[1]]
    return [*sorted(around, reverse=True), (0, _END)]


def _changes(file: str, names: Sequence[str]) -> list[_Change]:
    """Return the lines of a file that may change tensors of some names."""
    tree = syntax_of(file)
    parts = {part for name in names for part in _PARTS.split(name)}
    known = parts | _names_of_items(tree)
    found: list[_Change] = []
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, function = waiting.pop()
        if isinstance(node, _FUNCTIONS):
            function = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        line = getattr(node, "lineno", 0)
        found += [_Change(file, line, function, what) for what in _done_by(node, known)]
        waiting += [(child, function) for child in ast.iter_child_nodes(node)]
    return found


def _names_of_items(tree: ast.Module) -> set[str]:
    """Return the variables that may be any tensor: those of loops, and of functions' arguments."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            found |= {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return found - {"self"}


def _done_by(node: ast.AST, known: set[str]) -> Iterator[str]:
    """Yield what a statement or a call may do to tensors: "update", "clear" or "gradient"."""
    if isinstance(node, ast.AugAssign):
        if _has_gradient(node.target):
            yield "clear" if _is_zero(node.value) else "gradient"
        elif _is_tensor(node.target, known):
            yield "update"
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if _has_gradient(target):
                yield "clear" if _is_zero(node.value) else "gradient"
            elif not isinstance(target, ast.Name) and _is_written(target, known):
                yield "update"
    elif isinstance(node, ast.Delete):
        yield from ("clear" for target in node.targets if _has_gradient(target))
    elif isinstance(node, ast.Call):
        yield from _done_by_call(node, known)


def _done_by_call(call: ast.Call, known: set[str]) -> Iterator[str]:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name == _VECTOR_TO_PARAMETERS:
        yield "update"
    if not name.endswith("_") or name.endswith("__") or name in _CHANGE_NO_VALUE:
        return
    is_method = isinstance(function, ast.Attribute) and not _is_module(function.value)
    subjects = [function.value] if is_method else call.args[:1]  # type: ignore[attr-defined]
    for subject in subjects:
        if _has_gradient(subject):
            yield "clear" if name in _CLEARING or _is_filled_with_zero(call) else "gradient"
        elif name.startswith("_foreach_") or _is_tensor(subject, known):
            yield "update"


def _is_module(node: ast.expr) -> bool:
    """Return whether an expression is a module of torch, as in `torch.nn.init.zeros_(weight)`."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in {"init", "torch", "F"}


def _is_filled_with_zero(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return name in {"fill_", "mul_"} and any(map(_is_zero, call.args))


def _is_zero(value: ast.expr) -> bool:
    """Return whether a gradient is cleared by this value: None, 0, or `torch.zeros_like(w)`."""
    if isinstance(value, ast.Constant):
        return value.value is None or value.value == 0
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr.startswith("zeros")
    )


def _has_gradient(node: ast.expr) -> bool:
    """Return whether an expression is a `.grad`, or an item or a method's result of one."""
    return any(isinstance(one, ast.Attribute) and one.attr == "grad" for one in _owners(node))


def _is_written(target: ast.expr, known: set[str]) -> bool:
    """Return whether an assignment writes into a tensor: `w.data = ...`, `w[0] = ...`."""
    if isinstance(target, ast.Attribute):
        return target.attr == "data"
    return isinstance(target, ast.Subscript) and _is_tensor(target.value, known)


def _is_tensor(node: ast.expr, known: set[str]) -> bool:
    """Return whether an expression is a tensor that was changed, as far as names tell that."""
    for one in _owners(node):
        if isinstance(one, ast.Attribute) and (one.attr == "data" or one.attr in known):
            return True
        if isinstance(one, ast.Name) and one.id in known:
            return True
    return False


def _owners(node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression, what it is an attribute, an item or a method's result of, and so on."""
    current: ast.expr | None = node
    while current is not None:
        yield current
        if isinstance(current, (ast.Attribute, ast.Subscript, ast.Starred)):
            current = current.value
        elif isinstance(current, ast.Call) and isinstance(current.func, ast.Attribute):
            current = current.func.value
        else:
            current = None
