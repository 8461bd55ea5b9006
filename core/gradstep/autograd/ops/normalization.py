"""Batch, layer and group normalization."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.dtypes import scalar_name
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.operands import UNVERSIONED
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["batch_norm", "group_norm", "layer_norm"]


class _NormSpec(NamedTuple):
    """The axes of a normalization, and the shapes of weight and bias.

    Attributes:
        axes: Axes of the mean and the variance.
        own: Shape of weight and bias.
        shape: Shape of weight and bias, reshaped to broadcast.
        eps: Added to the variance.
        fixed: Whether mean and variance are constants, not computed from the input.
    """

    axes: tuple[int, ...]
    own: tuple[int, ...]
    shape: tuple[int, ...]
    eps: float
    fixed: bool = False


class _Moments(NamedTuple):
    """Mean and variance of an array, and the centred array."""

    mean: NDArray[Any]
    centred: NDArray[Any]
    variance: NDArray[Any]


def _moments(x: NDArray[Any], axes: tuple[int, ...]) -> _Moments:
    mean = x.mean(axes, keepdims=True)
    centred = x - mean
    return _Moments(mean, centred, (centred * centred).mean(axes, keepdims=True))


class _NormBackward(Node):
    """(x - m) r w + b with r = 1 / sqrt(v + eps); saved are x, w, m and r."""

    __slots__ = ()
    sources = (0, 1, None, None)
    rule = (
        "input: scale * (grad * weight - mean(grad * weight)"
        " - normalized * mean(grad * weight * normalized)); "
        "weight: sum(grad * normalized); "
        "bias: sum(grad)"
    )

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = r (g w - mean of g w - z mean of g w z), with z = (x - m) r."""
        input, weight, bias = self.edges
        plan = self.context
        x, w, mean, scale = saved
        if isinstance(grad, Tensor) and not plan.fixed:
            mean = x.mean(plan.axes, keepdim=True)
            centred = x - mean
            scale = ((centred * centred).mean(plan.axes, keepdim=True) + plan.eps) ** -0.5
        elif isinstance(grad, Tensor):
            mean, scale = wrap(mean), wrap(scale)
        normal = (x - mean) * scale
        sums, tilts = _inner_sums(grad, plan), _inner_sums(grad * normal, plan)
        by_weight = None if weight is None else _flat_sum(tilts, plan)
        by_bias = None if bias is None else _flat_sum(sums, plan)
        if input is None:
            return None, by_weight, by_bias
        weighted = grad
        if w is not None:
            w = w.reshape(plan.shape)
            weighted, sums, tilts = grad * w, sums * w, tilts * w
        if plan.fixed:
            return weighted * scale, by_weight, by_bias
        count = prod(x.shape[axis] for axis in plan.axes)
        centre = sums.sum(plan.axes, keepdims=True) / count
        tilt = tilts.sum(plan.axes, keepdims=True) / -count
        # the temporary goes first: NumPy reuses the memory of a temporary left operand
        return (normal * tilt + weighted - centre) * scale, by_weight, by_bias


class NativeBatchNormBackward0(_NormBackward):
    """Batch normalization."""

    __slots__ = ()


class NativeLayerNormBackward0(_NormBackward):
    """Layer normalization."""

    __slots__ = ()


class NativeGroupNormBackward0(_NormBackward):
    """Group normalization."""

    __slots__ = ()


def _inner_sums(value: Value, plan: _NormSpec) -> Value:
    """Sum over the axes along which the weight is constant."""
    inner = tuple(axis for axis in plan.axes if plan.shape[axis] == 1)
    return value.sum(inner, keepdims=True) if inner else value


def _flat_sum(value: Value, plan: _NormSpec) -> Value:
    return generic.unbroadcast(value, plan.shape).reshape(plan.own)


def _normalized(
    kind: type[_NormBackward],
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    moments: _Moments,
    plan: _NormSpec,
) -> Tensor:
    x = input._array
    mean, array, variance = moments
    scale = 1 / np.sqrt(variance + x.dtype.type(plan.eps))
    array *= scale
    if weight is not None:
        array *= weight._array.reshape(plan.shape)
    if bias is not None:
        array += bias._array.reshape(plan.shape)
    out = wrap(array)
    if grad_mode.current.enabled:
        by_weight = None if weight is None else edge(weight)
        by_bias = None if bias is None else edge(bias)
        by_input = edge(input)
        if by_input is not None or by_weight is not None or by_bias is not None:
            record(
                kind,
                out,
                (by_input, by_weight, by_bias),
                (x, None if weight is None else weight._array, mean, scale),
                (
                    input._version_counter,
                    UNVERSIONED if weight is None else weight._version_counter,
                    UNVERSIONED,
                    UNVERSIONED,
                ),
                plan,
            )
    return out


