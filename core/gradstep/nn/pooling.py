"""Max, average and adaptive average pooling as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gradstep.nn import functional
from gradstep.nn.module import Module

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.autograd.ops.window_sizes import Sizes
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
]


class _MaxPool(Module):
    """The base of max pooling."""

    pool: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """Return the maxima, and their indices if `return_indices` is set."""
        return type(self).pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )

    def extra_repr(self) -> str:
        """Return the window."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """Max pooling over sequences.

    Args:
        kernel_size: The size of the window.
        stride: The step between windows; the size of the window if None.
        padding: Positions added on both sides; they are never the maximum.
        dilation: The spacing of the window's elements.
        return_indices: Whether to return the indices of the maxima too.
        ceil_mode: Whether the last window may extend beyond the end.
    """

    pool = staticmethod(functional.max_pool1d)


class MaxPool2d(_MaxPool):
    """Max pooling; arguments as for `MaxPool1d`.

    Example:
        >>> import gradstep
        >>> MaxPool2d(2)(gradstep.ones(5, 8, 9, 9)).shape
        gradstep.Size([5, 8, 4, 4])
    """

    pool = staticmethod(functional.max_pool2d)


class MaxPool3d(_MaxPool):
    """Max pooling; arguments as for `MaxPool1d`."""

    pool = staticmethod(functional.max_pool3d)


class AvgPool1d(Module):
    """Average pooling over sequences.

    Args:
        kernel_size: The size of the window.
        stride: The step between windows; the size of the window if None.
        padding: Zeros added on both sides.
        ceil_mode: Whether the last window may extend beyond the end.
        count_include_pad: Whether the padding counts in the mean.
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _tuple_of_one(kernel_size)
        self.stride = self.kernel_size if stride is None else _tuple_of_one(stride)
        self.padding = _tuple_of_one(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return functional.avg_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
        )

    def extra_repr(self) -> str:
        """Return the window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


def _tuple_of_one(value: Sizes) -> Sizes:
    return (value,) if isinstance(value, int) else value


class _AvgPool(Module):
    """Average pooling."""

    pool: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return type(self).pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        """Return the window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(_AvgPool):
    """Average pooling.

    Args:
        kernel_size: The size of the window.
        stride: The step between windows; the size of the window if None.
        padding: Zeros added on both sides.
        ceil_mode: Whether the last window may extend beyond the end.
        count_include_pad: Whether the padding counts in the mean.
        divisor_override: The divisor to use instead of the size of the window.
    """

    pool = staticmethod(functional.avg_pool2d)


class AvgPool3d(_AvgPool):
    """Average pooling; arguments as for `AvgPool2d`."""

    pool = staticmethod(functional.avg_pool3d)


class _AdaptiveAvgPool(Module):
    """The base of adaptive average pooling."""

    pool: ClassVar[Callable[..., Tensor]]

    def __init__(self, output_size: int | Sequence[int | None]) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return type(self).pool(input, self.output_size)

    def extra_repr(self) -> str:
        """Return the number of windows."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """Adaptive average pooling over sequences: the means of evenly spaced windows.

    Args:
        output_size: The number of windows.
    """

    pool = staticmethod(functional.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """Adaptive average pooling over images: the means of evenly spaced windows.

    Args:
        output_size: The number of windows: one number, or one per dimension; None keeps the
            input's size.

    Example:
        >>> import gradstep
        >>> AdaptiveAvgPool2d(1)(gradstep.ones(5, 8, 7, 7)).shape
        gradstep.Size([5, 8, 1, 1])
    """

    pool = staticmethod(functional.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """Adaptive average pooling over volumes; arguments as for `AdaptiveAvgPool2d`."""

    pool = staticmethod(functional.adaptive_avg_pool3d)
