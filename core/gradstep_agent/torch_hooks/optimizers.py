"""Step and Zero Grad of optimizers: also of a person's own classes, and of several at once."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from gradstep_agent.torch_hooks.wrapping import gradients, wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gradstep_agent.agent import Agent


def install(agent: Agent, torch: Any) -> None:
    """Wrap `step` where torch wraps it itself, and `zero_grad`."""
    optimizer_class = torch.optim.Optimizer
    inner_hook = optimizer_class.profile_hook_step

    def profile_hook_step(function: Callable[..., Any]) -> Callable[..., Any]:
        return _seen_step(agent, inner_hook(function))

    # every class passes its step through this, when it is instantiated for the first time
    optimizer_class.profile_hook_step = staticmethod(profile_hook_step)
    for kind in _subclasses(optimizer_class):
        step = vars(kind).get("step")
        if step is not None and getattr(step, "hooked", False):
            kind.step = _seen_step(agent, step)
            kind.step.hooked = True

    def clear(optimizer: Any, *_: object, **__: object) -> Callable[[], list[tuple[str, Any]]]:
        had = [found for found in _parameters(optimizer) if found.grad is not None]
        return lambda: gradients(agent, had)

    optimizer_class.zero_grad = wrap(
        agent,
        optimizer_class.zero_grad,
        "zero_grad",
        lambda frame, optimizer, *_, **__: agent.registry.optimizer(optimizer, frame),
        clear,
    )


def _seen_step(agent: Agent, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        key = f"step of {id(self)}"
        if not agent.is_seen(key):  # super().step() of a subclass
            return function(self, *args, **kwargs)
        ongoing = agent.begin("step", lambda frame: agent.registry.optimizer(self, frame))
        failure = None
        agent.nested.add(key)
        try:
            return function(self, *args, **kwargs)
        except BaseException as error:
            failure = error
            raise
        finally:
            agent.nested.discard(key)
            target = "" if ongoing is None else ongoing.target
            agent.end(ongoing, lambda: _written(agent, self, target), failure)

    return step


def _written(agent: Agent, optimizer: Any, name: str) -> Sequence[tuple[str, Any]]:
    """Return what a Step writes: the values that had a gradient, and their state."""
    torch = agent.torch
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
