"""Hooks around a module's forward and backward: those of one module, and those of all.

A module without hooks pays one check. For backward hooks, inputs and outputs are routed through
identity nodes that report their gradients.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from gradstep.errors import TensorError
from gradstep.nn.backward_hook import BackwardHook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "HookHandle",
    "ModuleHooks",
    "call",
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

    def after(self, module: Hooked, args: Any, kwargs: Any, output: Any) -> Any:
        """Call a forward hook."""
        if self.with_kwargs:
            return self.call(module, args, kwargs, output)
        return self.call(module, args, output)


class Hooked(Protocol):
    """A module, as its hooks see it."""

    @property
    def _hooks(self) -> ModuleHooks | None: ...

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output."""


class HookHandle:
    """Removes a hook: by `remove()`, or at the end of a `with` block."""

    __slots__ = ("_hooks", "id")

    def __init__(self, hooks: dict[int, _Hook], key: int) -> None:
        self._hooks = hooks
        self.id = key

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class _HookList:
    """Hooks of one kind, in the order in which they are called."""

    __slots__ = ("_hooks",)

    def __init__(self) -> None:
        self._hooks: dict[int, _Hook] = {}

    def __iter__(self) -> Iterator[_Hook]:
        return iter(tuple(self._hooks.values()))

    def calls(self) -> dict[int, Callable[..., Any]]:
        """Return the functions by their number."""
        return {key: hook.call for key, hook in self._hooks.items()}

    def add(
        self,
        call: Callable[..., Any],
        *,
        with_kwargs: bool = False,
        always: bool = False,
        prepend: bool = False,
    ) -> HookHandle:
        """Add a hook at the end, or at the beginning."""
        key, later = next(_keys), {}
        if prepend:
            later = dict(self._hooks)
            self._hooks.clear()
        self._hooks[key] = _Hook(call, with_kwargs, always)
        self._hooks.update(later)
        return HookHandle(self._hooks, key)


class ModuleHooks:
    """The hooks of one module, or of all, by kind."""

    __slots__ = ("backward", "backward_pre", "forward", "forward_pre")

    def __init__(self) -> None:
        self.forward_pre = _HookList()
        self.forward = _HookList()
        self.backward_pre = _HookList()
        self.backward = _HookList()


global_hooks: ModuleHooks | None = None
"""The hooks of all modules; None until there is one."""


def _shared_hooks() -> ModuleHooks:
    global global_hooks  # noqa: PLW0603 - this is its one owner
    if global_hooks is None:
        global_hooks = ModuleHooks()
    return global_hooks


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> HookHandle:
    """Call `hook(module, args)` before the forward of every module."""
    return _shared_hooks().forward_pre.add(hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> HookHandle:
    """Call `hook(module, args, output)` after the forward of every module."""
    return _shared_hooks().forward.add(hook, with_kwargs=with_kwargs, always=always_call)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> HookHandle:
    """Call `hook(module, grad_output)` when the gradients of any module's outputs are known."""
    return _shared_hooks().backward_pre.add(hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> HookHandle:
    """Call `hook(module, grad_input, grad_output)` when those of its inputs are known too."""
    return _shared_hooks().backward.add(hook)


def _ignore(*_: object) -> None:
    """Do nothing where a module is called."""


@contextmanager
def watched(
    before: Callable[..., None] = _ignore,
    after: Callable[..., None] = _ignore,
    *,
    alone: bool = False,
) -> Iterator[None]:
    """Call functions around every module's forward for the length of a `with` block.

    Args:
        before: Called with the module and its arguments; does nothing by default.
        after: Called with the module, its arguments and its output; does nothing by default.
        alone: Whether the hooks of all modules that there are already are not called meanwhile.
    """
    global global_hooks  # noqa: PLW0603 - this is its one owner
    hooks = global_hooks
    if alone:
        global_hooks = None
    try:
        with register_module_forward_pre_hook(before), register_module_forward_hook(after):
            yield
    finally:
        global_hooks = hooks  # with no hooks at all, a call takes the short way again


def call(module: Hooked, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a module's forward, and the hooks around it: those of all modules first."""
    waiting = {id(hook): hook for hook in _hooks_of(module, "forward") if hook.always}
    output = None
    try:
        args, kwargs = _before_forward(module, args, kwargs)
        before, after = _hooks_of(module, "backward_pre"), _hooks_of(module, "backward")
        if before or after:
            backward = BackwardHook(
                module, [hook.call for hook in before], [hook.call for hook in after]
            )
            output = backward.setup_output_hook(
                module.forward(*backward.setup_input_hook(args), **kwargs)
            )
        else:
            output = module.forward(*args, **kwargs)
        for hook in _hooks_of(module, "forward"):
            waiting.pop(id(hook), None)
            changed = hook.after(module, args, kwargs, output)
            output = output if changed is None else changed
    except Exception:
        for hook in waiting.values():
            hook.after(module, args, kwargs, output)
        raise
    return output


def _hooks_of(module: Hooked, kind: str) -> list[_Hook]:
    chain = (global_hooks, module._hooks)
    return [hook for hooks in chain if hooks for hook in getattr(hooks, kind)]


def _before_forward(
    module: Hooked, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    for hook in _hooks_of(module, "forward_pre"):
        if hook.with_kwargs:
            changed = hook.call(module, args, kwargs)
            if changed is None:
                continue
            if not isinstance(changed, tuple) or len(changed) != 2:  # noqa: PLR2004 - a pair
                raise TensorError(
                    "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                    f"but got {changed!r}"
                )
            args, kwargs = changed
        else:
            changed = hook.call(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
    return args, kwargs
