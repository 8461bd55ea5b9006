"""Backward, and gradients that are requested with `autograd.grad`."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

from gradstep_agent.graphs import describe_graph
from gradstep_agent.losses import leaves_of
from gradstep_agent.operation import NAN, Operation, WrappedFunction
from gradstep_agent.torch_hooks.carried_graphs import CarriedGraphs
from gradstep_agent.torch_hooks.freezes import VainFreezes
from gradstep_agent.torch_hooks.inside import enter_backward
from gradstep_agent.torch_hooks.origins import Origins
from gradstep_agent.torch_hooks.totals import RunningTotals
from gradstep_agent.torch_hooks.wrapping import wrap
from gradstep_agent.tracked import version_of
from gradstep_agent.user_code import name_of, user_frame

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from gradstep_agent.agent import Agent
    from gradstep_agent.expected_calls import ExpectedCall
    from gradstep_agent.sites import Site

_FIRST_PASSES = 3
_MOST_SETS_OF_LEAVES = 100
"""At one line: a network that leaves out layers at random has too many to describe each."""


def install(agent: Agent, torch: Any) -> None:
    """Wrap `torch.autograd.backward`, which every Backward passes, and `autograd.grad`."""
    last, variables, origins = _LastLoss(), _Variables(agent, torch.Tensor), Origins(agent, torch)

    def describe(operation: Operation, frame: FrameType | None) -> None:
        loss, site = _first(torch, operation), operation.site
        known = agent.losses.unscaled(loss)  # as the script knows it
        if not site.loss:  # the same call gives a loss of the same name
            site.loss = name_of(known, frame) or "loss"
        operation.target = site.loss
        value = None if loss is None else number_of(agent, known)
        operation.detail = _DETAILS[last.reference() is loss, value is not None]
        last.reference = object if loss is None else weakref.ref(loss)
        if loss is None:
            return
        operation.loss = NAN if value is None else value
        is_looked_at = _is_looked_at(site, frame)
        if is_looked_at or site.revision != agent.registry.revision:
            describe_loss(operation, loss, frame)
            site.revision = agent.registry.revision
            variables.look(loss, site, frame)
        elif site.leaves_vary:
            describe_loss(operation, loss, frame)
        origins.before(operation, loss, is_looked_at=is_looked_at or site.leaves_vary)

    def describe_loss(operation: Operation, loss: Any, frame: FrameType | None) -> None:
        """Send the graph of a loss if it is not known; note which it is where there are several."""
        site = operation.site
        graph = describe_graph(agent.registry, loss, site.loss, frame)
        leaves = leaves_of(graph)
        site.leaves.add(leaves)
        site.leaves_vary = 1 < len(site.leaves) <= _MOST_SETS_OF_LEAVES
        if site.leaves_vary:
            operation.detail = (*operation.detail, ("leaves", leaves))
        if agent.losses.is_new(graph, again=site.leaves_vary) or site.passes == 1:
            where = {"file": site.file, "line": site.line, "loss_line": site.line_of_loss()}
            agent.send({**graph, **where})

    wrapped = WrappedFunction(
        "backward",
        describe,
        show=lambda made, frame: tell_graph(agent, _first(torch, made), made.target, frame),
        complete=origins.after,
        repeats=_repeats(agent, torch.Tensor, last),
        note=lambda _: _versions(agent),
        writes=lambda made: _changed(agent, made.noted or {}, _first(torch, made)),
        enter=lambda made: enter_backward(agent, _first(torch, made), made.target),
    )
    for home in getattr(torch, "homes_of_backward", (torch.autograd,)):
        home.backward = wrap(agent, home.backward, wrapped)

    torch.autograd.grad = _naming_leaves(agent, torch)


def _naming_leaves(agent: Agent, torch: Any) -> Callable[..., Any]:
    """Return `autograd.grad`, which names what it leads to."""

    def name_leaves(operation: Operation, frame: FrameType | None) -> None:
        loss = _first(torch, operation)
        if loss is not None:
            describe_graph(agent.registry, loss, "", frame)

    return wrap(agent, torch.autograd.grad, WrappedFunction("autograd_grad", name_leaves))


_AGAIN, _UNREAD = ("again", True), ("unread", True)
_READ_ONCE: tuple[tuple[str, Any], ...] = ()
_UNREAD_ONCE = (_UNREAD,)
_DETAILS = {
    (False, True): _READ_ONCE,
    (False, False): _UNREAD_ONCE,
    (True, True): (_AGAIN,),
    (True, False): (_AGAIN, _UNREAD),
}
"""By whether it is the tensor of the Backward before, and whether its value is read."""


def _repeats(
    agent: Agent, tensor_class: type, last: _LastLoss
) -> Callable[[ExpectedCall, tuple[Any, ...]], bool]:
    """Return what notices a Backward like the one before, but for the value of the loss."""
    registry = agent.registry

    def repeats(call: ExpectedCall, args: tuple[Any, ...]) -> bool:
        site = call.site
        loss: Any = args[0] if args else None
        count = site.passes + 1
        if (
            type(loss) is not tensor_class
            or last.reference() is loss
            or site.may_divide_by_zero
            or site.leaves_vary
            or count >= site.next_look
            or site.revision != registry.revision
        ):
            return False
        value = number_of(agent, agent.losses.unscaled(loss))
        if call.detail is not (_UNREAD_ONCE if value is None else _READ_ONCE):
            return False
        site.passes = count
        last.reference = weakref.ref(loss)
        call.loss = NAN if value is None else value
        return True

    return repeats


class _Variables:
    """Notices variables that keep more graphs than a Backward needs, and what freezes nothing.

    Args:
        agent: Sends a notice of them.
        tensor_class: The script's class of tensors.
    """

    def __init__(self, agent: Agent, tensor_class: type) -> None:
        self._agent = agent
        self._tensor_class = tensor_class
        self._totals = RunningTotals()
        self._carried = CarriedGraphs()
        self._freezes = VainFreezes()

    def look(self, loss: Any, site: Site, frame: FrameType | None) -> None:
        """Look at the variables before a Backward whose graph has been walked."""
        kind = self._tensor_class
        if not loss.requires_grad:
            self._tell(dict.fromkeys(self._agent.registry.rebound(frame), "rebound"), site)
            return
        found = {name: "total" for name in (self._totals.look(kind, loss, site, frame),) if name}
        if site.passes <= _FIRST_PASSES:
            found.update(self._carried.look(kind, loss, site, frame))
        self._tell(found, site)
        for name, attribute in self._freezes.look(self._agent.registry):
            header = {"type": "noticed", "what": "unfrozen", "name": name, "target": attribute}
            self._agent.send(header)

    def _tell(self, found: dict[str, str], site: Site) -> None:
        if found:
            self._agent.recorder.write_rows()  # so that each is known to belong to this Backward
        for name, what in found.items():
            self._agent.send({"type": "noticed", "what": what, "name": name, "target": site.loss})


class _LastLoss:
    """The tensor that the last Backward started at.

    Attributes:
        reference: Returns it while it is alive.
    """

    def __init__(self) -> None:
        self.reference: Callable[[], Any] = object


def _is_looked_at(site: Site, frame: FrameType | None) -> bool:
    """Count a Backward; return whether its graph is walked because it may be another one.

    Args:
        site: Where it is called.
        frame: The user's frame.
    """
    site.passes += 1
    if not site.is_called_from_elsewhere(frame) and site.passes < site.next_look:
        return False
    site.next_look = _next_look(site.passes)
    return True


def _next_look(count: int) -> int:
    """Return at how many Backward passes of a site a graph is walked again: more and more rarely.

    Args:
        count: How many there are now, when it is.
    """
    return count + 1 if count < _FIRST_PASSES else 1 << count.bit_length()


def _first(torch: Any, operation: Operation) -> Any:
    """Return the tensor that is differentiated; of several the first."""
    if operation.args:
        tensors = operation.args[0]
    else:
        keywords = operation.kwargs or {}
        tensors = keywords.get("tensors", keywords.get("outputs"))
    if isinstance(tensors, torch.Tensor):
        return tensors
    if isinstance(tensors, (tuple, list)) and tensors and isinstance(tensors[0], torch.Tensor):
        return tensors[0]
    return None


def tell_graph(agent: Agent, loss: Any, name: str, frame: FrameType | None) -> dict[str, Any]:
    """Send the graph of a loss if it is another one than the last; return nothing more to tell."""
    if loss is not None and loss.requires_grad:
        graph = describe_graph(agent.registry, loss, name, frame)
        if agent.losses.is_new(graph):
            agent.send(graph)
    return {}


def number_of(agent: Agent, loss: Any) -> float | None:
    """Return a loss that is one real number; None where it is not read.

    A device is only waited for where values are recorded.
    """
    if not (getattr(loss, "is_cpu", True) or agent.recorder.takes_values) or loss.numel() != 1:
        return None
    number = loss.item()
    return None if type(number) is complex else float(number)


def _versions(agent: Agent) -> dict[str, tuple[int, int]]:
    """Return which gradients there are, and how often each was changed."""
    found = {}
    for tracked, tensor in agent.registry.tensors():
        gradient = tensor.grad if tracked.is_leaf else None
        if gradient is not None:
            found[f"{tracked.name}.grad"] = (id(gradient), version_of(gradient))
    return found


def _changed(agent: Agent, before: dict[str, tuple[int, int]], loss: Any) -> list[tuple[str, Any]]:
    """Return the gradients that a Backward has written.

    Where there are none, it has reached tensors that are not known yet.
    """
    now = _versions(agent)
    if now == before and loss is not None:
        describe_graph(agent.registry, loss, "", user_frame(sys._getframe()))
        now = _versions(agent)
    changed = {address for address, version in now.items() if before.get(address) != version}
    return [
        (f"{tracked.name}.grad", tensor.grad)
        for tracked, tensor in agent.registry.tensors()
        if f"{tracked.name}.grad" in changed
    ]
