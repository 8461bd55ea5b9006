"""torch.autograd.graph: nodes, and hooks that pack what they save and unpack it for backward."""

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
"""Those in force, the innermost last; only that one is used."""


class Packed:
    """A saved tensor as its hook has packed it."""

    __slots__ = ("content", "shape", "unpack")

    def __init__(self, tensor: Tensor, hooks: saved_tensors_hooks) -> None:
        with grad_mode.no_grad():
            self.content = hooks.pack_hook(tensor)
        self.unpack = hooks.unpack_hook
        self.shape = tensor._array.shape

    def fetched(self) -> Any:
        """Return the array that the hook gives back."""
        with grad_mode.no_grad():
            found = self.unpack(self.content)
        if not isinstance(found, Tensor):
            raise ArgumentTypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(found).__name__}",
                "return from unpack_hook the tensor that pack_hook was given",
            )
        return found._array


def packing() -> saved_tensors_hooks | None:
    """Return the hooks in force, if there are any."""
    return _hooks[-1] if _hooks else None


def pack(array: Any, origin: Node | Tensor | None) -> Any:
    """Return a saved array as the hooks in force pack it; itself when there are none."""
    hooks = packing()
    if hooks is None:
        return array
    return Packed(wrap(array) if origin is None else attached(array, origin), hooks)


class _PackedSaving(Node):
    """What a node that was recorded under hooks does differently: its kind is exchanged."""

    __slots__ = ()

    def unpack(self) -> tuple[Value, ...]:
        """Return the saved values, those that were packed from their hooks."""
        return tuple(
            value.fetched() if isinstance(value, Packed) else value for value in super().unpack()
        )


_kinds: dict[type[Node], type[Node]] = {}


def _pack_saved(node: Node, _: Tensor) -> None:
    """Pack what a new node has saved."""
    if not any(isinstance(value, np.ndarray) for value in node.saved):
        return
    node.saved = tuple(
        pack(value, _origin(node, place)) if isinstance(value, np.ndarray) else value
        for place, value in enumerate(node.saved)
    )
    kind = node.kind
    if kind not in _kinds:
        _kinds[kind] = type(kind.__name__, (_PackedSaving, kind), {"__slots__": ()})
    node.kind = _kinds[kind]  # other nodes pay nothing for this
    node.as_kind()


def _origin(node: Node, place: int) -> Node | Tensor | None:
    """Return where a saved value stands in the graph."""
    source = node.sources[place] if place < len(node.sources) else None
    return None if source is None else node if source < 0 else node.edges[source]


class saved_tensors_hooks:
    """Let your own functions keep what is saved for the backward inside a `with` block.

    Args:
        pack_hook: Called with each tensor that is saved; what it returns is kept.
        unpack_hook: Called with that when the backward needs the tensor; returns the tensor.

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
    """Keep a copy of what is saved for the backward; it is on the CPU already.

    Args:
        pin_memory: Of no effect.
        device_type: Of no effect.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        del pin_memory, device_type
        super().__init__(lambda tensor: tensor.detach().clone(), lambda kept: kept)
