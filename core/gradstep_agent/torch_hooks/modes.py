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

if TYPE_CHECKING:
    from gradstep_agent.agent import Agent


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
                frame = sys._getframe(1)
                agent.attempt(lambda: changes.place(agent, frame))
        except BaseException as error:
            leave_out_wrapper(error)
            raise

    module_class.train = skipped_by_warnings(train)
