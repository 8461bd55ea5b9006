"""Micro-steps of a Backward: each node in the engine's order, and each leaf's accumulation."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from gradstep.autograd.engine import Visit, visits
from gradstep.autograd.graph import AccumulateGrad, Node, walk
from gradstep.errors import GradStepError
from gradstep.formula import Formula
from gradstep.program.micro_step import MicroStep, array_copies
from gradstep.program.operations.training import last_computed, mark_graph_freed
from gradstep.program.walk.node_formulas import (
    backward_rule,
    gradient_rules,
    input_names,
    operand,
)
from gradstep.program.walk.value_names import distinct, operand_names, saved_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.autograd.engine import Accumulation
    from gradstep.autograd.graph import Edge
    from gradstep.autograd.tensor import Tensor
    from gradstep.program.micro_step import Walk
    from gradstep.program.operation import Backward
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["walk_backward"]

_FIRST = Formula("added", makes="after")
_ADDED = Formula("before + added", makes="after")


def walk_backward(live: LiveObjects, operation: Backward) -> Walk:
    """Backpropagate node by node; a node that fails is the last step and carries the error.

    A walk that is closed before its end gives the graph back the values that it has freed.
    """
    value, record = last_computed(live, operation.loss)
    graph = _BackwardGraph(live, value, operation.loss)
    try:
        with closing(visits((value,), retain_graph=operation.retain_graph)) as steps:  # type: ignore[type-var]  # it is a generator
            yield from _micro_steps(graph, steps)
    except GeneratorExit:
        graph.give_back()
        raise
    mark_graph_freed(record, operation)


def _micro_steps(graph: _BackwardGraph, steps: Iterator[Visit | Accumulation]) -> Walk:
    try:
        for visit in steps:
            if isinstance(visit, Visit):
                graph.note(visit)
                yield partial(graph.node_step, visit)
            else:
                yield partial(graph.leaf_step, visit)
    except GradStepError as error:
        failing_node = graph.failing_node()
        if failing_node is not None:
            yield graph.failed_step(failing_node, error)
        raise


class _BackwardGraph:
    """The graph of a loss with its saved values, which the engine frees on each visit."""

    def __init__(self, live: LiveObjects, value: Tensor, loss: str) -> None:
        self._addresses = live.addresses
        self._path = (loss,)
        self._writes = (f"{loss}.graph",)
        self._numbers = {node: number for number, node in enumerate(walk(value.grad_fn))}
        self._held = {node: (node.saved, node.counters) for node in self._numbers}
        self._operand_names = operand_names(live, loss)
        self._arrived: dict[Node, list[NDArray[Any]]] = {}
        self._visited: set[Node] = set()

    def give_back(self) -> None:
        """Give all nodes the saved values that they had before the walk."""
        for node, (saved, counters) in self._held.items():
            node.saved, node.counters = saved, counters

    def note(self, visit: Visit) -> None:
        """Record the gradients that a visit sends to nodes not yet visited."""
        self._visited.add(visit.node)
        self._arrived.pop(visit.node, None)
        for edge, value in zip(visit.node.edges, visit.outgoing, strict=False):
            if isinstance(edge, Node) and value is not None:
                self._arrived.setdefault(edge, []).append(value)

    def node_step(self, visit: Visit) -> MicroStep:
        """Return the step of a node's visit."""
        node = visit.node
        names, formulas = input_names(node), list(gradient_rules(node).values())
        inputs, symbols = self._operands(node, names)
        going: list[tuple[str, Any]] = []
        targets: list[int] = []
        rules: list[Formula | None] = []
        for place, (edge, value) in enumerate(zip(node.edges, visit.outgoing, strict=False)):
            if edge is not None and value is not None:
                going.append((self._label(edge), value))
                targets.append(self._numbers[_node_of(edge)])
                rules.append(formulas[place] if place < len(formulas) else None)
        outputs = array_copies(going)
        return MicroStep(
            "node",
            node.name(),
            self._path,
            backward_rule(node),
            array_copies([("incoming", visit.incoming), *inputs, *node.constants().items()]),
            outputs,
            self._numbers[node],
            tuple(targets),
            rules={name: rule for name, rule in zip(outputs, rules, strict=True) if rule},
            symbols={"grad": "incoming", **symbols},
            writes=self._writes,
            given_back=self._writes,
        )

    def leaf_step(self, visit: Accumulation) -> MicroStep:
        """Return the step in which a leaf accumulates a gradient."""
        address = f"{self._label(visit.leaf)}.grad"
        return MicroStep(
            "accumulate",
            address,
            self._path,
            _FIRST if visit.before is None else _ADDED,
            array_copies([("before", visit.before), ("added", visit.added)]),
            array_copies([("after", visit.after)]),
            self._numbers.get(_node_of(visit.leaf)),
            none=(("before",) if visit.before is None else (), ()),
            writes=(address,),
        )

    def failing_node(self) -> Node | None:
        """Return the node at which the engine stopped, if it was a node."""
        left = [node for node in self._numbers if node not in self._visited]
        for node in sorted(left, key=attrgetter("sequence_nr"), reverse=True):
            try:
                node.unpack()
            except GradStepError:
                return node
        return None

    def failed_step(self, node: Node, error: GradStepError) -> MicroStep:
        """Return the step of a node that cannot be visited."""
        inputs, symbols = self._operands(node, input_names(node))
        arrived = self._arrived.get(node, [])
        if len(arrived) == 1:  # the engine would have summed several
            inputs.insert(0, ("incoming", arrived[0]))
        return MicroStep(
            "node",
            node.name(),
            self._path,
            backward_rule(node),
            array_copies(inputs),
            node=self._numbers[node],
            symbols={"grad": "incoming", **symbols},
            error=str(error),
        )

    def _label(self, edge: Edge) -> str:
        if isinstance(edge, Node):
            return f"{edge.name()} #{self._numbers[edge]}"
        return "" if edge is None else self._addresses.get(edge, "a constant")

    def _operands(
        self, node: Node, names: Mapping[int, str]
    ) -> tuple[list[tuple[str, Any]], dict[str, str]]:
        """Return a node's saved values by name, and the name for each symbol of its rule."""
        operands: list[tuple[str, str, Any]] = []
        held, _ = self._held[node]
        for source, saved in sorted(saved_values(node, held).items()):
            symbol = names.get(source, f"input {source + 1}")
            edge, value = operand(node, source, saved)
            is_leaf = edge is not None and not isinstance(edge, Node)
            known = self._operand_names.get(self._numbers[node], {}).get(source, symbol)
            key = self._label(edge) if is_leaf else known
            operands.append((symbol, key, value))
        named = distinct(operands)
        values = [(key, value) for _, key, value in named]
        return values, {symbol: key for symbol, key, _ in named}


def _node_of(edge: Node | Tensor) -> Node:
    return edge if isinstance(edge, Node) else AccumulateGrad(edge)
