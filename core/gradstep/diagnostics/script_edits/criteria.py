"""Makes what a model computes last, and the criterion that it is given to, fit each other."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from gradstep.diagnostics.script_edits.spellings import last_step
from gradstep.diagnostics.script_edits.syntax import FUNCTIONS, KEEPING_METHODS, Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = ["fit_criterion"]

_FUNCTIONS_OF = {
    "CrossEntropyLoss": "cross_entropy",
    "NLLLoss": "nll_loss",
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "Softmax": "softmax",
    "LogSoftmax": "log_softmax",
    "Sigmoid": "sigmoid",
    "ReLU": "relu",
}
"""The functions that do what these criteria and layers do; those of layers are methods, too."""

_BY_LOGITS = {"NLLLoss": "CrossEntropyLoss", "BCELoss": "BCEWithLogitsLoss"}
"""By criterion, the one that expects what its last layer, which is missing, would be given."""

_WRAPPING = frozenset(("compile", "cuda", "to"))
"""Methods and functions that return a module as it was."""

_ORDERING = frozenset(("argmax", "argsort", "max", "topk", "size"))
"""Methods that a softmax or a sigmoid makes no difference to."""

_OF_FUNCTIONS = frozenset(("torch", "functional", "F", "special"))
"""By which names scripts know what has functions of tensors."""

_DEPTH = 8
"""Assignments and calls through which an output is followed."""


class _Applied(NamedTuple):
    """Where a layer is applied: as a call, or as the last one of an `nn.Sequential`.

    Attributes:
        call: The call; the layer itself if it is one of an `nn.Sequential`.
        layer: What makes the layer: `nn.Softmax(dim=1)`; None where a function or a method is used.
        inner: What it is applied to; None in an `nn.Sequential`.
        before: The layer before it in one.
        kept: The variable that is set to the result; None where that is used at once.
        is_of_model: Whether a model or a function returns the result, to be used elsewhere, too.
    """

    call: ast.Call
    layer: ast.Call | None
    inner: ast.expr | None = None
    before: ast.expr | None = None
    kept: ast.Name | None = None
    is_of_model: bool = False


def fit_criterion(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with the last activation removed or replaced, or with another criterion.

    The loss is computed in the function of the statement that is cited last.
    """
    criterion, _, layer = named.fit.partition(" ")
    if layer == "Linear":
        if criterion == "BCELoss" and _uses_probabilities(script.tree):
            return None
        return _renamed(script, criterion, _BY_LOGITS.get(criterion, ""))
    calls = list(_calls_of(script, criterion)) or list(_calls_that_set(script, cited[-1], named))
    sites = _File(script, layer).applied(calls)
    if any(one.is_of_model for one in sites) and _uses_probabilities(script.tree):
        if (criterion, layer) == ("BCEWithLogitsLoss", "Sigmoid"):
            return _renamed(script, criterion, "BCELoss")
        return None
    if criterion in _BY_LOGITS:
        is_of_logarithm = (criterion, layer) == ("NLLLoss", "Softmax")
        return _with_logarithm(script, sites) if is_of_logarithm else None
    return _without_layer(script, calls, sites)


def _calls_of(script: ScriptSyntax, criterion: str) -> Iterator[ast.Call]:
    """Yield the calls of a criterion, also by the variables that it is assigned to."""
    names = {
        last_step(ast.unparse(target))
        for one in script.statements()
        if isinstance(one.node, ast.Assign) and _is_made(_unwrapped(one.node.value), criterion)
        for target in one.node.targets
    }
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Call) and (node.args or node.keywords):
            name = _name_of(node.func)
            is_named = name == _FUNCTIONS_OF.get(criterion) or last_step(name) in names
            if is_named or _is_made(node.func, criterion):
                yield node


def _calls_that_set(script: ScriptSyntax, backward: Statement, named: Named) -> Iterator[ast.Call]:
    """Yield the call of two tensors that sets a loss, in the function of its Backward."""
    for one in script.statements():
        match one.node:
            case ast.Assign(targets=[target], value=ast.Call(args=[_, _]) as call):
                if one.function is backward.function and ast.unparse(target) == named.loss:
                    yield call


