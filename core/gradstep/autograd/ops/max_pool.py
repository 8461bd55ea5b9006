"""The largest element under a window at each of its places."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.assignment import scatter_to_zeros
from gradstep.autograd.ops.pool_windows import Windows, as_batch, windows
from gradstep.autograd.tensor import Tensor, wrap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.ops.window_sizes import Sizes

__all__ = ["max_pool1d", "max_pool2d", "max_pool3d"]


class _MaxPoolBackward(Node):
    """Chosen elements; saved are their numbers in their windows, `context` is shape and windows."""

    __slots__ = ()
    sources = (None,)
    rule = "input: grad at the largest element of each window, 0 elsewhere"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """The gradient goes to the chosen."""
        shape, under = self.context
        images, each = prod(shape[:2]), prod(shape[2:])
        starts = np.arange(images).reshape((*shape[:2], *(1,) * len(under.size))) * each
        places = (_places(saved[0], under) + starts).reshape(-1)
        return (scatter_to_zeros(grad.reshape((-1,)), (images * each,), places).reshape(shape),)


class MaxPool1DBackward0(_MaxPoolBackward):
    """In one dimension."""

    __slots__ = ()


class MaxPool2DWithIndicesBackward0(_MaxPoolBackward):
    """In two dimensions."""

    __slots__ = ()


class MaxPool3DWithIndicesBackward0(_MaxPoolBackward):
    """In three dimensions."""

    __slots__ = ()


_KINDS = (MaxPool1DBackward0, MaxPool2DWithIndicesBackward0, MaxPool3DWithIndicesBackward0)


def _largest(x: Value, under: Windows) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the largest elements, and which of its window each is, counted from 1.

    The first of equals is taken, and the last NaN; 0 stands for none above the padding.
    """
    low = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    pads = [
        (pad, max(0, (count - 1) * step + reach - pad - n))
        for n, pad, count, step, reach in zip(
            under.size, under.padding, under.output, under.stride, under.span, strict=True
        )
    ]
    if any(map(any, pads)):
        x = np.pad(x, ((0, 0), (0, 0), *pads), constant_values=low)
    candidates = [
        x[
            (
                ...,
                *(
                    slice(place * dilation, place * dilation + step * (count - 1) + 1, step)
                    for place, dilation, step, count in zip(
                        element, under.dilation, under.stride, under.output, strict=True
                    )
                ),
            )
        ]
        for element in np.ndindex(under.kernel)
    ]
    best = np.full(candidates[0].shape, low, x.dtype)
    chosen = np.zeros(best.shape, np.min_scalar_type(len(candidates)))
    for number, candidate in enumerate(candidates, 1):
        better = candidate > best
        np.maximum(best, candidate, out=best)
        # Numbers grow, so a maximum writes them where they belong; a masked copy takes five times.
        np.maximum(chosen, better.view(np.uint8) * chosen.dtype.type(number), out=chosen)
    if x.dtype.kind == "f" and np.isnan(best).any():
        for number, candidate in enumerate(candidates, 1):
            np.copyto(chosen, number, where=np.isnan(candidate))
    return best, chosen


def _places(chosen: NDArray[Any], under: Windows) -> NDArray[np.int64]:
    """Return where chosen elements are in the flattened spatial dimensions."""
    spatial = len(under.size)
    places = np.zeros((1,) * spatial, np.int64)
    elements = [(0,) * spatial, *np.ndindex(under.kernel)]
    for axis, n in enumerate(under.size):
        step, pad, dilation = under.stride[axis], under.padding[axis], under.dilation[axis]
        starts = np.arange(under.output[axis]) * step - pad
        starts = starts.reshape([-1 if other == axis else 1 for other in range(spatial)])
        offsets = np.array([element[axis] * dilation for element in elements])
        along = offsets.take(chosen) + starts
        if pad:
            np.copyto(along, along % dilation, where=along < 0)
        places = places * n + along
    return places


def _max_pool(
    spatial: int,
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
    return_indices: bool,
) -> Tensor | tuple[Tensor, Tensor]:
    name = f"max_pool{spatial}d"
    batch = as_batch(name, input, spatial)
    x = batch._array
    under = windows(name, x.shape[2:], kernel_size, stride, padding, dilation, ceil_mode)
    found, chosen = _largest(x, under)
    out = wrap(found)
    if grad_mode.enabled and batch._requires_grad:
        record(
            _KINDS[spatial - 1],
            out,
            (batch._grad_fn or batch,),
            (chosen,),
            context=(x.shape, under),
        )
    whole = batch is input
    if not return_indices:
        return out if whole else out.squeeze(0)
    indices = wrap(_places(chosen, under))
    return (out, indices) if whole else (out.squeeze(0), indices.squeeze(0))


def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # noqa: ANN401 - a tensor, or two
    """Return the largest element under each place of a window.

    Args:
        input: Of shape (batch, channels, length), or without the batch.
        kernel_size: Of the window.
        stride: From one place to the next; the size of the window if None.
        padding: Places on both sides that never are the largest.
        dilation: From one element of the window to the next.
        ceil_mode: Whether the last window may reach beyond the end.
        return_indices: Whether to return where they are, too.

    Example:
        >>> import gradstep
        >>> max_pool1d(gradstep.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
        tensor([[3., 2.]])
    """
    return _max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # noqa: ANN401 - a tensor, or two
    """Return the largest element under each place of a window; arguments as for `max_pool1d`.

    Example:
        >>> import gradstep
        >>> max_pool2d(gradstep.arange(16.0).view(1, 4, 4), 2)
        tensor([[[ 5.,  7.],
                 [13., 15.]]])
    """
    return _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # noqa: ANN401 - a tensor, or two
    """Return the largest element under each place of a window; arguments as for `max_pool1d`."""
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
