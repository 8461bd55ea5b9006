"""Resampling of sequences, images and volumes: new elements are weighted sums of old ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.tensor import Tensor, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Taps", "cubic_taps", "cubic_weights", "linear_taps", "nearest_taps", "resized"]


class Taps(NamedTuple):
    """The weighted sums that make the new elements along one dimension.

    Attributes:
        places: The indices of old elements, of shape (taps, new size).
        weights: Their weights; None means weight 1 for a single tap.
        size: The old size.
    """

    places: NDArray[np.int64]
    weights: NDArray[Any] | None
    size: int

    def gathered(self, x: NDArray[Any], axis: int) -> NDArray[Any]:
        """Return the new elements along `axis`."""
        parts = [
            x.take(places, axis) if self.weights is None else x.take(places, axis) * weights
            for places, weights in zip(self.places, self._along(x.ndim, axis), strict=True)
        ]
        total: NDArray[Any] = sum(parts[1:], parts[0])
        return total

    def scattered(self, grad: NDArray[Any], axis: int) -> NDArray[Any]:
        """Return the gradient of each old element: the weighted sum over its new ones."""
        shape = (*grad.shape[:axis], self.size, *grad.shape[axis + 1 :])
        out = np.zeros(shape, grad.dtype)
        turned = np.moveaxis(out, axis, 0)
        for places, weights in zip(self.places, self._along(grad.ndim, axis), strict=True):
            part = grad if self.weights is None else grad * weights
            np.add.at(turned, places, np.moveaxis(part, axis, 0))
        return out

    def _along(self, rank: int, axis: int) -> Any:
        if self.weights is None:
            return (1,)
        return self.weights.reshape(len(self.weights), -1, *(1,) * (rank - axis - 1))


class _UpsampleBackward(Node):
    """Weighted sums of elements; `context` is the taps of each spatial dimension."""

    __slots__ = ()
    rule = "input: the sum of grad times the weight of each element"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Apply the transposed weights."""
        taps = self.context
        if isinstance(grad, Tensor):
            return (
                _recorded(UpsampleBackwardBackward0, grad, _scattered(grad._array, taps), taps),
            )
        return (_scattered(grad, taps),)


