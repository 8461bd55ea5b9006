"""Wraps what of torch makes a training loop. Nothing here changes what torch computes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from gradstep_agent.torch_hooks import (
    backward,
    clipping,
    loaders,
    modules,
    optimizers,
    scaler,
    schedulers,
)
from gradstep_agent.torch_hooks.wrapping import keep_from_compiling

if TYPE_CHECKING:
    from gradstep_agent.agent import Agent


def install(agent: Agent, torch: Any) -> None:
    """Wrap torch's functions and methods, and begin to watch.

    Args:
        agent: Receives the Operations.
        torch: The script's own torch.
    """
    agent.start(torch, torch.__name__)
    agent.attempt(partial(keep_from_compiling, torch, agent.begin, agent.end))
    for subject in (optimizers, modules, backward, clipping, schedulers, scaler, loaders):
        agent.attempt(partial(subject.install, agent, torch))
