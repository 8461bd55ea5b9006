"""The linear layer x W^T + b as one node."""

from __future__ import annotations

from gradstep.autograd import grad_mode
from gradstep.autograd.dtypes import scalar_name
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.matmul import TRANSPOSED, MmBackward0
from gradstep.autograd.ops.operands import UNVERSIONED
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

__all__ = ["linear"]

_METHODS = {"float32": "float()", "float64": "double()", "float16": "half()"}


class AddmmBackward0(Node):
    """input @ weight.T + bias."""

    __slots__ = ()
    sources = (1, 2)
    rule = "bias: sum(grad, 0); input: grad @ weight; weight: grad.T @ input"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Db = sum of g; dx = g W; dW = g^T x."""
        bias, input, weight = self.edges
        x, w = saved
        return (
            None if bias is None else generic.column_sums(grad),
            None if input is None else generic.product(grad, w),
            None if weight is None else generic.product(grad.swapaxes(0, 1), x),
        )


class LinearBackward0(Node):
    """input @ weight.T + bias."""

    __slots__ = ()
    sources = (1, 2)
    rule = (
        "bias: sum of grad over all but the last dimension; "
        "input: grad @ weight; "
        "weight: grad.T @ input"
    )

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """As AddmmBackward0, with the leading dimensions flattened into one."""
        bias, input, weight = self.edges
        x, w = saved
        rows = grad.reshape((-1, grad.shape[-1])) if grad.ndim != 1 else grad.reshape((1, -1))
        by_weight = None
        if weight is not None:
            by_weight = rows.swapaxes(0, 1) @ x.reshape((rows.shape[0], x.shape[-1]))
        return (
            None if bias is None else rows.sum(0),
            None if input is None else grad @ w,
            by_weight,
        )


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input W^T + bias.

    Args:
        input: Of shape (..., in_features).
        weight: Of shape (out_features, in_features).
        bias: Of shape (out_features,), or None.

    Raises:
        TensorError: The sizes or dtypes do not match.

    Example:
        >>> import gradstep
        >>> linear(gradstep.ones(1, 2), gradstep.tensor([[1.0, 2.0]]), gradstep.tensor([0.5]))
        tensor([[3.5000]])
    """
    x, w = input._array, weight._array
    if x.dtype is not w.dtype and x.dtype != w.dtype:
        raise TensorError(
            f"mat1 and mat2 must have the same dtype, but got {scalar_name(x.dtype)} and "
            f"{scalar_name(w.dtype)}",
            f"convert the input with .{_METHODS.get(w.dtype.name, 'to(dtype)')}, or the module "
            "with .to(dtype)",
        )
    try:
        product = x.dot(w.T) if x.ndim == 2 else x @ w.T  # noqa: PLR2004 - a matrix
        if bias is not None:
            product += bias._array
    except (ValueError, TypeError):
        raise _shape_error(x.shape, w.shape, None if bias is None else bias._array.shape) from None
    out = wrap(product)
    if grad_mode.enabled:
        by_bias = (bias._grad_fn or bias) if bias is not None and bias._requires_grad else None
        by_input = (input._grad_fn or input) if input._requires_grad else None
        by_weight = (weight._grad_fn or weight) if weight._requires_grad else None
        if by_bias is not None or by_input is not None or by_weight is not None:
            saved = (None if by_weight is None else x, None if by_input is None else w)
            counters = (
                UNVERSIONED if by_weight is None else input._version_counter,
                UNVERSIONED if by_input is None else weight._version_counter,
            )
            if x.ndim != 2:  # noqa: PLR2004 - a matrix
                record(LinearBackward0, out, (by_bias, by_input, by_weight), saved, counters)
            elif bias is None:
                record(MmBackward0, out, (by_input, by_weight), saved, counters, TRANSPOSED)
            else:
                record(AddmmBackward0, out, (by_bias, by_input, by_weight), saved, counters)
    return out


def _shape_error(
    x: tuple[int, ...], w: tuple[int, ...], bias: tuple[int, ...] | None
) -> TensorError:
    if not x or x[-1] != w[-1]:
        rows = 1
        for size in x[:-1]:
            rows *= size
        shapes = f"{rows}x{x[-1] if x else 1} and {w[-1]}x{w[0] if len(w) > 1 else 1}"
        return TensorError(
            f"mat1 and mat2 shapes cannot be multiplied ({shapes})",
            f"the last size of the input, {list(x)}, must be in_features, {w[-1]}",
        )
    return TensorError(f"a bias of shape {bias} does not match a weight of shape {list(w)}")