class UpsampleBackwardBackward0(Node):
    """The recorded backward of an upsampling."""

    __slots__ = ()
    rule = "grad: the sum of grad times the weight of each element"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Apply the weights of the forward pass."""
        taps = self.context
        if isinstance(grad, Tensor):
            return (resized(grad, taps),)
        return (_gathered(grad, taps),)


class UpsampleNearest1DBackward0(_UpsampleBackward):
    """The nearest element, in one dimension."""

    __slots__ = ()


class UpsampleNearest2DBackward0(_UpsampleBackward):
    """The nearest element, in two dimensions."""

    __slots__ = ()


class UpsampleNearest3DBackward0(_UpsampleBackward):
    """The nearest element, in three dimensions."""

    __slots__ = ()


class UpsampleLinear1DBackward0(_UpsampleBackward):
    """Linear interpolation of two elements."""

    __slots__ = ()


class UpsampleBilinear2DBackward0(_UpsampleBackward):
    """Bilinear interpolation of four elements."""

    __slots__ = ()


class UpsampleTrilinear3DBackward0(_UpsampleBackward):
    """Trilinear interpolation of eight elements."""

    __slots__ = ()


class UpsampleBicubic2DBackward0(_UpsampleBackward):
    """Bicubic interpolation of sixteen elements."""

    __slots__ = ()


_KINDS: dict[tuple[int, int], type[Node]] = {
    (1, 1): UpsampleNearest1DBackward0,
    (1, 2): UpsampleNearest2DBackward0,
    (1, 3): UpsampleNearest3DBackward0,
    (2, 1): UpsampleLinear1DBackward0,
    (2, 2): UpsampleBilinear2DBackward0,
    (2, 3): UpsampleTrilinear3DBackward0,
    (4, 2): UpsampleBicubic2DBackward0,
}
"""Node kinds by the number of taps and of dimensions."""


def _gathered(x: NDArray[Any], taps: Sequence[Taps]) -> NDArray[Any]:
    for axis, along in enumerate(taps, x.ndim - len(taps)):
        x = along.gathered(x, axis)
    return x


def _scattered(grad: NDArray[Any], taps: Sequence[Taps]) -> NDArray[Any]:
    for axis, along in enumerate(taps, grad.ndim - len(taps)):
        grad = along.scattered(grad, axis)
    return grad


def _recorded(kind: type[Node], input: Tensor, array: NDArray[Any], taps: Sequence[Taps]) -> Tensor:
    out = wrap(array)
    if grad_mode.current.enabled and input._requires_grad:
        record(kind, out, (input._grad_fn or input,), context=taps)
    return out


def resized(input: Tensor, taps: Sequence[Taps]) -> Tensor:
    """Return `input` resampled along its last dimensions.

    Args:
        input: Of shape (batch, channels, sizes).
        taps: The weighted sums of each spatial dimension.
    """
    kind = _KINDS[len(taps[0].places), len(taps)]
    return _recorded(kind, input, _gathered(input._array, taps), taps)


def nearest_taps(
    old: int, new: int, scale: float | None, kind: np.dtype[Any], *, exact: bool
) -> Taps:
    """Return the nearest old element for each new one.

    Args:
        old: The old size.
        new: The new size.
        scale: The requested scale factor; None if a size was requested.
        kind: The element type.
        exact: Whether to compare the centres of elements instead of their left edges.
    """
    del kind  # torch takes float32 here whatever the elements are
    number = np.float32
    step = number(1.0 / scale) if scale else number(old) / number(new)
    at = np.arange(new, dtype=number) + number(0.5 if exact else 0.0)
    places = np.minimum((at * step).astype(np.int64), old - 1)
    return Taps(places[None], None, old)


def _positions(
    old: int, new: int, scale: float | None, kind: np.dtype[Any], align_corners: bool
) -> NDArray[Any]:
    """Return the centres of new elements in coordinates of the old ones."""
    number = kind.type
    at: NDArray[Any] = np.arange(new).astype(kind)
    if align_corners:
        at *= number(old - 1) / number(new - 1) if new > 1 else number(0)
        return at
    step = number(1.0 / scale) if scale else number(old) / number(new)
    at += number(0.5)
    at *= step
    at -= number(0.5)
    return at


def linear_taps(
    old: int, new: int, scale: float | None, kind: np.dtype[Any], *, align_corners: bool
) -> Taps:
    """Return the two old elements around each new one; arguments as for `nearest_taps`.

    `align_corners` aligns the centres of the outermost elements instead of their edges.
    """
    at = np.maximum(_positions(old, new, scale, kind, align_corners), kind.type(0))
    below = np.minimum(at.astype(np.int64), old - 1)
    above = np.minimum(below + 1, old - 1)
    share = np.clip(at - below, 0, 1).astype(kind)
    return Taps(np.stack([below, above]), np.stack([1 - share, share]), old)


def cubic_taps(
    old: int, new: int, scale: float | None, kind: np.dtype[Any], *, align_corners: bool
) -> Taps:
    """Return the four old elements around each new one; arguments as for `linear_taps`."""
    at = _positions(old, new, scale, kind, align_corners)
    below = np.floor(at).astype(np.int64)
    share = np.clip(at - below, 0, 1).astype(kind)
    weights = np.stack(cubic_weights(share)).astype(kind)
    places = np.clip(below + np.arange(-1, 3)[:, None], 0, old - 1)
    return Taps(places, weights, old)


def cubic_weights(share: Value) -> list[Value]:
    """Return the weights of the four elements around a position.

    Args:
        share: The distance of the position from the second element, from 0 to 1.

    References:
        Keys, Cubic convolution interpolation for digital image processing, IEEE TASSP 29, 1981.
    """
    return [_far(share + 1), _near(share), _near(1 - share), _far(2 - share)]


def _near(x: Value) -> Value:
    return (1.25 * x - 2.25) * x * x + 1


def _far(x: Value) -> Value:
    return ((-0.75 * x + 3.75) * x - 6) * x + 3
