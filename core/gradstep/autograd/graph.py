"""The recorded graph: nodes, their edges, and their saved values.

Recording an operation creates a node. Its edges point to the nodes or leaf tensors that receive its
gradients. A node never points to its own output, so a graph has no reference cycles and is freed
with the last tensor that needs it.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from gradstep.autograd.hooks import NodeHooks, RemovableHandle
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.autograd.tensor import Tensor

__all__ = ["AccumulateGrad", "Edge", "Node", "Value", "new_node", "record", "walk"]

Value: TypeAlias = Any
"""Gradient rules compute with ndarrays, or with Tensors when the backward pass is recorded."""

Edge: TypeAlias = "Node | Tensor | None"

FREED: Final = (object(),)
_sequence = count()

watchers: list[Callable[[Node, Tensor], None]] = []
"""Callbacks that get every new node and its result: anomaly mode, saved-tensor hooks and observers
of a computation register here."""


class Node:
    """One recorded operation; each kind of operation is a subclass with its gradient rule.

    `record` creates plain Nodes that name their `kind`: traversal is a third faster when all nodes
    have one type. Public access (`grad_fn`, `next_functions`, a Visit, a watcher) first turns the
    node into an instance of its kind.

    Attributes:
        kind: The operation.
        edges: Where the gradient of each input goes: a node, a leaf, or None.
        saved: Arrays (or numbers) that the gradient rule needs.
        counters: Version counters of the first saved arrays, to detect in-place changes.
        context: Other data for the rule, cheap to keep, such as shapes.
        shape: The shape of the operation's result.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0, 2.0], requires_grad=True)
        >>> (3 * x).grad_fn.name()
        'MulBackward0'
    """

    __slots__ = (
        "__weakref__",
        "context",
        "counters",
        "edges",
        "hooks",
        "kind",
        "saved",
        "sequence_nr",
        "shape",
        "trace",
        "versions",
    )

    kind: type[Node]
    edges: tuple[Edge, ...]
    saved: tuple[Value, ...]
    counters: tuple[list[int], ...]
    versions: list[int]  # only beside counters
    context: Value
    shape: tuple[int, ...]
    hooks: NodeHooks | None
    sequence_nr: int
    trace: str  # only in anomaly mode
    sources: ClassVar[tuple[int | None, ...]] = (0, 1, 2)
    """Which input each saved value is; -1 is the output, None is neither."""

    rule: ClassVar[str] = ""
    """The gradient of each input, as "input: grad * other; other: grad * input": `grad` is the
    incoming gradient, `result` the operation's result, `count` the number of averaged elements."""

    def own_formula(self) -> str:
        """Return what this node computes, as an expression or in words."""
        return (self.kind.__doc__ or "").partition("\n")[0].removesuffix(".")

    def own_rule(self) -> str:
        """Return the rule of this node; some kinds have rules that depend on the context."""
        return self.rule

    def constants(self) -> dict[str, Value]:
        """Return the values of the names in the rule that are neither input nor result."""
        return {}

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the gradient of each input; None where the edge is None.

        Each one is the incoming gradient, a view of it, or a new array that is returned only once.
        """
        raise NotImplementedError  # pragma: no cover - every operation has its rule

    def as_kind(self) -> Node:
        """Turn this node into an instance of its kind, and return it."""
        self.__class__ = self.kind  # the layout is the same
        return self

    def name(self) -> str:
        """Return the operation's name, as torch spells it."""
        return self.kind.__name__

    def __repr__(self) -> str:
        return f"<{self.name()} object at 0x{id(self):x}>"

    @property
    def freed(self) -> bool:
        """Whether a backward pass freed the saved values."""
        return self.saved is FREED

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes that receive the gradients, each with its output number."""
        return tuple(
            (None if edge is None else _as_node(edge), getattr(edge, "output_nr", 0))
            for edge in self.edges
        )

    def unpack(self) -> tuple[Value, ...]:
        """Return the saved values after checking that they are neither freed nor changed."""
        if self.counters:
            place = 0
            for counter in self.counters:
                if counter[0] != self.versions[place]:
                    self._raise_version_error()
                place += 1  # noqa: SIM113 - zip or enumerate would double the cost
        if self.saved is FREED:
            raise TensorError(
                "Trying to backward through the graph a second time: the values saved by "
                f"{self.name()} were freed by the first backward",
                "compute the loss again from its inputs, detach() what comes from an earlier "
                "iteration (such as a hidden state), or pass retain_graph=True to the first "
                "backward",
            )
        return self.saved

    def release(self) -> None:
        """Free the saved values; a node without any can be visited again."""
        if self.saved:
            self.saved = FREED
            self.counters = ()

    def _raise_version_error(self) -> None:
        for position, (counter, expected) in enumerate(
            zip(self.counters, self.versions, strict=True)
        ):
            if counter[0] != expected:
                shape = list(self.saved[position].shape)
                source = self.as_kind().sources[position]
                place = "the result" if source == -1 else f"input {source}"
                if source is None:
                    place = f"saved value {position}"
                raise TensorError(
                    "one of the variables needed for gradient computation has been modified by an "
                    f"inplace operation: a tensor of shape {shape}, {place} of {self.name()}, is "
                    f"at version {counter[0]}; expected version {expected} instead",
                    "change it after backward() (optimizer.step() changes every parameter in "
                    "place), or work on a clone()",
                )

    def register_hook(
        self, hook: Callable[[tuple[Tensor | None, ...], tuple[Tensor | None, ...]], object]
    ) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after this node's gradients are computed."""
        return self.own_hooks().post.add(hook)

    def register_prehook(
        self, hook: Callable[[tuple[Tensor | None, ...]], object]
    ) -> RemovableHandle:
        """Call `hook(grad_outputs)` before this node's gradients are computed."""
        return self.own_hooks().pre.add(hook)

    def own_hooks(self) -> NodeHooks:
        """Return this node's hooks, made on first use."""
        if self.hooks is None:
            self.hooks = NodeHooks()
        return self.hooks


