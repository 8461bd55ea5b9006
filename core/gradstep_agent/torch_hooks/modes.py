"""Calls of `train` and `eval`, which set the modes of modules."""

from __future__ import annotations

import functools
import sys
from threading import get_ident
from typing import TYPE_CHECKING, Any

from gradstep_agent.torch_hooks.wrapping import (
    leave_out_wrapper,
    skipped_by_warnings,
    tracing_check,
)
from gradstep_agent.user_code import user_frame

if TYPE_CHECKING:
    from types import FrameType

    from gradstep_agent.agent import Agent

_OWN = {"train": ((), ("mode",)), "eval": ((),)}
"""The arguments of methods that set modes as torch's do; others by these names may do anything."""


def see_modes(agent: Agent, module_class: Any) -> None:
    """Wrap `train` of Module."""
    inner, changes = module_class.train, agent.modes
    is_traced = tracing_check(agent.torch)

    @functools.wraps(inner)
    def train(module: Any, *args: Any, **kwargs: Any) -> Any:
        if is_traced():
            return inner(module, *args, **kwargs)
        try:
            before = getattr(module, "training", None)
            if changes.are_under_way:  # it is called for a part
                result = inner(module, *args, **kwargs)
                if module.training is not before:
                    changes.note(module, before)
                return result
            if agent.has_let_go or get_ident() != agent.thread:
                return inner(module, *args, **kwargs)
            changes.are_under_way = True
            try:
                return inner(module, *args, **kwargs)
            finally:
                changes.are_under_way = False
                if getattr(module, "training", None) is not before:
                    changes.note(module, before)
                if changes.has_changed_any:
                    frame = sys._getframe(1)
                    agent.attempt(lambda: _note_line(agent, frame))
        except BaseException as error:
            leave_out_wrapper(error)
            raise

    module_class.train = skipped_by_warnings(train)


def _note_line(agent: Agent, frame: FrameType | None) -> None:
    """Note which line has set modes, after what was changed by hand before it."""
    caller = _caller(frame, agent.torch.nn.Module)
    agent.report_changes(caller)
    agent.modes.place(agent.sites.at(caller))


def _caller(frame: FrameType | None, module_class: type) -> FrameType | None:
    """Return who has called the outermost `train` or `eval` of a module that is under way."""
    frame = user_frame(frame)
    while frame is not None:
        code = frame.f_code
        given = code.co_varnames[1 : code.co_argcount]
        if given not in _OWN.get(code.co_name, ()):
            break
        if not issubclass(type(frame.f_locals.get("self")), module_class):
            break
        frame = user_frame(frame.f_back)
    return frame
