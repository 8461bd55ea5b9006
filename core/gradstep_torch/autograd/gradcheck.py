"""Gradient checks against finite differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.engine import grad
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["gradcheck", "gradgradcheck"]


def gradcheck(
    func: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Tensor | Sequence[Tensor],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compare the gradients of `func` with central differences.

    Args:
        func: Takes the inputs and returns one or more tensors.
        inputs: Those that require grad should be float64.
        eps: The step of each element to both sides.
        atol: The absolute tolerance.
        rtol: The tolerance relative to the difference quotient.
        raise_exception: Whether to raise if they differ; otherwise return False.

    Returns:
        Whether all gradients agree.

    Raises:
        TensorError: They differ.
        ArgumentError: No input requires grad.

    Example:
        >>> import gradstep_torch as torch
        >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
        >>> gradcheck(lambda x: (x**3).sum(), x)
        True
    """
    given = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    checked = [(n, t) for n, t in enumerate(given) if isinstance(t, Tensor) and t._requires_grad]
    if not checked:
        raise ArgumentError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True."
        )
    outputs = _outputs(func, given)
    for row, output in enumerate(outputs):
        if not output._requires_grad:
            continue
        for column, tensor in checked:
            found = _analytical(output, tensor)
            expected = _numerical(func, given, row, tensor, eps)
            if not np.allclose(found, expected, rtol, atol, equal_nan=True):
                if not raise_exception:
                    return False
                raise TensorError(
                    f"Jacobian mismatch for output {row} with respect to input {column},\n"
                    f"numerical: {expected}\nanalytical: {found}"
                )
    return True


def gradgradcheck(
    func: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Tensor | Sequence[Tensor],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compare second derivatives of `func` with central differences of the first.

    Example:
        >>> import gradstep_torch as torch
        >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
        >>> gradgradcheck(lambda x: x**3, x)
        True
    """
    given = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)

    def first(*tensors: Tensor) -> tuple[Tensor, ...]:
        wanted = [tensor for tensor in tensors if tensor._requires_grad]
        outputs = [output for output in _outputs(func, tensors) if output._requires_grad]
        weights = [_weights(output) for output in outputs]
        found = grad(outputs, wanted, weights, create_graph=True, materialize_grads=True)
        return tuple(tensor for tensor in found if tensor is not None)

    return gradcheck(first, given, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)


def _weights(output: Tensor) -> Tensor:
    """Return fixed distinct weights, so that no symmetry hides an error."""
    shape = output._array.shape
    return wrap(np.linspace(0.5, 1.5, output._array.size).reshape(shape))


def _outputs(
    func: Callable[..., Tensor | Sequence[Tensor]], inputs: Sequence[Tensor]
) -> tuple[Tensor, ...]:
    result = func(*inputs)
    return (result,) if isinstance(result, Tensor) else tuple(result)


def _analytical(output: Tensor, tensor: Tensor) -> NDArray[np.float64]:
    """Return the Jacobian, one backward pass for each element of the output."""
    rows = np.zeros((output._array.size, tensor._array.size))
    for place in range(output._array.size):
        one = np.zeros(output._array.size, output._array.dtype)
        one[place] = 1
        flowing = wrap(one.reshape(output._array.shape))
        (found,) = grad(output, tensor, flowing, retain_graph=True, allow_unused=True)
        if found is not None:
            rows[place] = found._array.ravel()
    return rows


def _numerical(
    func: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Sequence[Tensor],
    row: int,
    tensor: Tensor,
    eps: float,
) -> NDArray[np.float64]:
    """Return the Jacobian by central differences."""
    columns = []
    array = tensor._array
    for place in np.ndindex(array.shape):
        kept = array[place]
        sides = []
        for side in (kept + eps, kept - eps):
            array[place] = side
            with grad_mode.enable_grad():
                sides.append(_outputs(func, inputs)[row]._array.astype(np.float64).ravel())
        array[place] = kept
        columns.append((sides[0] - sides[1]) / (2 * eps))
    return np.array(columns).T if columns else np.zeros((1, 0))