def record(
    kind: type[Node],
    out: Tensor,
    edges: tuple[Edge, ...],
    saved: tuple[Value, ...] = (),
    counters: tuple[list[int], ...] = (),
    context: Value = None,
) -> Node:
    """Record an operation: set the `grad_fn` of its result to a new node, and return the node.

    Args:
        kind: The operation.
        out: Its result.
        edges: Where the gradient of each input goes: a node, a leaf, or None.
        saved: Arrays (or numbers) that the gradient rule needs.
        counters: Version counters of the first saved arrays.
        context: Other data for the rule.
    """
    node = Node()
    node.kind = kind
    node.sequence_nr = next(_sequence)
    node.edges = edges
    node.saved = saved
    node.counters = counters
    if counters:
        node.versions = versions = []
        for counter in counters:
            versions.append(counter[0])
    node.context = context
    node.hooks = None
    node.shape = out._array.shape
    out._grad_fn = node
    out._requires_grad = True
    if watchers:
        node.as_kind()
        for watcher in watchers:
            watcher(node, out)
    return node


def new_node(kind: type[Node], edges: tuple[Edge, ...], shape: tuple[int, ...]) -> Node:
    """Return a node that saves nothing, for a result that is no tensor and that nothing watches.

    Args:
        kind: The operation.
        edges: Where the gradient of each input goes.
        shape: The shape of the result.
    """
    node = Node()
    node.kind = kind
    node.sequence_nr = next(_sequence)
    node.edges = edges
    node.saved = node.counters = ()
    node.context = node.hooks = None
    node.shape = shape
    return node


class AccumulateGrad(Node):
    """The node that stands for adding to a leaf's `.grad`; created only for inspection."""

    __slots__ = ("variable",)

    def __init__(self, variable: Tensor) -> None:  # not recorded, so no sequence number
        self.kind = AccumulateGrad
        self.sequence_nr = (1 << 64) - 1
        self.edges = ()
        self.saved = ()
        self.counters = ()
        self.context = None
        self.hooks = None
        self.shape = variable._array.shape
        self.variable = variable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AccumulateGrad) and other.variable is self.variable

    def __hash__(self) -> int:
        return hash((AccumulateGrad, id(self.variable)))


def _as_node(edge: Node | Tensor) -> Node:
    return edge.as_kind() if isinstance(edge, Node) else AccumulateGrad(edge)


def walk(root: Node | None) -> Iterator[Node]:
    """Yield `root` and every node behind it, each once; leaves as AccumulateGrad.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0, 2.0], requires_grad=True)
        >>> [node.name() for node in walk((x * x).sum().grad_fn)]
        ['SumBackward0', 'MulBackward0', 'AccumulateGrad']
    """
    found = [] if root is None else [root]
    seen = {id(root)}
    for node in found:
        yield node
        for edge in node.edges:
            # By id: a leaf has no node of its own that could be looked up.
            if edge is not None and id(edge) not in seen:
                seen.add(id(edge))
                found.append(_as_node(edge))
