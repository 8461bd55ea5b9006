"""The uniform distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd.sampling import rand
from gradstep_torch.distributions.constraint import above, below, interval
from gradstep_torch.distributions.distribution import Distribution, broadcast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep_torch.distributions.constraint import Constraint

__all__ = ["Uniform"]


class Uniform(Distribution):
    """The uniform distribution between two bounds.

    Args:
        low: The lower bound.
        high: The upper bound, which is excluded.
        validate_args: Check parameters and values (None: yes).

    Raises:
        ArgumentError: The lower bound is not below the upper one.

    Example:
        >>> Uniform(0.0, 2.0).entropy()
        tensor(0.6931)
    """

    has_rsample = True

    def __init__(
        self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.low, self.high = broadcast(low, high)
        parameters = {
            "low": (self.low, below(self.high._array)),
            "high": (self.high, above(self.low._array)),
        }
        super().__init__(parameters, self.low.shape, validate_args=validate_args)

    @property
    def support(self) -> Constraint:
        """The numbers between the bounds."""
        return interval(self.low._array, self.high._array)

    @property
    def mean(self) -> Tensor:
        """The midpoint of the bounds."""
        return (self.high + self.low) / 2

    @property
    def stddev(self) -> Tensor:
        """The length of the interval over the square root of 12."""
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        """The squared length of the interval over 12."""
        return (self.high - self.low) ** 2 / 12

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw from [0, 1), scaled and shifted."""
        drawn = rand(self._extended(sample_shape), dtype=self.low.dtype)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return -log(high - low), and -inf for the upper bound itself."""
        self._check_value(value)
        inside = (self.low <= value).to(self.low.dtype) * (self.high > value).to(self.low.dtype)
        return inside.log() - (self.high - self.low).log()

    def entropy(self) -> Tensor:
        """Return log(high - low)."""
        return (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of a smaller value."""
        self._check_value(value)
        return ((value - self.low) / (self.high - self.low)).clamp(0, 1)
