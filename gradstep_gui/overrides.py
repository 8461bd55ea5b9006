"""Guards overrides of Qt methods, in which some errors would crash the process.

PySide 6.10 and later write the name of the override into the error that it raised, and expect an
exception object. Before Python 3.12, an error raised by the interpreter itself (a missing key, a
division by zero) is not an object until it is caught, and the process crashes. So every override
catches its errors and raises them again: a caught error is an object.
"""

from __future__ import annotations

import sys
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING

from shiboken6 import Shiboken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["guard_overrides"]

_OURS = ("gradstep_gui", "pyqtgraph")
_MARK = "_gradstep_guarded"


def guard_overrides() -> None:
    """Guard every override in the classes defined so far; Python 3.12 and later need no guard."""
    if sys.version_info < (3, 12):
        for kind in set(_kinds_of(Shiboken.Object)):
            if kind.__module__.startswith(_OURS):
                _guard(kind)


def _kinds_of(kind: type) -> Iterator[type]:
    below: type
    for below in kind.__subclasses__():
        yield below
        yield from _kinds_of(below)


def _guard(kind: type) -> None:
    from_qt = [base for base in kind.__mro__ if base.__module__.startswith("PySide6.")]
    for name, made in list(vars(kind).items()):
        overrides = not name.startswith("__") and any(name in vars(base) for base in from_qt)
        if overrides and isinstance(made, FunctionType) and not hasattr(made, _MARK):
            setattr(kind, name, _caught_once(made))


def _caught_once(method: Callable[..., object]) -> Callable[..., object]:
    @wraps(method)
    def caught_once(*args: object, **named: object) -> object:
        try:
            return method(*args, **named)
        except Exception:  # noqa: TRY203 - catching makes an object of it
            raise

    setattr(caught_once, _MARK, True)
    return caught_once
