"""Which parameters a loss's formulas pass a gradient on to, and what in them cuts it off."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.program.schema.program_spec import RANDOM_FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = ["gradient_cuts", "gradient_sources", "without_detach"]

_CALL = "()"
"""What the name of a called function or module ends with: a loss may have the same name."""

_CUTTING = frozenset(("detach", "argmax", *RANDOM_FUNCTIONS))


def gradient_sources(spec: ProgramSpec, loss: str) -> frozenset[str]:
    """Return the modules and tensors that a loss passes a gradient on to, unless they are frozen.

    Example:
        >>> from gradstep.program.schema.program_spec import LossSpec, ProgramSpec
        >>> loss = LossSpec(output="head(detach(body(input)))", expression="mean(output ** 2)")
        >>> spec = ProgramSpec(gradstep=1, modules={"body": [], "head": []}, losses={"a": loss})
        >>> sorted(gradient_sources(spec, "a"))
        ['head']
    """
    expression = spec.computed[loss].expression
    node = ast.Name("output") if expression is None else _parsed(expression)
    return _origins(spec, loss, _reached(node), _reached)


def gradient_cuts(spec: ProgramSpec, loss: str, names: Collection[str]) -> tuple[str, ...]:
    """Return what in the formulas of a loss passes no gradient on to some modules and tensors.

    Args:
        spec: The program.
        loss: The loss.
        names: Full names of tensors.

    Returns:
        Functions, and "a comparison".

    Example:
        >>> from gradstep.program.schema.program_spec import LossSpec, ProgramSpec, TensorSpec
        >>> loss = LossSpec(expression="mean(where(x > 0, detach(x), detach(y)))")
        >>> tensors = {"x": TensorSpec([1.0]), "y": TensorSpec([2.0])}
        >>> gradient_cuts(ProgramSpec(gradstep=1, tensors=tensors, losses={"a": loss}), "a", ["x"])
        ('a comparison', 'detach')
    """
    own = spec.computed[loss]
    wanted = {*names, *(name.partition(".")[0] for name in names)}
    found: dict[str, None] = {}
    for text in filter(None, (own.output, own.expression)):
        for node in ast.walk(_parsed(text)):  # from the outside to the inside
            if _cuts(node) and wanted.intersection(_origins(spec, loss, _read(node), _read)):
                found[_called(node) or "a comparison"] = None
    for part in spec.components_of(loss):
        if part != loss:
            found |= dict.fromkeys(gradient_cuts(spec, part, names))
    return tuple(found)


def _origins(
    spec: ProgramSpec,
    loss: str,
    names: Iterable[str],
    read: Callable[[ast.AST], Iterable[str]],
) -> frozenset[str]:
    """Return the modules and tensors behind the names in a formula of a loss.

    Args:
        spec: The program.
        loss: The loss.
        names: The names.
        read: Returns the names that count in another formula, of the output or of another loss.
    """
    found: set[str] = set()
    own = spec.computed[loss]
    for name in names:
        if name == "output":
            found.update(own.chain)
            found |= _origins(spec, loss, read(_parsed(own.output)) if own.output else (), read)
        elif name in spec.losses and name != loss:
            expression = spec.losses[name].expression
            node = ast.Name("output") if expression is None else _parsed(expression)
            found |= _origins(spec, name, read(node), read)
        elif name.endswith(_CALL):
            found.update({name.removesuffix(_CALL)}.intersection(spec.modules))
        elif name in spec.tensors or "." in name:
            found.add(name)
    return frozenset(found)


def without_detach(text: str) -> str:
    """Return a formula in which each `detach(x)` is x.

    Example:
        >>> without_detach("mean((detach(output) - detach(a + b)) ** 2)")
        'mean((output - (a + b)) ** 2)'
    """
    text = " ".join(text.split())
    while True:
        cuts = [node for node in ast.walk(_parsed(text)) if _called(node) == "detach"]
        if not cuts:
            return text
        cut = cuts[0]
        assert isinstance(cut, ast.Call)
        assert cut.end_col_offset is not None
        raw = text.encode()  # columns count bytes
        argument = ast.get_source_segment(text, cut.args[0]) or ""
        inner = argument if isinstance(cut.args[0], ast.Name | ast.Call) else f"({argument})"
        text = (raw[: cut.col_offset] + inner.encode() + raw[cut.end_col_offset :]).decode()


def _parsed(text: str) -> ast.AST:
    return ast.parse(text.strip(), mode="eval").body


def _called(node: ast.AST) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id
    return ""


def _cuts(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) or _called(node) in _CUTTING


def _reached(node: ast.AST) -> Iterator[str]:
    """Yield the names in a formula that a gradient gets to."""
    if not _cuts(node):
        yield from _own_name(node)
        for child in _operands(node):
            yield from _reached(child)


def _read(node: ast.AST) -> Iterator[str]:
    """Yield all names in a formula."""
    yield from _own_name(node)
    for child in _operands(node):
        yield from _read(child)


def _own_name(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Call):
        yield f"{_called(node)}{_CALL}"
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value  # the name in tensor("model.0.weight")


def _operands(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.Call) and child is node.func):
            yield child
