"""Changes how a script freezes the modules of a model, lists them, and keeps their state."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.spellings import called, last_step
from gradstep.diagnostics.script_edits.syntax import Change, line_numbers, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = [
    "copy_network",
    "copy_state",
    "freeze",
    "make_module_list",
    "make_parameters",
    "plain_tensors",
]


def freeze(script: ScriptSyntax, _: Sequence[Statement], named: Named) -> list[str] | None:
    """Return the lines with the one assignment that freezes nothing as `requires_grad_(False)`.

    It sets the named attribute of the named module, or of a parameter, to False.
    """
    name, attribute = named.modules[0], named.attribute
    found = [
        (one.node, target)
        for one in script.statements()
        if isinstance(one.node, ast.Assign)
        and isinstance(one.node.value, ast.Constant)
        and one.node.value.value is False
        and len(one.node.targets) == 1
        and isinstance(target := one.node.targets[0], ast.Attribute)
        and target.attr == attribute
        and (
            attribute != "requires_grad" or last_step(ast.unparse(target.value)) == last_step(name)
        )
    ]
    if len(found) != 1:
        return None
    node, target = found[0]
    if len(line_numbers(node)) > 1 or node.end_col_offset is None:
        return None
    text = f"{script.source(target.value)}.requires_grad_(False)"
    return script.respelled(node, node.col_offset, node.end_col_offset, text)


def copy_state(script: ScriptSyntax, cited: Sequence[Statement], _: Named) -> list[str] | None:
    """Return the lines with a copy in the one statement that keeps the state which is loaded.

    The `load_state_dict` is cited last. The module `copy` is imported if no import provides it.
    """
    loading = called(cited[-1], "load_state_dict")
    if loading is None or not loading.args:
        return None
    kept = ast.unparse(loading.args[0])
    found = [
        (one.node, one.node.value)
        for one in script.statements()
        if isinstance(one.node, ast.Assign)
        and [ast.unparse(target) for target in one.node.targets] == [kept]
        and isinstance(one.node.value, ast.Call)
        and script.source(one.node.value).endswith(".state_dict()")
    ]
    if len(found) != 1 or len(line_numbers(found[0][0])) > 1:
        return None
    return _with_copy(script, *found[0])


def copy_network(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with a copy where the cited statement gives a network a second name."""
    match cited[0].node:
        case ast.Assign(targets=[target], value=value) as node:
            is_one = [ast.unparse(target)] == list(named.modules)
            return _with_copy(script, node, value) if is_one else None
    return None


def _with_copy(script: ScriptSyntax, node: ast.stmt, value: ast.expr) -> list[str] | None:
    """Return the lines with a deep copy of a value in a statement of one line.

    The module `copy` is imported if no import provides it.
    """
    imports = [one.node.lineno for one in script.statements() if isinstance(one.node, ast.Import)]
    if not imports:
        return None
    function = _deep_copy(script)
    text = f"{function or 'copy.deepcopy'}({script.source(value)})"
    lines = script.respelled(node, value.col_offset, value.end_col_offset or 0, text)
    return (
        lines if function else [*lines[: imports[0] - 1], "import copy", *lines[imports[0] - 1 :]]
    )


def _deep_copy(script: ScriptSyntax) -> str:
    """Return by which name a script knows `copy.deepcopy`; "" if by none."""
    for one in script.statements():
        match one.node:
            case ast.Import(names=names):
                for item in names:
                    if item.name == "copy":
                        return f"{item.asname or item.name}.deepcopy"
            case ast.ImportFrom(module="copy", names=names):
                for item in names:
                    if item.name == "deepcopy":
                        return item.asname or item.name
    return ""


def make_module_list(
    script: ScriptSyntax, _: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with the one list that hides layers from torch as an `nn.ModuleList`."""
    attribute = f"self.{named.plain.rpartition('.')[2]}"
    lists: list[ast.Assign] = []
    for statement in script.statements():
        match statement.node:
            case ast.Assign(targets=[target], value=ast.List() | ast.ListComp()) as node:
                if ast.unparse(target) == attribute:
                    lists.append(node)
    package = _package_of_layers(script)
    if not named.plain or not package or len(lists) != 1:
        return None
    node, value = lists[0], lists[0].value
    if len(line_numbers(node)) > 1 or value.end_col_offset is None:
        return None
    text = script.lines[node.lineno - 1].encode()[value.col_offset : value.end_col_offset].decode()
    layers = f"{package}.ModuleList({text})"
    return script.respelled(node, value.col_offset, value.end_col_offset, layers)


def plain_tensors(files: Mapping[str, str], names: Sequence[str]) -> str:
    r"""Return the line that makes the first of these attributes a tensor instead of a parameter.

    Args:
        files: The texts of the script's own files by name.
        names: Tensors of modules.

    Returns:
        The line, such as "train.py:12"; "" if the text does not show that of all of them.

    Example:
        >>> code = "self.w = torch.zeros(3, requires_grad=True)\n"
        >>> plain_tensors({"a.py": code}, ["model.w"])
        'a.py:1'
    """
    for file, text in files.items():
        script = parsed(text)
        found = [] if script is None else _tensors_made(script, names)
        if found:
            return f"{file}:{found[0].lineno}"
    return ""


def make_parameters(script: ScriptSyntax, _: Sequence[Statement], named: Named) -> list[str] | None:
    """Return the lines with an `nn.Parameter` where a module is given a tensor that is to learn."""
    values, package = _tensors_made(script, named.unheld), _package_of_layers(script)
    if not values or not package:
        return None
    return script.changed(
        Change.of(value, f"{package}.Parameter({script.source(value)})") for value in values
    )


def _tensors_made(script: ScriptSyntax, names: Sequence[str]) -> list[ast.Call]:
    """Return what makes the tensors that are assigned to these attributes; [] if one is unknown."""
    targets = {f"self.{last_step(name)}" for name in names}
    assigned = [
        (one.node.value, ast.unparse(one.node.targets[0]))
        for one in script.statements()
        if isinstance(one.node, ast.Assign) and ast.unparse(one.node.targets[0]) in targets
    ]
    made = [
        value
        for value, _ in assigned
        if isinstance(value, ast.Call)
        and not ast.unparse(value.func).endswith("Parameter")
        and "requires_grad" in ast.unparse(value)
    ]
    is_sure = len(made) == len(assigned) == len(targets)
    return made if is_sure and {target for _, target in assigned} == targets else []


def _package_of_layers(script: ScriptSyntax) -> str:
    """Return by which name a script knows torch.nn; "" if by none."""
    names = ""
    for statement in script.statements():
        match statement.node:
            case ast.Import(names=imported):
                for item in imported:
                    if item.name == "torch.nn" and item.asname:
                        return item.asname
                    if item.name == "torch":
                        names = f"{item.asname or item.name}.nn"
            case ast.ImportFrom(module="torch", names=imported):
                for item in imported:
                    if item.name == "nn":
                        return item.asname or item.name
    return names
