"""Lazy layers: they infer the size of their input from the first call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gradstep.autograd import creation
from gradstep.errors import TensorError
from gradstep.nn.batch_norm import BatchNorm1d, BatchNorm2d, BatchNorm3d, RunningStatsNorm
from gradstep.nn.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    Convolution,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from gradstep.nn.linear import Linear
from gradstep.nn.module import Module
from gradstep.nn.parameter import UninitializedParameter
from gradstep_torch.nn.normalization import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.ops.window_sizes import Sizes
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
]


_BIAS = 4
"""Where a convolution takes `bias` behind the size of its kernel."""


class _Lazy(Module):
    """A layer without input sizes, which becomes an ordinary one at its first call."""

    becomes: ClassVar[type[Module]]

    def _await(self, names: tuple[str, ...], device: DeviceLike, dtype: DTypeLike | None) -> None:
        """Register uninitialized parameters."""
        for name in names:
            setattr(self, name, UninitializedParameter(device=device, dtype=dtype))

    def _shapes(self, input: Tensor) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the parameters for an input."""
        raise NotImplementedError  # pragma: no cover - every layer has its shapes

    def _settle(self) -> None:
        """Set the sizes from the parameters."""

    def reset_parameters(self) -> None:
        """Do nothing until the first input."""

    def forward(self, input: Tensor, *args: Any) -> Tensor:
        """Infer the sizes, draw the parameters, and become an ordinary layer.

        Parameters that a state dict has materialized keep their values.
        """
        lacking = {
            name: shape
            for name, shape in self._shapes(input).items()
            if isinstance(getattr(self, name), UninitializedParameter)
        }
        for name, shape in lacking.items():
            getattr(self, name).materialize(shape)
        self._settle()
        self.__class__ = self.becomes  # type: ignore[assignment]  # no longer lazy
        if lacking:
            self.reset_parameters()
        output: Tensor = self.forward(input, *args)
        return output


