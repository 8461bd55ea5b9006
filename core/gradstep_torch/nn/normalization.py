"""Instance, root-mean-square and local response normalization."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, ClassVar

from gradstep.autograd import creation
from gradstep.errors import ArgumentError
from gradstep.nn import init
from gradstep.nn.batch_norm import RunningStatsNorm
from gradstep.nn.module import Module
from gradstep.nn.normalization import AffineNorm
from gradstep.nn.parameter import Parameter
from gradstep_torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor


__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LocalResponseNorm", "RMSNorm"]


class _InstanceNorm(RunningStatsNorm):
    """The base of instance normalization: channels of samples with mean 0 and variance 1."""

    spatial: ClassVar[int]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalized samples.

        Raises:
            ArgumentError: The input has the wrong number of dimensions, or, with a weight, of
                channels.
        """
        rank = input._array.ndim
        if rank not in {self.spatial + 1, self.spatial + 2}:
            raise ArgumentError(
                f"expected {self.spatial + 1}D or {self.spatial + 2}D input (got {rank}D input)",
                f"{self._get_name()} takes (batch, channels, ...), or (channels, ...)",
            )
        place = rank - self.spatial - 1
        self._check_channels(input._array.shape[place], place)
        whole = functional.instance_norm(
            input if place else input.unsqueeze(0),
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return whole if place else whole.squeeze(0)

    def _check_channels(self, channels: int, place: int) -> None:
        if channels == self.num_features:
            return
        if self.affine:
            raise ArgumentError(
                f"expected input's size at dim={place} to match num_features "
                f"({self.num_features}), but got: {channels}."
            )
        warnings.warn(
            f"input's size at dim={place} does not match num_features. It is not used because "
            "affine=False.",
            stacklevel=4,
        )


class InstanceNorm1d(_InstanceNorm):
    """Instance normalization of sequences: each channel of each sample with mean 0 and variance 1.

    Args:
        num_features: The number of channels.
        eps: Added to the variance.
        momentum: How far the running values move towards each batch.
        affine: Whether to have a weight and a bias per channel.
        track_running_stats: Whether to track running values in training, and use them in
            evaluation.
        device: Only the CPU.
        dtype: Of weight, bias and running values; the default type if None.
        bias: Whether to have a bias, if there is a weight.

    Example:
        >>> import gradstep_torch as torch
        >>> InstanceNorm1d(1)(torch.tensor([[[1.0, 3.0]]])).tolist()
        [[[-0.9999949932098389, 0.9999949932098389]]]

    References:
        Ulyanov et al., Instance normalization, 2016 (arXiv 1607.08022).
    """

    spatial = 1


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization of images; arguments as for `InstanceNorm1d`."""

    spatial = 2


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of volumes; arguments as for `InstanceNorm1d`."""

    spatial = 3


class RMSNorm(AffineNorm):
    """RMS normalization: each sample divided by its root mean square, and scaled.

    Args:
        normalized_shape: The sizes of those dimensions; a number for the last one alone.
        eps: Added to the mean square; the machine epsilon of the element type if None.
        elementwise_affine: Whether to have a weight per element.
        device: Only the CPU.
        dtype: Of the weight; the default type if None.

    Example:
        >>> import gradstep_torch as torch
        >>> RMSNorm(2, elementwise_affine=False)(torch.tensor([3.0, 4.0]))
        tensor([0.8485, 1.1314])

    References:
        Zhang & Sennrich, Root mean square layer normalization, NeurIPS 2019 (arXiv 1910.07467).
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        sizes = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape = tuple(sizes)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        made = Parameter(creation.empty(*self.normalized_shape, device=device, dtype=dtype))
        self.register_parameter("weight", made if elementwise_affine else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to ones."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalized samples."""
        return functional.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Return the sizes and options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class LocalResponseNorm(Module):
    """Local response normalization over neighbouring channels.

    Args:
        size: The number of neighbouring channels.
        alpha: The factor of their mean square.
        beta: The power.
        k: Added to it.

    References:
        Krizhevsky et al., ImageNet classification with deep convolutional neural networks,
        NeurIPS 2012.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """Return the channels, of shape (batch, channels, ...), normalized."""
        return functional.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
