"""The log-normal distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep_torch.distributions.constraint import POSITIVE
from gradstep_torch.distributions.distribution import Distribution
from gradstep_torch.distributions.normal import Normal
from gradstep_torch.ops.elementary import expm1

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep_torch.distributions.constraint import Constraint

__all__ = ["LogNormal"]


class LogNormal(Distribution):
    """The log-normal distribution: the logarithm of a sample is normally distributed.

    Args:
        loc: The mean of the logarithms.
        scale: Their standard deviation, above 0.
        validate_args: Check parameters and values (None: yes).

    Attributes:
        base_dist: The distribution of the logarithms.

    Raises:
        ArgumentError: A parameter is out of its range.

    Example:
        >>> LogNormal(0.0, 1.0).mean
        tensor(1.6487)
    """

    has_rsample = True

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.base_dist = Normal(loc, scale, validate_args)
        super().__init__({}, self.base_dist.batch_shape, validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The mean of the logarithms."""
        return self.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the logarithms."""
        return self.base_dist.scale

    @property
    def support(self) -> Constraint:
        """The positive numbers."""
        return POSITIVE

    @property
    def mean(self) -> Tensor:
        """E to the power of loc + scale^2 / 2."""
        return (self.loc + self.scale**2 / 2).exp()

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        return (self.loc - self.scale**2).exp()

    @property
    def variance(self) -> Tensor:
        """(exp(scale^2) - 1) exp(2 loc + scale^2)."""
        squared = self.scale**2
        return expm1(squared) * (2 * self.loc + squared).exp()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw normal samples and return their exponentials."""
        return self.base_dist.rsample(sample_shape).exp()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples, as normal() does."""
        return self.base_dist.sample(sample_shape).exp()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the normal log-density of log(x), minus log(x)."""
        self._check_value(value)
        logarithm = value.log()
        return self.base_dist.log_prob(logarithm) - logarithm

    def entropy(self) -> Tensor:
        """Return the entropy of the logarithms plus their mean."""
        return self.base_dist.entropy() + self.loc

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of a smaller value."""
        self._check_value(value)
        return self.base_dist.cdf(value.log())
