"""One line of the table of operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Case:
    """One operation: `call(torch, *tensors)`, the shapes of its inputs, their range, closeness."""

    name: str
    call: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...] = ((2, 3),)
    low: float = -2.0
    high: float = 2.0
    twice: bool = True
    rtol: float = 1e-9  # larger where torch's own constants are of float32

    def arrays(self) -> list[NDArray[np.float64]]:
        """Return inputs that depend on nothing but the case."""
        random = np.random.default_rng(sum(map(ord, self.name)))
        return [random.uniform(self.low, self.high, shape) for shape in self.shapes]
