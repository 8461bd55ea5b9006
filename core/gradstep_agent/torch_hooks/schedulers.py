"""Steps of learning-rate schedulers."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from gradstep_agent.operation import Operation, WrappedFunction
from gradstep_agent.torch_hooks.wrapping import leave_out_wrapper, skipped_by_warnings, wrap

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from gradstep_agent.agent import Agent

_CONSTRUCTION = ("_initial_step", "_begin", "__init__")


def install(agent: Agent, torch: Any) -> None:
    """Wrap `step` of every class of schedulers, and of those that scripts define later."""
    home = torch.optim.lr_scheduler
    base = home.LRScheduler
    known = {base, home.ReduceLROnPlateau, *_subclasses(base)}
    for kind in known:
        if "step" in vars(kind):
            kind.step = _seen_step(agent, vars(kind)["step"])

    def wrap_step_of(cls: Any, /, **kwargs: Any) -> None:
        super(base, cls).__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = _seen_step(agent, vars(cls)["step"])

    base.__init_subclass__ = classmethod(wrap_step_of)


def _seen_step(agent: Agent, function: Callable[..., Any]) -> Callable[..., Any]:
    def describe(operation: Operation, frame: FrameType | None) -> None:
        scheduler = operation.args[0]
        optimizer = getattr(scheduler, "optimizer", None)
        known = "" if optimizer is None else agent.registry.optimizer(optimizer, frame).name
        operation.target = agent.registry.scheduler(scheduler, known, frame)
        operation.detail = (("scheduler", type(scheduler).__name__), ("optimizer", known))

    def describe_options(operation: Operation) -> None:
        optimizer = getattr(operation.args[0], "optimizer", None)
        if optimizer is not None:
            known = agent.registry.optimizer(optimizer, None)
            agent.registry.check_options(known, optimizer, None)

    seen = wrap(
        agent,
        function,
        WrappedFunction("scheduler_step", describe, complete=describe_options),
    )

    @functools.wraps(function)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        is_construction = sys._getframe(1).f_code.co_name in _CONSTRUCTION
        try:
            return (function if is_construction else seen)(self, *args, **kwargs)
        except BaseException as error:
            leave_out_wrapper(error)
            raise

    return skipped_by_warnings(step)


def _subclasses(kind: type) -> set[Any]:
    found: set[Any] = set(kind.__subclasses__())
    return found.union(*map(_subclasses, found))
