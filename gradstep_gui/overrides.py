"""Lets an error in what Qt calls be an error, where PySide ends the process for it.

PySide 6.10 and later write the name of the override into the error that it raised, and take that
error for an object. Before Python 3.12 one that the interpreter itself raised (a missing key, a
division by zero) is not an object yet until somebody catches it, and the process dies of it. So
whatever Qt calls catches its errors and raises them again: once they were caught, they are objects.
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
    """Guard every override in the classes there are by now; from Python 3.12 on none needs it."""
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
        except Exception:  # noqa: TRY203 - to be caught is what makes an object of it
            raise

    setattr(caught_once, _MARK, True)
    return caught_once
