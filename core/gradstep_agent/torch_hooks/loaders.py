"""Batches of DataLoaders: which one gave the last batch."""

from __future__ import annotations

import functools
import sys
import weakref
from threading import get_ident
from typing import TYPE_CHECKING, Any

from gradstep_agent.drawn_batches import DrawnBatches
from gradstep_agent.import_hook import when_imported
from gradstep_agent.torch_hooks.wrapping import leave_out_wrapper, skipped_by_warnings

if TYPE_CHECKING:
    from types import ModuleType

    from gradstep_agent.agent import Agent


def install(agent: Agent, torch: Any) -> None:
    """Note where each batch comes from; the stand-in's batches are not noted."""
    if torch.__name__ == "torch":
        when_imported("torch.utils.data.dataloader", lambda home: _note_batches(agent, home))


def _note_batches(agent: Agent, home: ModuleType) -> None:
    kind = getattr(home, "_BaseDataLoaderIter", None)
    if kind is None:  # another version of torch
        return
    drawn = agent.drawn = DrawnBatches(home.DataLoader)
    draw = kind.__next__

    @functools.wraps(draw)
    def note_and_draw(self: Any) -> Any:
        if drawn.source() is not self and agent.active and get_ident() == agent.thread:
            if drawn.is_drawn_again(self, sys._getframe(1)):
                agent.position.is_drawn_again = True
            drawn.source = weakref.ref(self)
        try:
            return draw(self)
        except BaseException as error:
            if isinstance(error, StopIteration) and get_ident() == agent.thread:
                drawn.end(self)
            leave_out_wrapper(error)
            raise

    kind.__next__ = skipped_by_warnings(note_and_draw)
    reset = getattr(kind, "_reset", None)
    if reset is None:
        return

    @functools.wraps(reset)
    def note_and_reset(self: Any, *args: Any, **kwargs: Any) -> Any:
        if get_ident() == agent.thread:
            drawn.begin_again(self)
        return reset(self, *args, **kwargs)

    kind._reset = note_and_reset