class LazyLinear(_Lazy, Linear):
    """A Linear that infers `in_features` from its first input, and is a Linear from then on.

    Args:
        out_features: Size of each output sample.
        bias: Whether to have a bias.
        device: Only the CPU.
        dtype: Of weight and bias; the default type if None.

    Example:
        >>> import gradstep_torch as torch
        >>> layer = LazyLinear(2)
        >>> layer
        LazyLinear(in_features=0, out_features=2, bias=True)
        >>> layer(torch.ones(5, 3)).shape
        gradstep.Size([5, 2])
        >>> layer
        Linear(in_features=3, out_features=2, bias=True)
    """

    becomes = Linear

    def __init__(
        self,
        out_features: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(0, out_features, bias=False)
        self._await(("weight", "bias") if bias else ("weight",), device, dtype)

    def _shapes(self, input: Tensor) -> dict[str, tuple[int, ...]]:
        shapes: dict[str, tuple[int, ...]] = {
            "weight": (self.out_features, input.shape[-1] if input.ndim else 1)
        }
        if self.bias is not None:
            shapes["bias"] = (self.out_features,)
        return shapes

    def _settle(self) -> None:
        self.in_features = self.weight.shape[-1]


class _LazyConvolution(_Lazy, Convolution):
    """A convolution that infers `in_channels` from its first input."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: Sizes,
        *args: Any,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
        **options: Any,
    ) -> None:
        if len(args) > _BIAS:
            bias, args = args[_BIAS], (*args[:_BIAS], False, *args[_BIAS + 1 :])
        else:
            options["bias"] = False
        super().__init__(0, 0, kernel_size, *args, **options)
        self.out_channels = out_channels
        self._await(("weight", "bias") if bias else ("weight",), device, dtype)

    def _shapes(self, input: Tensor) -> dict[str, tuple[int, ...]]:
        rank = input.ndim
        if rank not in {self.spatial + 1, self.spatial + 2}:
            raise TensorError(
                f"Expected {self.spatial + 1}D (unbatched) or {self.spatial + 2}D (batched) input "
                f"to {self._get_name()}, but got input of size: {list(input.shape)}"
            )
        channels, out = input.shape[-self.spatial - 1], self.out_channels
        first, second = (channels, out) if self.transposed else (out, channels)
        shapes: dict[str, tuple[int, ...]] = {
            "weight": (first, second // self.groups, *self.kernel_size)
        }
        if self.bias is not None:
            shapes["bias"] = (out,)
        return shapes

    def _settle(self) -> None:
        shape = self.weight.shape
        self.in_channels = shape[0] if self.transposed else shape[1] * self.groups


class LazyConv1d(_LazyConvolution, Conv1d):
    """A Conv1d that infers `in_channels` from its first input.

    Its other arguments are those of `Conv1d`.

    Example:
        >>> import gradstep_torch as torch
        >>> layer = LazyConv1d(4, kernel_size=3)
        >>> layer(torch.ones(2, 5, 8)).shape
        gradstep.Size([2, 4, 6])
        >>> layer
        Conv1d(5, 4, kernel_size=(3,), stride=(1,))
    """

    becomes = Conv1d


class LazyConv2d(_LazyConvolution, Conv2d):
    """A Conv2d that infers `in_channels` from its first input."""

    becomes = Conv2d


class LazyConv3d(_LazyConvolution, Conv3d):
    """A Conv3d that infers `in_channels` from its first input."""

    becomes = Conv3d


class LazyConvTranspose1d(_LazyConvolution, ConvTranspose1d):
    """A ConvTranspose1d that infers `in_channels` from its first input."""

    becomes = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvolution, ConvTranspose2d):
    """A ConvTranspose2d that infers `in_channels` from its first input."""

    becomes = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvolution, ConvTranspose3d):
    """A ConvTranspose3d that infers `in_channels` from its first input."""

    becomes = ConvTranspose3d


class _LazyNorm(_Lazy, RunningStatsNorm):
    """A normalization that infers the number of channels from its first input."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, track_running_stats)
        self.affine = affine
        names = ("weight", "bias") if bias else ("weight",)
        self._await(names if affine else (), device, dtype)

    def _channels(self, input: Tensor) -> int:
        return input.shape[1]

    def _shapes(self, input: Tensor) -> dict[str, tuple[int, ...]]:
        self.num_features = self._channels(input)
        names = [name for name in ("weight", "bias") if getattr(self, name) is not None]
        return dict.fromkeys(names, (self.num_features,))

    def _settle(self) -> None:
        if self.running_mean is not None and self.running_var is not None:
            for buffer in (self.running_mean, self.running_var):
                buffer._array = creation.zeros(self.num_features, dtype=buffer.dtype)._array
            self.reset_running_stats()


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """A BatchNorm1d that infers `num_features` from its first input.

    Example:
        >>> import gradstep_torch as torch
        >>> layer = LazyBatchNorm1d()
        >>> layer(torch.rand(4, 3)).shape
        gradstep.Size([4, 3])
        >>> layer
        BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    becomes = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """A BatchNorm2d that infers `num_features` from its first input."""

    becomes = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """A BatchNorm3d that infers `num_features` from its first input."""

    becomes = BatchNorm3d


class _LazyInstanceNorm(_LazyNorm):
    """An instance norm that infers the number of channels from its first input."""

    spatial: ClassVar[int]

    def _channels(self, input: Tensor) -> int:
        return input.shape[-self.spatial - 1]


class LazyInstanceNorm1d(_LazyInstanceNorm, InstanceNorm1d):
    """An InstanceNorm1d that infers `num_features` from its first input."""

    becomes = InstanceNorm1d


class LazyInstanceNorm2d(_LazyInstanceNorm, InstanceNorm2d):
    """An InstanceNorm2d that infers `num_features` from its first input."""

    becomes = InstanceNorm2d


class LazyInstanceNorm3d(_LazyInstanceNorm, InstanceNorm3d):
    """An InstanceNorm3d that infers `num_features` from its first input."""

    becomes = InstanceNorm3d
