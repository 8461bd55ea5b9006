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
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Self = TypeVar("_Self", bound="StepHooks")

_before_all = HookList()
_after_all = HookList()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before every step of every optimizer.

    Args:
        hook: May return new `(args, kwargs)` for the step, whose first argument is the optimizer.

    Example:
        >>> handle = register_optimizer_step_pre_hook(lambda *_: None)
        >>> handle.remove()
    """
    return _before_all.add(hook)


def register_optimizer_step_post_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after every step of every optimizer."""
    return _after_all.add(hook)


def hooked_step(
    step: Callable[Concatenate[_Self, _P], _R],
) -> Callable[Concatenate[_Self, _P], _R]:
    """Return `step` with the hooks called around it, in torch's order."""

    @wraps(step)
    def with_hooks(self: _Self, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        self.has_stepped = True
        if self._inside_step or not (
            self._pre_hooks._hooks
            or self._post_hooks._hooks
            or _before_all._hooks
            or _after_all._hooks
        ):
            return step(self, *args, **kwargs) if args or kwargs else step(self)  # type: ignore[call-arg]  # the latter is what most calls are, and faster
        self._inside_step = True  # a step that calls its parent's is one step
        try:
            whole_args, whole_kwargs = self._before_step((self, *args), kwargs)
            result = step(*whole_args, **whole_kwargs)
            self._after_step(whole_args, whole_kwargs)
        finally:
            self._inside_step = False
        return result

    with_hooks._calls_hooks = True  # type: ignore[attr-defined]  # so that it is not wrapped twice
    return with_hooks


class StepHooks:
    """The hooks of one optimizer, and the calling of them.

    Attributes:
        has_stepped: Whether `step` was ever called; schedulers want to know.
    """

    def __init__(self) -> None:
        self._pre_hooks = HookList()
        self._post_hooks = HookList()
        self._inside_step = False
        self.has_stepped = False

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
        return self._pre_hooks.add(hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return self._post_hooks.add(hook)

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
