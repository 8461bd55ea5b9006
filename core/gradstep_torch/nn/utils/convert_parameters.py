"""Parameters as one vector, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd.ops.join import cat
from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return all elements of all parameters, in order, as one vector.

    Example:
        >>> import gradstep_torch as torch
        >>> parameters_to_vector([torch.ones(1, 2), torch.zeros(1)])
        tensor([1., 1., 0.])
    """
    return cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Copy the elements of a vector into the parameters, in place, without recording it.

    Args:
        vec: A vector with as many elements as all parameters together.
        parameters: The parameters to fill.

    Raises:
        ArgumentTypeError: The vector is not a tensor.
        TensorError: The sizes differ; nothing is written.
    """
    if not isinstance(vec, Tensor):
        raise ArgumentTypeError(f"expected a Tensor, but got: {type(vec).__name__}")
    members = list(parameters)
    needed = sum(member._array.size for member in members)
    if vec._array.shape != (needed,):
        raise TensorError(
            f"the parameters have {needed} elements, the vector has shape {list(vec._array.shape)}"
        )
    start = 0
    for member in members:
        stop = start + member._array.size
        member._array[...] = vec._array[start:stop].reshape(member._array.shape)
        member._version_counter[0] += 1
        start = stop
