"""The one backward loop: a generator that visits nodes, highest sequence number first.

`backward` exhausts it; a debugger walks it. A leaf's gradient is accumulated as soon as the last
node that contributes to it has been visited.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradstep.autograd import grad_mode, graph
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from collections.abc import Generator

    from numpy.typing import NDArray

    from gradstep.autograd.hooks import HookList, NodeHooks

__all__ = ["accumulate", "attached", "traverse"]

_by_sequence = attrgetter("sequence_nr")
_Step: TypeAlias = "tuple[Node | Tensor, Value, Value]"


def _survey(roots: list[Node | Tensor]) -> tuple[list[Node], dict[Node | Tensor, int]]:
    """Return the nodes in the order of their visits, and how often each place is led to."""
    uses: dict[Node | Tensor, int] = {}
    nodes: list[Node] = []
    for root in roots:
        if root in uses:
            uses[root] += 1
        else:
            uses[root] = 1
            if isinstance(root, Node):
                nodes.append(root)
    for node in nodes:
        for edge in node.edges:
            if edge is None:
                continue
            if edge in uses:
                uses[edge] += 1
            else:
                uses[edge] = 1
                if isinstance(edge, Node):
                    nodes.append(edge)
    nodes.sort(key=_by_sequence, reverse=True)
    return nodes, uses


def _leading(nodes: list[Node], captured: dict[Node | Tensor, Value]) -> set[Node | Tensor]:
    """Return the nodes on the way to what is captured."""
    leading: set[Node | Tensor] = set()
    for node in reversed(nodes):
        if any(edge in captured or edge in leading for edge in node.edges):
            leading.add(node)
    return leading


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
    nodes, uses = _survey(roots)
    if captured is not None:
        leading = _leading(nodes, captured)
        nodes = [node for node in nodes if node in leading or node in captured]
    pending: dict[Node | Tensor, Value] = {}
    for root, value in zip(roots, values):  # noqa: B905 - checking the lengths costs as much again
        if isinstance(root, Node):
            pending[root] = pending[root] + value if root in pending else value
        else:
            total = _arrive(root, value, value, uses, pending, create, captured)
            if total is not None:
                yield root, total, None
    for node in nodes:
        incoming = pending.pop(node, None)
        if incoming is None:
            outgoing = (None,) * len(node.edges)
        else:
            hooks = node.hooks
            if hooks is not None:
                incoming = _before(node, hooks, incoming, create)
            if captured is not None and node in captured:
                captured[node] = incoming
                if node not in leading:
                    continue
            if create:
                with grad_mode.enable_grad():
                    outgoing = node.kind.vjp(node, incoming, _unpack_as_tensors(node))
            else:
                outgoing = node.kind.vjp(node, incoming, node.unpack())
            if graph.tracing:
                _refuse_nan(node, outgoing)
            if not retain:
                node.release()
            if hooks is not None and hooks.post:
                outgoing = _after(hooks, incoming, outgoing, create)
            yield node, incoming, outgoing
        position = 0
        for edge in node.edges:
            value = outgoing[position]
            position += 1  # by hand: zip or enumerate would cost as much as the rest
            if edge is None:
                continue
            if not isinstance(edge, Node):
                total = _arrive(edge, value, incoming, uses, pending, create, captured)
                if total is not None:
                    yield edge, total, None
            elif value is not None:
                pending[edge] = pending[edge] + value if edge in pending else value


def _arrive(
    leaf: Tensor,
    value: Value,
    incoming: Value,
    uses: dict[Node | Tensor, int],
    pending: dict[Node | Tensor, Value],
    create: bool,
    captured: dict[Node | Tensor, Value] | None,
) -> Value:
    """Count a use of `leaf`; at the last one accumulate and return the gradient, or capture it."""
    total = pending.pop(leaf, None)
    if total is None:
        total = value
    elif value is not None:
        total = total + value
    else:
        incoming = total  # it may have been the incoming gradient of a node before
    left = uses[leaf] - 1
    if left:
        uses[leaf] = left
        pending[leaf] = total
        return None
    if total is None or not leaf._requires_grad:
        return None
    hooks = leaf._hooks
    if hooks is not None and hooks.gradient:
        total = incoming = _run_hooks(hooks.gradient, total, create)
    if captured is not None:
        if leaf in captured:
            captured[leaf] = total
        return None
    accumulate(leaf, total, create, incoming)
    return total


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
    for value, source in zip(node.unpack(), node.as_kind().sources, strict=False):
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
        record(AliasBackward0, out, (origin,))
    return out


class AliasBackward0(Node):
    """The identity."""

    __slots__ = ()
    rule = "input: grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
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
            if len(several) != len(outgoing):
                raise TensorError(
                    f"a hook has returned {len(several)} gradients for {len(outgoing)} inputs",
                    "return as many as it was given, or None",
                )
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
