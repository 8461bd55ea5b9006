"""Watching a computation: the calls of modules, and the nodes that operations record."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gradstep.autograd import graph
from gradstep.nn.module_hooks import watched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.autograd.graph import Node
    from gradstep.autograd.tensor import Tensor

__all__ = ["calls_and_nodes"]


@contextmanager
def calls_and_nodes(
    enter: Callable[..., None],
    leave: Callable[..., None],
    recorded: Callable[[Node, Tensor], None],
) -> Iterator[None]:
    """Let functions see what is computed inside a `with` block, and nothing after it.

    Args:
        enter: Called with each module and its arguments, before its forward.
        leave: Called with the module, its arguments and its output.
        recorded: Called with each new node and the result it stands for.
    """
    graph.watchers.append(recorded)
    try:
        with watched(enter, leave):
            yield
    finally:
        graph.watchers.remove(recorded)
