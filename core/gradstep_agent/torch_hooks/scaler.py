"""GradScaler: losses that it scales, gradients that it unscales, and Steps that it skips."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from gradstep_agent.operation import Operation, WrappedFunction
from gradstep_agent.torch_hooks.wrapping import gradients, tracing_check, wrap
from gradstep_agent.user_code import name_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from gradstep_agent.agent import Agent

_KINDS = {"unscale_": "scaler_unscale", "step": "scaler_step", "update": "scaler_update"}


def install(agent: Agent, torch: Any) -> None:
    """Wrap the methods of GradScaler, where this torch has one."""
    kind = getattr(getattr(torch, "amp", None), "GradScaler", None)
    if kind is None:
        return
    for method, operation in _KINDS.items():
        setattr(kind, method, _seen(agent, getattr(kind, method), operation))
    kind.scale = _noted(agent, torch, kind.scale)


def _noted(agent: Agent, torch: Any, scale: Callable[..., Any]) -> Callable[..., Any]:
    """Return `GradScaler.scale`, which notes what it has scaled."""
    is_traced = tracing_check(torch)

    @functools.wraps(scale)
    def noted(self: Any, outputs: Any) -> Any:
        scaled = scale(self, outputs)
        if scaled is not outputs and not is_traced() and isinstance(outputs, torch.Tensor):
            agent.losses.note_scaled(scaled, outputs)
        return scaled

    return noted


def _seen(agent: Agent, function: Callable[..., Any], kind: str) -> Callable[..., Any]:
    def describe(operation: Operation, frame: FrameType | None) -> None:
        scaler = operation.args[0]
        operation.target = name_of(scaler, frame) or "scaler"
        operation.detail = (("scale", float(scaler.get_scale())),)

    def unscaled(operation: Operation) -> list[tuple[str, Any]]:
        groups = operation.args[1].param_groups if len(operation.args) > 1 else ()
        return gradients(agent, [held for group in groups for held in group["params"]])

    writes = unscaled if kind == "scaler_unscale" else None
    seen = wrap(agent, function, WrappedFunction(kind, describe, writes=writes))

    @functools.wraps(function)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        is_enabled = self.is_enabled()
        return (seen if is_enabled else function)(self, *args, **kwargs)

    return method
