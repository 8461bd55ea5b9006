"""Shape operations: reshape, squeeze, transpose, permute and expand, as views where possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.operands import axes, axis
from gradstep.autograd.size import sizes_of
from gradstep.autograd.tensor import Tensor, view_of, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "expand",
    "expand_as",
    "flatten",
    "movedim",
    "permute",
    "ravel",
    "reshape",
    "squeeze",
    "t",
    "transpose",
    "unflatten",
    "unsqueeze",
    "view",
    "view_as",
]


class ViewBackward0(Node):
    """A view with another shape."""

    __slots__ = ()
    rule = "input: grad in the shape of the input"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Reshape the gradient to the shape of the input."""
        return (grad.reshape(self.context),)


class UnsafeViewBackward0(ViewBackward0):
    """A reshaped copy, where a view is not possible."""

    __slots__ = ()
    rule = "input: grad in the shape of the input"


class SqueezeBackward0(ViewBackward0):
    """A view without dimensions of size 1."""

    __slots__ = ()
    rule = "input: grad in the shape of the input"


class UnsqueezeBackward0(ViewBackward0):
    """A view with a dimension of size 1 inserted."""

    __slots__ = ()
    rule = "input: grad in the shape of the input"


class PermuteBackward0(Node):
    """A view with permuted dimensions."""

    __slots__ = ()
    rule = "input: grad with the order undone"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Apply the inverse permutation to the gradient."""
        return (generic.permute(grad, self.context),)


class TransposeBackward0(Node):
    """A view with two dimensions swapped."""

    __slots__ = ()
    rule = "input: grad with the same dimensions exchanged"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Swap the same dimensions of the gradient."""
        return (grad.swapaxes(*self.context),)


class TBackward0(TransposeBackward0):
    """input.T."""

    __slots__ = ()
    rule = "input: grad.T"


class ExpandBackward0(Node):
    """A view with dimensions broadcast to a larger size."""

    __slots__ = ()
    rule = "input: sum of grad over what was repeated"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Sum the gradient over the broadcast dimensions."""
        return (generic.unbroadcast(grad, self.context),)


def _reshaped(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    try:
        return array.reshape(shape)
    except ValueError:
        if shape.count(-1) > 1:
            raise TensorError(
                f"only one dimension can be inferred, not those of {list(shape)}",
                "give at most one -1",
            ) from None
        raise TensorError(
            f"shape '{list(shape)}' is invalid for input of size {array.size}",
            "the product of the sizes must equal the number of elements",
        ) from None


def view(input: Tensor, *shape: int | Sequence[int]) -> Tensor:
    """Return a view with another shape.

    Raises:
        TensorError: The product of the sizes is not the number of elements, or the memory
            layout requires a copy.

    Example:
        >>> import gradstep
        >>> gradstep.arange(4).view(2, -1)
        tensor([[0, 1],
                [2, 3]])
    """
    array = input._array
    made = _reshaped(array, sizes_of(shape))
    if made.size and not np.may_share_memory(made, array):
        raise TensorError(
            "view size is not compatible with input tensor's size and stride",
            "use .reshape(...), which copies if necessary",
        )
    out = view_of(input, made)
    if grad_mode.current.enabled and input._requires_grad:
        record(ViewBackward0, out, (input._grad_fn or input,), context=array.shape)
    return out


def reshape(input: Tensor, *shape: int | Sequence[int]) -> Tensor:
    """Return the tensor with another shape: a view if possible, else a copy.

    Example:
        >>> import gradstep
        >>> gradstep.ones(2, 3).reshape(6).shape
        gradstep.Size([6])
    """
    array = input._array
    made = _reshaped(array, sizes_of(shape))
    shared = np.may_share_memory(made, array)
    out = view_of(input, made) if shared else wrap(made)
    if grad_mode.current.enabled and input._requires_grad:
        kind = ViewBackward0 if shared else UnsafeViewBackward0
        record(kind, out, (input._grad_fn or input,), context=array.shape)
    return out


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """Return a view of `input` in the shape of `other`."""
    return view(input, other._array.shape)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Flatten the dimensions from `start_dim` to `end_dim` (inclusive) into one.

    Example:
        >>> import gradstep
        >>> gradstep.ones(2, 3, 4).flatten(1).shape
        gradstep.Size([2, 12])
    """
    shape = input._array.shape
    if not shape:
        return reshape(input, 1)
    start, end = axis(start_dim, len(shape)), axis(end_dim, len(shape))
    if start > end:
        raise TensorError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    count = 1
    for size in shape[start : end + 1]:
        count *= size
    return reshape(input, (*shape[:start], count, *shape[end + 1 :]))


def ravel(input: Tensor) -> Tensor:
    """Flatten the tensor into a vector."""
    return reshape(input, -1)


