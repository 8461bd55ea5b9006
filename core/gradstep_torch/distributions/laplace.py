"""The Laplace distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.tensor import wrap
from gradstep.random import default_generator
from gradstep_torch.distributions.location_scale import LocationScale
from gradstep_torch.ops.elementary import expm1

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor

__all__ = ["Laplace"]


class Laplace(LocationScale):
    """The Laplace distribution: densities fall exponentially on both sides.

    Args:
        loc: The mean.
        scale: The mean distance from it, above 0.
        validate_args: Check parameters and values (None: yes).

    Raises:
        ArgumentError: A parameter is out of its range.

    Example:
        >>> import gradstep_torch as torch
        >>> Laplace(0.0, 1.0).log_prob(torch.tensor(0.0))
        tensor(-0.6931)
    """

    @property
    def stddev(self) -> Tensor:
        """The scale times the square root of 2."""
        return 2**0.5 * self.scale

    @property
    def variance(self) -> Tensor:
        """Twice the square of the scale."""
        return 2 * self.scale**2

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw from (-1, 1), and scale and shift the logarithms."""
        kind = self.loc._array.dtype
        least = np.finfo(kind).eps - 1
        drawn = default_generator.uniform(self._extended(sample_shape), kind)
        drawn = drawn * (kind.type(1) - least) + least
        sides = wrap(np.sign(drawn) * np.log1p(-np.abs(drawn)))
        return self.loc - self.scale * sides

    def log_prob(self, value: Tensor) -> Tensor:
        """Return -log(2 scale) - |x - loc| / scale."""
        self._check_value(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def entropy(self) -> Tensor:
        """Return 1 + log(2 scale)."""
        return 1 + (2 * self.scale).log()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of a smaller value."""
        self._check_value(value)
        apart = value - self.loc
        return 0.5 - 0.5 * apart.sign() * expm1(-apart.abs() / self.scale)
