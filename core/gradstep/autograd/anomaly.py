"""Anomaly mode: backward passes that stop at the first NaN and tell where it came from."""

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
"""True in anomaly mode: backward passes refuse NaN gradients."""


def is_anomaly_enabled() -> bool:
    """Tell whether anomaly mode is on."""
    return enabled


def _note_place(node: Node, _: Tensor) -> None:
    """Note where a node was recorded; the last frames are those of the recording."""
    node.trace = "".join(traceback.format_stack()[:-2])


def _switch(*, on: bool) -> None:
    global enabled  # noqa: PLW0603 - this is the switch's one owner
    enabled = on
    if on is not (_note_place in graph.watchers):
        if on:
            graph.watchers.append(_note_place)
        else:
            graph.watchers.remove(_note_place)


class set_detect_anomaly:
    """Turn anomaly mode on or off at once; as a context manager, undo it at the end.

    Args:
        mode: On or off.
        check_nan: Kept for torch's signature; gradients are always checked.

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
    """Anomaly mode for a `with` block: a NaN in a gradient raises, with the forward call's place.

    Example:
        >>> with detect_anomaly():
        ...     is_anomaly_enabled()
        True
    """

    __slots__ = ()

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(mode=True, check_nan=check_nan)
