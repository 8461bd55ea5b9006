"""What cuts the graph between a script's parameters and its loss, as far as its text shows.

The lines that compute a loss are followed back from the line of its Backward: through the variables
of its function, in the loop around it, and into functions and modules of the same file.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.diagnostics.script_edits.syntax import FUNCTIONS, statement_in
from gradstep.diagnostics.tables.graph_cuts import CALLS_THAT_CUT, GRAPH_CUTS
from gradstep.names import unnumbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement
    from gradstep.diagnostics.script_outline import ScriptOutline

__all__ = ["GraphCut", "LossLines", "lines_of_loss", "not_connected", "what_cut"]

_METHODS = MappingProxyType(
    {
        "item": "item()",
        "tolist": "item()",
        "detach": "detach()",
        "numpy": "numpy()",
        "argmax": "argmax()",
    }
)
_WITH_INDICES = frozenset(("max", "min", "sort", "topk"))
_COPIES = frozenset(
    ("torch.tensor", "torch.Tensor", "torch.FloatTensor", "torch.from_numpy", "tensor")
)
_DISABLING = ("no_grad", "inference_mode", "set_grad_enabled(False)")
_LIBRARIES = frozenset(("torch", "np", "numpy", "math", "random", "F", "nn", "functional"))
_BUILT_IN = frozenset(
    ("range", "enumerate", "zip", "len", "float", "int", "sum", "list", "min", "max", "abs")
)
_FILLING = frozenset(("append", "extend", "insert", "add", "update"))
_DEPTH = 4
"""Functions inside of each other that are followed."""


class GraphCut(NamedTuple):
    """A line that cuts the graph of a loss.

    Attributes:
        place: The line, such as "train.py:12".
        call: What cuts it there, such as "item()".
    """

    place: str
    call: str

    @property
    def advice(self) -> str:
        """What cuts the graph, and what to do instead, as a sentence."""
        return f"{self.call} in {self.place} cuts the graph: {GRAPH_CUTS[self.call]}. "


class LossLines(NamedTuple):
    """The lines that compute a loss.

    Attributes:
        places: The lines, such as "train.py:12".
        variables: The variables that are given a value where the Backward stands: in its loop, or
            in its function.
        cut: The only one that cuts its graph, or that makes a new leaf of a result; None where
            there is none, or more than one.
        in_place: The only one that changes a tensor in place; "" where there is none, or more.
    """

    places: frozenset[str]
    variables: frozenset[str]
    cut: GraphCut | None
    in_place: str


_UNKNOWN = LossLines(frozenset(), frozenset(), None, "")


def lines_of_loss(files: Mapping[str, str], backward: str) -> LossLines:
    """Return the lines that compute a loss.

    Args:
        files: The texts of the script's own files by name.
        backward: The line of its Backward, such as "train.py:12".
    """
    file, _, number = backward.rpartition(":")
    if file not in files or not number.isdecimal():
        return _UNKNOWN
    return _lines_of_loss(files[file], file, int(number))


@lru_cache(maxsize=64)
def _lines_of_loss(text: str, file: str, number: int) -> LossLines:
    """Return the lines that compute a loss; kept, because each iteration may ask for them."""
    found = statement_in({file: text}, f"{file}:{number}")
    if found is None:
        return _UNKNOWN
    script, statement = found
    slice_ = _Slice(script.tree)
    slice_.follow(statement)
    lines = [line for line in slice_.cuts if line in slice_.leaves] or list(slice_.cuts)
    cut = None
    if len(lines) == 1:
        ranked = sorted(slice_.cuts[lines[0]], key=_RANK.index)
        cut = GraphCut(f"{file}:{lines[0]}", ranked[0])
    places = frozenset(f"{file}:{line}" for line in slice_.lines)
    changes = [line for line in sorted(slice_.lines) if _is_in_place(script, line)]
    in_place = f"{file}:{changes[0]}" if len(changes) == 1 else ""
    return LossLines(places, frozenset(slice_.variables), cut, in_place)


def _is_in_place(script: ScriptSyntax, line: int) -> bool:
    """Return whether the first statement of a line changes a tensor in place, as `h += 1` does."""
    statement = script.first_statement(line)
    match statement.node if statement is not None else None:
        case ast.AugAssign() | ast.Assign(targets=[ast.Subscript()]):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method))):
            return method.endswith("_")
    return False


_RANK = (
    "numpy()",
    "argmax()",
    "max(...)[1]",
    "item()",
    "torch.tensor(...)",
    "detach()",
    ".data",
    "no_grad()",
)
"""Of several in one line, the first is named."""


def not_connected(
    script: ScriptOutline, loss: str, event: int, backward: str, disabled: Sequence[tuple[str, str]]
) -> Observation:
    """Return the fact that a Backward reached no parameter, and why, as far as that is known.

    Args:
        script: What is known of the script.
        loss: The loss.
        event: The Backward.
        backward: Its line, such as "train.py:12".
        disabled: The modules called with gradients disabled since the Backward before, with lines.
    """
    frozen = script.frozen_modules()
    if frozen:
        names = joined_names(frozen)
        note = f": all parameters of {names} are frozen (requires_grad is False)"
        cause = (
            f"Freeze only the parameters of {names} that are to keep their values. A layer that "
            "replaces another one is to be trained: put it in after freezing, not before. "
        )
        return Observation("not-connected", (loss,), (event,), note, cause=cause)
    lines = lines_of_loss(script.files, backward)
    for module, place in disabled:
        if place in lines.places:
            note = f": gradients were disabled when {module} was called ({place})"
            cause = _enabling(script.files, place)
            return Observation("not-connected", (loss,), (event,), note, cause=cause)
    note = f": the graph of {loss} leads back to none"
    cause = f"Look in the lines before {backward} for what cuts the graph: {CALLS_THAT_CUT}. "
    if lines.cut is not None:
        cause = lines.cut.advice
    return Observation("not-connected", (loss,), (event,), note, cause=cause)


def what_cut(script: ScriptOutline, leaves: Sequence[str], backward: str) -> str:
    """Return why a Backward reached leaves that no optimizer holds, as sentences.

    Args:
        script: What is known of the script.
        leaves: The leaves.
        backward: The line of the Backward, such as "train.py:12".

    Returns:
        What may have cut the graph behind them; "" for parameters, behind which there is none:
        those of modules, and what is made before the loop of the Backward.
    """
    if any(script.module_of(name) for name in leaves):
        return ""
    lines = lines_of_loss(script.files, backward)
    otherwise = "If that is not the reason: "
    if lines.cut is not None:
        return f"{lines.cut.advice}{otherwise}"
    made = [unnumbered(name).partition("[")[0] for name in leaves if not script.is_nameless(name)]
    are_lasting = len(made) == len(leaves) and lines.variables.isdisjoint(made)
    if lines.places and are_lasting:
        return ""
    are = "are" if len(leaves) > 1 else "is"
    return (
        f"If {joined_names(tuple(leaves))} {are} computed by a model, look in the lines before "
        f"{backward} for what cuts the graph: {CALLS_THAT_CUT}. {otherwise}"
    )


def _enabling(files: Mapping[str, str], place: str) -> str:
    """Return what enables gradients in a line, as a sentence.

    They are disabled by the `with` or the decorator around it, or else by a call that disables them
    for good.
    """
    found = statement_in(files, place)
    script, statement = found if found is not None else (None, None)
    file = place.rpartition(":")[0]
    for owner, _ in reversed(statement.blocks if statement is not None else ()):
        if line := _disabling_line(owner):
            return f"Compute the loss outside of what disables gradients in {file}:{line}. "
    lasting = [
        node.lineno
        for node in ast.walk(script.tree if script is not None else ast.Module([], []))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value).endswith("set_grad_enabled(False)")
    ]
    if len(lasting) == 1:
        return (
            f"set_grad_enabled(False) in {file}:{lasting[0]} stays in force: evaluate inside of "
            "with torch.no_grad() instead, or call torch.set_grad_enabled(True) afterwards. "
        )
    return (
        "Call it outside of no_grad(); after set_grad_enabled(False), call "
        "torch.set_grad_enabled(True). "
    )


def _disabling_line(owner: ast.AST) -> int:
    """Return the line in which a `with`, or the decorator of a function, disables gradients."""
    parts: list[ast.expr] = []
    if isinstance(owner, (ast.With, ast.AsyncWith)):
        parts = [item.context_expr for item in owner.items]
    elif isinstance(owner, FUNCTIONS):
        parts = owner.decorator_list
    for part in parts:
        if any(text in ast.unparse(part) for text in _DISABLING):
            return part.lineno
    return 0


class _Binding(NamedTuple):
    """What gives a variable its value: the expression, and the line that disables gradients there.

    `is_leaf` is whether it makes the variable require a gradient.
    """

    value: ast.expr
    disabled: int
    is_leaf: bool = False


class _Scope:
    """The variables of a function or a loop, and its arguments.

    Attributes:
        bindings: What gives each variable its values.
        arguments: The arguments of the function.
        taken: The variables that were followed.
    """

    __slots__ = ("arguments", "bindings", "taken")

    def __init__(self, body: Sequence[ast.stmt], function: ast.AST) -> None:
        self.bindings = _bindings(body)
        own = list(ast.walk(function.args)) if isinstance(function, FUNCTIONS) else []
        self.arguments = {one.arg for one in own if isinstance(one, ast.arg)}
        self.taken: set[str] = set()


class _Slice:
    """Follows a loss back through the text of a file.

    Attributes:
        lines: The lines that compute it.
        cuts: What cuts the graph there, by line.
        leaves: The lines in which a result is made to require a gradient.
        variables: The variables of the loop, or of the function, of the Backward.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self.lines: set[int] = set()
        self.cuts: dict[int, set[str]] = {}
        self.leaves: set[int] = set()
        self.variables: set[str] = set()
        nodes = list(ast.walk(tree))
        self._functions = {one.name: one for one in nodes if isinstance(one, FUNCTIONS)}
        self._classes = {one.name: one for one in nodes if isinstance(one, ast.ClassDef)}
        self._entered: set[ast.AST] = set()
        self._waiting: list[tuple[ast.expr, _Scope, int]] = []
        self._global = _bindings(tree.body)

    def follow(self, backward: Statement) -> None:
        """Follow the loss of a Backward."""
        calls = (one for one in ast.walk(backward.node) if isinstance(one, ast.Call))
        call = next((one for one in calls if ast.unparse(one.func).endswith("backward")), None)
        if call is None or not isinstance(call.func, ast.Attribute):
            return
        around: list[ast.AST] = [*backward.loops[:1], backward.function]
        scope = _Scope(getattr(around[0], "body", []), backward.function)
        self.variables.update(scope.bindings)
        self._waiting = [(root, scope, 0) for root in (call.func.value, *call.args)]
        while self._waiting:
            self._take(*self._waiting.pop())

    def _take(self, value: ast.expr, scope: _Scope, depth: int) -> None:
        """Take an expression, and what its variables and the functions in it are computed from."""
        self.lines.update(range(value.lineno, (value.end_lineno or value.lineno) + 1))
        for node in ast.walk(value):
            self._look(node, scope)
            if isinstance(node, (ast.Name, ast.Attribute)):
                self._take_variable(ast.unparse(node), scope, depth)
            if isinstance(node, ast.Call) and depth < _DEPTH:
                self._enter(node, depth)

    def _take_variable(self, name: str, scope: _Scope, depth: int) -> None:
        if name in scope.taken:
            return
        scope.taken.add(name)
        for binding in scope.bindings.get(name, ()):
            if binding.disabled:
                self.cuts.setdefault(binding.disabled, set()).add("no_grad()")
            if binding.is_leaf:
                self.leaves.add(binding.value.lineno)
            self._waiting.append((binding.value, scope, depth))

    def _enter(self, call: ast.Call, depth: int) -> None:
        """Take what a function of the same file returns, or the forward() of a module of it."""
        name = ast.unparse(call.func).removeprefix("self.")
        function = self._functions.get(name)
        for binding in self._global.get(name, ()) if function is None else ():
            kind = binding.value.func if isinstance(binding.value, ast.Call) else None
            made = self._classes.get(kind.id) if isinstance(kind, ast.Name) else None
            function = next(
                (
                    one
                    for one in (made.body if made is not None else ())
                    if isinstance(one, FUNCTIONS) and one.name in {"forward", "__call__"}
                ),
                None,
            )
        if function is None or function in self._entered:
            return
        self._entered.add(function)
        scope = _Scope(function.body, function)
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None:
                self._waiting.append((node.value, scope, depth + 1))

    def _look(self, node: ast.AST, scope: _Scope) -> None:
        """Note what cuts the graph, and what makes a leaf, in a part of an expression."""
        call, operands = "", list[ast.expr]()
        if isinstance(node, ast.Attribute) and node.attr == "data":
            call, operands = ".data", [node.value]
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and _are_indices(node):
            call, operands = "max(...)[1]", [node.value]
        elif isinstance(node, ast.Call):
            text = ast.unparse(node.func)
            if text in _COPIES:
                call, operands = "torch.tensor(...)", node.args
            elif isinstance(node.func, ast.Attribute):
                call = _METHODS.get(node.func.attr, "")
                operands = [node.func.value, *node.args]
            given = {one.arg: ast.unparse(one.value) for one in node.keywords}
            if given.get("requires_grad") == "True" or text.endswith(".requires_grad_"):
                self.leaves.add(node.lineno)
        if not isinstance(node, ast.expr):
            return
        if call and _may_be_trained(operands, scope):
            self.cuts.setdefault(node.lineno, set()).add(call)


