"""Nodes, checks and recording that convolutions and transposed convolutions share."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gradstep.autograd import grad_mode
from gradstep.autograd.dtypes import scalar_name
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.conv import products
from gradstep.autograd.ops.operands import UNVERSIONED
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.autograd.ops.conv.products import Geometry

__all__ = ["ConvolutionBackward0", "ConvolutionInputBackward0", "as_batch", "recorded"]


class _Convolution(Node):
    """A contraction of the convolution's trilinear form; `context` is its geometry."""

    __slots__ = ()
    product: ClassVar[Callable[..., Value]]


class ConvolutionBackward0(_Convolution):
    """conv(x, w) + b."""

    __slots__ = ()
    rule = "input: conv_transpose(grad, weight); weight: correlate(input, grad); bias: sum(grad)"
    product = staticmethod(products.to_output)

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Contract the gradient of the output with each operand."""
        input, weight, *bias = self.edges
        x, w = saved
        return (
            None if input is None else _product(ConvolutionInputBackward0, self.context, grad, w),
            None if weight is None else _product(ConvolutionWeightBackward0, self.context, x, grad),
            *(None if edge is None else _channel_sums(grad) for edge in bias),
        )


class ConvolutionInputBackward0(_Convolution):
    """conv_transpose(x, w) + b, the gradient of a convolution with respect to its input."""

    __slots__ = ()
    rule = "input: conv(grad, weight); weight: correlate(grad, input); bias: sum(grad)"
    product = staticmethod(products.to_input)

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Contract the gradient of the transposed convolution with each operand."""
        output, weight, *bias = self.edges
        y, w = saved
        return (
            None if output is None else _product(ConvolutionBackward0, self.context, grad, w),
            None if weight is None else _product(ConvolutionWeightBackward0, self.context, grad, y),
            *(None if edge is None else _channel_sums(grad) for edge in bias),
        )

    def name(self) -> str:
        """Return torch's name, which is the same for every convolution."""
        return "ConvolutionBackward0"


class ConvolutionWeightBackward0(_Convolution):
    """The gradient of a convolution with respect to its weight."""

    __slots__ = ()
    rule = "input: conv_transpose(other, grad); other: conv(input, grad)"
    product = staticmethod(products.to_weight)

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Contract the gradient of the weight with each operand."""
        input, output = self.edges
        x, y = saved
        return (
            None if input is None else _product(ConvolutionInputBackward0, self.context, y, grad),
            None if output is None else _product(ConvolutionBackward0, self.context, x, grad),
        )


def _channel_sums(grad: Value) -> Value:
    return grad.sum((0, *range(2, grad.ndim)))


def _product(kind: type[_Convolution], geometry: Geometry, first: Value, second: Value) -> Value:
    if isinstance(first, Tensor):
        return recorded(kind, geometry, first, second)
    return kind.product(geometry, first, second)


def recorded(
    kind: type[_Convolution],
    geometry: Geometry,
    first: Tensor,
    second: Tensor,
    bias: Tensor | None = None,
) -> Tensor:
    """Return a contraction of two tensors plus the bias, recorded as `kind`."""
    array = kind.product(geometry, first._array, second._array)
    edges = [edge(first), edge(second)]
    if bias is not None:
        array += bias._array.reshape((-1, *(1,) * len(geometry.size)))
        edges.append(edge(bias))
    out = wrap(array)
    if grad_mode.current.enabled and any(each is not None for each in edges):
        by_first, by_second = edges[0] is not None, edges[1] is not None
        record(
            kind,
            out,
            tuple(edges),
            (first._array if by_second else None, second._array if by_first else None),
            (
                first._version_counter if by_second else UNVERSIONED,
                second._version_counter if by_first else UNVERSIONED,
            ),
            geometry,
        )
    return out


def as_batch(name: str, input: Tensor, weight: Tensor, bias: Tensor | None, spatial: int) -> Tensor:
    """Return the input with a batch dimension, after checking dimensions and dtypes."""
    shape = list(input._array.shape)
    if len(shape) not in {spatial + 1, spatial + 2}:
        raise TensorError(
            f"Expected {spatial + 1}D (unbatched) or {spatial + 2}D (batched) input to {name}, but "
            f"got input of size: {shape}",
            f"pass (channels, {spatial} sizes) or (batch, channels, {spatial} sizes)",
        )
    for what, other in (("weight", weight), ("bias", bias)):
        if other is not None and other._array.dtype != input._array.dtype:
            raise TensorError(
                f"Input type ({scalar_name(input._array.dtype)}) and {what} type "
                f"({scalar_name(other._array.dtype)}) should be the same",
                "convert one of them with .to(dtype)",
            )
    return input if len(shape) == spatial + 2 else input.unsqueeze(0)
