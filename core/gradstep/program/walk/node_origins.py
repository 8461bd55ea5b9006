"""Find the module that recorded each node of a loss's graph; trace module calls and nodes."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gradstep.autograd import graph
from gradstep.errors import GradStepError
from gradstep.nn.module_hooks import watched
from gradstep.program.operations.training import last_computed
from gradstep.program.runtime.rollback import save_for_rollback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from gradstep.autograd.graph import Node
    from gradstep.autograd.tensor import Tensor
    from gradstep.nn.module import Module
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["Call", "module_names", "node_origins", "trace_computation", "without_side_effects"]

Call = tuple[str, int]
"""A module's full name, and which call of it, from 1; ("", 0) outside of all modules."""

_OUTSIDE: Call = ("", 0)


def node_origins(live: LiveObjects, loss: str) -> dict[int, Call]:
    """Return the innermost call that recorded each node, by the node's number in the graph.

    Nodes do not store it, which would slow down every Forward. Instead the loss is computed again
    on the same batch, without side effects. If that records another graph, as after a Freeze, the
    result is empty.

    Raises:
        OperationError: If the loss has not been computed yet.
    """
    value, record = live.losses_in_progress.get(loss) or last_computed(live, loss)
    tracer = _OriginTracer(module_names(live, loss))
    try:
        with without_side_effects(live, loss), tracer.tracing():
            again = live.compute(live.loss(loss), record.inputs, record.targets, record)
    except GradStepError:  # the settings have changed; the next Forward reports it
        return {}
    nodes = list(graph.walk(again.grad_fn))
    if [type(node) for node in nodes] != [type(node) for node in graph.walk(value.grad_fn)]:
        return {}
    return {number: tracer.calls_by_node.get(node, _OUTSIDE) for number, node in enumerate(nodes)}


@contextmanager
def trace_computation(
    enter: Callable[..., None],
    leave: Callable[..., None],
    recorded: Callable[[Node, Tensor], None],
) -> Iterator[None]:
    """Call functions for every module call and every new node inside a `with` block.

    Args:
        enter: Called with each module and its arguments, before its forward.
        leave: Called with the module, its arguments and its output.
        recorded: Called with each new node and its result.
    """
    graph.watchers.append(recorded)
    try:
        with watched(enter, leave):
            yield
    finally:
        graph.watchers.remove(recorded)


def module_names(live: LiveObjects, loss: str | None = None) -> dict[Module, str]:
    """Return the full names of a program's modules; the criterion of a loss is "criterion"."""
    names = {
        inner: f"{name}.{path}" if path else name
        for name, module in live.modules.items()
        for path, inner in module.named_modules()
    }
    criterion = None if loss is None else live.loss(loss).criterion
    if criterion is not None:
        names[criterion] = "criterion"
    return names


@contextmanager
def without_side_effects(live: LiveObjects, loss: str) -> Iterator[None]:
    """Restore the running statistics and the generator after a loss was computed."""
    undo = save_for_rollback(live.running_buffers[loss])
    drawn = live.random_stream.default_state() if live.draws_random[loss] else None
    try:
        yield
    finally:
        undo()
        if drawn is not None:
            live.random_stream.set_default_state(drawn)


class _OriginTracer:
    """Records the module call that creates each node.

    Attributes:
        calls_by_node: The call that recorded each node.
    """

    def __init__(self, names: dict[Module, str]) -> None:
        self.calls_by_node: dict[Node, Call] = {}
        self._names = names
        self._calls: Counter[str] = Counter()
        self._open: list[Call] = [_OUTSIDE]

    def tracing(self) -> AbstractContextManager[None]:
        """Trace the computation inside a `with` block."""
        return trace_computation(self._enter, self._leave, self._record)

    def _enter(self, module: Module, _args: tuple[Any, ...]) -> None:
        name = self._names.get(module, type(module).__name__)
        self._calls[name] += 1
        self._open.append((name, self._calls[name]))

    def _leave(self, _module: Module, _args: tuple[Any, ...], _output: Any) -> None:  # noqa: ANN401
        self._open.pop()

    def _record(self, node: Node, _out: Tensor) -> None:
        self.calls_by_node[node] = self._open[-1]
