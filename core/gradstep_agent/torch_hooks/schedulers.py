"""Steps of learning-rate schedulers."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from gradstep_agent.user_code import name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_agent.agent import Agent, Ongoing

_CONSTRUCTION = ("_initial_step", "__init__")


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
    @functools.wraps(function)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_code.co_name
        if not agent.is_seen("scheduler_step") or caller in _CONSTRUCTION:
            return function(self, *args, **kwargs)

        def prepare(ongoing: Ongoing) -> None:
            optimizer = getattr(self, "optimizer", None)
            known = "" if optimizer is None else agent.registry.optimizer(optimizer, None)
            ongoing.detail = {"scheduler": type(self).__name__, "optimizer": known}

        ongoing = agent.begin(
            "scheduler_step", lambda frame: name_of(self, frame) or type(self).__name__, prepare
        )
        failure = None
        agent.nested.add("scheduler_step")
        try:
            return function(self, *args, **kwargs)
        except BaseException as error:
            failure = error
            raise
        finally:
            agent.nested.discard("scheduler_step")
            if ongoing is not None and ongoing.detail.get("optimizer"):
                # the options that it has set belong to it, not to the next Operation
                agent.attempt(lambda: agent.registry.optimizer(self.optimizer, None))
            agent.end(ongoing, None, failure)

    return step


def _subclasses(kind: type) -> set[Any]:
    found: set[Any] = set(kind.__subclasses__())
    return found.union(*map(_subclasses, found))
