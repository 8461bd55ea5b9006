"""Micro-steps of a Forward: the module calls and the recorded operations, in order."""

from __future__ import annotations

import inspect
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from gradstep.autograd import graph
from gradstep.autograd.graph import Node
from gradstep.autograd.tensor import Tensor
from gradstep.errors import GradStepError
from gradstep.formula import Formula
from gradstep.program.micro_step import MicroStep, array_copies
from gradstep.program.operations.training import compute_forward, store_forward
from gradstep.program.walk.node_formulas import forward_rule, input_names, operand
from gradstep.program.walk.node_origins import module_names, trace_computation
from gradstep.program.walk.value_names import ValueNames, distinct, saved_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from gradstep.nn.module import Module
    from gradstep.program.micro_step import Arrays, Walk
    from gradstep.program.operation import Forward
    from gradstep.program.operation_effect import OperationEffect
    from gradstep.program.runtime.forward_record import ForwardRecord
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["walk_forward"]


def walk_forward(live: LiveObjects, operation: Forward) -> Walk:
    """Compute a loss while tracing it, then yield the trace: each module before its contents.

    A Forward has no visible effect before it is complete, so it need not be suspended in between.
    Operations that record no graph (on held-out rows or on data alone) belong to their module's
    step.
    """
    tracer = _ForwardTracer(live, operation.loss)
    failure: GradStepError | None = None
    writes: tuple[str, ...] = ()
    try:
        with tracer.tracing():
            value, record, effect = compute_forward(live, operation)
        tracer.number(value, record)
        live.losses_in_progress[operation.loss] = value, record
        writes = _written(live, operation.loss, effect)
    except GradStepError as error:
        tracer.attach_error(error)
        failure = error
    tracer.finish()
    try:
        # Everything is already written; only the first micro-step reports the writes.
        for seen in tracer.seen:
            yield partial(MicroStep, **seen, writes=writes)
            writes = ()
    finally:
        live.losses_in_progress.clear()
    if failure is not None:
        raise failure
    store_forward(live, operation, value, record)


def _written(live: LiveObjects, loss: str, effect: OperationEffect) -> tuple[str, ...]:
    """Return the addresses that change when a loss is computed, without the loss's own graph."""
    graphs = [f"{name}.graph" for name in live.losses] if live.running_buffers[loss] else []
    written = [address for address in effect.writes if address != f"{loss}.graph"]
    return (*written, *graphs)  # the graphs save the old values of the buffers


class _ForwardTracer:
    """Records the module calls and the operations of a loss.

    Attributes:
        seen: The fields of the micro-steps, in order.
    """

    def __init__(self, live: LiveObjects, loss: str) -> None:
        self.seen: list[dict[str, Any]] = []
        self._values = ValueNames(live, loss)
        self._names = module_names(live, loss)
        self._open: list[dict[str, Any]] = []
        self._path: tuple[str, ...] = (loss,)
        self._made: dict[Node, NDArray[Any]] = {}
        self._nodes: list[tuple[dict[str, Any], Node, dict[int, Any]]] = []

    def tracing(self) -> AbstractContextManager[None]:
        """Trace the computation inside a `with` block."""
        return trace_computation(self._enter, self._leave, self._record)

    def number(self, value: Tensor, record: ForwardRecord) -> None:
        """Set the number of every operation's node in the graph of the loss, and name the data."""
        numbers = {node: number for number, node in enumerate(graph.walk(value.grad_fn))}
        for seen, node, _ in self._nodes:
            seen["node"] = numbers.get(node)
        self._values.add_batch(record)

    def finish(self) -> None:
        """Set the inputs of every operation, once it is known what they are called."""
        for seen, node, saved in self._nodes:
            operands = distinct(self._operands(node, saved))
            operands += [
                (key, key, value)
                for key, value in node.constants().items()
                if key in seen["formula"].names
            ]
            seen["inputs"] = array_copies((key, value) for _, key, value in operands)
            seen["symbols"] = {symbol: key for symbol, key, _ in operands}

    def attach_error(self, error: GradStepError) -> None:
        """Set the error on the step of the module that was running, if there was one."""
        if self._open:
            self._open[-1]["error"] = str(error)

    def _enter(self, module: Module, args: tuple[Any, ...]) -> None:
        self._values.enter(module, args)
        kind = type(module).__name__
        self._open.append(
            {
                "kind": "module",
                "title": self._names.get(module, kind),
                "path": self._path,
                "formula": Formula(f"{kind}({module.extra_repr()})"),
                "inputs": _copies_of_tensors(
                    zip(_argument_names(type(module).forward, len(args)), args, strict=True)
                ),
            }
        )
        self._path = (*self._path, self._open[-1]["title"])
        self.seen.append(self._open[-1])

    def _leave(self, module: Module, args: tuple[Any, ...], output: Any) -> None:  # noqa: ANN401
        self._values.leave(module, args, output)
        several = output if isinstance(output, tuple) else (output,)
        self._open.pop()["outputs"] = _copies_of_tensors(("output", value) for value in several)
        self._path = self._path[:-1]

    def _record(self, node: Node, out: Tensor) -> None:
        self._values.record(node, out)
        outputs = array_copies([("output", out._array)])
        seen = {
            "kind": "op",
            "title": node.name().partition("Backward")[0],
            "path": self._path,
            "formula": forward_rule(node),
            "outputs": outputs,
        }
        self.seen.append(seen)
        self._nodes.append((seen, node, saved_values(node, node.saved)))
        self._made[node] = outputs["output"]

    def _operands(self, node: Node, saved: Mapping[int, Any]) -> Iterator[tuple[str, str, Any]]:
        """Yield the inputs of an operation, from its edges in the graph or its saved values.

        Each is its symbol in the formulas, its name and its value.
        """
        names = input_names(node)
        for place in sorted({*range(len(node.edges)), *saved} - {-1}):
            edge, value = operand(node, place, saved.get(place))
            symbol = names.get(place, f"input {place + 1}")
            name = self._values.of(edge, value) or symbol
            if isinstance(edge, Node):
                yield symbol, name, self._made.get(edge, value)
            else:
                yield symbol, name, value if edge is None else edge._array


@cache
def _argument_names(forward: Callable[..., Any], count: int) -> list[str]:
    """Return the argument names of a module's forward; "input" for variadic arguments."""
    known = list(inspect.signature(forward).parameters.values())[1:]
    names = [one.name for one in known if one.kind is one.POSITIONAL_OR_KEYWORD][:count]
    return names + ["input"] * (count - len(names))


def _copies_of_tensors(named: Iterable[tuple[str, Any]]) -> Arrays:
    return array_copies((name, value._array) for name, value in named if isinstance(value, Tensor))
