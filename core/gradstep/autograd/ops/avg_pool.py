"""The mean of the elements under a window at each of its places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.pool_windows import as_batch, windows
from gradstep.autograd.ops.window_sizes import per_dimension
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gradstep.autograd.ops.window_sizes import Sizes

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
]


class _Ranges(NamedTuple):
    """Ranges of one dimension of `size` elements; both ends never fall from one to the next."""

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    size: int

    def turned(self) -> _Ranges:
        """Return, for each element, the range of the ranges that it is in."""
        elements = np.arange(self.size)
        return _Ranges(
            np.searchsorted(self.stops, elements, "right"),
            np.searchsorted(self.starts, elements, "right"),
            len(self.starts),
        )

    def sums(self, x: NDArray[Any], axis: int) -> NDArray[Any]:
        """Return the sums over the ranges along `axis`."""
        shape = list(x.shape)
        shape[axis] = len(self.starts)
        out = np.zeros(shape, x.dtype)
        lengths = self.stops - self.starts
        before = (slice(None),) * axis
        for place in range(int(lengths.max(initial=0))):
            reached = np.flatnonzero(lengths > place)
            chosen = _as_slice(self.starts[reached] + place)
            out[(*before, _as_slice(reached))] += x[(*before, chosen)]
        return out


def _as_slice(places: NDArray[np.int64]) -> Any:  # noqa: ANN401 - a slice, or the places
    """Return evenly spaced places as a slice, which takes no copy."""
    first = int(places[0])
    step = int(places[1]) - first if len(places) > 1 else 1
    if step < 1 or (np.diff(places) != step).any():
        return places
    return slice(first, int(places[-1]) + 1, step)


class _AvgPoolBackward(Node):
    """Sums over ranges, times constants that are saved; `context` is the ranges."""

    __slots__ = ()
    sources = (None,)
    rule = "input: grad / count, added at every element of its window"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """The gradient goes to all elements of the range."""
        return (_range_sums(grad * saved[0], [along.turned() for along in self.context]),)


class AvgPool2DBackward0(_AvgPoolBackward):
    """Windows of one size."""

    __slots__ = ()


class AvgPool3DBackward0(_AvgPoolBackward):
    """Windows of one size, of three dimensions."""

    __slots__ = ()


class AdaptiveAvgPool2DBackward0(_AvgPoolBackward):
    """A given number of windows."""

    __slots__ = ()


class AdaptiveAvgPool3DBackward0(_AvgPoolBackward):
    """A given number of windows, of three dimensions."""

    __slots__ = ()


class RangeSumBackward0(Node):
    """Sums over ranges."""

    __slots__ = ()
    rule = "input: grad, added at every element of its range"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The gradient goes to all elements of the range."""
        return (_range_sums(grad, [along.turned() for along in self.context]),)


def _sums(x: NDArray[Any], ranges: Sequence[_Ranges]) -> NDArray[Any]:
    for axis, along in enumerate(ranges, x.ndim - len(ranges)):
        x = along.sums(x, axis)
    return x


def _range_sums(value: Value, ranges: Sequence[_Ranges]) -> Value:
    """Return sums over ranges of the last dimensions, of an array or a tensor."""
    if not isinstance(value, Tensor):
        return _sums(value, ranges)
    out = wrap(_sums(value._array, ranges))
    if grad_mode.enabled and value._requires_grad:
        record(RangeSumBackward0, out, (value._grad_fn or value,), context=ranges)
    return out


def _record_pool(
    kind: type[_AvgPoolBackward],
    input: Tensor,
    ranges: Sequence[_Ranges],
    divisors: Sequence[NDArray[np.int64]],
) -> Tensor:
    """Return the sums over the ranges, divided by the product of the divisors."""
    divisor = divisors[0].astype(np.float64)
    for more in divisors[1:]:
        divisor = divisor[..., None] * more
    scale = (1.0 / divisor).astype(input._array.dtype)
    out = wrap(_sums(input._array, ranges) * scale)
    if grad_mode.enabled and input._requires_grad:
        record(kind, out, (input._grad_fn or input,), (scale,), context=ranges)
    return out