def _are_indices(node: ast.Attribute | ast.Subscript) -> bool:
    """Return whether an expression is the second result of max() and the like, the indices."""
    call, chosen = node.value, "indices"
    if isinstance(node, ast.Subscript):
        chosen, is_chosen = "1", ast.unparse(node.slice) == "1"
    else:
        is_chosen = node.attr == chosen
    return (
        is_chosen
        and isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in _WITH_INDICES
        and bool(call.args or call.keywords)
    )


def _may_be_trained(values: Sequence[ast.expr], scope: _Scope) -> bool:
    """Return whether one of some values may have a graph: it is an argument, or a model's output.

    Data that a loop gets from a loader has none.
    """
    waiting, seen = list(values), set[str]()
    for value in waiting:
        for node in ast.walk(value):
            if isinstance(node, (ast.Name, ast.Attribute)):
                name = ast.unparse(node)
                if name in scope.arguments:
                    return True
                if name not in seen:
                    seen.add(name)
                    waiting += [one.value for one in scope.bindings.get(name, ())]
            elif isinstance(node, ast.Call) and _is_own(node, scope):
                return True
    return False


def _is_own(call: ast.Call, scope: _Scope) -> bool:
    """Return whether a call may be that of a model: of no library, and no method of a variable."""
    root = call.func
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    name = root.id if isinstance(root, ast.Name) else ""
    is_of_variable = root is not call.func and name in scope.bindings
    return bool(name) and name not in _LIBRARIES | _BUILT_IN and not is_of_variable


