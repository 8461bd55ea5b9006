"""The exponential distribution: waiting times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.tensor import wrap
from gradstep.random import default_generator
from gradstep_torch.distributions.constraint import NONNEGATIVE, POSITIVE
from gradstep_torch.distributions.distribution import Distribution, broadcast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep_torch.distributions.constraint import Constraint

__all__ = ["Exponential"]


class Exponential(Distribution):
    """The exponential distribution: the waiting time for an event of a given rate.

    Args:
        rate: Above 0.
        validate_args: Check parameters and values (None: yes).

    Raises:
        ArgumentError: The rate is not above 0.

    Example:
        >>> Exponential(2.0).mean
        tensor(0.5000)
    """

    has_rsample = True

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast(rate)
        parameters = {"rate": (self.rate, POSITIVE)}
        super().__init__(parameters, self.rate.shape, validate_args=validate_args)

    @property
    def support(self) -> Constraint:
        """The non-negative numbers."""
        return NONNEGATIVE

    @property
    def mean(self) -> Tensor:
        """One over the rate."""
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        """The most likely value: 0."""
        return self.rate * 0

    @property
    def stddev(self) -> Tensor:
        """One over the rate."""
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        """One over the square of the rate."""
        return self.rate**-2

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw waiting times at rate 1, and divide them by the rate."""
        uniform = default_generator.uniform(self._extended(sample_shape), np.dtype(np.float64))
        return wrap(-np.log1p(-uniform).astype(self.rate._array.dtype)) / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        """Return log(rate) - rate x."""
        self._check_value(value)
        return self.rate.log() - self.rate * value

    def entropy(self) -> Tensor:
        """Return 1 - log(rate)."""
        return 1.0 - self.rate.log()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of a smaller value."""
        self._check_value(value)
        return 1 - (-self.rate * value).exp()
