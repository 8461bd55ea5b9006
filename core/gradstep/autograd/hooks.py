"""Hooks on tensors and nodes, and the handles that remove them."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import ref

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.autograd.tensor import Tensor

__all__ = ["HookList", "NodeHooks", "RemovableHandle", "TensorHooks"]

_ids = count()


class RemovableHandle:
    """Removes a hook, by `remove()` or at the end of a `with` block."""

    __slots__ = ("__weakref__", "_hooks", "id")

    def __init__(self, hooks: HookList, key: int) -> None:
        self._hooks = ref(hooks)
        self.id = key

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.discard(self.id)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class HookList:
    """Hooks in the order they were added."""

    __slots__ = ("__weakref__", "_hooks")

    def __init__(self) -> None:
        self._hooks: dict[int, Callable[..., Any]] = {}

    def add(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Append a hook and return the handle that removes it."""
        key = next(_ids)
        self._hooks[key] = hook
        return RemovableHandle(self, key)

    def discard(self, key: int) -> None:
        """Remove the hook with this key, if it is there."""
        self._hooks.pop(key, None)

    def __iter__(self) -> Iterator[Callable[..., Any]]:
        return iter(tuple(self._hooks.values()))

    def __bool__(self) -> bool:
        return bool(self._hooks)


class NodeHooks:
    """All hooks of a node.

    Attributes:
        tensor: Hooks of the node's output tensor; each may replace the gradient.
        pre: Called with the incoming gradients.
        post: Called with the outgoing and the incoming gradients.
        retains: A weak reference to the tensor that keeps its gradient in `.grad`, or None.
    """

    __slots__ = ("post", "pre", "retains", "tensor")

    def __init__(self) -> None:
        self.tensor = HookList()
        self.pre = HookList()
        self.post = HookList()
        self.retains: ref[Tensor] | None = None


class TensorHooks:
    """Hooks of a leaf: on its gradient, and after accumulation."""

    __slots__ = ("accumulated", "gradient")

    def __init__(self) -> None:
        self.gradient = HookList()
        self.accumulated = HookList()
