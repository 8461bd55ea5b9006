"""Hooks around `Optimizer.step`: one optimizer's own, and those of all optimizers."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from gradstep.autograd.hooks import HookList, RemovableHandle
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "StepHooks",
    "calling_hooks",
    "hooked_step",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_F = TypeVar("_F", bound="Callable[..., Any]")
_Self = TypeVar("_Self", bound="StepHooks")

_before_all = HookList()
_after_all = HookList()

in_use = False
"""Whether a hook was ever put around a step of any optimizer: until then nobody looks for one."""


def _add(hooks: HookList, hook: Callable[..., Any]) -> RemovableHandle:
    global in_use  # noqa: PLW0603 - this is the switch's one owner
    in_use = True
    return hooks.add(hook)


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before every step of every optimizer.

    Args:
        hook: May return new `(args, kwargs)` for the step, whose first argument is the optimizer.

    Example:
        >>> handle = register_optimizer_step_pre_hook(lambda *_: None)
        >>> handle.remove()
    """
    return _add(_before_all, hook)


def register_optimizer_step_post_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after every step of every optimizer."""
    return _add(_after_all, hook)


def calling_hooks(step: _F) -> _F:
    """Mark a `step` that sees to the hooks itself, so that it is not wrapped."""
    step._calls_hooks = True  # type: ignore[attr-defined]
    return step


def hooked_step(
    step: Callable[Concatenate[_Self, _P], _R],
) -> Callable[Concatenate[_Self, _P], _R]:
    """Return `step` with the hooks called around it."""

    @wraps(step)
    def with_hooks(self: _Self, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        if self._inside_step:
            return step(self, *args, **kwargs)
        return self._between_hooks(step, args, kwargs)

    return calling_hooks(with_hooks)


class StepHooks:
    """The hooks of one optimizer, and the calling of them.

    Attributes:
        has_stepped: Whether `step` was ever called, and not refused; schedulers want to know.
    """

    def __init__(self) -> None:
        self._pre_hooks = HookList()
        self._post_hooks = HookList()
        self._inside_step = False
        self.has_stepped = False

    def _between_hooks(self, step: Callable[..., _R], args: Any, kwargs: Any) -> _R:  # noqa: ANN401 - the step's
        """Call `step` with the hooks around it, in torch's order."""
        self._inside_step = True  # a step that calls its parent's is one step
        try:
            args, kwargs = self._before_step((self, *args), kwargs)
            result = step(*args, **kwargs)
            self.has_stepped = True
            self._after_step(args, kwargs)
        finally:
            self._inside_step = False
        return result

    def __init_subclass__(cls) -> None:
        step = cls.__dict__.get("step")
        if step is not None and not hasattr(step, "_calls_hooks"):
            cls.step = hooked_step(step)  # type: ignore[attr-defined]  # it has one, see above

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step.

        Args:
            hook: May return new `(args, kwargs)` for the step, whose first argument is the
                optimizer.
        """
        return _add(self._pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return _add(self._post_hooks, hook)

    def _before_step(self, args: Any, kwargs: Any) -> tuple[Any, Any]:  # noqa: ANN401 - the step's
        for hook in (*_before_all, *self._pre_hooks):
            result = hook(self, args, kwargs)
            if result is None:
                continue
            if not isinstance(result, tuple) or len(result) != 2:  # noqa: PLR2004 - a pair
                raise TensorError(
                    f"{hook} must return None or a tuple of (new_args, new_kwargs), "
                    f"but got {result!r}"
                )
            args, kwargs = result
        return args, kwargs

    def _after_step(self, args: Any, kwargs: Any) -> None:  # noqa: ANN401 - the step's
        for hook in (*self._post_hooks, *_after_all):
            hook(self, args, kwargs)
