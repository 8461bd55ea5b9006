"""How the rows of a data set can be drawn: along a line, on a plane, or as images."""

from __future__ import annotations

from itertools import chain
from math import isqrt, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.program.schema.data_sets import Digits, Npy, Polynomial
from gradstep.program.schema.layers.basic import Flatten, Unflatten

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = [
    "as_images",
    "curve_inputs",
    "grid_inputs",
    "image_shape",
    "is_line",
    "is_plane",
    "rows_at_once",
]

CURVE_POINTS = 201
GRID_POINTS = 96
"""Points of a decision region in each direction."""

_CHUNK_ELEMENTS = 1 << 20
"""Numbers that a layer computes between two questions whether to stop."""

_MARGIN = 0.08
_LEAST_SIDE = 4
_LEAST_FLAT_SIDE = 16
"""Rows of 256 numbers and more from a file are images if their number is a square."""
_CHANNELS = (1, 3)


def is_line(spec: ProgramSpec, data: str, shape: tuple[int, ...]) -> bool:
    """Return whether rows of a shape have one input; the powers of one count as one."""
    return shape in {(), (1,)} or isinstance(spec.data[data], Polynomial)


def is_plane(shape: tuple[int, ...]) -> bool:
    """Return whether rows of a shape have two inputs."""
    return shape == (2,)


def image_shape(spec: ProgramSpec, loss: str, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the shape of the images that rows of a shape hold; None if they hold none.

    The first layer decides, if it splits or flattens the rows, and otherwise their own shape.

    Returns:
        (height, width), or (channels, height, width).

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> spec = decode(b'''{"gradstep": 1, "data": {"digits": {"kind": "digits"}},
        ...     "modules": {"model": [{"kind": "Linear", "in_features": 64, "out_features": 10}]},
        ...     "losses": {"loss": {"data": "digits", "chain": ["model"],
        ...                         "criterion": {"kind": "CrossEntropyLoss"}}}}''')
        >>> image_shape(spec, "loss", (64,))
        (8, 8)
    """
    modules = spec.modules_of(loss)
    first = spec.modules[modules[0]][0] if modules else None
    if isinstance(first, Unflatten) and first.dim == 1 and len(shape) == 1:
        shape = first.unflattened_size
    elif len(shape) == 1:
        return _flat_image(spec, loss, shape[0])
    if len(shape) == 2:  # noqa: PLR2004 - height and width; else it is a sequence
        is_image = isinstance(first, (Flatten, Unflatten)) and min(shape) >= _LEAST_SIDE
        return shape if is_image else None
    if len(shape) == 3 and shape[0] in _CHANNELS and min(shape[1:]) >= _LEAST_SIDE:  # noqa: PLR2004 - with channels
        return shape
    return None


def as_images(inputs: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return rows as (rows, height, width), or (rows, height, width, 3) in colour."""
    if len(shape) == 2:  # noqa: PLR2004 - height and width
        return inputs.reshape(-1, *shape)
    images = np.moveaxis(inputs.reshape(-1, *shape), 1, -1)
    return images[..., 0] if shape[0] == 1 else images


def curve_inputs(inputs: NDArray[Any]) -> NDArray[Any]:
    """Return inputs of one number each, in order, from a little below to a little above all."""
    low, high = _bounds(inputs.reshape(-1))
    between = np.linspace(low, high, CURVE_POINTS).astype(inputs.dtype)
    return between.reshape(-1, *inputs.shape[1:])


def grid_inputs(inputs: NDArray[Any]) -> NDArray[Any]:
    """Return the points of a grid around rows of two inputs, row by row from the bottom up."""
    (left, right), (bottom, top) = _bounds(inputs[:, 0]), _bounds(inputs[:, 1])
    across = np.linspace(left, right, GRID_POINTS)
    up = np.linspace(bottom, top, GRID_POINTS)
    return np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2).astype(inputs.dtype)


def rows_at_once(spec: ProgramSpec, loss: str, shape: tuple[int, ...]) -> int:
    """Return how many rows of a shape are predicted together: fewer for layers that compute more.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> spec = decode(b'{"gradstep": 1, "data": {"d": {"kind": "inline", "inputs": [[1]]}},'
        ...     b' "modules": {"m": [{"kind": "Linear", "in_features": 1, "out_features": 4096}]},'
        ...     b' "losses": {"a": {"data": "d", "chain": ["m"], "expression": "mean(output)"}}}')
        >>> rows_at_once(spec, "a", (1,))
        256
    """
    two = (2, *shape)  # BatchNorm wants more than one row
    widest = prod(two)
    for layer in chain.from_iterable(spec.modules[name] for name in spec.computed[loss].chain):
        widest = max(widest, layer.workspace_elements(two))
        two = layer.output_shape(two)
        widest = max(widest, prod(two))
    return max(1, 2 * _CHUNK_ELEMENTS // max(1, widest))


def _bounds(values: NDArray[Any]) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = _MARGIN * (high - low) or 1.0
    return low - margin, high + margin


def _flat_image(spec: ProgramSpec, loss: str, size: int) -> tuple[int, ...] | None:
    data = spec.data[spec.computed[loss].data or ""]
    side = isqrt(size)
    if isinstance(data, Digits) or (
        isinstance(data, Npy) and side >= _LEAST_FLAT_SIDE and side * side == size
    ):
        return side, side
    return None
