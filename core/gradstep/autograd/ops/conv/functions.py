"""The convolution functions: check the arguments, then record one node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd.ops.conv import products
from gradstep.autograd.ops.conv.nodes import (
    ConvolutionBackward0,
    ConvolutionInputBackward0,
    as_batch,
    recorded,
)
from gradstep.autograd.ops.conv.products import Geometry
from gradstep.autograd.ops.window_sizes import format_sizes, per_dimension
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from gradstep.autograd.ops.window_sizes import Sizes
    from gradstep.autograd.tensor import Tensor


__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]


def _conv(
    spatial: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sizes,
    padding: Sizes | str,
    dilation: Sizes,
    groups: int,
) -> Tensor:
    name = f"conv{spatial}d"
    batch = as_batch(name, input, weight, bias, spatial)
    shape, kernel = batch._array.shape, weight._array.shape
    if len(kernel) != spatial + 2:
        raise TensorError(f"weight of {name} should have {spatial + 2} dimensions: {list(kernel)}")
    if groups < 1 or shape[1] != kernel[1] * groups or kernel[0] % groups:
        raise TensorError(
            f"Given groups={groups}, weight of size {list(kernel)}, expected input"
            f"{list(input._array.shape)} to have {kernel[1] * groups} channels, but got {shape[1]} "
            "channels instead",
            "set in_channels to the channels of the input; groups must divide both channel counts",
        )
    strides = per_dimension("stride", stride, spatial, least=1)
    dilations = per_dimension("dilation", dilation, spatial, least=1)
    paddings = _padding(padding, kernel[2:], strides, dilations)
    move = (shape[2:], kernel[2:], strides, paddings, dilations)
    geometry = Geometry(*move, groups, products.output_sizes(*move))
    if any(n < span for n, span in zip(geometry.padded, geometry.span, strict=True)):
        raise TensorError(
            f"Calculated padded input size per channel: ({format_sizes(geometry.padded)}). "
            f"Kernel size: ({format_sizes(geometry.span)}). "
            "Kernel size can't be greater than actual input size",
            "use a smaller kernel, or padding",
        )
    out = recorded(ConvolutionBackward0, geometry, batch, weight, bias)
    return out if batch is input else out.squeeze(0)


def _padding(
    padding: Sizes | str,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
) -> tuple[tuple[int, int], ...]:
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if padding == "same":
        if any(step != 1 for step in stride):
            raise TensorError(
                "padding='same' is not supported for strided convolutions", "set stride=1"
            )
        totals = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
        return tuple((total // 2, total - total // 2) for total in totals)
    if isinstance(padding, str):
        raise ArgumentError(f"padding must be 'valid', 'same' or integers, got {padding!r}")
    return tuple((n, n) for n in per_dimension("padding", padding, len(kernel)))


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve a sequence with a kernel (as cross-correlation).

    Args:
        input: Of shape (batch, channels, length), or without the batch.
        weight: Of shape (out_channels, channels / groups, kernel).
        bias: Of shape (out_channels,), or None.
        stride: Step of the kernel.
        padding: Zeros added on both sides; "same" keeps the length, "valid" adds none.
        dilation: Spacing between kernel elements.
        groups: Number of groups of channels that are convolved separately.

    Raises:
        TensorError: Sizes or dtypes do not match.

    Example:
        >>> import gradstep
        >>> conv1d(gradstep.tensor([[1.0, 2.0, 4.0]]), gradstep.tensor([[[-1.0, 1.0]]]))
        tensor([[1., 2.]])
    """
    return _conv(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve images with a kernel; arguments as for `conv1d`.

    Example:
        >>> import gradstep
        >>> conv2d(gradstep.ones(1, 1, 3, 3), gradstep.ones(1, 1, 2, 2)).shape
        gradstep.Size([1, 1, 2, 2])
    """
    return _conv(2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve volumes with a kernel; arguments as for `conv1d`."""
    return _conv(3, input, weight, bias, stride, padding, dilation, groups)


def _conv_transpose(
    spatial: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sizes,
    padding: Sizes,
    output_padding: Sizes,
    groups: int,
    dilation: Sizes,
) -> Tensor:
    name = f"conv_transpose{spatial}d"
    batch = as_batch(name, input, weight, bias, spatial)
    shape, kernel = batch._array.shape, weight._array.shape
    if groups < 1 or shape[1] != kernel[0] or shape[1] % groups:
        raise TensorError(
            f"with a transposed weight of size {list(kernel)}, expected input"
            f"{list(input._array.shape)} to have {kernel[0]} channels, but got {shape[1]} channels",
            "set in_channels to the channels of the input; groups must divide both channel counts",
        )
    strides = per_dimension("stride", stride, spatial, least=1)
    dilations = per_dimension("dilation", dilation, spatial, least=1)
    paddings = per_dimension("padding", padding, spatial)
    extras = per_dimension("output_padding", output_padding, spatial)
    for extra, step, dilated in zip(extras, strides, dilations, strict=True):
        if extra >= max(step, dilated):
            raise TensorError(
                "output padding must be smaller than either stride or dilation, but got "
                f"output_padding {extra}, stride {step}, dilation {dilated}"
            )
    sizes = tuple(
        (n - 1) * step - 2 * pad + dilated * (k - 1) + extra + 1
        for n, step, pad, dilated, k, extra in zip(
            shape[2:], strides, paddings, dilations, kernel[2:], extras, strict=True
        )
    )
    if any(size < 1 for size in sizes):
        raise TensorError(
            f"an input of {format_sizes(shape[2:])} would become {format_sizes(sizes)}: "
            "Output size is too small",
            "use less padding",
        )
    sides = tuple((n, n) for n in paddings)
    geometry = Geometry(sizes, kernel[2:], strides, sides, dilations, groups, shape[2:])
    out = recorded(ConvolutionInputBackward0, geometry, batch, weight, bias)
    return out if batch is input else out.squeeze(0)


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Transposed convolution of a sequence: the gradient of `conv1d` with respect to its input.

    Args:
        input: Of shape (batch, channels, length), or without the batch.
        weight: Of shape (channels, out_channels / groups, kernel).
        bias: Of shape (out_channels,), or None.
        stride: Step of the kernel in the output.
        padding: Elements removed from both sides of the output.
        output_padding: Extra output length, as a stride makes the length ambiguous.
        groups: Number of groups of channels that are convolved separately.
        dilation: Spacing between kernel elements.

    Example:
        >>> import gradstep
        >>> conv_transpose1d(gradstep.tensor([[1.0, 2.0]]), gradstep.tensor([[[1.0, 1.0]]]))
        tensor([[1., 3., 2.]])
    """
    return _conv_transpose(
        1, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Transposed convolution of images; arguments as for `conv_transpose1d`."""
    return _conv_transpose(
        2, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Transposed convolution of volumes; arguments as for `conv_transpose1d`."""
    return _conv_transpose(
        3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )
