"""Inside an Operation: Backward node by node, Forward module by module.

Only a user who steps into an Operation pays for it: the hooks of the nodes are put in when it
begins, and taken out when it ends; of modules the wrapped call is looked into, without a hook.
"""

from __future__ import annotations

import sys
from itertools import compress
from threading import get_ident
from typing import TYPE_CHECKING, Any

from gradstep_agent.graphs import describe_graph, nodes_of
from gradstep_agent.torch_hooks.wrapping import leave_out_wrapper
from gradstep_agent.user_code import user_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep_agent.agent import Agent

_STEPPING = frozenset(("step", "into"))


def enter_backward(agent: Agent, loss: Any, name: str) -> Callable[[], None]:
    """Hold after each node of a Backward; return what ends that.

    Args:
        agent: Who holds.
        loss: Where the Backward starts.
        name: The name of the loss.
    """
    frame = user_frame(sys._getframe(1))
    if loss is None:
        return _nothing
    agent.send(describe_graph(agent.registry, loss, name, frame))
    steps = _NodeSteps(agent)
    numbers = nodes_of(loss)
    for node, number in numbers.items():
        steps.hook(node, number, [to in numbers for to, _ in node.next_functions])
    return steps.leave


def _nothing() -> None:
    """End what has not begun."""


class _NodeSteps:
    """Holds after each node of a Backward, until a person has seen enough."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._handles: list[Any] = []
        self._stops = True

    def hook(self, node: Any, number: int, leads_on: list[bool]) -> None:
        """Hold after a node; it is not kept alive by that.

        Args:
            node: The node.
            number: Its number.
            leads_on: Whether the graph has a node where each of its gradients goes.
        """
        name = str(node.name())
        is_leaf = not leads_on

        def hold(results: Any, gradients: Any) -> None:
            agent = self._agent
            if not self._stops or not agent.active or get_ident() != agent.thread:
                return
            header = {"kind": "node", "when": "after", "number": number, "name": name, "depth": 0}
            going = [] if is_leaf else list(compress(results, leads_on))
            arrays = [*_named(agent, "incoming", gradients), *_numbered(agent, "outgoing", going)]
            self._stops = agent.hold_inside(header, arrays) in _STEPPING

        self._handles.append(node.register_hook(hold))

    def leave(self) -> None:
        """Take the hooks out."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()


class ModuleSteps:
    """Holds before and after each module inside a Forward.

    Args:
        agent: Who holds.
        root: The module whose Forward it is.
        name: Its name.
    """

    def __init__(self, agent: Agent, root: Any, name: str) -> None:
        self._agent = agent
        self._paths = {id(found): f"{name}.{path}" for path, found in root.named_modules() if path}
        self._depth = 0

    def call(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a module, which is the first argument, holding before and after it."""
        module = args[0]
        self._depth += 1
        try:
            if not self._agent.active or get_ident() != self._agent.thread:
                return call(*args, **kwargs)
            self._hold("before", module, "incoming", (args[1:], kwargs))
            result = call(*args, **kwargs)
            self._hold("after", module, "outgoing", result)
        except BaseException as error:
            leave_out_wrapper(error)
            raise
        finally:
            self._depth -= 1
        return result

    def _hold(self, when: str, module: Any, label: str, values: Any) -> None:
        agent = self._agent
        if agent.inside is not self:
            return
        header = {
            "kind": "module",
            "when": when,
            "number": -1,
            "name": self._paths.get(id(module), type(module).__name__),
            "depth": self._depth,
        }
        if agent.hold_inside(header, _named(agent, label, values)) not in _STEPPING:
            agent.inside = None


def _numbered(agent: Agent, label: str, values: Sequence[Any]) -> list[tuple[str, Any]]:
    """Return the tensors of a sequence, each with its place in it."""
    return [
        (f"{label} {place}", value)
        for place, value in enumerate(values)
        if isinstance(value, agent.torch.Tensor)
    ]


def _named(agent: Agent, label: str, values: Any) -> list[tuple[str, Any]]:
    """Return the tensors in what a module or node is given, or gives, with a name each."""
    found: list[Any] = []
    waiting = [values]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, agent.torch.Tensor):
            found.append(value)
        elif isinstance(value, (tuple, list)):
            waiting = [*value, *waiting]
        elif isinstance(value, dict):
            waiting = [*value.values(), *waiting]
    return [(f"{label} {number}", tensor) for number, tensor in enumerate(found)]