def _is_made(node: ast.expr, kind: str) -> bool:
    """Return whether an expression makes an object of a class, as `nn.Softmax(dim=1)` does."""
    return isinstance(node, ast.Call) and _name_of(node.func) == kind


def _name_of(function: ast.expr) -> str:
    """Return the last name of what is called: "softmax" of `torch.softmax`."""
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _unwrapped(node: ast.expr) -> ast.expr:
    """Return what a module is moved or compiled from: `Net()` of `Net().to(device)`."""
    while isinstance(node, ast.Call) and _name_of(node.func) in _WRAPPING:
        if isinstance(node.func, ast.Attribute) and _name_of(node.func.value) != "torch":
            node = node.func.value
        elif node.args:
            node = node.args[0]
        else:
            break
    return node


def _uses_probabilities(tree: ast.AST) -> bool:
    """Return whether anything is rounded, compared with a number between 0 and 1, or the like."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            values = [side.value for side in sides if isinstance(side, ast.Constant)]
            if any(isinstance(value, float) and 0 < value < 1 for value in values):
                return True
        match node:
            case ast.Call(func=ast.Attribute(attr="round" | "bernoulli")):
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="log")):
                return True
            case ast.Call(func=ast.Attribute(attr="log"), args=[]):
                return True
    return False


class _File:
    """The layers of one kind that outputs come from, in one file.

    Args:
        script: The file.
        layer: The class of the layer.
    """

    def __init__(self, script: ScriptSyntax, layer: str) -> None:
        self._layer = layer
        self._function = _FUNCTIONS_OF.get(layer, "")
        self._tree = script.tree
        self._owners = {
            id(inner): node
            for node in ast.walk(script.tree)  # outer ones first, so that inner ones remain
            if isinstance(node, (*FUNCTIONS, ast.Module))
            for inner in ast.walk(node)
        }
        self._assigned: dict[str, list[ast.Assign]] = {}
        for node in ast.walk(script.tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    name = last_step(ast.unparse(target))
                    self._assigned.setdefault(name, []).append(node)

    def applied(self, calls: Iterable[ast.Call]) -> list[_Applied]:
        """Return where the layer is applied to what calls of a criterion are given first."""
        found: dict[int, _Applied] = {}
        unknown = False
        for call in calls:
            given = next(
                (one.value for one in call.keywords if one.arg == "input"), (*call.args, None)[0]
            )
            if given is None:
                continue
            sites = list(self._sources(given, _DEPTH))
            unknown |= None in sites
            found.update((id(one.call), one) for one in sites if one is not None)
        if not found and unknown:  # by another name, as that of an argument
            ends = [*self._ends_of_modules()]
            found = {id(one.call): one for one in ends}
            return list(found.values()) if len(found) == 1 else []
        return list(found.values())

    def _ends_of_modules(self) -> Iterator[_Applied]:
        for node in ast.walk(self._tree):
            sites: Iterable[_Applied | None] = ()
            if isinstance(node, FUNCTIONS) and node.name == "forward":
                sites = self._of_function(node, _DEPTH)
            elif isinstance(node, ast.Call) and _name_of(node.func) == "Sequential":
                sites = self._of_sequence(node)
            yield from (one for one in sites if one is not None)

    def _sources(self, node: ast.expr, depth: int) -> Iterator[_Applied | None]:
        """Yield where the layer is applied that gives a value; None where the text does not say."""
        if not depth:
            return
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr=method)) if (
                method in KEEPING_METHODS
            ):
                yield from self._sources(inner, depth)
            case ast.Call():
                applied = self._application(node)
                if applied is not None:
                    yield applied
                else:
                    yield from self._of_callee(node, depth)
            case ast.Name():
                assigned = self._last_assignment(node)
                if assigned is not None:
                    for one in self._sources(assigned.value, depth - 1):
                        is_call = one is not None and one.call is assigned.value
                        yield one._replace(kept=node) if one is not None and is_call else one

    def _application(self, node: ast.Call) -> _Applied | None:
        """Return what a call is if it applies the layer."""
        given = node.args[0] if node.args else None
        if isinstance(given, ast.Starred):
            return None
        made = self._assigned.get(last_step(ast.unparse(node.func)), ())
        layers = [one.value for one in made if _is_made(one.value, self._layer)]
        match node.func:
            case ast.Call() as layer if _is_made(layer, self._layer) and given is not None:
                return _Applied(node, layer, given)
            case ast.Attribute(value=ast.Name(id="self")) | ast.Name() if made:
                is_one = given is not None and len(layers) == len(made) == 1
                return _Applied(node, layers[0], given) if is_one else None  # type: ignore[arg-type]
            case ast.Attribute(value=owner, attr=name) if name == self._function:
                is_function = _name_of(owner) in _OF_FUNCTIONS
                return _Applied(node, None, given if is_function else owner)
            case ast.Name(id=name) if name == self._function and given is not None:
                return _Applied(node, None, given)
        return None

    def _of_callee(self, node: ast.Call, depth: int) -> Iterator[_Applied | None]:
        """Yield the same of a call of a function or a module of this file."""
        name = last_step(ast.unparse(node.func))
        functions = self._defined(name)
        made = [_unwrapped(one.value) for one in self._assigned.get(name, ())]
        if functions:
            for function in functions:
                yield from self._of_function(function, depth - 1)
        elif not made:
            yield None
        for value in made:
            if _is_made(value, "Sequential"):
                assert isinstance(value, ast.Call)
                yield from self._of_sequence(value)
            elif isinstance(value, ast.Call):
                forwards = self._forwards(_name_of(value.func))
                for forward in forwards:
                    yield from self._of_function(forward, depth - 1)
                if not forwards:
                    yield None
            else:
                yield None

    def _defined(self, name: str) -> list[ast.FunctionDef]:
        return [
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.FunctionDef) and node.name == name
        ]

    def _forwards(self, kind: str) -> list[ast.FunctionDef]:
        return [
            one
            for node in ast.walk(self._tree)
            if isinstance(node, ast.ClassDef) and node.name == kind
            for one in node.body
            if isinstance(one, ast.FunctionDef) and one.name == "forward"
        ]

    def _of_function(self, function: ast.AST, depth: int) -> Iterator[_Applied | None]:
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None:
                for one in self._sources(node.value, depth):
                    yield None if one is None else one._replace(is_of_model=True)

    def _of_sequence(self, node: ast.Call) -> Iterator[_Applied]:
        match node.args:
            case [*_, before, ast.Call() as last] if _is_made(last, self._layer):
                yield _Applied(last, last, None, before, is_of_model=True)

    def _last_assignment(self, name: ast.Name) -> ast.Assign | None:
        """Return the last assignment to a variable before it is used, in its function."""
        function = self._owners.get(id(name))
        found = [
            one
            for one in self._assigned.get(name.id, ())
            if self._owners.get(id(one)) is function
            and (one.end_lineno or one.lineno) < name.lineno
            and len(one.targets) == 1
            and isinstance(one.targets[0], ast.Name)
        ]
        return max(found, key=lambda one: one.lineno, default=None)


def _renamed(script: ScriptSyntax, criterion: str, other: str) -> list[str] | None:
    """Return the lines with another criterion of the same arguments, in all places."""
    names = {criterion: other, _FUNCTIONS_OF[criterion]: _FUNCTIONS_OF.get(other, "")}
    calls = [
        node
        for node in ast.walk(script.tree)
        if isinstance(node, ast.Call) and _name_of(node.func) in names
    ]
    called = [node.func for node in calls]
    if not other or not calls or not all(isinstance(one, ast.Attribute) for one in called):
        return None  # imported by its name
    if any(word.arg == "pos_weight" for node in calls for word in node.keywords):
        return None  # which the other one has not
    return script.changed([_other_name(one, names[_name_of(one)]) for one in called])


def _other_name(function: ast.expr, name: str) -> Change:
    """Return the change of the last name of what is called."""
    line, end = function.end_lineno or 0, function.end_col_offset or 0
    return Change(line, end - len(_name_of(function).encode()), line, end, name)


def _with_logarithm(script: ScriptSyntax, sites: Sequence[_Applied]) -> list[str] | None:
    """Return the lines with each softmax as a log-softmax."""
    functions = [(one.layer or one.call).func for one in sites]
    if not functions or not all(isinstance(one, ast.Attribute) for one in functions):
        return None
    names = ("LogSoftmax" if one.layer is not None else "log_softmax" for one in sites)
    return script.changed(list(map(_other_name, functions, names)))


def _without_layer(
    script: ScriptSyntax, calls: Sequence[ast.Call], sites: Sequence[_Applied]
) -> list[str] | None:
    """Return the lines without a layer where it is applied."""
    changes: list[Change] = []
    for site in sites:
        if site.inner is None:
            change = _out_of_sequence(script, site)
            if change is None:
                return None
            changes.append(change)
        elif site.kept is not None and isinstance(site.inner, ast.Name):
            if site.kept.id == site.inner.id:  # x = softmax(x)
                changes.append(_whole_line(script, site.call) or _replaced(script, site))
            elif not _is_given_to(site.kept, calls):
                changes.append(_replaced(script, site))
            else:  # what it gives may be used otherwise, too
                changes.append(Change.of(site.kept, site.inner.id))
        elif site.kept is not None and not _only_ordered(script, site.kept, calls):
            return None
        else:
            changes.append(_replaced(script, site))
        unused = _made_for(script, site)
        changes += [] if unused is None else [unused]
    return script.changed(changes) if changes else None


def _is_given_to(name: ast.Name, calls: Iterable[ast.Call]) -> bool:
    return any(name is part for call in calls for part in ast.walk(call))


def _only_ordered(script: ScriptSyntax, name: ast.Name, calls: Iterable[ast.Call]) -> bool:
    """Return whether the numbers of a variable matter to nothing but to calls of the criterion."""
    given = {id(part) for call in calls for part in ast.walk(call)}
    ordered = set()
    for node in ast.walk(script.tree):
        match node:
            case ast.Attribute(value=ast.Name() as owner, attr=method) if method in _ORDERING:
                ordered.add(id(owner))
            case ast.Call(args=[ast.Name() as first, *_]) if _name_of(node.func) in _ORDERING:
                ordered.add(id(first))
            case ast.Return(value=ast.Name() as first):
                ordered.add(id(first))
    return all(
        id(node) in given or id(node) in ordered
        for node in ast.walk(script.tree)
        if isinstance(node, ast.Name) and node.id == name.id and isinstance(node.ctx, ast.Load)
    )


def _replaced(script: ScriptSyntax, site: _Applied) -> Change:
    """Return the change of a call to what it is applied to."""
    call, inner = site.call, site.inner
    assert inner is not None
    text = ast.get_source_segment("\n".join(script.lines), inner) or ""
    if isinstance(inner, (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.Lambda)):
        text = f"({text})"
    return Change.of(call, text)


def _whole_line(script: ScriptSyntax, node: ast.expr) -> Change | None:
    """Return the removal of the statement that a call is in; None if its block needs it."""
    one = script.statement(node.lineno)
    if one is None or len(one.block) == 1:
        return None
    return Change(one.node.lineno, 0, one.node.end_lineno or 0, 0, None)


def _out_of_sequence(script: ScriptSyntax, site: _Applied) -> Change | None:
    """Return the removal of the last layer of an `nn.Sequential`."""
    layer, before = site.call, site.before
    assert before is not None
    start, end = before.end_col_offset or 0, layer.end_col_offset or 0
    first, last = before.end_lineno or 0, layer.end_lineno or 0
    alone = not script.lines[layer.lineno - 1].encode()[: layer.col_offset].strip()
    after = script.lines[last - 1].encode()[end:].lstrip()
    if alone and (not after or after.startswith((b",", b"#"))):
        rest = after.removeprefix(b",").lstrip()
        if not rest or rest.startswith(b"#"):
            return Change(layer.lineno, 0, last, 0, None)
    between = script.lines[first - 1 : layer.lineno]
    if any("#" in line for line in between[:-1]):
        return None  # a comment would be lost
    return Change(first, start, last, end, "")


def _made_for(script: ScriptSyntax, site: _Applied) -> Change | None:
    """Return the removal of the line that makes a layer for one call, as in `__init__`."""
    layer, call = site.layer, site.call
    if layer is None or site.inner is None or call.func is layer:
        return None
    name = ast.unparse(call.func)
    uses = [
        node
        for node in ast.walk(script.tree)
        if isinstance(node, (ast.Attribute, ast.Name)) and ast.unparse(node) == name
    ]
    return _whole_line(script, layer) if len(uses) == 2 else None  # noqa: PLR2004 - set and called
