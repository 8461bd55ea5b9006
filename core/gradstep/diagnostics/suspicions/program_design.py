"""Suspicions about a program before it runs: its layers, criteria and data."""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.diagnostics.criterion_fit import mismatches
from gradstep.diagnostics.observation import Observation
from gradstep.program.operation import Backward, Step, ZeroGrad
from gradstep.program.schema.layers import basic as kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gradstep.history.debuggee import Debuggee
    from gradstep.program.schema.program_spec import LossSpec, ProgramSpec

__all__ = ["contends", "design_suspicions", "maximizing"]

SCALE = 10.0
"""Inputs and targets beyond this are large compared with initial weights."""

_NORMS = (kinds.BatchNorm1d, kinds.BatchNorm2d)
_RESCALING = (*_NORMS, kinds.LayerNorm, kinds.GroupNorm, kinds.Embedding)
_DROPOUTS = (kinds.Dropout, kinds.Dropout1d, kinds.Dropout2d)
_BIASED = (kinds.Linear, kinds.Conv1d, kinds.Conv2d, kinds.ConvTranspose2d)
_PASSING = (kinds.Identity, kinds.Flatten, kinds.Unflatten, *_DROPOUTS)

_BINARY = ("BCELoss", "BCEWithLogitsLoss")

_RANGES = {
    "ReLU": (0.0, np.inf),
    "Softplus": (0.0, np.inf),
    "Sigmoid": (0.0, 1.0),
    "Softmax": (0.0, 1.0),
    "Tanh": (-1.0, 1.0),
    "ReLU6": (0.0, 6.0),
}
"""Output ranges of last layers, for criteria that compare the output with values."""

_FUNCTIONS = {
    "log_softmax": "LogSoftmax",
    "sigmoid": "Sigmoid",
    "tanh": "Tanh",
    "relu": "ReLU",
}
"""The layers that functions of a loss's `output` formula are."""

_REGRESSIONS = ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss")


def design_suspicions(program: Debuggee) -> Iterator[Observation]:
    """Check a program as it was built."""
    spec = program.spec
    for name, loss in spec.losses.items():
        if loss.rows == "training" and (loss.chain or loss.output):
            reasons = list(_mismatches(spec, loss, program.examples(name)[1]))
            if reasons:
                yield Observation("criterion-mismatch", (name,), note="; ".join(reasons))
    yield from _scales(program)
    yield from _maximized(program)
    yield from _cancelled_biases(spec)
    for name, layers in spec.modules.items():
        dropped = next(
            (at for at, one in enumerate(layers) if isinstance(one, _DROPOUTS) and one.p > 0), None
        )
        if dropped is not None and any(isinstance(one, _NORMS) for one in layers[dropped:]):
            yield Observation("dropout-before-batchnorm", (f"{name}.{dropped}",))


def _cancelled_biases(spec: ProgramSpec) -> Iterator[Observation]:
    """Look for biases before a BatchNorm, also where that begins the next module of a chain."""
    chains = [[module] for module in spec.modules]
    chains += [loss.chain for loss in spec.losses.values()]
    after: dict[str, list[Any]] = {}
    for loss in spec.losses.values():
        called = _calls(spec, loss.output)
        chains += [list(pair) for pair in called if pair[1]]
        for module in (module for module, following in called if not following):
            after.setdefault(f"{module}.{len(spec.modules[module]) - 1}", []).append(None)
    for chain in chains:
        layers = [
            (f"{module}.{number}", layer)
            for module in chain
            for number, layer in enumerate(spec.modules[module])
        ]
        for (name, layer), (_, following) in pairwise(layers):
            if isinstance(layer, _BIASED) and layer.bias:
                after.setdefault(name, []).append(following)
    for name, followers in after.items():  # one that a formula uses otherwise is followed by None
        if all(isinstance(following, _NORMS) for following in followers):
            yield Observation("bias-before-batchnorm", (f"{name}.bias",))


def _calls(spec: ProgramSpec, formula: str | None) -> list[tuple[str, str]]:
    """Return the modules that a formula calls, each with the module that gets its output, or ""."""
    if formula is None:
        return []
    nodes = [node for node in ast.walk(ast.parse(formula)) if isinstance(node, ast.Call)]
    calls = [(node, name) for node in nodes if (name := _called(node)) in spec.modules]
    following = {id(argument): name for node, name in calls for argument in node.args}
    return [(name, following.get(id(node), "")) for node, name in calls]


def _called(node: ast.AST) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id
    return ""


