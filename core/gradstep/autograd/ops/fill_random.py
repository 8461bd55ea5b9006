"""In-place filling with random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import dtypes
from gradstep.autograd.ops.inplace import filled, in_place
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError
from gradstep.random import Generator, default_generator

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["normal_", "uniform_"]

_fill = in_place(filled)


def _sampling_dtype(input: Tensor) -> np.dtype[Any]:
    kind = input._array.dtype
    return kind if kind.kind == "f" else dtypes.default


def _store(input: Tensor, array: NDArray[Any]) -> Tensor:
    return _fill(input, wrap(array))


def uniform_(
    input: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with samples of a uniform distribution on [from_, to).

    Example:
        >>> import gradstep
        >>> _ = gradstep.manual_seed(0)
        >>> gradstep.zeros(2).uniform_(-1, 1)
        tensor([-0.0075,  0.5364])
    """
    kind = _sampling_dtype(input)
    drawn = (generator or default_generator).uniform(input._array.shape, kind)
    # torch rounds once, with a fused multiply-add; computing in float64 gives the same
    wide = np.result_type(kind, np.float64)
    span, low = kind.type(to - from_).astype(wide), kind.type(from_).astype(wide)
    return _store(input, (drawn * span + low).astype(kind))


def normal_(
    input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with samples of a normal distribution.

    Raises:
        TensorError: `std` is negative.
    """
    if std < 0:
        raise TensorError(
            f"normal_ expects std >= 0.0, but found std {std}",
            "pass a non-negative standard deviation",
        )
    source = generator or default_generator
    return _store(input, source.normal(input._array.shape, _sampling_dtype(input), mean, std))
