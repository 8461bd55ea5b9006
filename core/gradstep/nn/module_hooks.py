"""Hooks around a module's forward and backward: its own, and those of all modules.

A module without hooks pays one check. Backward hooks see the gradients where they pass the
module's border: the inputs and outputs are routed through identity nodes that report them.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from gradstep.errors import TensorError
from gradstep.nn.border import Border

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "HookHandle",
    "HookedModule",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "watched",
]

_keys = count()


class _Hook(NamedTuple):
    call: Callable[..., Any]
    with_kwargs: bool = False
    always: bool = False


class HookHandle:
    """Takes a hook off again, by `remove()` or at the end of a `with` block."""

    __slots__ = ("_hooks", "id")

    def __init__(self, hooks: dict[int, _Hook], key: int) -> None:
        self._hooks = hooks
        self.id = key

    def remove(self) -> None:
        """Take the hook off; a second call does nothing."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class ModuleHooks:
    """The hooks of one module, or of all, in the order in which they are called."""

    __slots__ = ("backward", "backward_pre", "forward", "forward_pre")

    def __init__(self) -> None:
        self.forward_pre: dict[int, _Hook] = {}
        self.forward: dict[int, _Hook] = {}
        self.backward_pre: dict[int, _Hook] = {}
        self.backward: dict[int, _Hook] = {}


def _add(hooks: dict[int, _Hook], hook: _Hook, *, prepend: bool = False) -> HookHandle:
    key = next(_keys)
    if prepend:
        later = dict(hooks)
        hooks.clear()
        hooks[key] = hook
        hooks.update(later)
    else:
        hooks[key] = hook
    return HookHandle(hooks, key)


everywhere: ModuleHooks | None = None
"""The hooks of all modules; None until there is one."""


def _hooks_everywhere() -> ModuleHooks:
    global everywhere  # noqa: PLW0603 - this is its one owner
    if everywhere is None:
        everywhere = ModuleHooks()
    return everywhere


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> HookHandle:
    """Call `hook(module, args)` before the forward of every module."""
    return _add(_hooks_everywhere().forward_pre, _Hook(hook))


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> HookHandle:
    """Call `hook(module, args, output)` after the forward of every module."""
    return _add(_hooks_everywhere().forward, _Hook(hook, with_kwargs, always_call))


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> HookHandle:
    """Call `hook(module, grad_output)` when the gradients of any module's outputs are known."""
    return _add(_hooks_everywhere().backward_pre, _Hook(hook))


def register_module_full_backward_hook(hook: Callable[..., Any]) -> HookHandle:
    """Call `hook(module, grad_input, grad_output)` when those of its inputs are known too."""
    return _add(_hooks_everywhere().backward, _Hook(hook))


@contextmanager
def watched(before: Callable[..., None], after: Callable[..., None]) -> Iterator[None]:
    """Let functions see every module's forward inside a `with` block, and nothing after it.

    Args:
        before: Called with the module and its arguments.
        after: Called with the module, its arguments and its output.
    """
    global everywhere  # noqa: PLW0603 - this is its one owner
    hooks = everywhere
    try:
        with register_module_forward_pre_hook(before), register_module_forward_hook(after):
            yield
    finally:
        everywhere = hooks  # with no hooks at all, a call takes the short way again


class HookedModule:
    """The part of a module that hooks hang on."""

    _hooks: ModuleHooks | None = None
    forward: Callable[..., Any]

    @property
    def _forward_pre_hooks(self) -> dict[int, Callable[..., Any]]:
        """What is called before forward, under the name that torch has for it."""
        hooks = self._hooks
        return {} if hooks is None else {k: hook.call for k, hook in hooks.forward_pre.items()}

    def _own_hooks(self) -> ModuleHooks:
        hooks = self._hooks
        if hooks is None:
            hooks = self._hooks = ModuleHooks()
        return hooks

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """Call `hook(module, args)` before each forward; what it returns replaces the arguments.

        Args:
            hook: The function.
            prepend: Call it before the hooks that are there already.
            with_kwargs: Call `hook(module, args, kwargs)`; it may return `(args, kwargs)`.
        """
        return _add(self._own_hooks().forward_pre, _Hook(hook, with_kwargs), prepend=prepend)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookHandle:
        """Call `hook(module, args, output)` after each forward; it may return another output.

        Args:
            hook: The function.
            prepend: Call it before the hooks that are there already.
            with_kwargs: Call `hook(module, args, kwargs, output)`.
            always_call: Call it, with output None, even when forward raises.

        Example:
            >>> import gradstep
            >>> from gradstep import nn
            >>> layer = nn.ReLU()
            >>> handle = layer.register_forward_hook(lambda module, args, output: output + 1)
            >>> layer(gradstep.zeros(1))
            tensor([1.])
            >>> handle.remove()
        """
        return _add(
            self._own_hooks().forward, _Hook(hook, with_kwargs, always_call), prepend=prepend
        )

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> HookHandle:
        """Call `hook(module, grad_output)` when the gradients of the outputs are known.

        Args:
            hook: May return gradients that replace those of the outputs.
            prepend: Call it before the hooks that are there already.
        """
        return _add(self._own_hooks().backward_pre, _Hook(hook), prepend=prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> HookHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of both are known.

        Args:
            hook: May return gradients that replace those of the inputs.
            prepend: Call it before the hooks that are there already.
        """
        return _add(self._own_hooks().backward, _Hook(hook), prepend=prepend)

    def _chosen(self, kind: str) -> list[_Hook]:
        """Return the hooks of one kind: those of all modules first."""
        both = (everywhere, self._hooks)
        return [hook for hooks in both if hooks for hook in getattr(hooks, kind).values()]

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        waiting = {id(hook): hook for hook in self._chosen("forward") if hook.always}
        output = None
        try:
            args, kwargs = self._before_forward(args, kwargs)
            before, after = self._chosen("backward_pre"), self._chosen("backward")
            if before or after:
                border = Border(self, [hook.call for hook in before], [hook.call for hook in after])
                output = border.leave(self.forward(*border.enter(args), **kwargs))
            else:
                output = self.forward(*args, **kwargs)
            for hook in self._chosen("forward"):
                waiting.pop(id(hook), None)
                changed = self._tell(hook, args, kwargs, output)
                output = output if changed is None else changed
        except Exception:
            for hook in waiting.values():
                self._tell(hook, args, kwargs, output)
            raise
        return output

    def _before_forward(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        for hook in self._chosen("forward_pre"):
            if hook.with_kwargs:
                changed = hook.call(self, args, kwargs)
                if changed is None:
                    continue
                if not isinstance(changed, tuple) or len(changed) != 2:  # noqa: PLR2004 - a pair
                    raise TensorError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                        f"but got {changed!r}"
                    )
                args, kwargs = changed
            else:
                changed = hook.call(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        return args, kwargs

    def _tell(self, hook: _Hook, args: Any, kwargs: Any, output: Any) -> Any:
        if hook.with_kwargs:
            return hook.call(self, args, kwargs, output)
        return hook.call(self, args, output)
