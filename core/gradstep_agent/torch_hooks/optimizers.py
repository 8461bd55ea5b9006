"""Step and Zero Grad of optimizers: also of a user's own classes, and of several at once."""

from __future__ import annotations

import functools
import sys
from threading import get_ident
from typing import TYPE_CHECKING, Any

from gradstep_agent.operation import Operation, WrappedFunction
from gradstep_agent.torch_hooks.renewals import RenewedOptimizers
from gradstep_agent.torch_hooks.wrapping import (
    leave_out_wrapper,
    skipped_by_warnings,
    tracing_check,
)
from gradstep_agent.torch_hooks.zero_grad import see_zero_grad
from gradstep_agent.user_code import user_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from gradstep_agent.agent import Agent
    from gradstep_agent.expected_calls import ExpectedCall
    from gradstep_agent.tracked import KnownOptimizer


def install(agent: Agent, torch: Any) -> None:
    """Wrap `step` where torch wraps it itself, `zero_grad`, and `add_param_group`."""
    optimizer_class, renewed = torch.optim.Optimizer, RenewedOptimizers()

    def look(optimizer: Any, known: KnownOptimizer) -> None:
        if renewed.look(agent.registry, optimizer, known, agent.position.iteration):
            kind = type(optimizer).__name__
            agent.send({"type": "noticed", "what": "renewed", "name": known.name, "target": kind})

    def describe_step(operation: Operation, frame: FrameType | None) -> None:
        optimizer = operation.args[0]
        known = agent.registry.optimizer(optimizer, frame)
        agent.registry.check_options(known, optimizer, frame)
        look(optimizer, known)
        operation.target = known.name
        operation.keeps_gradients = known.is_torchs_own and known.reference() is optimizer
        what, name = ("", "") if agent.drawn is None else agent.drawn.look(frame)
        if name:
            agent.send({"type": "noticed", "what": what, "name": name, "target": known.name})

    def repeats_step(call: ExpectedCall, args: tuple[Any, ...]) -> bool:
        optimizer, known = args[0], agent.registry.known_optimizer(args[0])
        return (
            known is not None
            and call.subject() is optimizer
            and not known.has_changed(optimizer.param_groups)
            and (agent.drawn is None or not agent.drawn.is_new())
        )

    def name_of(optimizer: Any, frame: FrameType | None) -> str:
        known = agent.registry.optimizer(optimizer, frame)
        look(optimizer, known)
        return known.name

    wrapped = WrappedFunction(
        "step", describe_step, writes=lambda made: _written(agent, made), repeats=repeats_step
    )

    if hasattr(optimizer_class, "profile_hook_step"):
        _see_steps(agent, torch, wrapped)
    else:
        _see_steps_of_classes(agent, optimizer_class, wrapped)
    see_zero_grad(agent, torch, optimizer_class, name_of, _parameters)
    _see_added_groups(agent, optimizer_class)


