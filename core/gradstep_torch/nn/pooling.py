"""Adaptive max pooling, power-average pooling and max unpooling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gradstep.nn.module import Module
from gradstep_torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.autograd.ops.window_sizes import Sizes
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _AdaptiveMaxPool(Module):
    """The base of adaptive max pooling."""

    pool: ClassVar[Callable[..., Any]]

    def __init__(
        self, output_size: int | Sequence[int | None], return_indices: bool = False
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """Return the maxima, and their indices if `return_indices` is set."""
        return type(self).pool(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        """Return the number of windows."""
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Adaptive max pooling over sequences.

    Args:
        output_size: The number of windows.
        return_indices: Whether to return the indices of the maxima too.

    Example:
        >>> import gradstep_torch as torch
        >>> AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0]]))
        tensor([[3., 3.]])
    """

    pool = staticmethod(functional.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Adaptive max pooling over images; arguments as for `AdaptiveMaxPool1d`."""

    pool = staticmethod(functional.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Adaptive max pooling over volumes; arguments as for `AdaptiveMaxPool1d`."""

    pool = staticmethod(functional.adaptive_max_pool3d)


class _LPPool(Module):
    """The base of power-average pooling."""

    pool: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        norm_type: float,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """Return the p-norm of each window."""
        return type(self).pool(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )

    def extra_repr(self) -> str:
        """Return the power and the window."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """Power-average pooling over sequences: the p-th root of the sum of p-th powers.

    Args:
        norm_type: p.
        kernel_size: The size of the window.
        stride: The step between windows; the size of the window if None.
        ceil_mode: Whether the last window may extend beyond the end.
    """

    pool = staticmethod(functional.lp_pool1d)


class LPPool2d(_LPPool):
    """Power-average pooling; arguments as for `LPPool1d`."""

    pool = staticmethod(functional.lp_pool2d)


class LPPool3d(_LPPool):
    """Power-average pooling; arguments as for `LPPool1d`."""

    pool = staticmethod(functional.lp_pool3d)


class _MaxUnpool(Module):
    """The base of max unpooling."""

    dimensions: ClassVar[int]
    unpool: ClassVar[Callable[..., Tensor]]

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        super().__init__()
        steps = kernel_size if stride is None else stride
        self.kernel_size, self.stride, self.padding = (
            (value,) * self.dimensions if isinstance(value, int) else tuple(value)
            for value in (kernel_size, steps, padding)
        )

    def forward(
        self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        """Return the elements at the positions of the maxima.

        Args:
            input: The output of a pooling.
            indices: The indices it returned with `return_indices=True`.
            output_size: The size of its input, where the windows allow several.
        """
        return type(self).unpool(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )

    def extra_repr(self) -> str:
        """Return the window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """The partial inverse of `MaxPool1d`: elements at the positions of the maxima, zeros elsewhere.

    Args:
        kernel_size: The size of the pooling's windows.
        stride: The step between windows; the size of the window if None.
        padding: The pooling's padding on both sides.

    Example:
        >>> import gradstep_torch as torch
        >>> from gradstep_torch import nn
        >>> found = nn.MaxPool1d(2, return_indices=True)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
        >>> MaxUnpool1d(2)(*found)
        tensor([[0., 3., 2., 0.]])
    """

    dimensions = 1
    unpool = staticmethod(functional.max_unpool1d)


class MaxUnpool2d(_MaxUnpool):
    """The partial inverse of `MaxPool2d`; arguments as for `MaxUnpool1d`."""

    dimensions = 2
    unpool = staticmethod(functional.max_unpool2d)


class MaxUnpool3d(_MaxUnpool):
    """The partial inverse of `MaxPool3d`; arguments as for `MaxUnpool1d`."""

    dimensions = 3
    unpool = staticmethod(functional.max_unpool3d)