_KINDS = (AvgPool2DBackward0, AvgPool2DBackward0, AvgPool3DBackward0)
_ADAPTIVE = (AdaptiveAvgPool2DBackward0, AdaptiveAvgPool2DBackward0, AdaptiveAvgPool3DBackward0)


def _avg_pool(
    spatial: int,
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    name = f"avg_pool{spatial}d"
    batch = as_batch(name, input, spatial)
    size = batch._array.shape[2:]
    under = windows(name, size, kernel_size, stride, padding, 1, ceil_mode)
    if divisor_override == 0:
        raise TensorError("divisor must be not zero", "give None for the size of the window")
    ranges, divisors = [], []
    for n, k, step, pad, _, count in zip(*under, strict=True):
        starts = np.arange(count) * step - pad
        stops = np.minimum(starts + k, n + pad)
        inside = _Ranges(np.maximum(starts, 0), np.minimum(stops, n), n)
        ranges.append(inside)
        divisors.append(stops - starts if count_include_pad else inside.stops - inside.starts)
    if divisor_override is not None:
        divisors = [np.ones_like(each) for each in divisors]
        divisors[0] = divisors[0] * divisor_override
    out = _record_pool(_KINDS[spatial - 1], batch, ranges, divisors)
    return out if batch is input else out.squeeze(0)


def _adaptive(spatial: int, input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    batch = as_batch(f"adaptive_avg_pool{spatial}d", input, spatial)
    size = batch._array.shape[2:]
    if isinstance(output_size, int):
        output_size = (output_size,) * spatial
    if len(output_size) != spatial:
        raise ArgumentError(
            f"output_size has {len(output_size)} numbers for {spatial} dimensions",
            "give one for each, or None where the size shall stay",
        )
    known = zip(output_size, size, strict=True)
    counts = per_dimension(
        "output_size", [n if wanted is None else wanted for wanted, n in known], spatial
    )
    ranges = []
    for n, count in zip(size, counts, strict=True):
        places = np.arange(count)
        stops = -(-(places + 1) * n // max(count, 1))
        ranges.append(_Ranges(places * n // max(count, 1), stops, n))
    lengths = [along.stops - along.starts for along in ranges]
    out = _record_pool(_ADAPTIVE[spatial - 1], batch, ranges, lengths)
    return out if batch is input else out.squeeze(0)


def avg_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of the elements under each place of a window.

    Args:
        input: Of shape (batch, channels, length), or without the batch.
        kernel_size: Of the window.
        stride: From one place to the next; the size of the window if None.
        padding: Zeros on both sides.
        ceil_mode: Whether the last window may reach beyond the end.
        count_include_pad: Whether the padding counts in the mean.

    Example:
        >>> import gradstep
        >>> avg_pool1d(gradstep.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
        tensor([[2., 1.]])
    """
    return _avg_pool(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean of the elements under each place of a window; arguments as for `avg_pool1d`.

    `divisor_override` is divided by instead of the size of the window.
    """
    return _avg_pool(
        2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def avg_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean of the elements under each place of a window; arguments as `avg_pool2d`."""
    return _avg_pool(
        3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Return the means of `output_size` windows that cover the input evenly.

    Example:
        >>> import gradstep
        >>> adaptive_avg_pool1d(gradstep.tensor([[1.0, 3.0, 2.0]]), 2)
        tensor([[2.0000, 2.5000]])
    """
    return _adaptive(1, input, output_size)


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Return the means of windows that cover the input evenly; a size of None keeps that size.

    Example:
        >>> import gradstep
        >>> adaptive_avg_pool2d(gradstep.ones(1, 8, 5, 7), (1, None)).shape
        gradstep.Size([1, 8, 1, 7])
    """
    return _adaptive(2, input, output_size)


def adaptive_avg_pool3d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Return the means of windows that cover the input evenly; a size of None keeps that size."""
    return _adaptive(3, input, output_size)
