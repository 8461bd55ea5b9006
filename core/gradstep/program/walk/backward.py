"""Inside a Backward: node by node in the engine's own order, and where each gradient arrives."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from gradstep.autograd.engine import Visit, visits
from gradstep.autograd.graph import AccumulateGrad, Node, walk
from gradstep.errors import GradStepError
from gradstep.formula import Formula
from gradstep.program.micro_step import MicroStep, kept
from gradstep.program.operations.training import after_backward, last_computed
from gradstep.program.walk.forward import saved_values
from gradstep.program.walk.node_formulas import backward_rule, gradient_rules, input_names

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    """Backpropagate node by node; a node that refuses is the last step, and says why."""
    value, record = last_computed(live, operation.loss)
    graph = _BackwardGraph(live, value, operation.loss)
    with closing(visits((value,), retain_graph=operation.retain_graph)) as steps:  # type: ignore[type-var]  # it is a generator
        try:
            for visit in steps:
                if isinstance(visit, Visit):
                    graph.note(visit)
                    yield partial(graph.node_step, visit)
                else:
                    yield partial(graph.leaf_step, visit)
        except GradStepError as error:
            refusing = graph.refusing()
            if refusing is not None:
                yield graph.refused_step(refusing, error)
            raise
    after_backward(record, operation)


class _BackwardGraph:
    """The graph behind a loss, with what its nodes have saved: visiting them lets go of it."""

    def __init__(self, live: LiveObjects, value: Tensor, loss: str) -> None:
        self._addresses = live.addresses
        self._path = (loss,)
        self._writes = (f"{loss}.graph",)
        self._numbers = {node: number for number, node in enumerate(walk(value.grad_fn))}
        self._saved = {node: saved_values(node, node.saved) for node in self._numbers}
        self._arrived: dict[Node, list[NDArray[Any]]] = {}
        self._visited: set[Node] = set()

    def note(self, visit: Visit) -> None:
        """Note what goes on to nodes that are still to be visited."""
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
                targets.append(self._numbers[_place(edge)])
                rules.append(formulas[place] if place < len(formulas) else None)
        outputs = kept(going)
        return MicroStep(
            "node",
            node.name(),
            self._path,
            backward_rule(node),
            kept([("incoming", visit.incoming), *inputs, *node.constants().items()]),
            outputs,
            self._numbers[node],
            tuple(targets),
            rules={name: rule for name, rule in zip(outputs, rules, strict=True) if rule},
            symbols={"grad": "incoming", **symbols},
            writes=self._writes,
        )

    def leaf_step(self, visit: Accumulation) -> MicroStep:
        """Return the step in which a gradient arrives at a leaf."""
        address = f"{self._label(visit.leaf)}.grad"
        return MicroStep(
            "accumulate",
            address,
            self._path,
            _FIRST if visit.before is None else _ADDED,
            kept([("before", visit.before), ("added", visit.added)]),
            kept([("after", visit.after)]),
            self._numbers.get(_place(visit.leaf)),
            none=(("before",) if visit.before is None else (), ()),
            writes=(address,),
        )

    def refusing(self) -> Node | None:
        """Return the node that the engine came to when it stopped, if it was one."""
        left = [node for node in self._numbers if node not in self._visited]
        for node in sorted(left, key=attrgetter("sequence_nr"), reverse=True):
            try:
                node.unpack()
            except GradStepError:
                return node
        return None

    def refused_step(self, node: Node, error: GradStepError) -> MicroStep:
        """Return the step of a node that cannot be visited."""
        inputs, symbols = self._operands(node, input_names(node))
        arrived = self._arrived.get(node, [])
        if len(arrived) == 1:  # of several, the engine would have made the sum
            inputs.insert(0, ("incoming", arrived[0]))
        return MicroStep(
            "node",
            node.name(),
            self._path,
            backward_rule(node),
            kept(inputs),
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
        """Return what a node has saved by name, and which symbol of its rule each one is."""
        operands: list[tuple[str, Any]] = []
        symbols: dict[str, str] = {}
        for source, operand in sorted(self._saved[node].items()):
            symbol = names.get(source, f"input {source + 1}")
            leaf = node.edges[source] if 0 <= source < len(node.edges) else None
            is_leaf = leaf is not None and not isinstance(leaf, Node)
            key = self._label(leaf) if is_leaf else symbol
            operands.append((key, operand))
            symbols[symbol] = key
        return operands, symbols


def _place(edge: Node | Tensor) -> Node:
    return edge if isinstance(edge, Node) else AccumulateGrad(edge)
