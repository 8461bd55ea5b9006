"""Unfold (im2col) and fold (col2im)."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.window_sizes import per_dimension
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gradstep.autograd.ops.window_sizes import Sizes

__all__ = ["fold", "unfold"]

_BATCHED_IMAGES, _BATCHED_COLUMNS = 4, 3


class _Patches(NamedTuple):
    """The geometry of patches, as pairs (height, width).

    Attributes:
        size: The size of the images.
        kernel: The size of the patches.
        dilation: The spacing of a patch's elements.
        padding: Zeros added on both sides.
        stride: The step between patches.
        counts: The number of patches.
    """

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    dilation: tuple[int, ...]
    padding: tuple[int, ...]
    stride: tuple[int, ...]
    counts: tuple[int, ...]

    def elements(self) -> Iterator[tuple[Any, Any]]:
        """Yield for each element of a patch its index in columns and in the padded images."""
        for element in np.ndindex(self.kernel):
            yield (
                (slice(None), slice(None), *element),
                (
                    ...,
                    *(
                        slice(place * d, place * d + step * (count - 1) + 1, step)
                        for place, d, step, count in zip(
                            element, self.dilation, self.stride, self.counts, strict=True
                        )
                    ),
                ),
            )

    def columns(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return (batch, channels, height, width) as (batch, channels * elements, patches)."""
        up, left = self.padding
        x = np.pad(x, ((0, 0), (0, 0), (up, up), (left, left)))
        out = np.empty((*x.shape[:2], *self.kernel, *self.counts), x.dtype)
        for element, places in self.elements():
            out[element] = x[places]
        return out.reshape(len(x), x.shape[1] * prod(self.kernel), prod(self.counts))

    def images(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Return the images that columns (batch, channels * elements, patches) sum up to."""
        channels = columns.shape[1] // prod(self.kernel)
        columns = columns.reshape(len(columns), channels, *self.kernel, *self.counts)
        wide = [n + 2 * pad for n, pad in zip(self.size, self.padding, strict=True)]
        out = np.zeros((len(columns), channels, *wide), columns.dtype)
        for element, places in self.elements():
            out[places] += columns[element]
        up, left = self.padding
        return out[:, :, up : up + self.size[0], left : left + self.size[1]]


class Im2ColBackward0(Node):
    """Patches as columns; `context` is their geometry."""

    __slots__ = ()
    rule = "input: grad, added up where patches overlap"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Sum over the patches that contain an element."""
        patches = self.context
        return (_folded(grad, patches) if isinstance(grad, Tensor) else patches.images(grad),)


class Col2ImBackward0(Node):
    """Images as sums of columns; `context` is the geometry of the patches."""

    __slots__ = ()
    rule = "input: grad at the element it was added to"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Copy the gradient to each element of the sum."""
        patches = self.context
        return (_unfolded(grad, patches) if isinstance(grad, Tensor) else patches.columns(grad),)


def _unfolded(input: Tensor, patches: _Patches) -> Tensor:
    return _recorded(Im2ColBackward0, input, patches.columns(input._array), patches)


def _folded(input: Tensor, patches: _Patches) -> Tensor:
    return _recorded(Col2ImBackward0, input, patches.images(input._array), patches)


def _recorded(kind: type[Node], input: Tensor, array: NDArray[Any], patches: _Patches) -> Tensor:
    out = wrap(array)
    if grad_mode.current.enabled and input._requires_grad:
        record(kind, out, (input._grad_fn or input,), context=patches)
    return out


def _patches(
    size: tuple[int, ...], kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes
) -> _Patches:
    kernel = per_dimension("kernel_size", kernel_size, 2, least=1)
    dilations = per_dimension("dilation", dilation, 2, least=1)
    paddings = per_dimension("padding", padding, 2)
    strides = per_dimension("stride", stride, 2, least=1)
    count = tuple(
        (n + 2 * pad - d * (k - 1) - 1) // step + 1
        for n, k, d, pad, step in zip(size, kernel, dilations, paddings, strides, strict=True)
    )
    if min(count) < 1:
        raise TensorError(
            f"images of size {list(size)} with padding {list(paddings)} are too small for "
            f"kernel_size {list(kernel)} with dilation {list(dilations)}: this gives "
            f"{list(count)} patches, but there must be at least one"
        )
    return _Patches(size, kernel, dilations, paddings, strides, count)


def unfold(
    input: Tensor,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Return the patches under a sliding window as columns.

    Args:
        input: Of shape (batch, channels, height, width), or without the batch.
        kernel_size: The size of the patches.
        dilation: The spacing of a patch's elements.
        padding: Zeros added on both sides.
        stride: The step between patches.

    Returns:
        Of shape (batch, channels * elements of a patch, patches).

    Raises:
        TensorError: The input is not an image, or smaller than a patch.

    Example:
        >>> import gradstep_torch as torch
        >>> unfold(torch.arange(6.0).view(1, 2, 3), 2)
        tensor([[0., 1.],
                [1., 2.],
                [3., 4.],
                [4., 5.]])
    """
    shape = input._array.shape
    if len(shape) not in {3, 4}:
        raise TensorError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(shape)}"
        )
    batched = len(shape) == _BATCHED_IMAGES
    patches = _patches(shape[-2:], kernel_size, dilation, padding, stride)
    out = _unfolded(input if batched else input.unsqueeze(0), patches)
    return out if batched else out.squeeze(0)


def fold(
    input: Tensor,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Return the images that patches sum up to.

    Args:
        input: Of shape (batch, channels * elements of a patch, patches), or without the batch.
        output_size: The height and width of the images.
        kernel_size: The size of the patches.
        dilation: The spacing of a patch's elements.
        padding: Removed from both sides of the images.
        stride: The step between patches.

    Raises:
        TensorError: The shape of the input does not match the other arguments.

    Example:
        >>> import gradstep_torch as torch
        >>> fold(torch.ones(1, 4, 2), (2, 3), 2)
        tensor([[[[1., 2., 1.],
                  [1., 2., 1.]]]])
    """
    shape = input._array.shape
    if len(shape) not in {2, 3}:
        raise TensorError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
            f"non-zero dimensions for input, but got: {list(shape)}"
        )
    size = per_dimension("output_size", output_size, 2, least=1)
    patches = _patches(size, kernel_size, dilation, padding, stride)
    if shape[-2] % prod(patches.kernel):
        raise TensorError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
            f"but got input.size(1)={shape[-2]} and kernel_size={patches.kernel}."
        )
    if shape[-1] != prod(patches.counts):
        raise TensorError(
            f"Given output_size={size}, kernel_size={patches.kernel}, "
            f"dilation={patches.dilation}, padding={patches.padding}, stride={patches.stride}, "
            f"expected size of input's dimension 2 to match the calculated number of sliding "
            f"blocks {' * '.join(map(str, patches.counts))} = {prod(patches.counts)}, but got "
            f"input.size(2)={shape[-1]}."
        )
    batched = len(shape) == _BATCHED_COLUMNS
    out = _folded(input if batched else input.unsqueeze(0), patches)
    return out if batched else out.squeeze(0)
