"""Anomaly mode: backward passes raise at the first NaN, with the forward call that caused it."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from gradstep.autograd import graph

if TYPE_CHECKING:
    from typing import Self

    from gradstep.autograd.graph import Node
    from gradstep.autograd.tensor import Tensor

__all__ = ["detect_anomaly", "is_anomaly_enabled", "set_detect_anomaly"]

enabled: bool = False
"""True in anomaly mode: backward passes raise on NaN gradients."""


def is_anomaly_enabled() -> bool:
    """Return whether anomaly mode is on."""
    return enabled


def _store_trace(node: Node, _: Tensor) -> None:
    """Store where a node was recorded, without the frames of the recording itself."""
    node.trace = "".join(traceback.format_stack()[:-2])


def _switch(*, on: bool) -> None:
    global enabled  # noqa: PLW0603 - the mode has one owner, this module
    enabled = on
    if on is not (_store_trace in graph.watchers):
        if on:
            graph.watchers.append(_store_trace)
        else:
            graph.watchers.remove(_store_trace)


class set_detect_anomaly:
    """Turn anomaly mode on or off immediately; as a context manager, restore it at the end.

    Args:
        mode: Whether to turn it on.
        check_nan: Ignored, for compatibility with torch; gradients are always checked.

    Example:
        >>> with set_detect_anomaly(True):
        ...     is_anomaly_enabled()
        True
    """

    __slots__ = ("_previous",)

    def __init__(self, mode: bool, check_nan: bool = True) -> None:  # noqa: ARG002 - torch's name
        self._previous = enabled
        _switch(on=mode)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _switch(on=self._previous)


class detect_anomaly(set_detect_anomaly):
    """Anomaly mode in a `with` block: a NaN gradient raises, with the forward call's traceback.

    Example:
        >>> with detect_anomaly():
        ...     is_anomaly_enabled()
        True
    """

    __slots__ = ()

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(mode=True, check_nan=check_nan)