def _bindings(body: Sequence[ast.stmt]) -> dict[str, list[_Binding]]:
    """Return what gives the variables in some statements their values, by variable."""
    found: dict[str, list[_Binding]] = {}
    for node, disabled in _statements(body, 0):
        for name, binding in _bound(node, disabled):
            found.setdefault(name, []).append(binding)
    return found


def _statements(body: Sequence[ast.stmt], disabled: int) -> Iterator[tuple[ast.stmt, int]]:
    """Yield the statements of a function, each with the line that disables gradients there."""
    for node in body:
        yield node, disabled
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(node, name, [])
            yield from _statements(inner, _disabling_line(node) or disabled)
        for handler in getattr(node, "handlers", []):
            yield from _statements(handler.body, disabled)


def _bound(node: ast.stmt, disabled: int) -> Iterator[tuple[str, _Binding]]:
    """Yield the variables that a statement gives a value, or of which it changes a part."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _targets(target, value, disabled)
        case ast.AugAssign(target=target, value=value) | ast.AnnAssign(target=target, value=value):
            if value is not None:
                yield from _targets(target, value, disabled)
        case ast.For(target=target, iter=value):
            yield from _targets(target, value, disabled)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=method)) as value):
            is_changing = method in _FILLING or method.endswith("_")
            if is_changing and isinstance(owner, (ast.Name, ast.Attribute)):
                yield ast.unparse(owner), _Binding(value, disabled)


def _results(value: ast.expr, count: int) -> list[ast.expr]:
    """Return what each of several variables gets of a value: of max(), values or indices."""
    indices = ast.copy_location(ast.Subscript(value, ast.Constant(1), ast.Load()), value)
    if count == 2 and _are_indices(indices):  # noqa: PLR2004 - values and indices
        return [value, indices]
    return [value] * count


def _targets(target: ast.expr, value: ast.expr, disabled: int) -> Iterator[tuple[str, _Binding]]:
    if isinstance(target, (ast.Tuple, ast.List)):
        paired = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
        values = value.elts if paired else _results(value, len(target.elts))  # type: ignore[attr-defined]
        for part, one in zip(target.elts, values, strict=True):
            yield from _targets(part, one, disabled)
    elif isinstance(target, ast.Subscript):
        yield from _targets(target.value, value, disabled)
    elif isinstance(target, ast.Attribute) and target.attr in {"requires_grad", "data"}:
        is_leaf = target.attr == "requires_grad"
        yield ast.unparse(target.value), _Binding(value, disabled, is_leaf=is_leaf)
    else:
        yield ast.unparse(target), _Binding(value, disabled)
