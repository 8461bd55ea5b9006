"""The windows of a pooling."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gradstep.autograd.ops.window_sizes import format_sizes, per_dimension
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from gradstep.autograd.ops.window_sizes import Sizes
    from gradstep.autograd.tensor import Tensor

__all__ = ["Windows", "as_batch", "windows"]


class Windows(NamedTuple):
    """The windows of a pooling; one number per spatial dimension.

    Attributes:
        size: Input size.
        kernel: Window size.
        stride: Step between windows.
        padding: Padding on both sides.
        dilation: Spacing between window elements.
        output: Number of windows.
    """

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    output: tuple[int, ...]

    @property
    def span(self) -> tuple[int, ...]:
        """Window size with dilation."""
        return tuple(d * (k - 1) + 1 for d, k in zip(self.dilation, self.kernel, strict=True))


def as_batch(name: str, input: Tensor, spatial: int) -> Tensor:
    """Return the input with a batch dimension, after checking its dimensions."""
    shape = list(input._array.shape)
    if len(shape) not in {spatial + 1, spatial + 2} or 0 in shape[-spatial - 1 :]:
        raise TensorError(
            f"Expected {spatial + 1}D or {spatial + 2}D (batch mode) tensor with optional 0 dim "
            f"batch size for input, but got: {shape}",
            f"{name} takes (channels, {spatial} sizes) or (batch, channels, {spatial} sizes)",
        )
    return input if len(shape) == spatial + 2 else input.unsqueeze(0)


def windows(
    name: str,
    size: tuple[int, ...],
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
) -> Windows:
    """Return the windows of a pooling.

    Raises:
        TensorError: The windows do not fit the input.

    Example:
        >>> windows("max_pool1d", (7,), 2, None, 0, 1, ceil_mode=True).output
        (4,)
    """
    spatial = len(size)
    kernel = per_dimension("kernel_size", kernel_size, spatial, least=1)
    none = stride is None or stride == ()
    strides = kernel if none else per_dimension("stride", stride or 0, spatial, least=1)
    paddings = per_dimension("padding", padding, spatial)
    dilations = per_dimension("dilation", dilation, spatial, least=1)
    counts = []
    for n, k, step, pad, dilated in zip(size, kernel, strides, paddings, dilations, strict=True):
        reach = dilated * (k - 1) + 1
        if 2 * pad > reach:
            raise TensorError(
                f"pad should be at most half of effective kernel size, but got pad={pad}, "
                f"kernel_size={k} and dilation={dilated}"
            )
        free = n + 2 * pad - reach
        count = (-(-free // step) if ceil_mode else free // step) + 1
        if (
            ceil_mode and (count - 1) * step >= n + pad
        ):  # each window must start inside the padded input
            count -= 1
        if count < 1:
            raise TensorError(
                f"{name}: Given input size: ({format_sizes(size)}). Output size is too small "
                f"for a window of ({format_sizes(kernel)})",
                "use a smaller window, or fewer pooling layers before it",
            )
        counts.append(count)
    return Windows(size, kernel, strides, paddings, dilations, tuple(counts))
