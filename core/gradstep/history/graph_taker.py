"""GraphTaker: the recorded graphs of losses as records, from the loss to the leaves."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from gradstep.autograd.graph import AccumulateGrad, Node, walk
from gradstep.autograd.ops.linear import WeightTBackward0
from gradstep.history.records.graph import GraphNode, GraphRecord, SavedRecord
from gradstep.history.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from gradstep.autograd.tensor import Tensor
    from gradstep.history.debuggee import Debuggee

__all__ = ["GraphTaker"]

_OUTSIDE = ("", 0)


class GraphTaker:
    """Records the graphs of one program on request.

    Args:
        program: The live program.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> from gradstep.program.operation import Forward
        >>> from gradstep.program.program import Program
        >>> program = Program.from_spec(decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": [3, 4], "requires_grad": true}},
        ...     "losses": {"loss": {"expression": "sum(100 * x)"}}}'''))
        >>> _ = program.run(Forward())
        >>> graph = GraphTaker(program).take(["loss.graph"])["loss"]
        >>> [(node.name, node.tensor, node.shape) for node in graph.nodes]
        [('SumBackward0', '', ()), ('MulBackward0', '', (2,)), ('AccumulateGrad', 'x', (2,))]
    """

    __slots__ = ("_calls", "_known", "_program")

    def __init__(self, program: Debuggee) -> None:
        self._program = program
        self._calls: dict[str, _Origins] = {}
        self._known: dict[str, _CachedGraph] = {}

    def take(self, wanted: Collection[str] | None) -> Mapping[str, GraphRecord]:
        """Return the graphs of losses that were computed, or are being computed, by loss.

        Args:
            wanted: Addresses such as "loss.graph"; None for all graphs. "loss.graph/3" includes the
                values that node 3 has saved.
        """
        tensors = {**self._program.losses, **self._program.losses_in_progress}
        return MappingProxyType(
            {
                loss: self._graph(loss, tensor, wanted)
                for loss, tensor in tensors.items()
                if tensor is not None and (wanted is None or f"{loss}.graph" in wanted)
            }
        )

    def _graph(self, loss: str, tensor: Tensor, wanted: Collection[str] | None) -> GraphRecord:
        known = self._known.get(loss)
        if known is None or not known.is_of(tensor, self._program.structure):
            known = self._known[loss] = self._inspect(loss, tensor)
        addresses = wanted or ()
        return GraphRecord(
            loss,
            known.records(
                {number for number in range(len(known)) if f"{loss}.graph/{number}" in addresses}
            ),
        )

    def _inspect(self, loss: str, tensor: Tensor) -> _CachedGraph:
        """Return the parts of a graph's record that never change."""
        nodes = list(walk(tensor.grad_fn))
        numbers: dict[Node, int] = {node: number for number, node in enumerate(nodes)}
        inputs = [
            tuple([numbers[to] for to, _ in node.next_functions if to is not None])
            for node in nodes
        ]
        origins = self._origins_of(loss, nodes, inputs)
        calls = origins.calls
        recorded = sorted(nodes, key=lambda node: node.sequence_nr)
        order = {node: place for place, node in enumerate(recorded)}
        names = self._names()
        bare = [
            GraphNode(
                number,
                node.name(),
                inputs[number],
                node.shape,
                tensor=names.get(id(node.variable), "") if isinstance(node, AccumulateGrad) else "",
                module=calls.get(number, _OUTSIDE)[0],
                call=calls.get(number, _OUTSIDE)[1],
                order=order[node],
            )
            for number, node in enumerate(nodes)
        ]
        return _CachedGraph(nodes, bare, names, origins.operands, self._program.structure)

    def _names(self) -> Mapping[int, str]:
        """Return the names of the tensors by `id`, including those that only an optimizer holds."""
        names = {id(binding.tensor): binding.address for binding in self._program.optimizer_tensors}
        return names | {id(tensor): name for name, tensor in self._program.tensors.items()}

    def _origins_of(self, loss: str, nodes: list[Node], inputs: list[tuple[int, ...]]) -> _Origins:
        """Return where nodes and operands are from; graphs of one form share it.

        When it cannot be determined, as after a Freeze, it is looked up again later.
        """
        form = ([type(node) for node in nodes], inputs)
        numbers = [_numbers(node) for node in nodes]
        known, structure = self._calls.get(loss), self._program.structure
        if known is None or known.form != form or not (known.calls or known.structure == structure):
            calls = self._program.node_origins(loss) if nodes else {}
        elif known.numbers != numbers:
            calls = known.calls
        else:
            return known
        operands = self._program.operand_names(loss) if nodes else {}
        known = self._calls[loss] = _Origins(form, numbers, calls, operands, structure)
        return known


def _numbers(node: Node) -> list[float]:
    """Return the inputs of a node that are known by their value alone, as in `x * 2.5`."""
    return [
        value.item() if isinstance(value, np.ndarray) else value
        for source, value in zip(node.sources, node.saved, strict=False)
        if source is not None
        and source >= 0
        and (isinstance(value, (int, float)) or (isinstance(value, np.ndarray) and not value.ndim))
        and all(edge is None for edge in node.edges[source : source + 1])
    ]


class _Origins(NamedTuple):
    """Where the nodes and operands of a graph of one form are from.

    Attributes:
        form: The kinds of its nodes, and how they are joined.
        numbers: What stands in the names of operands and differs between graphs of one form.
        calls: The module call that recorded each node.
        operands: The names of each node's operands.
        structure: The number of the program's structure.
    """

    form: object
    numbers: object
    calls: Mapping[int, tuple[str, int]]
    operands: Mapping[int, Mapping[int, str]]
    structure: int


class _CachedGraph:
    """Cached records of one graph, which they do not keep alive.

    Args:
        nodes: Its nodes.
        bare: Their records, without the parts that change while the graph stays the same.
        names: The names of tensors by `id`.
        operands: The names of operands by the numbers of node and input.
        structure: The number of the program's structure.
    """

    __slots__ = ("_marks", "_names", "_nodes", "_operands", "_records", "_structure")

    def __init__(
        self,
        nodes: list[Node],
        bare: list[GraphNode],
        names: Mapping[int, str],
        operands: Mapping[int, Mapping[int, str]],
        structure: int,
    ) -> None:
        self._nodes = [ref(node) for node in nodes]
        self._records = bare
        self._marks: list[object] = [None] * len(nodes)
        self._names = names
        self._operands = operands
        self._structure = structure

    def __len__(self) -> int:
        return len(self._nodes)

    def is_of(self, tensor: Tensor, structure: int) -> bool:
        """Whether it is the graph behind a tensor, in a program of this structure."""
        root = self._nodes[0]() if self._nodes else None
        return structure == self._structure and root is tensor.grad_fn

    def records(self, whole: Collection[int]) -> tuple[GraphNode, ...]:
        """Return the records of the nodes, rebuilt where something has changed.

        Args:
            whole: The numbers of the nodes whose saved values are included.
        """
        for number, found in enumerate(self._nodes):
            node = found()
            if node is None:  # a leaf, which saves nothing
                continue
            with_values = number in whole
            mark = (node.freed, [counter[0] for counter in node.counters], with_values)
            if mark != self._marks[number]:
                self._marks[number] = mark
                self._records[number] = replace(
                    self._records[number],
                    freed=node.freed,
                    saved=tuple(
                        _saved(node, self._names, self._operands.get(number, {}), whole=with_values)
                    ),
                )
        return tuple(self._records)


def _saved(
    node: Node, names: Mapping[int, str], operands: Mapping[int, str], *, whole: bool
) -> Iterator[SavedRecord]:
    for place, (source, value) in enumerate(zip(node.sources, node.saved, strict=False)):
        if source is None or not isinstance(value, (np.ndarray, int, float)):
            continue
        array = np.asarray(value)
        has_version = place < len(node.counters)
        yield SavedRecord(
            _source_name(node, source, names, operands),
            array.shape,
            node.versions[place] if has_version else None,
            node.counters[place][0] if has_version else None,
            summarise(array, whole=True) if whole or array.size == 1 else None,
        )


def _source_name(
    node: Node, source: int, names: Mapping[int, str], operands: Mapping[int, str]
) -> str:
    if source < 0:
        return "output"
    leaf: Any = node.edges[source] if source < len(node.edges) else None
    ending = ""
    if isinstance(leaf, WeightTBackward0):
        leaf, ending = leaf.edges[0], ".T"
    named = "" if leaf is None or isinstance(leaf, Node) else names.get(id(leaf), "")
    if not named and source in operands:
        return f"{operands[source]}{ending}"
    return f"{named}{ending}" if named else f"input {source + 1}"
