"""Two names of a script for one network, between which it copies parameters."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gradstep.diagnostics.script_edits.spellings import last_step
from gradstep.diagnostics.script_edits.syntax import parsed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax

__all__ = ["Alias", "alias_of"]

_PARTS = frozenset(("parameters", "named_parameters", "buffers", "state_dict"))


class Alias(NamedTuple):
    """A second name of a network.

    Attributes:
        name: The name, as the script spells it, such as "self.target".
        network: The first name, likewise.
        place: The line that gives the second one, such as "train.py:12".
    """

    name: str
    network: str
    place: str


def alias_of(files: Mapping[str, str], network: str) -> Alias | None:
    r"""Return the name that one line makes another one of a network, if its state is copied to it.

    What copies a network into itself was written for two.

    Args:
        files: The texts of the script's own files by name.
        network: The network.

    Example:
        >>> text = "target = net\ntarget.load_state_dict(net.state_dict())\n"
        >>> alias_of({"a.py": text}, "net")
        Alias(name='target', network='net', place='a.py:1')
    """
    found = [
        Alias(name, owner, f"{file}:{line}")
        for file, text in files.items()
        for name, owner, line in _aliases(text)
        if last_step(owner) == last_step(network)
    ]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=16)
def _aliases(text: str) -> tuple[tuple[str, str, int], ...]:
    """Return the second and the first names of networks, and the lines that give the second."""
    script = parsed(text)
    if script is None:
        return ()
    copied = set(_copied(script.tree))
    copied |= set(_copied_by_functions(script.tree, copied))
    return tuple(
        (name, owner, line)
        for name, owner, line, is_only in _assigned(script)
        if is_only and (last_step(name), last_step(owner)) in copied
    )


def _assigned(script: ScriptSyntax) -> Iterator[tuple[str, str, int, bool]]:
    """Yield what is assigned one name to another, and whether nothing else is assigned to it."""
    every = [
        (last_step(ast.unparse(target)), one.node)
        for one in script.statements()
        if isinstance(one.node, ast.Assign)
        for target in one.node.targets
    ]
    for _, node in every:
        match node:
            case ast.Assign(
                targets=[ast.Name() | ast.Attribute() as target],
                value=ast.Name() | ast.Attribute() as value,
            ):
                name, owner = ast.unparse(target), ast.unparse(value)
                times = [step for step, _ in every].count(last_step(name))
                if last_step(name) != last_step(owner):
                    yield name, owner, node.lineno, times == 1


def _copied_by_functions(
    tree: ast.AST, copied: Collection[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the same of calls of functions that do it between their arguments.

    Args:
        tree: The file.
        copied: What is copied between names, those of arguments among them.
    """
    functions = {
        node.name: [one.arg for one in node.args.args]
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = last_step(ast.unparse(node.func))
            arguments = functions.get(name, [])
            if arguments[:1] == ["self"]:
                del arguments[0]
            given = dict(zip(arguments, (ast.unparse(one) for one in node.args), strict=False))
            for to, of in copied:
                if to in given and of in given:
                    yield last_step(given[to]), last_step(given[of])


def _copied(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield between which names parameters are copied: to the first, from the second."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=to, attr="load_state_dict"),
                args=[ast.Call(func=ast.Attribute(value=of, attr="state_dict")), *_],
            ):
                yield last_step(ast.unparse(to)), last_step(ast.unparse(of))
            case ast.Call(
                func=ast.Name(id="zip"),
                args=[
                    ast.Call(func=ast.Attribute(value=one, attr=first)),
                    ast.Call(func=ast.Attribute(value=other, attr=second)),
                ],
            ) if {first, second} <= _PARTS:
                steps = last_step(ast.unparse(one)), last_step(ast.unparse(other))
                yield steps
                yield steps[1], steps[0]
