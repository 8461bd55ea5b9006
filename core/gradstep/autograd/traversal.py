"""The backward loop: a generator that visits nodes, highest sequence number first.

`backward` exhausts it; it yields only to a debugger that walks it. A leaf's gradient is accumulated
right after the last node that contributes to it was visited.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradstep.autograd import anomaly, grad_mode
from gradstep.autograd.graph import FREED, Node, Value, record
from gradstep.autograd.row_sparse import RowSparse, wrap_gradient
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from numpy.typing import NDArray

    from gradstep.autograd.graph import Edge
    from gradstep.autograd.hooks import HookList, NodeHooks

__all__ = ["accumulate", "attached", "traverse"]

_ndarray, _plain_node = np.ndarray, Node
_by_sequence = attrgetter("sequence_nr")
_Step: TypeAlias = "tuple[Node | Tensor, Value, Value]"


def _collect(roots: list[Node | Tensor]) -> tuple[list[Node], dict[Edge, int]]:
    """Return all nodes, the first to visit last, and the edge count of each leaf (of nodes: 0)."""
    uses: dict[Edge, int] = {}
    nodes: list[Node] = []
    edges: list[Edge] = [*roots]
    for edge in edges:
        if edge is None:
            continue
        if edge in uses:
            if uses[edge]:
                uses[edge] += 1
        elif type(edge) is _plain_node or not isinstance(edge, Tensor):
            uses[edge] = 0
            nodes.append(edge)
            edges += edge.edges
        else:
            uses[edge] = 1
    nodes.sort(key=_by_sequence)
    return nodes, uses


def _nodes_towards(
    nodes: list[Node], captured: dict[Node | Tensor, Value]
) -> tuple[list[Node], set[Node | Tensor]]:
    """Return the nodes to visit for the captured places, and those with a path to one of them."""
    leading: set[Node | Tensor] = set()
    for node in nodes:
        if any(edge in captured or edge in leading for edge in node.edges):
            leading.add(node)
    return [node for node in nodes if node in leading or node in captured], leading


def traverse(  # noqa: C901, PLR0912, PLR0915 - the one loop, kept in one piece for its speed
    roots: list[Node | Tensor],
    values: list[Value],
    retain: bool,
    create: bool,
    captured: dict[Node | Tensor, Value] | None = None,
    watched: bool = False,
) -> Generator[_Step, None, None]:
    """Run a backward pass; if watched, yield at each visit and each accumulation.

    With `captured`, its values are filled in and nothing is accumulated; only nodes with a path to
    one of its keys are visited.

    Args:
        roots: The nodes or leaves to start from.
        values: The gradient that flows into each root.
        retain: Whether to keep the nodes' saved values.
        create: Whether to record the pass itself.
        captured: The places whose gradients are wanted; their values are overwritten.
        watched: Whether to yield; otherwise the caller just exhausts the generator.

    Yields:
        (node, incoming, outgoing) after each visit, (leaf, added, None) after each accumulation.
    """
    nodes, uses = _collect(roots)
    if captured is not None:
        nodes, leading = _nodes_towards(nodes, captured)
    pending: dict[Edge, Value] = {}
    incoming: Value = None
    edges: Sequence[Any] = roots
    outgoing: Sequence[Value] = values
    while True:
        place = 0
        for edge in edges:
            value = outgoing[place]
            place += 1  # by hand: zip or enumerate would double the cost
            if edge is None:
                continue
            if value is not None:
                pending[edge] = pending[edge] + value if edge in pending else value
            left = uses[edge]
            if left > 1:
                uses[edge] = left - 1
            elif left:
                total = pending.pop(edge, None)
                if total is None or not edge._requires_grad:
                    continue
                borrowed = incoming if value is not None else total
                if edge._hooks is not None and edge._hooks.gradient:
                    total = borrowed = _run_tensor_hooks(edge._hooks.gradient, total, create)
                if captured is None:
                    accumulate(edge, total, borrowed, create)
                    if watched:
                        yield edge, total, None
                elif edge in captured:
                    captured[edge] = total
        if not nodes:
            return
        node = nodes.pop()
        edges = node.edges
        incoming = pending.pop(node, None)
        if incoming is None:
            outgoing = (None,) * len(edges)
            continue
        hooks = node.hooks
        if hooks is not None:
            incoming = _run_pre_hooks(node, hooks, incoming, create)
        if captured is not None and node in captured:
            captured[node] = incoming
            if node not in leading:
                edges = ()
                continue
        saved = node.saved
        if create:
            with grad_mode.enable_grad():
                outgoing = node.kind.vjp(node, incoming, _unpack_as_tensors(node))
        else:
            if saved and (node.counters or saved is FREED or type(node) is not _plain_node):
                saved = node.unpack()
            outgoing = node.kind.vjp(node, incoming, saved)
        if anomaly.enabled:
            _raise_on_nan(node, outgoing)
        if saved and not retain:  # `release` inlined: a call would cost more
            node.saved = FREED
            node.counters = ()
        if hooks is not None and hooks.post:
            outgoing = _run_post_hooks(hooks, incoming, outgoing, create)
        if watched:
            yield node, incoming, outgoing


def accumulate(leaf: Tensor, total: Value, borrowed: Value, create: bool) -> None:
    """Add `total` to `.grad`; the first array is kept without a copy if nothing else holds it.

    Args:
        leaf: The tensor whose `.grad` grows.
        total: The gradient to add.
        borrowed: An array that something else may hold.
        create: Whether to record the addition.
    """
    held = leaf._grad
    if create:
        with grad_mode.enable_grad():
            leaf._grad = total if held is None else held + total
    elif held is None:
        if type(total) is RowSparse:
            leaf._grad = wrap_gradient(total.copy())
        else:
            if total is borrowed or type(total) is not _ndarray or total.base is not None:
                total = np.array(total)
            leaf._grad = wrap(total)
    else:
        held._array += total
        held._version_counter[0] += 1
    if leaf._hooks is not None:
        for hook in leaf._hooks.accumulated:
            hook(leaf)


def _unpack_as_tensors(node: Node) -> tuple[Value, ...]:
    """Return the saved values of a node as tensors that are part of the graph."""
    values = []
    for value, source in zip(node.unpack(), node.as_kind().sources, strict=False):
        if source is None or not isinstance(value, np.ndarray):
            values.append(value)
        else:
            values.append(attached(value, node if source < 0 else node.edges[source]))
    return tuple(values)


def attached(array: NDArray[Any], origin: Node | Tensor | None) -> Tensor:
    """Return a tensor of a saved array, connected to the graph at `origin`."""
    if origin is not None and not isinstance(origin, Node) and origin._array is array:
        return origin
    out = wrap(array)
    if isinstance(origin, Node):
        out._grad_fn = origin
        out._requires_grad = True
    elif origin is not None:  # the leaf's data was replaced since
        record(AliasBackward0, out, (origin,))
    return out


class AliasBackward0(Node):
    """The identity."""

    __slots__ = ()
    rule = "input: grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Pass the gradient on."""
        return (grad,)


