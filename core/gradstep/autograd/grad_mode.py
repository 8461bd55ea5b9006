"""The grad mode, which decides whether operations are recorded, and its context managers.

Each thread has its own, as in torch: the window computes while another thread records a script.
Operations read `grad_mode.current.enabled` directly, because a function call would cost more.
"""

from __future__ import annotations

import threading
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

__all__ = ["enable_grad", "is_grad_enabled", "no_grad", "set_grad_enabled"]


class _GradMode(threading.local):
    """The mode of the current thread."""

    def __init__(self) -> None:
        self.enabled = True


current = _GradMode()
"""Its `enabled` is True while operations on tensors that require grad are recorded."""

_F = TypeVar("_F", bound="Callable[..., Any]")


class _Mode:
    """Sets the grad mode, as a context manager or a decorator."""

    __slots__ = ("_mode", "_previous")

    def __init__(self, mode: bool) -> None:
        self._mode = mode
        self._previous: list[bool] = []

    def __enter__(self) -> Self:
        self._previous.append(current.enabled)
        current.enabled = self._mode
        return self

    def __exit__(self, *_: object) -> None:
        current.enabled = self._previous.pop()

    def __call__(self, function: _F) -> _F:
        """Return `function` wrapped so that it runs in this mode."""

        @wraps(function)
        def in_mode(*args: object, **kwargs: object) -> object:
            with _Mode(self._mode):
                return function(*args, **kwargs)

        return cast("_F", in_mode)


class _FixedMode(_Mode):
    """A mode that also decorates a function without being called first, as in `@no_grad`."""

    __slots__ = ()
    _enables: ClassVar[bool]

    def __new__(cls, function: Callable[..., Any] | None = None) -> Self:
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()  # type: ignore[misc]
        return cast("Self", mode(function))

    def __init__(self, function: Callable[..., Any] | None = None) -> None:  # noqa: ARG002
        super().__init__(mode=self._enables)


class no_grad(_FixedMode):
    """Stop recording inside a `with` block, or in a decorated function.

    Example:
        >>> import gradstep
        >>> x = gradstep.ones(2, requires_grad=True)
        >>> with gradstep.no_grad():
        ...     (2 * x).requires_grad
        False
    """

    __slots__ = ()
    _enables = False


class enable_grad(_FixedMode):
    """Record again inside a `no_grad` block.

    Example:
        >>> import gradstep
        >>> x = gradstep.ones(2, requires_grad=True)
        >>> with gradstep.no_grad(), gradstep.enable_grad():
        ...     (2 * x).requires_grad
        True
    """

    __slots__ = ()
    _enables = True


class set_grad_enabled(_Mode):
    """Turn recording on or off immediately; as a context manager, restore it at the end.

    Example:
        >>> import gradstep
        >>> with gradstep.set_grad_enabled(False):
        ...     gradstep.is_grad_enabled()
        False
        >>> gradstep.is_grad_enabled()
        True
    """

    __slots__ = ()

    def __init__(self, mode: bool) -> None:
        super().__init__(mode)
        self._previous.append(current.enabled)
        current.enabled = mode

    def __enter__(self) -> Self:
        current.enabled = self._mode
        return self

    def __call__(self, function: _F) -> _F:
        """Return `function` wrapped so that it runs in this mode, and restore the previous mode."""
        self.__exit__()
        return super().__call__(function)


def is_grad_enabled() -> bool:
    """Return whether operations are recorded."""
    return current.enabled