def _see_added_groups(agent: Agent, optimizer_class: Any) -> None:
    """Meet what an optimizer is given later: the next Backward may reach it for the first time."""
    add = optimizer_class.add_param_group

    @functools.wraps(add)
    def add_param_group(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        result = add(optimizer, *args, **kwargs)
        if agent.active and get_ident() == agent.thread:
            known = agent.registry.known_optimizer(optimizer)
            if known is not None:
                frame = user_frame(sys._getframe())
                agent.attempt(lambda: agent.registry.check_options(known, optimizer, frame))
        return result

    optimizer_class.add_param_group = add_param_group


def _see_steps(agent: Agent, torch: Any, wrapped: WrappedFunction) -> None:
    """See the Steps of all classes where torch passes each of them once."""
    optimizer_class = torch.optim.Optimizer
    inner_hook = optimizer_class.profile_hook_step

    def profile_hook_step(function: Callable[..., Any]) -> Callable[..., Any]:
        return _seen_step(agent, inner_hook(function), wrapped)

    # every class passes its step through this, when it is instantiated for the first time
    optimizer_class.profile_hook_step = staticmethod(profile_hook_step)
    is_late = False
    for kind in _subclasses(optimizer_class):
        step = vars(kind).get("step")
        if step is not None and getattr(step, "hooked", False):
            kind.step = _seen_step(agent, step, wrapped)
            kind.step.hooked = is_late = True
    if is_late:
        _see_bound_steps(agent, torch, wrapped)


def _see_steps_of_classes(agent: Agent, optimizer_class: Any, wrapped: WrappedFunction) -> None:
    """See the Steps of the stand-in's classes, and of those that scripts define later."""
    begin_subclass = optimizer_class.__init_subclass__.__func__

    def see_step_of(cls: Any, /, **kwargs: Any) -> None:
        begin_subclass(cls, **kwargs)
        if "step" in vars(cls):
            cls.step = _seen_step(agent, vars(cls)["step"], wrapped)

    for kind in (optimizer_class, *_subclasses(optimizer_class)):
        if "step" in vars(kind):
            kind.step = _seen_step(agent, vars(kind)["step"], wrapped)
    optimizer_class.__init_subclass__ = classmethod(see_step_of)


def _seen_step(
    agent: Agent, function: Callable[..., Any], wrapped: WrappedFunction
) -> Callable[..., Any]:
    nested = agent.nested
    is_traced = tracing_check(agent.torch)

    @functools.wraps(function)
    def step(*args: Any, **kwargs: Any) -> Any:
        if is_traced():
            return function(*args, **kwargs)
        key = id(args[0])
        try:
            if key in nested or not agent.active or get_ident() != agent.thread:
                return function(*args, **kwargs)  # nested: super().step() of a subclass
            operation = agent.begin(wrapped, args, kwargs)
            if operation is not None and operation.is_skipped:
                return agent.end(operation, args)
            nested.add(key)
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                nested.discard(key)
                agent.end(operation, args, error)
                raise
            nested.discard(key)
            agent.end(operation, args)
        except BaseException as error:
            leave_out_wrapper(error)
            raise
        return result

    return skipped_by_warnings(step)


def _see_bound_steps(agent: Agent, torch: Any, wrapped: WrappedFunction) -> None:
    """See Steps of optimizers whose `step` was bound before: a scheduler does that."""
    home = sys.modules[torch.optim.Optimizer.__module__]
    register_before = getattr(home, "register_optimizer_step_pre_hook", None)
    register_after = getattr(home, "register_optimizer_step_post_hook", None)
    if register_before is None or register_after is None:
        return
    under_way: dict[int, Operation | ExpectedCall | None] = {}

    def begin(optimizer: Any, others: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        args = (optimizer, *others)
        if agent.is_seen(id(optimizer)):
            agent.end(under_way.pop(id(optimizer), None), args)  # one that has raised
            operation = under_way[id(optimizer)] = agent.begin(wrapped, args, kwargs)
            if isinstance(operation, Operation) and operation.is_skipped:
                operation.detail = ()  # a hook cannot skip it

    def end(optimizer: Any, *_: object) -> None:
        agent.end(under_way.pop(id(optimizer), None), (optimizer,))

    register_before(begin)
    register_after(end)


def _written(agent: Agent, operation: Operation) -> Sequence[tuple[str, Any]]:
    """Return what a Step writes: the values that had a gradient, and their state."""
    torch, optimizer, name = agent.torch, operation.args[0], operation.target
    found: list[tuple[str, Any]] = []
    for parameter in _parameters(optimizer):
        tracked = agent.registry.find(parameter)
        if tracked is None or parameter.grad is None:
            continue
        found.append((tracked.name, parameter))
        state = optimizer.state.get(parameter, {})
        for key, value in state.items():
            if isinstance(value, torch.Tensor):
                found.append((f"{name}/{tracked.name}/{key}", value))
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                number = torch.tensor(value, dtype=torch.float64)
                found.append((f"{name}/{tracked.name}/{key}", number))
    return found


def _parameters(optimizer: Any) -> list[Any]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _subclasses(kind: Any) -> Iterator[Any]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)