def _same_type(name: str, input: Tensor, *others: Tensor | None) -> None:
    for other in others:
        if other is not None and other._array.dtype != input._array.dtype:
            raise TensorError(
                f"{name}: expected scalar type {scalar_name(input._array.dtype)} but found "
                f"{scalar_name(other._array.dtype)}",
                "convert the input, or the module, with .to(dtype)",
            )


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel over the batch to mean 0 and variance 1, then scale and shift.

    Args:
        input: Of shape (batch, channels, ...).
        running_mean: Moving average of the mean: updated in training, used in evaluation.
        running_var: Moving average of the unbiased variance.
        weight: Scale of each channel.
        bias: Shift of each channel.
        training: Whether to use the mean and variance of the batch.
        momentum: Weight of the batch in the moving averages.
        eps: Added to the variance.

    Raises:
        ArgumentError: In training, a channel has only one value.
        TensorError: Sizes or dtypes do not match.

    Example:
        >>> import gradstep
        >>> batch_norm(gradstep.tensor([[1.0], [3.0]]), None, None, training=True)
        tensor([[-1.0000],
                [ 1.0000]])

    References:
        Ioffe & Szegedy, Batch normalization, ICML 2015 (arXiv 1502.03167).
    """
    x = input._array
    if not x.size:
        return input.clone()
    if x.ndim < 2:  # noqa: PLR2004 - batch and channels
        raise TensorError(f"batch_norm expects (batch, channels, ...), got {list(x.shape)}")
    channels = x.shape[1]
    for name, given in (
        ("running_mean", running_mean),
        ("running_var", running_var),
        ("weight", weight),
        ("bias", bias),
    ):
        if given is not None and given._array.shape != (channels,):
            raise TensorError(
                f"{name} should contain {channels} elements not {given._array.size}",
                f"the input {list(x.shape)} has {channels} channels",
            )
    _same_type("batch_norm", input, weight, bias)
    axes = (0, *range(2, x.ndim))
    shape = (1, channels, *(1,) * (x.ndim - 2))
    if not training:
        if running_mean is None or running_var is None:
            raise TensorError(
                "running_mean must be defined in evaluation mode, and running_var with it",
                "pass both, or training=True",
            )
        mean = running_mean._array.astype(x.dtype, copy=False).reshape(shape).copy()
        variance = running_var._array.astype(x.dtype, copy=False).reshape(shape)
        plan = _NormSpec(axes, (channels,), shape, eps, fixed=True)
        moments = _Moments(mean, x - mean, variance)
        return _normalized(NativeBatchNormBackward0, input, weight, bias, moments, plan)
    count = x.size // channels
    if count == 1:
        raise ArgumentError(
            "Expected more than 1 value per channel when training, got input size "
            f"gradstep.Size({list(x.shape)})",
            "use larger batches, drop_last=True, or eval()",
        )
    moments = _moments(x, axes)
    plan = _NormSpec(axes, (channels,), shape, eps)
    out = _normalized(NativeBatchNormBackward0, input, weight, bias, moments, plan)
    unbiased = moments.variance * (count / (count - 1))
    for running, value in ((running_mean, moments.mean), (running_var, unbiased)):
        if running is not None:
            running._array += momentum * (value.reshape(-1) - running._array)
            running._version_counter[0] += 1
    return out


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize over the last dimensions to mean 0 and variance 1, then scale and shift.

    Args:
        input: Of shape (..., *normalized_shape).
        normalized_shape: Sizes of the dimensions to normalize over.
        weight: Scale of each element, of shape `normalized_shape`.
        bias: Shift of each element, of the same shape.
        eps: Added to the variance.

    Raises:
        TensorError: Sizes or dtypes do not match.

    Example:
        >>> import gradstep
        >>> layer_norm(gradstep.tensor([1.0, 3.0]), [2])
        tensor([-1.0000,  1.0000])

    References:
        Ba et al., Layer normalization, 2016 (arXiv 1607.06450).
    """
    x, wanted = input._array, tuple(normalized_shape)
    if not wanted or x.shape[-len(wanted) :] != wanted:
        raise TensorError(
            f"Given normalized_shape={list(wanted)}, expected input with shape "
            f"[*, {', '.join(map(str, wanted))}], but got input of size{list(x.shape)}"
        )
    for name, given in (("weight", weight), ("bias", bias)):
        if given is not None and given._array.shape != wanted:
            raise TensorError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(given._array.shape)} and normalized_shape = {list(wanted)}"
            )
    _same_type("layer_norm", input, weight, bias)
    axes = tuple(range(x.ndim - len(wanted), x.ndim))
    shape = (1,) * (x.ndim - len(wanted)) + wanted
    return _normalized(
        NativeLayerNormBackward0,
        input,
        weight,
        bias,
        _moments(x, axes),
        _NormSpec(axes, wanted, shape, eps),
    )


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize groups of channels to mean 0 and variance 1, then scale and shift each channel.

    Args:
        input: Of shape (batch, channels, ...).
        num_groups: Number of groups; it must divide the channels.
        weight: Scale of each channel.
        bias: Shift of each channel.
        eps: Added to the variance.

    Raises:
        TensorError: `num_groups` does not divide the channels, or sizes do not match.

    Example:
        >>> import gradstep
        >>> group_norm(gradstep.tensor([[1.0, 3.0]]), 1)
        tensor([[-1.0000,  1.0000]])

    References:
        Wu & He, Group normalization, ECCV 2018 (arXiv 1803.08494).
    """
    x = input._array
    if x.ndim < 2:  # noqa: PLR2004 - batch and channels
        raise TensorError(f"Expected at least 2 dimensions for input tensor but received {x.ndim}")
    channels = x.shape[1]
    if num_groups < 1 or channels % num_groups:
        raise TensorError(
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            f"shape {list(x.shape)} and num_groups={num_groups}"
        )
    for name, given in (("weight", weight), ("bias", bias)):
        if given is not None and given._array.shape != (channels,):
            raise TensorError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, "
                f"but got {name} of shape {list(given._array.shape)} and input of shape "
                f"{list(x.shape)}"
            )
    _same_type("group_norm", input, weight, bias)
    each = channels // num_groups
    inside = input.reshape(x.shape[0], num_groups, each, prod(x.shape[2:]))
    plan = _NormSpec((2, 3), (channels,), (1, num_groups, each, 1), eps)
    out = _normalized(
        NativeGroupNormBackward0,
        inside,
        weight,
        bias,
        _moments(inside._array, (2, 3)),
        plan,
    )
    return out.reshape(x.shape)
