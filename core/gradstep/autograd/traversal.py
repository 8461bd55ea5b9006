"""The one backward loop: a generator that visits nodes, highest sequence number first.

`backward` exhausts it; a debugger walks it. A leaf's gradient is accumulated as soon as the last
node that contributes to it has been visited.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradstep.autograd import grad_mode, graph
from gradstep.autograd.graph import Node, Value
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from collections.abc import Generator

    from numpy.typing import NDArray

    from gradstep.autograd.hooks import HookList, NodeHooks

__all__ = ["accumulate", "attached", "traverse"]

_by_sequence = attrgetter("sequence_nr")
_Step: TypeAlias = "tuple[Node | Tensor, Value, Value]"


def _survey(  # noqa: C901 - two short loops over the same edges
    roots: list[Node | Tensor], captured: dict[Node | Tensor, Value] | None
) -> tuple[list[Node], dict[Node | Tensor, int], set[Node | Tensor]]:
    """Return the nodes in the order of their visits, the uses of each leaf, and what leads on.

    The last are the nodes on the way to what is captured; only these and the captured are visited.
    """
    uses: dict[Node | Tensor, int] = {}
    seen: set[Node] = set()
    nodes: list[Node] = []
    for root in roots:
        if not isinstance(root, Node):
            uses[root] = uses.get(root, 0) + 1
        elif root not in seen:
            seen.add(root)
            nodes.append(root)
    for node in nodes:
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                uses[edge] = uses.get(edge, 0) + 1
            elif edge not in seen:
                seen.add(edge)
                nodes.append(edge)
    nodes.sort(key=_by_sequence, reverse=True)
    leading: set[Node | Tensor] = set()
    if captured is not None:
        for node in reversed(nodes):
            if any(edge in captured or edge in leading for edge in node.edges):
                leading.add(node)
        nodes = [node for node in nodes if node in leading or node in captured]
    return nodes, uses, leading


def traverse(  # noqa: C901, PLR0912 - the one loop, kept in one piece for its speed
    roots: list[Node | Tensor],
    values: list[Value],
    retain: bool,
    create: bool,
    captured: dict[Node | Tensor, Value] | None,
) -> Generator[_Step, None, None]:
    """Visit the graph; give (node, incoming, outgoing), and (leaf, added, None) once accumulated.

    With `captured`, gradients are put there and nothing is accumulated; only the nodes that lead
    to what is asked for are visited.
    """
    nodes, uses, leading = _survey(roots, captured)
    pending: dict[Node | Tensor, Value] = {}
    for root, value in zip(roots, values, strict=True):
        held = pending.get(root)
        pending[root] = value if held is None else held + value
        if root in uses and _arrived(root, uses, pending, create, captured, value):
            yield root, pending.pop(root), None
    for node in nodes:
        incoming = pending.pop(node, None)
        hooks = node.hooks
        if incoming is None:
            outgoing = (None,) * len(node.edges)
        else:
            if hooks is not None:
                incoming = _before(node, hooks, incoming, create)
            if captured is not None and node in captured:
                captured[node] = incoming
                if node not in leading:
                    continue
            if create:
                with grad_mode.enable_grad():
                    outgoing = node.vjp(incoming, *_unpack_as_tensors(node))
            else:
                outgoing = node.vjp(incoming, *node.unpack())
            if graph.tracing:
                _refuse_nan(node, outgoing)
            if not retain:
                node.release()
            if hooks is not None and hooks.post:
                outgoing = _after(hooks, incoming, outgoing, create)
            yield node, incoming, outgoing
        for edge, value in zip(node.edges, outgoing, strict=True):
            if edge is None:
                continue
            if value is not None:
                held = pending.get(edge)
                pending[edge] = value if held is None else held + value
            if edge in uses and _arrived(edge, uses, pending, create, captured, incoming):
                yield edge, pending.pop(edge), None


def _arrived(
    leaf: Value,  # always a Tensor: nothing else is counted
    uses: dict[Node | Tensor, int],
    pending: dict[Node | Tensor, Value],
    create: bool,
    captured: dict[Node | Tensor, Value] | None,
    incoming: Value,
) -> bool:
    """Count a use of `leaf`; at the last one accumulate, or capture. True when accumulated."""
    left = uses[leaf] - 1
    if left:
        uses[leaf] = left
        return False
    total = pending.get(leaf)
    if total is None or not leaf._requires_grad:
        return False
    hooks = leaf._hooks
    if hooks is not None and hooks.gradient:
        total = incoming = pending[leaf] = _run_hooks(hooks.gradient, total, create)
    if captured is not None:
        if leaf in captured:
            captured[leaf] = total
        return False
    accumulate(leaf, total, create, incoming)
    return True


def accumulate(leaf: Tensor, total: Value, create: bool, incoming: Value) -> None:
    """Add `total` to `.grad`: a first array is kept as it is when nothing else holds it."""
    held = leaf._grad
    if create:
        with grad_mode.enable_grad():
            leaf._grad = total if held is None else held + total
    elif held is None:
        if total is incoming or type(total) is not np.ndarray or total.base is not None:
            total = np.array(total)
        leaf._grad = wrap(total)
    else:
        held._array += total
        held._version_counter[0] += 1
    if leaf._hooks is not None:
        for hook in leaf._hooks.accumulated:
            hook(leaf)


def _unpack_as_tensors(node: Node) -> tuple[Value, ...]:
    """Return what a node saved as tensors that are part of the graph."""
    values = []
    for value, source in zip(node.unpack(), node.sources, strict=False):
        if source is None or not isinstance(value, np.ndarray):
            values.append(value)
        else:
            values.append(attached(value, node if source < 0 else node.edges[source]))
    return tuple(values)


def attached(array: NDArray[Any], origin: Node | Tensor | None) -> Tensor:
    """Return a tensor of a saved array that stands where `origin` does in the graph."""
    if origin is not None and not isinstance(origin, Node) and origin._array is array:
        return origin
    out = wrap(array)
    if isinstance(origin, Node):
        out._grad_fn = origin
        out._requires_grad = True
    elif origin is not None:  # the leaf was given other data since
        AliasBackward0(out, (origin,))
    return out


class AliasBackward0(Node):
    """The identity."""

    __slots__ = ()

    def vjp(self, grad: Value, *_: Value) -> tuple[Value, ...]:
        """Pass the gradient on."""
        return (grad,)


def _refuse_nan(node: Node, outgoing: tuple[Value, ...]) -> None:
    """Raise in anomaly mode when a gradient has become NaN."""
    for place, value in enumerate(outgoing):
        if value is not None and np.isnan(_as_tensor(value)._array).any():
            trace = getattr(node, "trace", "(it was recorded before anomaly mode was turned on)")
            raise TensorError(
                f"Function '{node.name()}' returned nan values in its {place}th output. "
                f"Traceback of the forward call that recorded it:\n{trace}"
            )


def _before(node: Node, hooks: NodeHooks, incoming: Value, create: bool) -> Value:
    """Run what hangs on a node before its visit; return the gradient that goes on."""
    if hooks.tensor:
        incoming = _run_hooks(hooks.tensor, incoming, create)
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


def _after(hooks: NodeHooks, incoming: Value, outgoing: Value, create: bool) -> Value:
    """Run what hangs on a node after its visit; return the gradients that go on."""
    for hook in hooks.post:
        with grad_mode.set_grad_enabled(create):
            tensors = tuple(None if value is None else _as_tensor(value) for value in outgoing)
            changed = hook(tensors, (_as_tensor(incoming),))
        if changed is not None:
            several = changed if isinstance(changed, tuple) else (changed,)
            outgoing = tuple(
                None if value is None else _as_value(value, create) for value in several
            )
    return outgoing


def _run_hooks(hooks: HookList, value: Value, create: bool) -> Value:
    """Pass a gradient through the hooks of a tensor."""
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
