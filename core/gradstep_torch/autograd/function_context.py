"""What a user-defined Function keeps between its forward and its backward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.ops.operands import FIXED
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.autograd.traversal import attached
from gradstep.errors import ArgumentTypeError, UnsupportedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.graph import Node, Value

__all__ = ["FunctionCtx", "Parts"]


_ONE_OF_SEVERAL = -2


class FunctionCtx:
    """The `ctx` of a Function; the user may hang attributes of their own on it.

    Args:
        needs_input_grad: For each argument of forward, whether its gradient is wanted.
        shapes: The shape of each argument; `()` for one that is no tensor.
    """

    def __init__(
        self, needs_input_grad: tuple[bool, ...], shapes: tuple[tuple[int, ...], ...]
    ) -> None:
        self.needs_input_grad = needs_input_grad
        self.shapes = shapes
        self.sources: tuple[int | None, ...] = ()
        self.results: list[tuple[tuple[int, ...], np.dtype[Any]] | None] = []
        self._materialize = True
        self._saved: tuple[Tensor | None, ...] = ()
        self._constant: tuple[Tensor, ...] = ()
        self._dirty: tuple[Tensor, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for backward; changes in between are noticed."""
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise ArgumentTypeError(
                    f"save_for_backward can only save variables, but got {type(tensor).__name__}",
                    "set anything else as an attribute of ctx",
                )
        self._saved = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Tell which outputs have no gradient."""
        self._constant = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Tell which inputs forward has changed in place."""
        self._dirty = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Tell whether an output without gradient is passed to backward as zeros, or as None."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What `save_for_backward` kept."""
        return self._saved

    def is_constant(self, tensor: Tensor) -> bool:
        """Tell whether an output was marked as not differentiable."""
        return any(tensor is other for other in self._constant)

    def is_dirty(self, tensor: Tensor) -> bool:
        """Tell whether an input was marked as changed in place."""
        return any(tensor is other for other in self._dirty)

    def describe(
        self, inputs: list[Tensor | None], outputs: list[Tensor], results: tuple[Any, ...]
    ) -> tuple[tuple[NDArray[Any] | None, ...], tuple[list[int], ...]]:
        """Note where each saved tensor stands, so that no tensor itself has to be kept.

        Returns:
            The saved arrays, and their version counters.
        """
        self.results = [
            (result._array.shape, result._array.dtype) if isinstance(result, Tensor) else None
            for result in results
        ]
        sources: list[int | None] = []
        for tensor in self._saved:
            source = next((n for n, t in enumerate(inputs) if t is tensor), None)
            if source is None and any(output is tensor for output in outputs):
                source = -1 if len(results) == 1 else _ONE_OF_SEVERAL
            sources.append(source)
        self.sources = tuple(sources)
        return (
            tuple(None if tensor is None else tensor._array for tensor in self._saved),
            tuple(FIXED if tensor is None else tensor._version_counter for tensor in self._saved),
        )

    def restore(self, node: Node, saved: tuple[Value, ...]) -> None:
        """Make `saved_tensors` readable during a backward."""
        found: list[Tensor | None] = []
        for value, source in zip(saved, self.sources, strict=True):
            if source == _ONE_OF_SEVERAL and grad_mode.enabled:
                raise UnsupportedError(
                    f"{node.name()} saved one of its several outputs, which cannot be "
                    "differentiated twice",
                    "save the inputs instead and compute the output again in backward",
                )
            if value is None or isinstance(value, Tensor):
                found.append(value)
            elif source is None or source == _ONE_OF_SEVERAL:
                found.append(wrap(value))
            else:
                found.append(attached(value, node if source < 0 else node.edges[source]))
        self._saved = tuple(found)

    def forget(self) -> None:
        """Let go of the tensors themselves."""
        self._saved = ()
        self._constant = self._dirty = ()

    def zeros_for(self, place: int) -> Tensor | None:
        """Return what backward gets for an output that no gradient has reached."""
        result = self.results[place]
        if result is None or not self._materialize:
            return None
        return wrap(np.zeros(*result))


class Parts:
    """The gradients of some outputs of one node, by their number; they add up."""

    __slots__ = ("grads",)

    def __init__(self, grads: dict[int, Value]) -> None:
        self.grads = grads

    def __add__(self, other: Parts) -> Parts:
        grads = dict(self.grads)
        for place, grad in other.grads.items():
            grads[place] = grads[place] + grad if place in grads else grad
        return Parts(grads)

    @property
    def recorded(self) -> bool:
        """Whether the gradients are tensors of a recorded backward pass."""
        return any(isinstance(grad, Tensor) for grad in self.grads.values())

    def filled(self, ctx: FunctionCtx) -> tuple[Tensor | None, ...]:
        """Return a gradient for every output."""
        return tuple(
            (grad if isinstance(grad, Tensor) else wrap(grad))
            if (grad := self.grads.get(place)) is not None
            else ctx.zeros_for(place)
            for place in range(len(ctx.results))
        )

    def __array__(
        self, dtype: np.dtype[Any] | None = None, copy: bool | None = None
    ) -> np.ndarray[Any, Any]:
        flat = [
            np.ravel(grad._array if isinstance(grad, Tensor) else grad)
            for _, grad in sorted(self.grads.items())
        ]
        return np.array(np.concatenate(flat), dtype, copy=copy)