def _end(spec: ProgramSpec, loss: LossSpec) -> tuple[str, int | None] | None:
    """Return the kind of the last layer that transforms its input, and how many features it gets.

    None where a formula ends with something else, such as a sum.
    """
    if loss.output is None:
        layers = [layer for module in loss.chain for layer in spec.modules[module]]
        doing = [layer for layer in layers if not isinstance(layer, _PASSING)]
        return (type(doing[-1]).__name__, _outputs(doing[:-1])) if doing else ("none", None)
    node: ast.AST = ast.parse(loss.output, mode="eval").body
    while isinstance(node, ast.Call) and node.args:
        name = _called(node)
        layers = [layer for layer in spec.modules.get(name, ()) if not isinstance(layer, _PASSING)]
        if layers:
            return type(layers[-1]).__name__, _outputs(layers[:-1])
        if name not in spec.modules:
            inner = spec.modules.get(_called(node.args[0]), ())
            return (_FUNCTIONS[name], _outputs(list(inner))) if name in _FUNCTIONS else None
        node = node.args[0]
    return None


def _mismatches(spec: ProgramSpec, loss: LossSpec, targets: NDArray[Any] | None) -> Iterator[str]:
    """Yield how the last layer that transforms its input differs from what the criterion expects.

    The targets are compared with it, too.
    """
    end = _end(spec, loss)
    if loss.criterion is None or end is None:
        return
    criterion = type(loss.criterion).__name__
    last, width = end
    yield from mismatches(criterion, last)
    if last == "Softmax" and width == 1:
        note = "The model ends with Softmax over one unit, which is always 1: use Sigmoid"
        yield note
        return
    if criterion in _BINARY and targets is not None and targets.size:
        low, high = float(targets.min()), float(targets.max())
        if low < 0 or high > 1:
            note = f"{criterion} expects targets from 0 to 1, but they are {low:g} to {high:g}"
            yield note
    if criterion in _REGRESSIONS and last in _RANGES and targets is not None and targets.size:
        low, high = _RANGES[last]
        share = float(((targets < low) | (targets > high)).mean())
        if share > 0:
            note = (
                f"The model ends with {last}, but {share:.0%} of the targets lie outside its range"
            )
            yield note


def _is_rescaled(spec: ProgramSpec, loss: LossSpec) -> bool:
    """Whether a layer changes the scale of the inputs before anything else, or none reads them."""
    if loss.output is None:
        first = loss.chain[:1]
    else:
        calls = [node for node in ast.walk(ast.parse(loss.output)) if isinstance(node, ast.Call)]
        first = [
            _called(node)
            for node in calls
            if any(isinstance(item, ast.Name) and item.id == "input" for item in node.args)
        ]
    layers = [spec.modules[name][0] for name in first if spec.modules.get(name)]
    return all(isinstance(layer, _RESCALING) for layer in layers)


def _outputs(layers: list[Any]) -> int | None:
    """Return how many features the last layer with weights gives; None if there is none."""
    widths = (getattr(layer, "out_features", None) for layer in reversed(layers))
    return next((width for width in widths if width is not None), None)


def _maximized(program: Debuggee) -> Iterator[Observation]:
    """Look for losses that measure an error, and that an optimizer maximizes."""
    spec = program.spec
    if "adversarial" in spec.intent:
        return
    for optimizer in maximizing(program):
        held = {item.address for item in program.optimizer_tensors if item.optimizer == optimizer}
        for name, loss in spec.losses.items():
            if loss.rows != "training" or held.isdisjoint(program.reaches(name)):
                continue
            if loss.criterion is not None:
                note = f"{optimizer} has maximize=True, and {name} is a criterion"
            elif loss.expression is not None and _grows_with_error(spec, loss.expression):
                note = (
                    f"{optimizer} has maximize=True, and {name} grows with the error of the output"
                )
            else:
                continue
            yield Observation("maximized-loss", (name,), note=note)


def _grows_with_error(spec: ProgramSpec, formula: str) -> bool:
    """Whether a formula measures an error, or is a sum of such measures and of penalties.

    Only what is certain counts: other terms, or a minus sign, could be meant to be maximized.
    """
    return _measure(spec, _parsed(formula)) == _ERROR


_ERROR, _SIZE = "error", "size"
"""What a term measures: how far the target is, or how large anything else is."""