def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Split one dimension into several."""
    shape = input._array.shape
    place = axis(dim, len(shape))
    return reshape(input, (*shape[:place], *sizes, *shape[place + 1 :]))


def squeeze(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Return a view without dimensions of size 1: all of them, or those in `dim`.

    Example:
        >>> import gradstep
        >>> gradstep.ones(2, 1).squeeze(1).shape
        gradstep.Size([2])
    """
    shape = input._array.shape
    if dim is None:
        wanted = range(len(shape))
    else:
        several = (dim,) if isinstance(dim, int) else dim
        wanted = [axis(d, len(shape)) for d in several]  # type: ignore[assignment]
    left = tuple(size for place, size in enumerate(shape) if size != 1 or place not in wanted)
    out = view_of(input, input._array.reshape(left))
    if grad_mode.current.enabled and input._requires_grad:
        record(SqueezeBackward0, out, (input._grad_fn or input,), context=shape)
    return out


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Return a view with a dimension of size 1 inserted at `dim`.

    Example:
        >>> import gradstep
        >>> gradstep.ones(3).unsqueeze(1).shape
        gradstep.Size([3, 1])
    """
    shape = input._array.shape
    place = axis(dim, len(shape) + 1)
    out = view_of(input, input._array.reshape((*shape[:place], 1, *shape[place:])))
    if grad_mode.current.enabled and input._requires_grad:
        record(UnsqueezeBackward0, out, (input._grad_fn or input,), context=shape)
    return out


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return a view with two dimensions swapped.

    Example:
        >>> import gradstep
        >>> gradstep.ones(2, 3).transpose(0, 1).shape
        gradstep.Size([3, 2])
    """
    array = input._array
    pair = axis(dim0, array.ndim), axis(dim1, array.ndim)
    out = view_of(input, array.swapaxes(*pair) if array.ndim else array[...])
    if grad_mode.current.enabled and input._requires_grad:
        if array.ndim:
            record(TransposeBackward0, out, (input._grad_fn or input,), context=pair)
        else:
            record(ViewBackward0, out, (input._grad_fn or input,), context=())
    return out


def t(input: Tensor) -> Tensor:
    """Return a matrix transposed, or a vector unchanged."""
    array = input._array
    if array.ndim > 2:  # noqa: PLR2004 - a matrix
        raise TensorError(
            f"t() expects a tensor with <= 2 dimensions, but self is {array.ndim}D",
            "use transpose(dim0, dim1) or .mT",
        )
    out = view_of(input, array.T)
    if grad_mode.current.enabled and input._requires_grad:
        if array.ndim < 2:  # noqa: PLR2004 - a matrix
            record(ViewBackward0, out, (input._grad_fn or input,), context=array.shape)
        else:
            record(TBackward0, out, (input._grad_fn or input,), context=(0, 1))
    return out


def permute(input: Tensor, *dims: int | Sequence[int]) -> Tensor:
    """Return a view with permuted dimensions.

    Example:
        >>> import gradstep
        >>> gradstep.ones(2, 3, 4).permute(2, 0, 1).shape
        gradstep.Size([4, 2, 3])
    """
    array = input._array
    order = tuple(axis(d, array.ndim) for d in sizes_of(dims))
    if sorted(order) != list(range(array.ndim)):
        raise TensorError(
            f"permute(): the dims {list(sizes_of(dims))} do not name each of the tensor's "
            f"{array.ndim} dimensions once"
        )
    out = view_of(input, array.transpose(order))
    if grad_mode.current.enabled and input._requires_grad:
        inverse = tuple(order.index(place) for place in range(len(order)))
        record(PermuteBackward0, out, (input._grad_fn or input,), context=inverse)
    return out


def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Return a view with dimensions moved to other positions.

    Example:
        >>> import gradstep
        >>> gradstep.ones(2, 3, 4).movedim(0, -1).shape
        gradstep.Size([3, 4, 2])
    """
    ndim = input._array.ndim
    starts = axes(source if isinstance(source, int) else tuple(source), ndim)
    ends = axes(destination if isinstance(destination, int) else tuple(destination), ndim)
    if len(starts) != len(ends):
        raise TensorError(
            f"movedim: Invalid source or destination dims: {len(starts)} and {len(ends)} of them"
        )
    order = [place for place in range(ndim) if place not in starts]
    for end, start in sorted(zip(ends, starts, strict=True)):
        order.insert(end, start)
    return permute(input, order)


def expand(input: Tensor, *sizes: int | Sequence[int]) -> Tensor:
    """Return a view broadcast to `sizes`; -1 keeps a size.

    Example:
        >>> import gradstep
        >>> gradstep.ones(2, 1).expand(-1, 3).shape
        gradstep.Size([2, 3])
    """
    array = input._array
    wanted = sizes_of(sizes)
    lead = len(wanted) - array.ndim
    shape = tuple(
        array.shape[place - lead] if size == -1 and place >= lead else size
        for place, size in enumerate(wanted)
    )
    try:
        made = np.broadcast_to(array, shape)
    except ValueError:
        raise TensorError(
            f"The expanded size {list(wanted)} must match the existing size {list(array.shape)} "
            "at every dimension that is not 1"
        ) from None
    out = view_of(input, made)
    if grad_mode.current.enabled and input._requires_grad:
        record(ExpandBackward0, out, (input._grad_fn or input,), context=array.shape)
    return out


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Return a view of `input` broadcast to the shape of `other`."""
    return expand(input, other._array.shape)


def reversed_dims(input: Tensor) -> Tensor:
    """Return a view with the dimensions in reverse order."""
    return permute(input, tuple(reversed(range(input._array.ndim))))


def matrix_transpose(input: Tensor) -> Tensor:
    """Return a view with the last two dimensions swapped."""
    return transpose(input, -1, -2)
