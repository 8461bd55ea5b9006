"""torch.autograd.graph: nodes, and hooks that pack and unpack their saved tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode, graph
from gradstep.autograd.graph import Node, Value
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.autograd.traversal import attached
from gradstep.errors import ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

__all__ = ["Node", "pack", "packing", "save_on_cpu", "saved_tensors_hooks"]


_hooks: list[saved_tensors_hooks] = []
"""The active hooks, innermost last; only the innermost is used."""


class Packed:
    """The packed form of a saved tensor."""

    __slots__ = ("content", "shape", "unpack")

    def __init__(self, tensor: Tensor, hooks: saved_tensors_hooks) -> None:
        with grad_mode.no_grad():
            self.content = hooks.pack_hook(tensor)
        self.unpack = hooks.unpack_hook
        self.shape = tensor._array.shape

    def fetched(self) -> Any:
        """Return the array of the tensor that the unpack hook returns."""
        with grad_mode.no_grad():
            found = self.unpack(self.content)
        if not isinstance(found, Tensor):
            raise ArgumentTypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(found).__name__}",
                "return the tensor that pack_hook received",
            )
        return found._array


def packing() -> saved_tensors_hooks | None:
    """Return the active hooks, or None."""
    return _hooks[-1] if _hooks else None


def pack(array: Any, origin: Node | Tensor | None) -> Any:
    """Return a saved array packed by the active hooks; without hooks, the array itself."""
    hooks = packing()
    if hooks is None:
        return array
    return Packed(wrap(array) if origin is None else attached(array, origin), hooks)


class _PackedSaving(Node):
    """The base of node kinds recorded under hooks; it replaces the node's kind."""

    __slots__ = ()

    def unpack(self) -> tuple[Value, ...]:
        """Return the saved values, unpacking those that were packed."""
        return tuple(
            value.fetched() if isinstance(value, Packed) else value for value in super().unpack()
        )


_kinds: dict[type[Node], type[Node]] = {}


def _pack_saved(node: Node, _: Tensor) -> None:
    """Pack the saved arrays of a new node."""
    if not any(isinstance(value, np.ndarray) for value in node.saved):
        return
    node.saved = tuple(
        pack(value, _origin(node, place)) if isinstance(value, np.ndarray) else value
        for place, value in enumerate(node.saved)
    )
    kind = node.kind
    if kind not in _kinds:
        _kinds[kind] = type(kind.__name__, (_PackedSaving, kind), {"__slots__": ()})
    node.kind = _kinds[kind]  # only nodes recorded under hooks pay for unpacking
    node.as_kind()


def _origin(node: Node, place: int) -> Node | Tensor | None:
    """Return the node or leaf that a saved value belongs to."""
    source = node.sources[place] if place < len(node.sources) else None
    return None if source is None else node if source < 0 else node.edges[source]


class saved_tensors_hooks:
    """Pack tensors saved for backward inside a `with` block, with your own functions.

    Args:
        pack_hook: Called with each saved tensor; its result is kept instead.
        unpack_hook: Called with that result in backward; must return the tensor.

    Example:
        >>> import gradstep_torch as torch
        >>> x = torch.tensor([2.0, 3.0], requires_grad=True)
        >>> with saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
        ...     y = (x * x).sum()
        >>> y.backward()
        >>> x.grad
        tensor([4., 6.])
    """

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> Self:
        _hooks.append(self)
        if _pack_saved not in graph.watchers:
            graph.watchers.append(_pack_saved)
        return self

    def __exit__(self, *_: object) -> None:
        _hooks.pop()
        if not _hooks:
            graph.watchers.remove(_pack_saved)


class save_on_cpu(saved_tensors_hooks):
    """Save copies of tensors for backward; all tensors are on the CPU already.

    Args:
        pin_memory: Ignored; for compatibility with torch.
        device_type: Ignored; for compatibility with torch.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        del pin_memory, device_type
        super().__init__(lambda tensor: tensor.detach().clone(), lambda kept: kept)
