"""The names by which a program knows the values of a computation: its tensors, data and outputs."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import graph
from gradstep.autograd.graph import Node
from gradstep.autograd.tensor import Tensor
from gradstep.errors import GradStepError
from gradstep.program.operations.training import last_computed
from gradstep.program.walk.node_formulas import forward_rule, input_names, operand
from gradstep.program.walk.node_origins import (
    module_names,
    trace_computation,
    without_side_effects,
)
from gradstep.short_number import short_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from gradstep.autograd.graph import Edge
    from gradstep.nn.module import Module
    from gradstep.program.runtime.forward_record import ForwardRecord
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["ValueNames", "distinct", "operand_names", "saved_values"]

_LONGEST = 40
"""Letters of an expression that stands for a value."""

_CALL = re.compile(r"\w+\(\w+\)")
_WORD = re.compile(r"[A-Za-z_]\w*")


class ValueNames:
    """Names values while a loss is computed: by address, data, module, expression or number.

    Args:
        live: The live objects of the program.
        loss: The loss.
    """

    def __init__(self, live: LiveObjects, loss: str) -> None:
        self._addresses = live.addresses
        self._modules = module_names(live, loss)
        self._open: list[str] = []
        self._calls: Counter[str] = Counter()
        self._outputs: dict[Node, str] = {}
        self._outside: set[Node] = set()
        self._made: dict[Node, str] = {}
        self._memory = {_memory(tensor._array): name for tensor, name in self._addresses.items()}

    def enter(self, module: Module, _args: tuple[Any, ...]) -> None:
        """Note that a module is called."""
        name = self._modules.get(module, type(module).__name__)
        self._calls[name] += 1
        self._open.append(name)

    def leave(self, _module: Module, _args: tuple[Any, ...], output: Any) -> None:  # noqa: ANN401
        """Note what a module has returned; the innermost one that returns a value names it."""
        name = self._open.pop()
        call = f" (call {self._calls[name]})" if self._calls[name] > 1 else ""
        for value in output if isinstance(output, tuple) else (output,):
            if isinstance(value, Tensor) and value._grad_fn is not None:
                self._outputs.setdefault(value._grad_fn, f"output of {name}{call}")

    def record(self, node: Node, _out: Tensor) -> None:
        """Note where an operation was recorded."""
        if not self._open:
            self._outside.add(node)

    def add_batch(self, record: ForwardRecord) -> None:
        """Name the rows from which the loss was computed as expressions do."""
        for name, value in (("input", record.inputs), ("target", record.targets)):
            if isinstance(value, Tensor):
                self._memory.setdefault(_memory(value._array), name)

    def of(self, edge: Edge, value: Any) -> str:  # noqa: ANN401 - a saved value
        """Return the name of an operand; empty if it has none.

        Args:
            edge: Where its gradient goes.
            value: Its value; None if it is not known.
        """
        if isinstance(edge, Node):
            return self._name_of(edge)
        if edge is not None:
            return self._addresses.get(edge, "")
        if value is None:
            return ""
        if isinstance(value, np.ndarray) and value.shape:
            return self._memory.get(_memory(value), "")
        known = self._memory.get(_memory(value), "") if isinstance(value, np.ndarray) else ""
        return known or short_number(float(value))

    def _name_of(self, node: Node) -> str:
        found = self._outputs.get(node)
        if found is None:
            found = self._made.get(node)
        if found is None:
            operation = node.name().partition("Backward")[0]
            found = self._made[node] = self._expression(node) or f"result of {operation}"
        return found

    def _expression(self, node: Node) -> str:
        """Return what an operation computes in names of the program, such as "output - target"."""
        rule = forward_rule(node)
        is_transposition = rule.text == "input.T"
        if not rule.latex or not (node in self._outside or is_transposition):
            return ""
        places = {symbol: place for place, symbol in input_names(node).items() if place >= 0}
        saved = saved_values(node, node.saved)
        names = {
            symbol: self.of(*operand(node, place, saved.get(place)))
            for symbol, place in places.items()
            if symbol in rule.names
        }
        if not all(names.get(symbol) for symbol in rule.names):
            return ""
        wraps = _CALL.fullmatch(rule.text) is None
        shown = {key: f"({text})" if wraps and " " in text else text for key, text in names.items()}
        text = _WORD.sub(lambda word: shown.get(word[0], word[0]), rule.text)
        return text if len(text) <= _LONGEST else ""


def operand_names(live: LiveObjects, loss: str) -> Mapping[int, Mapping[int, str]]:
    """Return the names of the operands of a loss's graph, by the node's number and the input's.

    The loss is computed again on the same batch, without side effects. If that records another
    graph, as after a Freeze, the result is empty. It is kept with the record of the Forward, whose
    graph has these names until the structure of the program changes.

    Raises:
        OperationError: If the loss has not been computed yet.
    """
    value, record = live.losses_in_progress.get(loss) or last_computed(live, loss)
    known = record.operand_names
    if known is None or known[0] != live.structure_version:
        known = live.structure_version, _operand_names(live, loss, value, record)
        record.operand_names = known
    return known[1]


def _operand_names(
    live: LiveObjects, loss: str, value: Tensor, record: ForwardRecord
) -> Mapping[int, Mapping[int, str]]:
    names = ValueNames(live, loss)
    names.add_batch(record)
    try:
        with (
            without_side_effects(live, loss),
            trace_computation(names.enter, names.leave, names.record),
        ):
            again = live.compute(live.loss(loss), record.inputs, record.targets, record)
    except GradStepError:  # the settings have changed; the next Forward reports it
        return {}
    nodes = list(graph.walk(again.grad_fn))
    if [type(node) for node in nodes] != [type(node) for node in graph.walk(value.grad_fn)]:
        return {}
    return {number: dict(_named_operands(names, node)) for number, node in enumerate(nodes)}


def saved_values(node: Node, saved: tuple[Any, ...]) -> dict[int, Any]:
    """Return a node's saved values by the index of the input; the output has index -1."""
    return {
        source: value
        for source, value in zip(node.sources, saved, strict=False)
        if source is not None and isinstance(value, (np.ndarray, int, float))
    }


def distinct(operands: Iterable[tuple[str, str, Any]]) -> list[tuple[str, str, Any]]:
    """Return operands with different names where one name stands for different values.

    Args:
        operands: The symbol in the formulas, the name and the value of each.

    Example:
        >>> distinct([("input", "exp(x)", 1.0), ("other", "exp(x)", 2.0), ("out", "y", 3.0)])
        [('input', 'exp(x)', 1.0), ('other', 'exp(x) (2)', 2.0), ('out', 'y', 3.0)]
    """
    known: dict[str, Any] = {}
    found = []
    for symbol, name, value in operands:
        free = (name, *(f"{name} ({turn})" for turn in range(2, len(known) + 3)))
        own = next(key for key in free if key not in known or known[key] is value)
        known[own] = value
        found.append((symbol, own, value))
    return found


def _named_operands(names: ValueNames, node: Node) -> list[tuple[int, str]]:
    saved = saved_values(node, node.saved)
    found = [
        (place, names.of(*operand(node, place, saved.get(place))))
        for place in {*range(len(node.edges)), *saved} - {-1}
    ]
    return [(place, name) for place, name in found if name]


def _memory(array: NDArray[Any]) -> tuple[int, tuple[int, ...]]:
    """Return what distinguishes arrays: where each is, and its shape."""
    return array.__array_interface__["data"][0], array.shape