def _raise_on_nan(node: Node, outgoing: tuple[Value, ...]) -> None:
    """Raise in anomaly mode when a gradient has become NaN."""
    for place, value in enumerate(outgoing):
        if value is not None and np.isnan(_as_tensor(value)._array).any():
            trace = getattr(node, "trace", "(recorded before anomaly mode was turned on)")
            raise TensorError(
                f"Function '{node.name()}' returned nan values in its {place}th output. "
                f"Traceback of the forward call that recorded it:\n{trace}"
            )


def _run_pre_hooks(node: Node, hooks: NodeHooks, incoming: Value, create: bool) -> Value:
    """Run a node's hooks before its visit, and return the possibly replaced gradient."""
    if hooks.tensor:
        incoming = _run_tensor_hooks(hooks.tensor, incoming, create)
    for hook in hooks.pre:
        with grad_mode.set_grad_enabled(create):
            changed = hook((_as_tensor(incoming),))
        if changed is not None:
            incoming = _as_value(changed[0] if isinstance(changed, tuple) else changed, create)
    kept = None if hooks.retains is None else hooks.retains()
    if kept is not None and kept._grad_fn is node:
        value = incoming if create else wrap(np.array(incoming))
        kept._grad = value if kept._grad is None else kept._grad + value
    return incoming


def _run_post_hooks(hooks: NodeHooks, incoming: Value, outgoing: Value, create: bool) -> Value:
    """Run a node's hooks after its visit, and return the possibly replaced gradients."""
    for hook in hooks.post:
        with grad_mode.set_grad_enabled(create):
            tensors = tuple(None if value is None else _as_tensor(value) for value in outgoing)
            changed = hook(tensors, (_as_tensor(incoming),))
        if changed is not None:
            several = changed if isinstance(changed, tuple) else (changed,)
            if len(several) != len(outgoing):
                raise TensorError(
                    f"a hook has returned {len(several)} gradients for {len(outgoing)} inputs",
                    "return one gradient for each, or None",
                )
            outgoing = tuple(
                None if value is None else _as_value(value, create) for value in several
            )
    return outgoing


def _run_tensor_hooks(hooks: HookList, value: Value, create: bool) -> Value:
    """Pass a gradient through a tensor's hooks."""
    tensor = _as_tensor(value)
    for hook in hooks:
        with grad_mode.set_grad_enabled(create):
            changed = hook(tensor)
        if changed is None:
            continue
        if not isinstance(changed, Tensor):
            raise ArgumentTypeError(
                f"expected a hook to return a Tensor or None, got {type(changed).__name__}"
            )
        if changed._array.shape != tensor._array.shape:
            raise TensorError(
                f"a hook has changed the size of value: {list(tensor._array.shape)} became "
                f"{list(changed._array.shape)}"
            )
        tensor = changed
    return _as_value(tensor, create)


def _as_tensor(value: Value) -> Tensor:
    return value if isinstance(value, Tensor) else wrap(value)


def _as_value(tensor: Tensor, create: bool) -> Value:
    return tensor if create else tensor._array
