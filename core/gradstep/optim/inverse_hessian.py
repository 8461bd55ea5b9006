"""The inverse Hessian as L-BFGS knows it: from the last steps and what they did to the gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.tensor import Tensor, wrap

if TYPE_CHECKING:
    from collections.abc import Generator

    from numpy.typing import NDArray

__all__ = ["MEMORY", "Vectors", "direction_of", "kept_vector"]

_LEAST_CURVATURE = 1e-10

MEMORY = ("old_dirs", "old_stps", "ro")
"""Changes of the gradient, the steps that made them, and 1 over the product of the two."""


class Vectors:
    """Gives the vectors that an iteration computes with; here they are what they are.

    An attribution gives them as arrays that remember what they are made of.
    """

    def gradient(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the gradient of all parameters, just evaluated."""
        return array

    def memory(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return a step, or a change of the gradient, that was kept."""
        return array

    def values(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the values of all parameters, which are about to move."""
        return array


def direction_of(
    state: dict[str, Any], grad: NDArray[Any], history_size: int, vectors: Vectors
) -> Generator[tuple[str, NDArray[Any] | float], None, NDArray[Any]]:
    """Take the last step into the memory, and return minus the inverse Hessian times grad.

    The products of two vectors are taken with `dot`: they are factors, which are made of nothing.
    """
    if state["n_iter"] == 1:
        state.update({name: [] for name in MEMORY}, H_diag=1)
        return -grad
    change = grad - state["prev_flat_grad"]._array
    move = state["d"]._array * grad.dtype.type(float(state["t"]))
    curvature = float(np.dot(change, move))
    yield "curvature", curvature
    way = "hessian_scale.kept"
    if curvature > _LEAST_CURVATURE:
        way = "hessian_scale"
        first = 1 if len(state["ro"]) == history_size else 0
        inverse = np.array(1.0 / curvature, grad.dtype)
        for name, value in zip(MEMORY, (change, move, inverse), strict=True):
            state[name] = [*state[name][first:], kept_vector(value)]
        square = float(np.dot(change, change))
        state["H_diag"] = wrap(np.array(curvature / square, grad.dtype))
    scale = state["H_diag"]
    yield way, float(scale)
    pairs = [
        (vectors.memory(change._array), vectors.memory(move._array), inverse._array)
        for change, move, inverse in zip(*(state[name] for name in MEMORY), strict=True)
    ]
    direction, shares = -grad, []
    for change, move, inverse in reversed(pairs):
        share = np.dot(move, direction) * inverse
        direction -= share * change
        shares.append(share)
    yield "projected", direction
    direction *= scale._array if isinstance(scale, Tensor) else scale
    yield "scaled", direction
    for (change, move, inverse), share in zip(pairs, reversed(shares), strict=True):
        direction += move * (share - np.dot(change, direction) * inverse)
    return direction


def kept_vector(vector: NDArray[Any]) -> Tensor:
    """Return a copy for the state, which nobody can write to."""
    copy = np.array(vector)
    copy.flags.writeable = False
    return wrap(copy)
