"""ReLU and its variants: leaky, clipped, exponential and gated."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.pointwise import wrap_saving_input
from gradstep.autograd.scalar_arrays import ZEROS
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = [
    "celu",
    "elu",
    "gelu",
    "hardtanh",
    "leaky_relu",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "selu",
    "silu",
    "softplus",
]


class LeakyReluBackward0(Node):
    """where(input > 0, input, slope * input)."""

    __slots__ = ()
    rule = "input: where(input > 0, grad, grad * slope)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = g where x > 0, else a g."""
        return (grad * _slopes(generic.to_array(saved[0]), self.context),)

    def constants(self) -> dict[str, Value]:
        """Return the other names in the rule."""
        return {"slope": self.context}


def _slopes(x: NDArray[Any], slope: float) -> Value:
    """Return 1 where x is positive, else the slope; avoids the slower `np.where` if it can."""
    if 0.0 <= slope <= 1.0:
        return np.maximum(x > 0, x.dtype.type(slope))
    return np.where(x > 0, x.dtype.type(1), x.dtype.type(slope))


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Return x where it is positive, else negative_slope * x.

    Example:
        >>> import gradstep
        >>> leaky_relu(gradstep.tensor([-1.0, 2.0]), 0.1)
        tensor([-0.1000,  2.0000])
    """
    x = input._array
    low = x * negative_slope
    array = np.maximum(x, low) if 0.0 <= negative_slope <= 1.0 else np.where(x > 0, x, low)
    return wrap_saving_input(LeakyReluBackward0, array, input, negative_slope)


class EluBackward0(Node):
    """s x where it is positive, else s a (exp(b x) - 1); `context` is a, s and b."""

    __slots__ = ()
    rule = "input: where(input > 0, grad * scale, grad * scale * alpha * rate * exp(rate * input))"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = s g where x > 0, else s a b exp(b x) g."""
        x = saved[0]
        alpha, scale, inside = self.context
        positive = generic.to_array(x) > 0
        low = generic.where(positive, 0.0 * x, x)  # exp of a large unused x would overflow
        falling = grad * generic.exp(low * inside) * (alpha * scale * inside)
        return (generic.where(positive, grad * scale, falling),)

    def constants(self) -> dict[str, Value]:
        """Return the other names in the rule."""
        return dict(zip(("alpha", "scale", "rate"), self.context, strict=True))


def _elu(input: Tensor, alpha: float, scale: float, inside: float) -> Tensor:
    x = input._array
    low = np.expm1(np.minimum(x, 0) * inside) * (alpha * scale)
    return wrap_saving_input(
        EluBackward0, np.maximum(x, 0) * scale + low, input, (alpha, scale, inside)
    )


def elu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Return x where it is positive, else alpha * (exp(x) - 1) (Clevert et al. 2015, 1511.07289).

    Example:
        >>> import gradstep
        >>> elu(gradstep.tensor([-1.0, 2.0]))
        tensor([-0.6321,  2.0000])
    """
    return _elu(input, alpha, 1.0, 1.0)


def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Return x where it is positive, else alpha * (exp(x / alpha) - 1) (Barron 2017, 1704.07483).

    Raises:
        TensorError: `alpha` is 0.

    Example:
        >>> import gradstep
        >>> celu(gradstep.tensor([-1.0, 2.0]), 2.0)
        tensor([-0.7869,  2.0000])
    """
    if alpha == 0:
        raise TensorError("ZeroDivisionError: alpha cannot be 0 for CELU", "use another alpha")
    return _elu(input, alpha, 1.0, 1.0 / alpha)


def selu(input: Tensor) -> Tensor:
    """Return elu scaled to preserve mean 0 and variance 1 (Klambauer et al. 2017, 1706.02515).

    Example:
        >>> import gradstep
        >>> selu(gradstep.tensor([-1.0, 2.0]))
        tensor([-1.1113,  2.1014])
    """
    return _elu(input, _SELU_ALPHA, _SELU_SCALE, 1.0)


_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


