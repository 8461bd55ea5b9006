"""Poolings as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gradstep.nn import functional
from gradstep.nn.module import Module

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.autograd.ops.sizes import Sizes
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
    """The largest element under each place of a window."""

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
        """Return the largest elements; and where they are, if asked for."""
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
    """The largest element under each place of a window along a sequence.

    Args:
        kernel_size: Of the window.
        stride: From one place to the next; the size of the window if None.
        padding: Places on both sides that never are the largest.
        dilation: From one element of the window to the next.
        return_indices: Whether to return where they are, too.
        ceil_mode: Whether the last window may reach beyond the end.
    """

    pool = staticmethod(functional.max_pool1d)


class MaxPool2d(_MaxPool):
    """The largest element under each place of a window; arguments as for `MaxPool1d`.

    Example:
        >>> import gradstep
        >>> MaxPool2d(2)(gradstep.ones(5, 8, 9, 9)).shape
        gradstep.Size([5, 8, 4, 4])
    """

    pool = staticmethod(functional.max_pool2d)


class MaxPool3d(_MaxPool):
    """The largest element under each place of a window; arguments as for `MaxPool1d`."""

    pool = staticmethod(functional.max_pool3d)


class AvgPool1d(Module):
    """The mean of the elements under each place of a window along a sequence.

    Args:
        kernel_size: Of the window.
        stride: From one place to the next; the size of the window if None.
        padding: Zeros on both sides.
        ceil_mode: Whether the last window may reach beyond the end.
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
    """The mean of the elements under each place of a window."""

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
    """The mean of the elements under each place of a window.

    Args:
        kernel_size: Of the window.
        stride: From one place to the next; the size of the window if None.
        padding: Zeros on both sides.
        ceil_mode: Whether the last window may reach beyond the end.
        count_include_pad: Whether the padding counts in the mean.
        divisor_override: What to divide by instead of the size of the window.
    """

    pool = staticmethod(functional.avg_pool2d)


class AvgPool3d(_AvgPool):
    """The mean of the elements under each place of a window; arguments as for `AvgPool2d`."""

    pool = staticmethod(functional.avg_pool3d)


class _AdaptiveAvgPool(Module):
    """The means of a given number of windows."""

    pool: ClassVar[Callable[..., Tensor]]

    def __init__(self, output_size: int | Sequence[int | None]) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return type(self).pool(input, self.output_size)

    def extra_repr(self) -> str:
        """Return how many windows."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """The means of windows that cover a sequence evenly.

    Args:
        output_size: How many windows.
    """

    pool = staticmethod(functional.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """The means of windows that cover an image evenly.

    Args:
        output_size: How many windows: one number, or one for each dimension; None for as many as
            the input has.

    Example:
        >>> import gradstep
        >>> AdaptiveAvgPool2d(1)(gradstep.ones(5, 8, 7, 7)).shape
        gradstep.Size([5, 8, 1, 1])
    """

    pool = staticmethod(functional.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """The means of windows that cover a volume evenly; arguments as for `AdaptiveAvgPool2d`."""

    pool = staticmethod(functional.adaptive_avg_pool3d)
