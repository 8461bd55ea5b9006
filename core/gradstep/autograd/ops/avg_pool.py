"""Average pooling, with a fixed window size or a fixed output size."""

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
    """Ranges of a dimension of `size` elements; starts and stops are non-decreasing."""

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    size: int

    def transposed(self) -> _Ranges:
        """Return, for each element, the range of windows that contain it."""
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


def _as_slice(places: NDArray[np.int64]) -> Any:  # noqa: ANN401 - a slice, or an index array
    """Return evenly spaced positions as a slice, which avoids a copy."""
    first = int(places[0])
    step = int(places[1]) - first if len(places) > 1 else 1
    if step < 1 or (np.diff(places) != step).any():
        return places
    return slice(first, int(places[-1]) + 1, step)


class _AvgPoolBackward(Node):
    """Sums over ranges times saved constants; `context` holds the ranges."""

    __slots__ = ()
    sources = (None,)
    rule = "input: grad / count, added at every element of its window"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Each element gets the gradients of the ranges that contain it."""
        return (_range_sums(grad * saved[0], [along.transposed() for along in self.context]),)


class AvgPool2DBackward0(_AvgPoolBackward):
    """Average pooling with a fixed window size."""

    __slots__ = ()


class AvgPool3DBackward0(_AvgPoolBackward):
    """Three-dimensional average pooling with a fixed window size."""

    __slots__ = ()


class AdaptiveAvgPool2DBackward0(_AvgPoolBackward):
    """Average pooling to a fixed output size."""

    __slots__ = ()


class AdaptiveAvgPool3DBackward0(_AvgPoolBackward):
    """Three-dimensional average pooling to a fixed output size."""

    __slots__ = ()


class RangeSumBackward0(Node):
    """Sums over ranges."""

    __slots__ = ()
    rule = "input: grad, added at every element of its range"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Each element gets the gradients of the ranges that contain it."""
        return (_range_sums(grad, [along.transposed() for along in self.context]),)


def _sums(x: NDArray[Any], ranges: Sequence[_Ranges]) -> NDArray[Any]:
    for axis, along in enumerate(ranges, x.ndim - len(ranges)):
        x = along.sums(x, axis)
    return x


def _range_sums(value: Value, ranges: Sequence[_Ranges]) -> Value:
    """Return sums over ranges of the last dimensions of an array or a tensor."""
    if not isinstance(value, Tensor):
        return _sums(value, ranges)
    out = wrap(_sums(value._array, ranges))
    if grad_mode.current.enabled and value._requires_grad:
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
    if grad_mode.current.enabled and input._requires_grad:
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
        raise TensorError("divisor must be not zero", "pass None to divide by the window size")
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
            f"output_size has {len(output_size)} values for {spatial} dimensions",
            "give one value per dimension, or None to keep a size",
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
    """Average-pool a sequence.

    Args:
        input: Of shape (batch, channels, length), or without the batch.
        kernel_size: Window size.
        stride: Step between windows; the window size if None.
        padding: Zeros added on both sides.
        ceil_mode: Whether the last window may extend beyond the padded input.
        count_include_pad: Whether padding zeros count in the mean.

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
    """Average-pool images; arguments as for `avg_pool1d`.

    `divisor_override` replaces the window size as the divisor.
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
    """Average-pool volumes; arguments as for `avg_pool2d`."""
    return _avg_pool(
        3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Average-pool a sequence to `output_size` elements.

    Example:
        >>> import gradstep
        >>> adaptive_avg_pool1d(gradstep.tensor([[1.0, 3.0, 2.0]]), 2)
        tensor([[2.0000, 2.5000]])
    """
    return _adaptive(1, input, output_size)


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Average-pool images to `output_size`; None keeps a size.

    Example:
        >>> import gradstep
        >>> adaptive_avg_pool2d(gradstep.ones(1, 8, 5, 7), (1, None)).shape
        gradstep.Size([1, 8, 1, 7])
    """
    return _adaptive(2, input, output_size)


def adaptive_avg_pool3d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Average-pool volumes to `output_size`; None keeps a size."""
    return _adaptive(3, input, output_size)