def _measure(spec: ProgramSpec, node: ast.AST) -> str:
    """Return what an expression measures; empty if that is not certain."""
    measured = ""
    match node:
        case ast.Constant():
            measured = _SIZE  # whatever its sign, it does not depend on the model
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            measured = _of_sum(_measure(spec, left), _measure(spec, right))
        case (
            ast.BinOp(op=ast.Mult(), left=ast.Constant(value=factor), right=rest)
            | ast.BinOp(op=ast.Mult() | ast.Div(), left=rest, right=ast.Constant(value=factor))
        ) if isinstance(factor, (int, float)) and factor > 0:
            measured = _measure(spec, rest)
        case (
            ast.BinOp(op=ast.Sub(), left=rest, right=ast.Constant())
            | ast.Call(func=ast.Name(id="mean" | "sum"), args=[rest, *_])
        ):
            measured = _measure(spec, rest)
        case ast.Name(id=name) if name in spec.losses:
            loss = spec.losses[name]
            formula = loss.expression
            measured = _ERROR if formula is None else _measure(spec, _parsed(formula))
        case (
            ast.BinOp(left=inner, op=ast.Pow(), right=ast.Constant(value=2 | 4))
            | ast.Call(func=ast.Name(id="abs" | "square" | "norm"), args=[inner])
        ):
            measured = _ERROR if _is_difference_from_target(inner) else _SIZE
        case _:
            pass
    return measured


def _of_sum(first: str, second: str) -> str:
    if not first or not second:
        return ""
    return _ERROR if _ERROR in {first, second} else _SIZE


def _is_difference_from_target(node: ast.AST) -> bool:
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)):
        return False
    sides = [
        {item.id for item in ast.walk(side) if isinstance(item, ast.Name)}
        for side in (node.left, node.right)
    ]
    return ("target" in sides[0]) != ("target" in sides[1])


def _parsed(formula: str) -> ast.AST:
    return ast.parse(formula.strip(), mode="eval").body


def maximizing(program: Debuggee) -> tuple[str, ...]:
    """Return the optimizers that go uphill."""
    return tuple(
        name
        for name, optimizer in program.optimizers.items()
        if any(group.get("maximize") for group in optimizer.param_groups)
    )


def contends(program: Debuggee) -> bool:
    """Whether models work against each other: one gains where the other loses.

    A program declares that, or its loop shows it: a loss reaches the tensors of two optimizers, one
    of them steps, and the gradients of the other are cleared unused.
    """
    if "adversarial" in program.spec.intent:
        return True
    held: dict[str, set[str]] = {}
    for item in program.optimizer_tensors:
        held.setdefault(item.optimizer, set()).add(item.address)
    reached = {
        loss: [name for name, tensors in held.items() if tensors.intersection(found)]
        for loss in program.losses
        if (found := program.reaches(loss))
    }
    waiting: dict[str, set[str]] = {name: set() for name in held}
    used: set[tuple[str, str]] = set()
    thrown: set[str] = set()
    lines = [line.operation for line in program.written_loop]
    for operation in (*lines, *lines):
        if isinstance(operation, Backward):
            for name in reached.get(operation.loss, ()):
                waiting[name].add(operation.loss)
        elif isinstance(operation, (Step, ZeroGrad)):
            losses = waiting.pop(operation.optimizer, set())
            waiting[operation.optimizer] = set()
            if isinstance(operation, Step):
                used.update((loss, operation.optimizer) for loss in losses)
            else:
                thrown |= losses
    return any(loss in thrown for loss, _ in used)


def _scales(program: Debuggee) -> Iterator[Observation]:
    """Look for inputs and targets that are large compared with initial weights.

    They belong to a data set, so several losses that use it, as the parts of a sum do, are reported
    together.
    """
    spec = program.spec
    found: dict[tuple[str | None, str, float], list[str]] = {}
    for name, loss in spec.losses.items():
        if loss.rows != "training" or not (loss.chain or loss.output):
            continue
        inputs, targets = program.examples(name)
        if loss.data is not None and spec.data[loss.data].standardize:
            inputs = None  # outliers there are single values of almost constant columns
        compared = loss.criterion is not None and type(loss.criterion).__name__ in _REGRESSIONS
        for note, values, is_used in (
            ("inputs", inputs, not _is_rescaled(spec, loss)),
            ("targets", targets, compared),
        ):
            if is_used and values is not None and values.dtype.kind == "f":
                largest = float(np.abs(values).max(initial=0))
                if not largest <= SCALE:
                    found.setdefault((loss.data, note, largest), []).append(name)
    together: dict[tuple[str, ...], list[tuple[str, float]]] = {}
    for (_, note, largest), names in found.items():
        together.setdefault(tuple(names), []).append((note, largest))
    for subjects, large in together.items():
        *others, (note, value) = large
        for what, largest in others:
            note = f"{what} reach {largest:.3g}, and the {note}"
        yield Observation("input-scale", subjects, note=note, value=value)