class SiluBackward0(Node):
    """input * sigmoid(input)."""

    __slots__ = ()
    rule = "input: grad * sigmoid(input) * (1 + input * (1 - sigmoid(input)))"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = s (1 + x (1 - s))."""
        x = saved[0]
        gate = generic.sigmoid(x)
        return (grad * gate * (1.0 + x * (1.0 - gate)),)


def silu(input: Tensor) -> Tensor:
    """Return x * sigmoid(x).

    Example:
        >>> import gradstep
        >>> silu(gradstep.tensor([1.0]))
        tensor([0.7311])
    """
    x = input._array
    return wrap_saving_input(SiluBackward0, x * generic.sigmoid(x), input)


class SoftplusBackward0(Node):
    """log(1 + exp(b x)) / b, or x where b x exceeds the threshold."""

    __slots__ = ()
    rule = "input: where(beta * input > threshold, grad, grad * sigmoid(beta * input))"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = s(b x), or 1 where b x exceeds the threshold."""
        beta, threshold = self.context
        scaled = saved[0] * beta
        return (
            generic.where(
                generic.to_array(scaled) > threshold, grad, grad * generic.sigmoid(scaled)
            ),
        )

    def constants(self) -> dict[str, Value]:
        """Return the other names in the rule."""
        return dict(zip(("beta", "threshold"), self.context, strict=True))


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return log(1 + exp(beta x)) / beta, or x where beta x exceeds the threshold.

    Example:
        >>> import gradstep
        >>> softplus(gradstep.tensor([0.0, 30.0]))
        tensor([ 0.6931, 30.0000])
    """
    x = input._array
    scaled = x * beta
    soft = np.log1p(np.exp(np.minimum(scaled, threshold))) / beta
    array = np.where(scaled > threshold, x, soft)
    return wrap_saving_input(SoftplusBackward0, array, input, (beta, threshold))


class MishBackward0(Node):
    """input * tanh(softplus(input))."""

    __slots__ = ()
    rule = (
        "input: grad * (tanh(softplus(input))"
        " + input * sigmoid(input) * (1 - tanh(softplus(input)) ** 2))"
    )

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = t + x s (1 - t^2), with t = tanh(softplus(x))."""
        x = saved[0]
        tanh = generic.tanh(softplus(x) if isinstance(x, Tensor) else _softplus(x))
        return (grad * (tanh + x * generic.sigmoid(x) * (1.0 - tanh * tanh)),)


def _softplus(x: NDArray[Any]) -> NDArray[Any]:
    """Return log(1 + exp(x)) without overflow."""
    soft: NDArray[Any] = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
    return soft


def mish(input: Tensor) -> Tensor:
    """Return x tanh(softplus(x)) (Misra 2019, arXiv 1908.08681).

    Example:
        >>> import gradstep
        >>> mish(gradstep.tensor([1.0]))
        tensor([0.8651])
    """
    x = input._array
    return wrap_saving_input(MishBackward0, x * np.tanh(_softplus(x)), input)


class GeluBackward0(Node):
    """input * cdf(input) of the standard normal distribution, or its tanh approximation."""

    __slots__ = ()
    rule = "input: grad * (cdf(input) + input * pdf(input))"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = cdf(x) + x pdf(x), or the derivative of the tanh approximation."""
        x = saved[0]
        if self.context == "none":
            density = generic.exp(-0.5 * x * x) * (1.0 / math.sqrt(2.0 * math.pi))
            return (grad * (generic.normal_cdf(x) + x * density),)
        inner = _ROOT * (x + _CUBIC * (x * x * x))
        tanh = generic.tanh(inner)
        slope = (1.0 - tanh * tanh) * (_ROOT * (1.0 + 3.0 * _CUBIC * x * x))
        return (grad * (0.5 * (1.0 + tanh) + 0.5 * x * slope),)


_ROOT = math.sqrt(2.0 / math.pi)
_CUBIC = 0.044715  # Hendrycks & Gimpel 2016, arXiv 1606.08415


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Return x times the standard normal cdf of x (Hendrycks & Gimpel 2016, 1606.08415).

    Args:
        input: Of any shape.
        approximate: "none" for the exact function, "tanh" for the approximation.

    Raises:
        TensorError: `approximate` is neither.

    Example:
        >>> import gradstep
        >>> gelu(gradstep.tensor([1.0]))
        tensor([0.8413])
    """
    if approximate not in {"none", "tanh"}:
        raise TensorError(f"approximate argument must be either none or tanh, got {approximate!r}")
    x = input._array
    if approximate == "none":
        array = x * generic.normal_cdf(x)
    else:
        array = 0.5 * x * (1.0 + np.tanh(_ROOT * (x + _CUBIC * (x * x * x))))
    return wrap_saving_input(GeluBackward0, array, input, approximate)


