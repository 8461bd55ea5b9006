"""Backward, and gradients that are asked for with `autograd.grad`."""

from __future__ import annotations

import functools
import weakref
from typing import TYPE_CHECKING, Any

from gradstep_agent.torch_hooks.wrapping import wrap
from gradstep_agent.user_code import main_frame, name_of

if TYPE_CHECKING:
    from types import FrameType

    from gradstep_agent.agent import Agent, Ongoing

LARGEST_GRAPH = 20_000
"""Nodes of one graph that are described."""

_FIRST_PASSES = 3


def install(agent: Agent, torch: Any) -> None:
    """Wrap `torch.autograd.backward`, which every Backward passes, and `autograd.grad`."""
    function = torch.autograd.backward
    passes: dict[tuple[str, int], int] = {}
    repeats = _Repeats()

    @functools.wraps(function)
    def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        if not agent.is_seen("backward"):
            return function(tensors, *args, **kwargs)
        loss = _first(torch, tensors)
        detail = repeats.detail(loss)
        before: dict[str, tuple[int, int]] = {}

        def prepare(ongoing: Ongoing) -> None:
            if loss is not None and loss.numel() == 1:
                ongoing.loss = float(loss.detach())
            ongoing.detail = detail
            site = (ongoing.file, ongoing.line)
            count = passes[site] = passes.get(site, 0) + 1
            if loss is not None and (count <= _FIRST_PASSES or count & (count - 1) == 0):
                _describe_graph(agent, loss, ongoing.target, is_new=count == 1)
            if agent.records_values:
                before.update(_versions(agent))

        ongoing = agent.begin("backward", lambda frame: name_of(loss, frame) or "loss", prepare)
        failure = None
        agent.nested.add("backward")
        try:
            return function(tensors, *args, **kwargs)
        except BaseException as error:
            failure = error
            raise
        finally:
            agent.nested.discard("backward")
            agent.end(ongoing, lambda: _changed(agent, before), failure)

    def grad(outputs: Any, *_: object, **__: object) -> dict[str, object]:
        loss = _first(torch, outputs)
        if loss is not None:
            _describe_graph(agent, loss, "", is_new=False)
        return {}

    torch.autograd.backward = backward
    torch.autograd.grad = wrap(
        agent, torch.autograd.grad, "autograd_grad", lambda *_, **__: "", detail=grad
    )


class _Repeats:
    """Notices that a Backward starts at the same tensor as the one before."""

    def __init__(self) -> None:
        self._last: weakref.ref[Any] | None = None

    def detail(self, loss: Any) -> dict[str, Any]:
        is_same = loss is not None and self._last is not None and self._last() is loss
        self._last = None if loss is None else weakref.ref(loss)
        return {"again": True} if is_same else {}


def _first(torch: Any, tensors: Any) -> Any:
    if isinstance(tensors, torch.Tensor):
        return tensors
    if isinstance(tensors, (tuple, list)) and tensors and isinstance(tensors[0], torch.Tensor):
        return tensors[0]
    return None


def _versions(agent: Agent) -> dict[str, tuple[int, int]]:
    """Return which gradients there are, and how often each was changed."""
    found = {}
    for tracked, tensor in agent.registry.tensors():
        gradient = tensor.grad if tracked.is_leaf else None
        if gradient is not None:
            found[f"{tracked.name}.grad"] = (id(gradient), gradient._version)
    return found


def _changed(agent: Agent, before: dict[str, tuple[int, int]]) -> list[tuple[str, Any]]:
    now = _versions(agent)
    changed = {address for address, version in now.items() if before.get(address) != version}
    return [
        (f"{tracked.name}.grad", tensor.grad)
        for tracked, tensor in agent.registry.tensors()
        if f"{tracked.name}.grad" in changed
    ]


def _describe_graph(agent: Agent, loss: Any, name: str, *, is_new: bool) -> None:
    """Name the leaves of a graph; send its nodes if it is the first of its line."""
    frame = main_frame()
    nodes = []
    numbers = {loss.grad_fn: 0}
    waiting = [loss.grad_fn] if loss.grad_fn is not None else []
    for node in waiting:
        inputs = []
        for following, _ in node.next_functions:
            if following is None:
                continue
            if following not in numbers:
                if len(numbers) >= LARGEST_GRAPH:
                    continue
                numbers[following] = len(numbers)
                waiting.append(following)
            inputs.append(numbers[following])
        nodes.append([numbers[node], str(node.name()), inputs, _leaf(agent, node, frame)])
    if is_new:
        agent.send({"type": "graph", "loss": name, "nodes": nodes})


def _leaf(agent: Agent, node: Any, frame: FrameType | None) -> str:
    variable = getattr(node, "variable", None)
    return "" if variable is None else agent.registry.name_leaf(variable, frame).name
