"""Max pooling."""

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
    """Window maxima; saved are their positions in the windows, `context` is shape and windows."""

    __slots__ = ()
    sources = (None,)
    rule = "input: grad at the largest element of each window, 0 elsewhere"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Add the gradient at the maximum of each window."""
        shape, under = self.context
        images, each = prod(shape[:2]), prod(shape[2:])
        starts = np.arange(images).reshape((*shape[:2], *(1,) * len(under.size))) * each
        places = (_flat_indices(saved[0], under) + starts).reshape(-1)
        return (scatter_to_zeros(grad.reshape((-1,)), (images * each,), places).reshape(shape),)


class MaxPool1DBackward0(_MaxPoolBackward):
    """Max pooling of sequences."""

    __slots__ = ()


class MaxPool2DWithIndicesBackward0(_MaxPoolBackward):
    """Max pooling of images."""

    __slots__ = ()


class MaxPool3DWithIndicesBackward0(_MaxPoolBackward):
    """Max pooling of volumes."""

    __slots__ = ()


_KINDS = (MaxPool1DBackward0, MaxPool2DWithIndicesBackward0, MaxPool3DWithIndicesBackward0)


def _window_maxima(x: Value, under: Windows) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the maximum of each window and its position in the window, counted from 1.

    Of equal elements the first is taken, of NaN the last; 0 means none exceeds the padding.
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
        # Positions increase, so a maximum stores the latest; a masked copy is five times slower.
        np.maximum(chosen, better.view(np.uint8) * chosen.dtype.type(number), out=chosen)
    if x.dtype.kind == "f" and np.isnan(best).any():
        for number, candidate in enumerate(candidates, 1):
            np.copyto(chosen, number, where=np.isnan(candidate))
    return best, chosen


def _flat_indices(chosen: NDArray[Any], under: Windows) -> NDArray[np.int64]:
    """Return the indices of the maxima in the flattened spatial dimensions."""
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
    found, chosen = _window_maxima(x, under)
    out = wrap(found)
    if grad_mode.current.enabled and batch._requires_grad:
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
    indices = wrap(_flat_indices(chosen, under))
    return (out, indices) if whole else (out.squeeze(0), indices.squeeze(0))


def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # noqa: ANN401 - a Tensor, or two
    """Max-pool a sequence.

    Args:
        input: Of shape (batch, channels, length), or without the batch.
        kernel_size: Window size.
        stride: Step between windows; the window size if None.
        padding: Elements of -inf added on both sides.
        dilation: Spacing between window elements.
        ceil_mode: Whether the last window may extend beyond the padded input.
        return_indices: Whether to return the flat indices of the maxima, too.

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
) -> Any:  # noqa: ANN401 - a Tensor, or two
    """Max-pool images; arguments as for `max_pool1d`.

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
) -> Any:  # noqa: ANN401 - a Tensor, or two
    """Max-pool volumes; arguments as for `max_pool1d`."""
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
