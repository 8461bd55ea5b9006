"""Batches of distributions as one distribution of vectors, matrices and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.errors import ArgumentError
from gradstep_torch.distributions.constraint import Constraint
from gradstep_torch.distributions.distribution import Distribution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor

__all__ = ["Independent"]


class Independent(Distribution):
    """A distribution whose last batch dimensions belong to one sample; log_prob sums over them.

    Args:
        base_distribution: A batch of distributions.
        reinterpreted_batch_ndims: How many of its last batch dimensions make one sample.
        validate_args: Check values (None: yes).

    Raises:
        ArgumentError: It has not as many batch dimensions.

    Example:
        >>> import gradstep_torch as torch
        >>> from gradstep_torch.distributions import Normal
        >>> policy = Independent(Normal(torch.zeros(5, 2), torch.ones(5, 2)), 1)
        >>> policy.log_prob(policy.sample()).shape
        gradstep.Size([5])
    """

    def __init__(
        self,
        base_distribution: Distribution,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        batch = base_distribution.batch_shape
        if not 0 <= reinterpreted_batch_ndims <= len(batch):
            raise ArgumentError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(batch)}",
                f"the batch has the shape {list(batch)}",
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        own = len(batch) - reinterpreted_batch_ndims
        event = (*batch[own:], *base_distribution.event_shape)
        super().__init__({}, batch[:own], event, validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]  # that of the base
        """Whether gradients flow through the samples of the base distribution."""
        return self.base_dist.has_rsample

    @property
    def support(self) -> Constraint:
        """The support of the base distribution, checked for all elements of a sample."""
        base, count = self.base_dist.support, self.reinterpreted_batch_ndims
        if not count:
            return base
        axes = tuple(range(-count, 0))
        return Constraint(
            f"IndependentConstraint({base!r}, {count})",
            lambda x: np.asarray(base.holds(x).all(axes)),
            base.event_dim + count,
        )

    @property
    def mean(self) -> Tensor:
        """The base's."""
        return self.base_dist.mean

    @property
    def variance(self) -> Tensor:
        """The base's."""
        return self.base_dist.variance

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples of the base distribution, with gradients."""
        return self.base_dist.rsample(sample_shape)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples of the base distribution."""
        return self.base_dist.sample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the base's log-probability, summed over the elements of a sample."""
        return self.summed(self.base_dist.log_prob(value))

    def entropy(self) -> Tensor:
        """Return the base's entropy, summed over the elements of a sample."""
        return self.summed(self.base_dist.entropy())

    def summed(self, terms: Tensor) -> Tensor:
        """Return terms of the base's batch, summed over the elements of a sample."""
        count = self.reinterpreted_batch_ndims
        return terms.sum(tuple(range(-count, 0))) if count else terms

    def __repr__(self) -> str:
        return f"Independent({self.base_dist!r}, {self.reinterpreted_batch_ndims})"
