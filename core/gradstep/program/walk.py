"""Walking an Operation: the code that carries it out, one micro-step at a time.

What is walked is provisional. The arithmetic is that of `Program.run`, so every number seen is the
one that a run gives; but a walk may be abandoned anywhere, so whoever walks restores the state from
before, and runs the Operation to keep what it does.
"""

from __future__ import annotations

from contextlib import closing
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from gradstep.autograd.clearing import clear_gradients
from gradstep.autograd.engine import Visit, visits
from gradstep.autograd.graph import AccumulateGrad, Node
from gradstep.autograd.graph import walk as nodes_behind
from gradstep.optim.term import Formula
from gradstep.program import operation as ops
from gradstep.program.actions import last_computed
from gradstep.program.micro_step import MicroStep, kept
from gradstep.program.rule import backward_rule
from gradstep.program.walk_forward import saved_values, walk_forward
from gradstep.program.walk_step import walk_step

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from gradstep.autograd.engine import Accumulation
    from gradstep.autograd.graph import Edge
    from gradstep.autograd.tensor import Tensor
    from gradstep.program.live import Live
    from gradstep.program.operation import Backward, Operation, ZeroGrad

__all__ = ["Walk", "walk"]

Walk: TypeAlias = "Generator[MicroStep, None, None]"


def walk(live: Live, operation: Operation) -> Walk:
    """Carry out an Operation micro-step by micro-step; one that has no inside gives none.

    Raises:
        GradStepError: Where a run would raise it; what was done until then is not undone.
    """
    inside = _INSIDE.get(type(operation))
    if inside is not None:
        yield from inside(live, operation)


def _walk_zero_grad(live: Live, operation: ZeroGrad) -> Walk:
    name, to_none = operation.optimizer, operation.set_to_none
    for number, group in enumerate(live.optimizer(name).param_groups):
        for parameter in group["params"]:
            before = kept([("grad", _array(parameter._grad))])
            clear_gradients((parameter,), to_none)
            yield MicroStep(
                "parameter",
                live.addresses[parameter],
                (name, f"group {number}"),
                _CLEARED[to_none] if before else _NOTHING_TO_CLEAR,
                before,
                kept([("grad", _array(parameter._grad))]),
            )


def _walk_backward(live: Live, operation: Backward) -> Walk:
    value, _ = last_computed(live, operation.loss)
    numbers = {node: number for number, node in enumerate(nodes_behind(value.grad_fn))}
    saved = {node: saved_values(node, node.saved) for node in numbers}  # visiting lets go of it

    def label(edge: Edge) -> str:
        if isinstance(edge, Node):
            return f"{edge.name()} #{numbers[edge]}"
        return "" if edge is None else live.addresses.get(edge, "a constant")

    def operands(node: Node) -> Iterator[tuple[str, Any]]:
        for source, operand in sorted(saved[node].items()):
            leaf = node.edges[source] if 0 <= source < len(node.edges) else None
            name = "output" if source < 0 else f"input {source + 1}"
            named = leaf is not None and not isinstance(leaf, Node)
            yield label(leaf) if named else name, operand

    def node_step(visit: Visit) -> MicroStep:
        going = [
            (edge, value)
            for edge, value in zip(visit.node.edges, visit.outgoing, strict=False)
            if edge is not None and value is not None
        ]
        return MicroStep(
            "node",
            visit.node.name(),
            (operation.loss,),
            backward_rule(visit.node),
            kept([("incoming", visit.incoming), *operands(visit.node)]),
            kept((label(edge), value) for edge, value in going),
            numbers[visit.node],
            tuple(numbers[_place(edge)] for edge, _ in going),
        )

    def leaf_step(visit: Accumulation) -> MicroStep:
        return MicroStep(
            "accumulate",
            f"{label(visit.leaf)}.grad",
            (operation.loss,),
            _FIRST if visit.before is None else _ADDED,
            kept([("before", visit.before), ("added", visit.added)]),
            kept([("after", visit.after)]),
            numbers.get(_place(visit.leaf)),
        )

    with closing(visits((value,), retain_graph=operation.retain_graph)) as steps:  # type: ignore[type-var]  # it is a generator
        for visit in steps:
            yield node_step(visit) if isinstance(visit, Visit) else leaf_step(visit)


def _place(edge: Node | Tensor) -> Node:
    return edge if isinstance(edge, Node) else AccumulateGrad(edge)


def _array(gradient: Any) -> Any:  # noqa: ANN401 - a Tensor's array, or None
    return None if gradient is None else gradient._array


_CLEARED = {
    True: Formula("grad = None", r"\nabla\theta \leftarrow \text{None}"),
    False: Formula("grad = 0", r"\nabla\theta \leftarrow 0"),
}
_NOTHING_TO_CLEAR = Formula("grad was None already", "")
_FIRST = Formula("after = added", r"\nabla\theta = \text{added}")
_ADDED = Formula("after = before + added", r"\nabla\theta = \text{before} + \text{added}")

_INSIDE: Mapping[type[Operation], Callable[[Live, Any], Walk]] = MappingProxyType(
    {
        ops.ZeroGrad: _walk_zero_grad,
        ops.Forward: walk_forward,
        ops.Backward: _walk_backward,
        ops.Step: walk_step,
    }
)
