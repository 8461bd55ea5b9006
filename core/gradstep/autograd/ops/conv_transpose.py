"""Transposed convolutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd.ops.convolution import ConvolutionInputBackward0, batch_of, recorded
from gradstep.autograd.ops.convolve import Geometry
from gradstep.autograd.ops.sizes import by, per_dimension
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from gradstep.autograd.ops.sizes import Sizes
    from gradstep.autograd.tensor import Tensor

__all__ = ["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]


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
    batch = batch_of(name, input, weight, bias, spatial)
    shape, kernel = batch._array.shape, weight._array.shape
    if groups < 1 or shape[1] != kernel[0] or shape[1] % groups:
        raise TensorError(
            f"with a transposed weight of size {list(kernel)}, expected input"
            f"{list(input._array.shape)} to have {kernel[0]} channels, but got {shape[1]} channels",
            "set in_channels to the channels of the input; groups must divide both",
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
            f"an input of {by(shape[2:])} would become {by(sizes)}: Output size is too small",
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
    """Return what the gradient of a `conv1d` is for its input, with `input` as the gradient.

    Args:
        input: Of shape (batch, channels, length), or without the batch.
        weight: Of shape (channels, out_channels / groups, kernel).
        bias: Of shape (out_channels,), or None.
        stride: Of that convolution.
        padding: Of that convolution; it is cut off here.
        output_padding: Added at the end, since a stride leaves open how long the input was.
        groups: Of channels that do not see each other.
        dilation: From one element of the kernel to the next.

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
    """Return the transposed convolution of images; arguments as for `conv_transpose1d`."""
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
    """Return the transposed convolution of volumes; arguments as for `conv_transpose1d`."""
    return _conv_transpose(
        3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )
