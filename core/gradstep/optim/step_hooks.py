"""Hooks around `Optimizer.step`: those of one optimizer, and those of all optimizers."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from gradstep.autograd.hooks import HookList, RemovableHandle
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "StepHooks",
    "calls_hooks",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
    "with_hooks",
]

_R = TypeVar("_R")
_F = TypeVar("_F", bound="Callable[..., Any]")

_before_all = HookList()
_after_all = HookList()

in_use = False
"""Whether a step hook was ever registered: until then `step` does not look for any."""


def _register(hooks: HookList, hook: Callable[..., Any]) -> RemovableHandle:
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
    return _register(_before_all, hook)


def register_optimizer_step_post_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after every step of every optimizer."""
    return _register(_after_all, hook)


class StepHooks:
    """The hooks around the steps of one optimizer, which every call is given.

    Attributes:
        running: Whether a step with its hooks is under way.
    """

    __slots__ = ("_post", "_pre", "running")

    def __init__(self) -> None:
        self._pre = HookList()
        self._post = HookList()
        self.running = False

    def add_pre(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Add a hook that is called before each step, and may replace its arguments."""
        return _register(self._pre, hook)

    def add_post(self, hook: Callable[..., None]) -> RemovableHandle:
        """Add a hook that is called after each step."""
        return _register(self._post, hook)

    def call(self, optimizer: Any, step: Callable[..., _R], args: Any, kwargs: Any) -> _R:  # noqa: ANN401 - the step's
        """Call `step` with the hooks around it, in torch's order.

        Args:
            optimizer: The optimizer that steps; its `has_stepped` is set.
            step: Takes the optimizer and `args`.
            args: Its positional arguments after the optimizer.
            kwargs: Its keyword arguments.
        """
        self.running = True  # a step that calls its parent's is one step
        try:
            args, kwargs = self.before(optimizer, (optimizer, *args), kwargs)
            result = step(*args, **kwargs)
            optimizer.has_stepped = True
            self.after(optimizer, args, kwargs)
        finally:
            self.running = False
        return result

    def before(self, optimizer: object, args: Any, kwargs: Any) -> tuple[Any, Any]:  # noqa: ANN401 - the step's
        """Call the hooks before a step, and return the arguments that it gets.

        Raises:
            TensorError: A hook returned something that is not a pair of arguments.
        """
        for hook in (*_before_all, *self._pre):
            result = hook(optimizer, args, kwargs)
            if result is None:
                continue
            if not isinstance(result, tuple) or len(result) != 2:  # noqa: PLR2004 - a pair
                raise TensorError(
                    f"{hook} must return None or a tuple of (new_args, new_kwargs), "
                    f"but got {result!r}"
                )
            args, kwargs = result
        return args, kwargs

    def after(self, optimizer: object, args: Any, kwargs: Any) -> None:  # noqa: ANN401 - the step's
        """Call the hooks after a step."""
        for hook in (*self._post, *_after_all):
            hook(optimizer, args, kwargs)


def calls_hooks(step: _F) -> _F:
    """Mark a `step` that calls the hooks itself, so that it is not wrapped."""
    step._calls_hooks = True  # type: ignore[attr-defined]
    return step


def with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `step` that calls the optimizer's hooks, unless it does so already."""
    if hasattr(step, "_calls_hooks"):
        return step

    @wraps(step)
    def hooked_step(self: Any, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - the step's
        hooks: StepHooks = self._step_hooks
        if hooks.running:
            return step(self, *args, **kwargs)
        return hooks.call(self, step, args, kwargs)

    return calls_hooks(hooked_step)
