"""Transposed convolutions as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd.ops.sizes import per_dimension
from gradstep.errors import ArgumentError
from gradstep.nn import functional
from gradstep.nn.conv import Convolution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.ops.sizes import Sizes
    from gradstep.autograd.tensor import Tensor

__all__ = ["ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]


class _ConvTranspose(Convolution):
    """A transposed convolution; its function is found by the number of dimensions."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ArgumentError(
                f'Only "zeros" padding mode is supported for {type(self).__name__}',
                f"got {padding_mode!r}",
            )
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )
        self.output_padding = per_dimension("output_padding", output_padding, self.spatial)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Return the transposed convolution.

        Args:
            input: Of shape (batch, channels, sizes ...), or without the batch.
            output_size: The spatial sizes wanted, where a stride leaves them open.
        """
        extra = self.output_padding
        if output_size is not None:
            extra = self._needed(input, output_size)
        return _FUNCTIONS[self.spatial](
            input,
            self.weight,
            self.bias,
            self.stride,
            self._cut,
            extra,
            self.groups,
            self.dilation,
        )

    @property
    def _cut(self) -> tuple[int, ...]:
        assert not isinstance(self.padding, str)
        return self.padding

    def _needed(self, input: Tensor, output_size: Sequence[int]) -> tuple[int, ...]:
        """Return the output padding that gives the wanted sizes."""
        wanted = list(output_size)[-self.spatial :]
        needed = []
        for place, size in enumerate(input._array.shape[-self.spatial :]):
            pad = self._cut[place]
            reach = self.dilation[place] * (self.kernel_size[place] - 1)
            least = (size - 1) * self.stride[place] - 2 * pad + reach + 1
            most = least + self.stride[place] - 1
            if not least <= wanted[place] <= most:
                raise ArgumentError(
                    f"requested an output size of {wanted}, but valid sizes range from {least} to "
                    f"{most} in dimension {place}"
                )
            needed.append(wanted[place] - least)
        return tuple(needed)

    def _more(self) -> str:
        """Return the output padding, where there is one."""
        extra = self.output_padding
        return f", output_padding={extra}" if any(extra) else ""


_FUNCTIONS = {
    1: functional.conv_transpose1d,
    2: functional.conv_transpose2d,
    3: functional.conv_transpose3d,
}


class ConvTranspose1d(_ConvTranspose):
    """The map that the gradient of a `Conv1d` takes from its output back to its input.

    Args:
        in_channels: Of the input.
        out_channels: Of the output.
        kernel_size: Of the kernel.
        stride: From one place to the next, in the output.
        padding: What is cut off on both sides of the output.
        output_padding: Added at one end of the output.
        groups: Of channels that do not see each other.
        bias: Whether there is a bias.
        dilation: From one element of the kernel to the next.
        padding_mode: Only "zeros".
        device: Only the CPU.
        dtype: Of weight and bias; the default type if None.

    Attributes:
        weight: Of shape (in_channels, out_channels / groups, kernel_size).
        bias: Of shape (out_channels,), or None.
    """

    spatial = 1


class ConvTranspose2d(_ConvTranspose):
    """The transpose of a `Conv2d`; arguments as for `ConvTranspose1d`.

    Example:
        >>> import gradstep
        >>> ConvTranspose2d(8, 1, 3, stride=2)(gradstep.ones(5, 8, 4, 4)).shape
        gradstep.Size([5, 1, 9, 9])
    """

    spatial = 2


class ConvTranspose3d(_ConvTranspose):
    """The transpose of a `Conv3d`; arguments as for `ConvTranspose1d`."""

    spatial = 3
