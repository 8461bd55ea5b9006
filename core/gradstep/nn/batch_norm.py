"""Batch normalization as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gradstep.autograd import creation
from gradstep.errors import ArgumentError
from gradstep.nn import functional, init
from gradstep.nn.normalization import AffineNorm

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "RunningStatsNorm"]


class RunningStatsNorm(AffineNorm):
    """A normalization of channels that can track running means and variances."""

    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._make((num_features,), affine, affine and bias, device, dtype)
        if track_running_stats:
            zeros = creation.zeros(num_features, device=device, dtype=dtype)
            ones = creation.ones(num_features, device=device, dtype=dtype)
            self.register_buffer("running_mean", zeros)
            self.register_buffer("running_var", ones)
            self.register_buffer("num_batches_tracked", creation.tensor(0))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Reset the running means and variances."""
        if self.running_mean is not None and self.running_var is not None:
            init.zeros_(self.running_mean)
            init.ones_(self.running_var)
        if self.num_batches_tracked is not None:
            init.zeros_(self.num_batches_tracked)

    def reset_parameters(self) -> None:
        """Reset parameters and running values."""
        self.reset_running_stats()
        super().reset_parameters()

    def extra_repr(self) -> str:
        """Return the sizes and options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(RunningStatsNorm):
    """Each channel with mean 0 and variance 1 over the batch."""

    ranks: ClassVar[tuple[int, ...]]

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalized batch; in training, update the running values too.

        Raises:
            ArgumentError: The input has the wrong number of dimensions.
        """
        rank = input._array.ndim
        if rank not in self.ranks:
            wanted = " or ".join(f"{number}D" for number in self.ranks)
            raise ArgumentError(
                f"expected {wanted} input (got {rank}D input)",
                f"{self._get_name()} takes (batch, channels, ...)",
            )
        momentum = self.momentum
        counter = self.num_batches_tracked
        if self.training and counter is not None:
            counter._array += 1
            counter._version_counter[0] += 1
            if momentum is None:  # the mean over all batches so far
                momentum = 1.0 / float(counter._array)
        by_batch = self.training or self.running_mean is None
        followed = not self.training or self.track_running_stats
        return functional.batch_norm(
            input,
            self.running_mean if followed else None,
            self.running_var if followed else None,
            self.weight,
            self.bias,
            by_batch,
            0.0 if momentum is None else momentum,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Each channel with mean 0 and variance 1 over the batch, scaled and shifted.

    In training it uses the batch's own mean and variance, and updates the running values; in
    evaluation it uses the running values.

    Args:
        num_features: The number of channels.
        eps: Added to the variance.
        momentum: How far the running values move towards each batch; None for a plain average.
        affine: Whether to have a weight and a bias per channel.
        track_running_stats: Whether to keep running values.
        device: Only the CPU.
        dtype: Of weight, bias and running values; the default type if None.
        bias: Whether to have a bias, if there is a weight.

    Attributes:
        weight: Of shape (num_features,), initially ones; or None.
        bias: Of shape (num_features,), initially zeros; or None.
        running_mean: A buffer of shape (num_features,), or None.
        running_var: Likewise, of the unbiased variance.
        num_batches_tracked: A buffer that counts batches, or None.

    Example:
        >>> import gradstep
        >>> BatchNorm1d(1)(gradstep.tensor([[1.0], [3.0]])).tolist()
        [[-0.9999949932098389], [0.9999949932098389]]

    References:
        Ioffe & Szegedy, Batch normalization, ICML 2015 (arXiv 1502.03167).
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Each channel of images with mean 0 and variance 1; arguments as for `BatchNorm1d`.

    Example:
        >>> BatchNorm2d(8)
        BatchNorm2d(8, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Each channel of volumes with mean 0 and variance 1; arguments as for `BatchNorm1d`."""

    ranks = (5,)
