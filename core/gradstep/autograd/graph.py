"""The recorded graph: nodes, their edges, and what they have saved.

A node is made when an operation is recorded. Its edges point to the nodes, or the leaf tensors,
that its gradients go to; a node never points to its own output, so that a graph is free of
reference cycles and dies with the last tensor that needs it.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from gradstep.autograd.hooks import NodeHooks, RemovableHandle
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.autograd.tensor import Tensor

__all__ = ["AccumulateGrad", "Edge", "Node", "Value", "record", "walk"]

Value: TypeAlias = Any
"""What a gradient rule computes with: ndarrays, or Tensors when the backward is itself recorded."""

Edge: TypeAlias = "Node | Tensor | None"

FREED: Final = (object(),)
_sequence = count()

watchers: list[Callable[[Node, Tensor], None]] = []
"""Called with every new node and the result it stands for: anomaly mode, the hooks on saved tensors
and whoever follows a computation put themselves here."""


class Node:
    """One recorded operation; its subclasses are the kinds of operations, with their rules.

    `record` makes plain Nodes that name their `kind`. An interpreter that meets objects of one
    type goes through the graph a third faster. Whoever is handed a node (`grad_fn`,
    `next_functions`, a Visit, a watcher) gets it as an instance of its kind.

    Attributes:
        kind: Which operation it is.
        edges: Where the gradient of each input goes: a node, a leaf, or None.
        saved: Arrays (or numbers) that the gradient rule needs.
        counters: Version counters of the first saved arrays, to notice a change in between.
        context: Whatever else the rule needs and that costs nothing to keep, such as shapes.
        shape: Of the operation's result.

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
    """Which input each saved value is; -1 is the output, None is no tensor."""

    rule: ClassVar[str] = ""
    """The gradient of each input, as "input: grad * other; other: grad * input": `grad` is the one
    that comes in, `result` the operation's, `count` how many elements a mean is over."""

    def own_formula(self) -> str:
        """Return what this very node computes, as an expression or in words."""
        return (self.kind.__doc__ or "").partition("\n")[0].removesuffix(".")

    def own_rule(self) -> str:
        """Return the rule of this very node, where that of its kind depends on its context."""
        return self.rule

    def constants(self) -> dict[str, Value]:
        """Return what the rule names besides inputs and result; None where there is no such."""
        return {}

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the gradient of each input, None where its edge is None.

        A rule gives the incoming gradient itself, a view, or a new array that it gives only once.
        """
        raise NotImplementedError  # pragma: no cover - every operation has its rule

    def as_kind(self) -> Node:
        """Return this node as an instance of its kind, for whoever looks at it."""
        self.__class__ = self.kind  # the layout is the same
        return self

    def name(self) -> str:
        """Return the operation's name, as torch spells it."""
        return self.kind.__name__

    def __repr__(self) -> str:
        return f"<{self.name()} object at 0x{id(self):x}>"

    @property
    def freed(self) -> bool:
        """Whether a backward pass has let go of what was saved."""
        return self.saved is FREED

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes that the gradients go to, with the number of the output concerned."""
        return tuple((_as_node(edge), getattr(edge, "output_nr", 0)) for edge in self.edges)

    def unpack(self) -> tuple[Value, ...]:
        """Return the saved values after checking that they are still there and unchanged."""
        if self.counters:
            place = 0
            for counter in self.counters:
                if counter[0] != self.versions[place]:
                    self._complain_about_version()
                place += 1  # noqa: SIM113 - zip or enumerate would cost as much as the rest
        if self.saved is FREED:
            raise TensorError(
                "Trying to backward through the graph a second time: what "
                f"{self.name()} had saved was freed by the first backward",
                "compute the loss again from its inputs, detach() what comes from an earlier "
                "iteration (such as a hidden state), or pass retain_graph=True to the first "
                "backward",
            )
        return self.saved

    def release(self) -> None:
        """Let go of the saved values; a node that saved none can be visited again."""
        if self.saved:
            self.saved = FREED
            self.counters = ()

    def _complain_about_version(self) -> None:
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
    """Record an operation: return its node, which is the `grad_fn` of its result from now on.

    Args:
        kind: Which operation.
        out: Its result.
        edges: Where the gradient of each input goes: a node, a leaf, or None.
        saved: Arrays (or numbers) that the gradient rule needs.
        counters: Version counters of the first of them.
        context: Whatever else the rule needs.
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


class AccumulateGrad(Node):
    """The end of a path: adds to a leaf's `.grad`. Made only to be looked at."""

    __slots__ = ("variable",)

    def __init__(self, variable: Tensor) -> None:  # it records nothing
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


def _as_node(edge: Edge) -> Node | None:
    if edge is None:
        return None
    return edge.as_kind() if isinstance(edge, Node) else AccumulateGrad(edge)


def walk(root: Node | None) -> Iterator[Node]:
    """Give every node behind `root`, itself first, each once, leaves as AccumulateGrad.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0, 2.0], requires_grad=True)
        >>> [node.name() for node in walk((x * x).sum().grad_fn)]
        ['SumBackward0', 'MulBackward0', 'AccumulateGrad']
    """
    found = [] if root is None else [root]
    seen: set[Node] = set(found)
    for node in found:
        yield node
        for edge in node.edges:
            following = _as_node(edge)
            if following is not None and following not in seen:
                seen.add(following)
                found.append(following)
