"""Layers of a script that give nothing but 0, by the gradients around them.

What a layer computes stays in the script's process, but its gradients are recorded. Where the layer
behind a ReLU has a bias with a gradient, and a weight whose gradient is exactly 0, all that the
ReLU gave it was 0: the gradient of the weight is the product of the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradstep.autograd.graph import Node
from gradstep.autograd.tensor import Tensor
from gradstep.diagnostics.observation import Observation, joined_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from gradstep.autograd.graph import Edge
    from gradstep.diagnostics.suspicions.trainings import Curves
    from gradstep.history.debuggee import Debuggee
    from gradstep.program.runtime.descriptions import ModuleDescription

__all__ = ["dead_layers"]

_RECTIFIERS = frozenset(("Relu", "ClampMin"))
_LINEAR = frozenset(("Addmm", "Mm", "Bmm", "Linear", "Convolution", "ThnnConv2D", "MkldnnConv"))
"""Nodes whose weight has the gradient 0 where their input is 0."""

_SHAPES = frozenset(
    (
        *("T", "Transpose", "Permute", "View", "UnsafeView", "ReshapeAlias", "Squeeze"),
        *("Unsqueeze", "Clone", "ToCopy", "Expand"),
    )
)
"""Nodes that leave every number as it is."""

_KEEPING_ZEROS = _SHAPES | frozenset(
    (
        *("MaxPool2DWithIndices", "MaxPool1D", "AvgPool2D", "AdaptiveAvgPool2D", "Mean"),
        *("NativeDropout", "Mul", "Div"),
    )
)
"""Nodes of one operand with a gradient that make 0 of 0, as dropout and pooling do."""

_LEAST_ROWS = 3
"""Iterations that must have measured a gradient."""

_ALL = 100.0
"""Percent of the units."""


class _Found(NamedTuple):
    """A ReLU that gives only 0, and the layer that it gives that to; None for the loss."""

    rectifier: Node
    consumer: Node | None


def dead_layers(
    script: Debuggee, series: Curves, rows: NDArray[np.floating], event: int
) -> Iterator[Observation]:
    """Yield for each loss the last layer that gives nothing but 0.

    Args:
        script: The script.
        series: The curves of the present training.
        rows: Their last rows.
        event: The Event just done.
    """
    norms = {
        name: known
        for name in series.tensors
        if len(known := _known(rows[:, series.place(f"norm/{name}.grad")])) >= _LEAST_ROWS
    }
    flat = {name for name, known in norms.items() if not known.any()}
    steep = {name for name, known in norms.items() if known[-1] > 0}
    if not flat:
        return
    names = {id(tensor): name for name, tensor in script.tensors.items()}
    for loss, tensor in script.losses.items():
        values = _known(rows[:, series.place(f"loss/{loss}")]) if tensor is not None else ()
        if tensor is None or tensor.grad_fn is None or not len(values):
            continue
        graph = _Graph(tensor.grad_fn, names)
        found = graph.dead(flat, steep, is_zero=not np.all(values))
        if found is not None:
            yield _observation(script, graph, found, flat, steep, len(rows), event)


def _known(values: NDArray[np.floating]) -> NDArray[np.floating]:
    known: NDArray[np.floating] = values[np.isfinite(values)]
    return known


class _Graph:
    """The graph of a loss.

    Args:
        root: The node of the loss.
        names: The names of tensors by their ids.
    """

    def __init__(self, root: Node, names: dict[int, str]) -> None:
        self._names = names
        self.root = root
        self.nodes = [root]
        known = {id(root)}
        for node in self.nodes:
            for below in node.edges:
                if isinstance(below, Node) and id(below) not in known:
                    known.add(id(below))
                    self.nodes.append(below)

    def name(self, edge: Edge) -> str:
        """Return the name of a leaf; "" for anything else."""
        return self._names.get(id(edge), "") if isinstance(edge, Tensor) else ""

    def leaves(self, node: Node) -> list[str]:
        """Return the names of the leaves below a node, the nearest first."""
        found: dict[str, None] = {}
        waiting, known = [node], {id(node)}
        for one in waiting:
            for below in one.edges:
                if isinstance(below, Node) and id(below) not in known:
                    known.add(id(below))
                    waiting.append(below)
                elif name := self.name(below):
                    found[name] = None
        return list(found)

    def dead(self, flat: set[str], steep: set[str], *, is_zero: bool) -> _Found | None:
        """Return the first ReLU from the loss on that gives only 0.

        Args:
            flat: Tensors whose gradient is 0.
            steep: Tensors whose gradient is not.
            is_zero: Whether the loss was 0 at times, so that it may have no gradient.
        """
        leaves = self.leaves(self.root)
        if not steep.isdisjoint(leaves):
            for node in self.nodes:
                if _kind(node) in _LINEAR:
                    given = self._given(node, flat, steep)
                    if given is not None and flat.issuperset(self.leaves(given)):
                        return _Found(given, node)
            return None
        last = self._rectifier(self.root, through=None)
        if last is None or is_zero or not leaves or not flat.issuperset(leaves):
            return None
        return _Found(last, None)

    def _given(self, node: Node, flat: set[str], steep: set[str]) -> Node | None:
        """Return the ReLU that a layer is applied to, if only its bias has a gradient."""
        below = [self._below(edge) for edge in node.edges]
        own = {name for edge in below if (name := self.name(edge))}
        others = own - flat
        if len(own & flat) != 1 or not steep.issuperset(others):
            return None  # its weight has a gradient, or nothing above it has one
        given = [self._rectifier(edge, _KEEPING_ZEROS) for edge in below if isinstance(edge, Node)]
        return given[0] if len(given) == 1 else None

    def _below(self, edge: Edge) -> Edge:
        """Return what stands below nodes that only change a shape."""
        while isinstance(edge, Node) and _kind(edge) in _SHAPES and len(edge.edges):
            edge = edge.edges[0]
        return edge

    def _rectifier(self, node: Node, through: Collection[str] | None) -> Node | None:
        """Return the first ReLU below a chain of nodes of one operand; None for none."""
        while _kind(node) not in _RECTIFIERS:
            operands = [edge for edge in node.edges if edge is not None]
            if through is not None and _kind(node) not in through:
                return None
            if len(operands) != 1 or not isinstance(operands[0], Node):
                return None
            node = operands[0]
        return node


def _observation(
    script: Debuggee,
    graph: _Graph,
    found: _Found,
    flat: set[str],
    steep: set[str],
    iterations: int,
    event: int,
) -> Observation:
    """Return the suspicion, which names the ReLU, or else the layer before it."""
    before = graph.leaves(found.rectifier)
    after = [] if found.consumer is None else graph.leaves(found.consumer)
    weights = [name for name in before if script.tensors[name].ndim > 1] or before
    layer = weights[0].rpartition(".")[0]
    own = [] if found.consumer is None else [name for name in after if name not in before]
    behind = own[0].rpartition(".")[0] if own else ""
    relu = _relu_between(script.describe_modules(), layer, behind)
    subject = relu or layer or weights[0]
    words = relu or f"the ReLU behind {subject}"
    still = joined_names(tuple(name for name in (*own, *before) if name in flat))
    moving = next((name for name in own if name in steep), "")
    but = f", though that of {moving} was not" if moving else ""
    note = (
        f"For {iterations} iterations, the gradient of {still} was exactly 0{but}: {words} gave 0 "
        "in every row of every batch, so nothing before it learns"
    )
    return Observation("dead-relu", (subject,), (event,), note, _ALL)


def _relu_between(modules: Collection[ModuleDescription], layer: str, behind: str) -> str:
    """Return the only ReLU that stands between two layers of a module, or else behind the first."""
    waiting = list(modules)
    for module in waiting:
        waiting += module.children
        names = [child.name for child in module.children]
        if layer in names:
            last = names.index(behind) if behind in names else len(names)
            between = module.children[names.index(layer) + 1 : last]
            found = [child.name for child in between if child.kind == "ReLU"]
            return found[0] if len(found) == 1 else ""
    return ""


def _kind(node: Node) -> str:
    """Return what a node computes: "Relu" of "ReluBackward0"."""
    return node.name().partition("Backward")[0]
