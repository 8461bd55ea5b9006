"""Convolutions and transposed convolutions as modules."""

from __future__ import annotations

from math import prod, sqrt
from typing import TYPE_CHECKING, ClassVar

from gradstep.autograd import creation
from gradstep.autograd.ops.window_sizes import per_dimension
from gradstep.errors import ArgumentError
from gradstep.nn import functional, init
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.ops.window_sizes import Sizes
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
]

_MODES = ("zeros", "reflect", "replicate", "circular")


class Convolution(Module):
    r"""The base of convolutions and transposed convolutions: sizes, weight and bias.

    Weight and bias are drawn from :math:`U(-1/\sqrt{n}, 1/\sqrt{n})` with :math:`n` the number
    of weights that contribute to an output.
    """

    spatial: ClassVar[int]
    transposed: ClassVar[bool] = False
    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ArgumentError("groups must be a positive integer", f"got {groups}")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ArgumentError(
                    f"{name} must be divisible by groups", f"got {channels} and {groups}"
                )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = per_dimension("kernel_size", kernel_size, self.spatial, least=1)
        self.stride = per_dimension("stride", stride, self.spatial, least=1)
        self.padding: tuple[int, ...] | str
        if isinstance(padding, str):
            self._check_named_padding(padding)
            self.padding = padding
        else:
            self.padding = per_dimension("padding", padding, self.spatial)
        self.dilation = per_dimension("dilation", dilation, self.spatial, least=1)
        self.groups = groups
        if padding_mode not in _MODES:
            raise ArgumentError(
                f"padding_mode must be one of {set(_MODES)}, but got padding_mode={padding_mode!r}"
            )
        self.padding_mode = padding_mode
        first, second = in_channels, out_channels
        if not self.transposed:
            first, second = second, first
        self.weight = Parameter(
            creation.empty(first, second // groups, *self.kernel_size, device=device, dtype=dtype)
        )
        if bias:
            self.bias = Parameter(creation.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _check_named_padding(self, padding: str) -> None:
        if padding not in ("same", "valid"):
            raise ArgumentError(
                f"Invalid padding string {padding!r}, should be one of 'valid', 'same'"
            )
        if padding == "same" and any(step != 1 for step in self.stride):
            raise ArgumentError(
                "padding='same' is not supported for strided convolutions", "set stride=1"
            )

    def reset_parameters(self) -> None:
        """Draw new values for weight and bias."""
        if self.weight.numel() == 0:
            return
        init.kaiming_uniform_(self.weight, a=sqrt(5))
        if self.bias is not None:
            bound = 1 / sqrt(prod(self.weight._array.shape[1:]))
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """Return the sizes."""
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        if self.padding != (0,) * self.spatial:
            shown = f"{self.padding}"  # torch prints a name without its quotation marks
            text += f", padding={shown}"
        if self.dilation != (1,) * self.spatial:
            text += f", dilation={self.dilation}"
        text += self._more()
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text

    def _more(self) -> str:
        """Return the part of the repr that only a transposed convolution has."""
        return ""


class _Conv(Convolution):
    """A convolution in one, two or three dimensions."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the convolution of the input with the kernels."""
        padding: Sizes | str = self.padding
        if self.padding_mode != "zeros":
            input = functional.pad(input, self._both_sides(), self.padding_mode)
            padding = 0
        convolve = _FUNCTIONS[self.spatial]
        return convolve(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def _both_sides(self) -> list[int]:
        """Return the padding in the form of `pad`: last dimension first, before and after."""
        sides = []
        for place in reversed(range(self.spatial)):
            if isinstance(self.padding, str):
                reach = self.dilation[place] * (self.kernel_size[place] - 1)
                total = reach if self.padding == "same" else 0
                sides += [total // 2, total - total // 2]
            else:
                sides += [self.padding[place]] * 2
        return sides


_FUNCTIONS = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}


class Conv1d(_Conv):
    """A convolution over sequences.

    Args:
        in_channels: The number of input channels.
        out_channels: The number of kernels.
        kernel_size: The size of the kernel.
        stride: The step between kernel positions.
        padding: Added on both sides; "same" keeps the length, "valid" adds none.
        dilation: The spacing of the kernel's elements.
        groups: The number of groups of channels with no connections between them.
        bias: Whether to have a bias.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        device: Only the CPU.
        dtype: Of weight and bias; the default type if None.

    Attributes:
        weight: Of shape (out_channels, in_channels / groups, kernel_size).
        bias: Of shape (out_channels,), or None.

    Example:
        >>> import gradstep
        >>> Conv1d(4, 8, 3, padding=1)(gradstep.ones(2, 4, 10)).shape
        gradstep.Size([2, 8, 10])
    """

    spatial = 1


class Conv2d(_Conv):
    """A convolution over images; arguments as for `Conv1d`.

    Example:
        >>> import gradstep
        >>> layer = Conv2d(1, 8, 3, stride=2)
        >>> layer
        Conv2d(1, 8, kernel_size=(3, 3), stride=(2, 2))
        >>> layer(gradstep.ones(5, 1, 9, 9)).shape
        gradstep.Size([5, 8, 4, 4])
    """

    spatial = 2


class Conv3d(_Conv):
    """A convolution over volumes; arguments as for `Conv1d`."""

    spatial = 3


class _ConvTranspose(Convolution):
    """A transposed convolution in one, two or three dimensions."""

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
            output_size: The spatial sizes, where the stride allows several.
        """
        extra = self.output_padding
        if output_size is not None:
            extra = self._needed(input, output_size)
        return _TRANSPOSED[self.spatial](
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
        """Return the output padding for the requested sizes."""
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
        """Return the output padding, if any."""
        extra = self.output_padding
        return f", output_padding={extra}" if any(extra) else ""


_TRANSPOSED = {
    1: functional.conv_transpose1d,
    2: functional.conv_transpose2d,
    3: functional.conv_transpose3d,
}


class ConvTranspose1d(_ConvTranspose):
    """The transpose of a `Conv1d`: the map of its gradient from output back to input.

    Args:
        in_channels: The number of input channels.
        out_channels: The number of output channels.
        kernel_size: The size of the kernel.
        stride: The step between kernel positions, in the output.
        padding: The amount cut off on both sides of the output.
        output_padding: The amount added at one end of the output.
        groups: The number of groups of channels with no connections between them.
        bias: Whether to have a bias.
        dilation: The spacing of the kernel's elements.
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
