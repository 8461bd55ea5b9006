"""Clipping of gradients, by norm and by value."""

from __future__ import annotations

import functools
import sys
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from gradstep_agent.operation import Operation, WrappedFunction
from gradstep_agent.torch_hooks.wrapping import gradients, wrap
from gradstep_agent.user_code import name_of, user_frame

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from gradstep_agent.agent import Agent

_KINDS = {"clip_grad_norm_": "clip_grad_norm", "clip_grad_value_": "clip_grad_value"}
_LIMITS = ("max_norm", "clip_value")


def install(agent: Agent, torch: Any) -> None:
    """Wrap the two functions where they are defined and where scripts import them from."""
    utils = torch.nn.utils
    homes = sys.modules[utils.clip_grad_norm_.__module__], utils, utils.clip_grad
    for function, kind in _KINDS.items():
        seen = _seen(agent, torch, getattr(utils, function), kind)
        for home in homes:
            setattr(home, function, seen)


def _norm_type(operation: Operation, kind: str) -> tuple[tuple[str, Any], ...]:
    """Return the type of norm to be reported, if it is not the usual one."""
    given = (*operation.args[2:3], (operation.kwargs or {}).get("norm_type", 2.0))[0]
    if kind != "clip_grad_norm" or given == 2.0:  # noqa: PLR2004 - of a sum of squares
        return ()
    try:
        return (("norm_type", float(given)),)  # also of "inf"
    except (TypeError, ValueError):  # which torch will not take
        return (("norm_type", 0.0),)


def _seen(agent: Agent, torch: Any, function: Callable[..., Any], kind: str) -> Callable[..., Any]:
    def describe(operation: Operation, _: FrameType | None) -> None:
        keywords = operation.kwargs or {}
        given = operation.args[1:2] or [keywords[name] for name in _LIMITS if name in keywords]
        if len(given) == 1 and isinstance(given[0], (int, float)):
            operation.detail = (("limit", float(given[0])), *_norm_type(operation, kind))

    seen = wrap(
        agent,
        function,
        WrappedFunction(
            kind,
            describe,
            writes=lambda made: gradients(agent, made.args[0]),
        ),
    )

    used_up: set[str] = set()

    def notice(iterator: Any, frame: FrameType | None) -> None:
        name = name_of(iterator, frame)
        if name and name not in used_up:
            used_up.add(name)
            target = function.__name__
            agent.send({"type": "noticed", "what": "used_up", "name": name, "target": target})

    @functools.wraps(function)
    def clip(parameters: Any, *args: Any, **kwargs: Any) -> Any:
        is_used_up = type(parameters) is GeneratorType and parameters.gi_frame is None
        if is_used_up and agent.is_seen(kind):
            agent.attempt(lambda: notice(parameters, user_frame(sys._getframe())))
        is_one = isinstance(parameters, torch.Tensor)
        return seen([parameters] if is_one else list(parameters), *args, **kwargs)

    return clip