class ReluBackward0(Node):
    """max(input, 0)."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: where(result > 0, grad, 0)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = g where the result is positive, else 0."""
        return (generic.masked(grad, generic.positive(saved[0])),)


def relu(input: Tensor) -> Tensor:
    """Return max(0, x); the gradient at 0 is 0.

    Example:
        >>> import gradstep
        >>> relu(gradstep.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    array = input._array
    out = wrap(np.maximum(array, ZEROS.get(array.dtype, 0)))
    if grad_mode.current.enabled and input._requires_grad:
        record(
            ReluBackward0, out, (input._grad_fn or input,), (out._array,), (out._version_counter,)
        )
    return out


class PreluKernelBackward0(Node):
    """where(input > 0, input, weight * input); `context`: weight's shape, alone and broadcast."""

    __slots__ = ()
    rule = (
        "input: where(input > 0, grad, grad * weight); "
        "weight: sum of grad * input where the input is not positive"
    )

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = g or g a; da = the sum of g x where x is not positive."""
        first, second = self.edges
        x, slope = saved
        own, shape = self.context
        positive = generic.to_array(x) > 0
        by_slope = None
        if second is not None:
            by_slope = generic.unbroadcast(
                generic.where(positive, 0.0 * x, x) * grad, shape
            ).reshape(own)
        by_input = None
        if first is not None:
            by_input = generic.where(positive, grad, grad * slope.reshape(shape))
        return by_input, by_slope


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return x where it is positive, else weight x (He et al. 2015, arXiv 1502.01852).

    Args:
        input: Of shape (batch, channels, ...), or any shape with a single slope.
        weight: One slope, or one per channel.

    Raises:
        TensorError: `weight` has neither one element nor one per channel.

    Example:
        >>> import gradstep
        >>> prelu(gradstep.tensor([-2.0, 2.0]), gradstep.tensor([0.25]))
        tensor([-0.5000,  2.0000])
    """
    x, slope = input._array, weight._array
    shape: tuple[int, ...] = (1,) * x.ndim
    if slope.size != 1:
        channels = x.shape[1] if x.ndim > 1 else 1
        if slope.ndim != 1 or slope.size != channels:
            raise TensorError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{slope.size} and channel size = {channels}."
            )
        shape = (1, channels, *(1,) * (x.ndim - 2))
    out = wrap(np.where(x > 0, x, x * slope.reshape(shape)))
    if grad_mode.current.enabled and (input._requires_grad or weight._requires_grad):
        record(
            PreluKernelBackward0,
            out,
            (edge(input), edge(weight)),
            (x, slope),
            (input._version_counter, weight._version_counter),
            (slope.shape, shape),
        )
    return out


class _PiecewiseBackward(Node):
    """A piecewise linear function; the slope of each element is saved."""

    __slots__ = ()
    sources = (None,)

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Multiply the gradient by the slope."""
        slope = saved[0]
        return (generic.masked(grad * slope, generic.to_array(slope) != 0),)


class HardtanhBackward0(_PiecewiseBackward):
    """clamp(input, min_val, max_val)."""

    __slots__ = ()
    rule = "input: grad between the bounds, 0 elsewhere"


def piecewise(
    kind: type[Node],
    input: Tensor,
    array: NDArray[np.generic],
    passes: NDArray[np.bool_],
    slope: float = 1.0,
) -> Tensor:
    """Wrap `array`, recorded as `kind` with a slope where `passes` is True, else 0."""
    out = wrap(array)
    if grad_mode.current.enabled and input._requires_grad:
        record(kind, out, (input._grad_fn or input,), (passes * array.dtype.type(slope),))
    return out


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Return `input` clipped to [min_val, max_val]; the gradient at both bounds is 0.

    Example:
        >>> import gradstep
        >>> hardtanh(gradstep.tensor([-2.0, 0.5, 2.0]))
        tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise ArgumentError(f"min_val cannot be greater than max_val, got {min_val} and {max_val}")
    x = input._array
    inside = ~((x <= min_val) | (x >= max_val))
    return piecewise(HardtanhBackward0, input, np.clip(x, min_val, max_val), inside)


def relu6(input: Tensor) -> Tensor:
    """Return `input` clipped to [0, 6]."""
    return hardtanh(input, 0.0, 6.0)
