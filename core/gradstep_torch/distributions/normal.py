"""The normal distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gradstep.autograd.grad_mode import no_grad
from gradstep.autograd.sampling import randn
from gradstep_torch.distributions.location_scale import LocationScale
from gradstep_torch.ops.sampling import normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor

__all__ = ["Normal"]


class Normal(LocationScale):
    """The normal distribution with a given mean and standard deviation.

    Args:
        loc: The mean.
        scale: The standard deviation, above 0.
        validate_args: Check parameters and values (None: yes).

    Raises:
        ArgumentError: A parameter is out of its range.

    Example:
        >>> import gradstep_torch as torch
        >>> Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
        tensor(-0.9189)
    """

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The square of the standard deviation."""
        return self.scale**2

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples, as normal() does."""
        shape = self._extended(sample_shape)
        with no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw standard normal numbers, scaled and shifted."""
        drawn = randn(self._extended(sample_shape), dtype=self.loc.dtype)
        return self.loc + drawn * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """Return -(x - loc)^2 / (2 scale^2) - log(scale) - log(2 pi) / 2."""
        self._check_value(value)
        squares = (value - self.loc) ** 2 / (2 * self.scale**2)
        return -squares - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def entropy(self) -> Tensor:
        """Return 1/2 + log(2 pi) / 2 + log(scale)."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of a smaller value."""
        self._check_value(value)
        return 0.5 * (1 + ((value - self.loc) / self.scale / math.sqrt(2)).erf())
