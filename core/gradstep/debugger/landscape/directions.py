"""Directions in the space of parameters: filter-normalised random ones, and principal ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["PrincipalDirections", "filter_normalized", "principal_directions", "random_direction"]

_COLUMNS = 65_536
"""Elements that are converted to float64 at once."""

_NEGLIGIBLE = 1e-12
"""A share of the variance below which a trajectory is a straight line."""


def filter_normalized(
    direction: NDArray[np.float64], weight: NDArray[Any], *, whole: bool = False
) -> NDArray[np.float64]:
    r"""Return a direction whose filters have the norms of the weight's filters.

    .. math:: d_{i} \leftarrow \frac{d_{i}}{\lVert d_{i} \rVert} \lVert w_{i} \rVert

    A filter is what makes one output: a row of a Linear's weight, a kernel of a convolution.
    Biases and the parameters of normalization layers, which have one dimension, do not move.

    Args:
        direction: Of the weight's shape.
        weight: The weight.
        whole: The tensor is one filter, whatever its shape.

    Example:
        >>> filter_normalized(np.array([[0.0, 2.0], [3.0, 4.0]]), np.array([[3, 4], [0, 1]]))
        array([[0. , 5. ], [0.6, 0.8]])
        >>> filter_normalized(np.ones(3), np.ones(3)).tolist()
        [0.0, 0.0, 0.0]

    Source:
        Li et al., "Visualizing the Loss Landscape of Neural Nets" (2018), section 4, and the code
        of its authors with `xignore=biasbn`.
    """
    if whole:
        return _scaled(direction, float(np.linalg.norm(direction)), float(_norm(weight)))
    if direction.ndim <= 1:
        return np.zeros_like(direction)
    rows, weights = direction.reshape(len(direction), -1), weight.reshape(len(weight), -1)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    wanted = np.linalg.norm(weights.astype(np.float64), axis=1, keepdims=True)
    scale = np.divide(wanted, lengths, out=np.zeros_like(wanted), where=lengths > 0)
    found: NDArray[np.float64] = (rows * scale).reshape(direction.shape)
    return found


def random_direction(
    weights: Mapping[str, NDArray[Any]], free: frozenset[str], generator: np.random.Generator
) -> dict[str, NDArray[np.float64]]:
    """Return a normal random direction, normalised filter by filter.

    Args:
        weights: The tensors by name.
        free: Those that belong to no module: each is one filter.
        generator: Where the numbers come from; not the program's generator.
    """
    return {
        name: filter_normalized(generator.standard_normal(weight.shape), weight, whole=name in free)
        for name, weight in weights.items()
    }


class PrincipalDirections(NamedTuple):
    """The principal directions of a trajectory.

    Attributes:
        directions: Orthonormal rows, one or two; one for a trajectory along a straight line.
        shares: The share of the variance along each.
    """

    directions: NDArray[np.float64]
    shares: tuple[float, ...]


def principal_directions(states: Sequence[NDArray[Any]]) -> PrincipalDirections | None:
    """Return the two directions along which states differ most: their principal components.

    They are the right singular vectors of the centred states. These are computed from the products
    of the states with one another, because there are few states and many parameters. The first
    state is on the negative side of each direction.

    Args:
        states: The parameters at several moments, as vectors.

    Returns:
        The directions; None where all states are the same, or not finite.

    Example:
        >>> found = principal_directions([np.array([0.0, 0.0]), np.array([3.0, 4.0])])
        >>> found.directions.round(3).tolist(), found.shares
        ([[0.6, 0.8]], (1.0,))
    """
    count, size = len(states), len(states[0]) if len(states) else 0
    products = np.zeros((count, count))
    for start in range(0, size, _COLUMNS):
        block = _block(states, start)
        products += block @ block.T
    if not np.isfinite(products).all() or not np.trace(products) > 0:
        return None
    values, vectors = np.linalg.eigh(products)
    total = float(values.sum())
    kept = [at for at in (-1, -2) if count >= -at and values[at] > _NEGLIGIBLE * total]
    directions = np.zeros((len(kept), size))
    for start in range(0, size, _COLUMNS):
        block = _block(states, start)
        for row, at in enumerate(kept):
            directions[row, start : start + _COLUMNS] = vectors[:, at] @ block
    for row, at in enumerate(kept):
        sign = -1.0 if vectors[0, at] > 0 else 1.0
        directions[row] *= sign / np.linalg.norm(directions[row])
    return PrincipalDirections(directions, tuple(float(values[at]) / total for at in kept))


def _block(states: Sequence[NDArray[Any]], start: int) -> NDArray[np.float64]:
    """Return some elements of all states, with their mean taken off."""
    rows = [state[start : start + _COLUMNS].astype(np.float64) for state in states]
    block = np.stack(rows)
    centred: NDArray[np.float64] = block - block.mean(axis=0)
    return centred


def _norm(weight: NDArray[Any]) -> float:
    return float(np.linalg.norm(weight.astype(np.float64)))


def _scaled(direction: NDArray[np.float64], length: float, wanted: float) -> NDArray[np.float64]:
    return direction * (wanted / length) if length > 0 else np.zeros_like(direction)
