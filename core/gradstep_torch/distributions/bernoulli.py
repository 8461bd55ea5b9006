"""The Bernoulli distribution."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gradstep.autograd.grad_mode import no_grad
from gradstep.autograd.ops.loss import binary_cross_entropy_with_logits
from gradstep.autograd.ops.select import where
from gradstep_torch.distributions.constraint import BOOLEAN, REAL, UNIT_INTERVAL
from gradstep_torch.distributions.distribution import (
    Distribution,
    broadcast,
    check_one_given,
    clamp_probs,
)
from gradstep_torch.ops.sampling import bernoulli

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep_torch.distributions.constraint import Constraint

__all__ = ["Bernoulli"]


class Bernoulli(Distribution):
    """The Bernoulli distribution: 1 with a given probability, else 0.

    Args:
        probs: The probability of 1.
        logits: Its log-odds; one of both is given.
        validate_args: Check parameters and values (None: yes).

    Raises:
        ArgumentError: A parameter is out of its range, or both are given.

    Example:
        >>> import gradstep_torch as torch
        >>> Bernoulli(0.25).log_prob(torch.tensor(1.0)).exp()
        tensor(0.2500)
    """

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        check_one_given(probs, logits)
        if probs is not None:
            (own,) = (self.probs,) = broadcast(probs)
            named = {"probs": (own, UNIT_INTERVAL)}
        elif logits is not None:
            (own,) = (self.logits,) = broadcast(logits)
            named = {"logits": (own, REAL)}
        super().__init__(named, own.shape, validate_args=validate_args)

    @cached_property
    def probs(self) -> Tensor:
        """The probability of 1."""
        return self.logits.sigmoid()

    @cached_property
    def logits(self) -> Tensor:
        """The log-odds of 1."""
        probs = clamp_probs(self.probs)
        return probs.log() - (-probs).log1p()

    @property
    def support(self) -> Constraint:
        """0 and 1."""
        return BOOLEAN

    @property
    def mean(self) -> Tensor:
        """The probability of 1."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The more likely value; NaN if both are equally likely."""
        mode: Tensor = where(self.probs == 0.5, float("nan"), (self.probs >= 0.5).to(self.probs))  # noqa: PLR2004 - even odds
        return mode

    @property
    def variance(self) -> Tensor:
        """The variance, p (1 - p)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw zeros and ones, as bernoulli() does."""
        with no_grad():
            return bernoulli(self.probs.expand(self._extended(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of each value."""
        self._check_value(value)
        logits, value = broadcast(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        """Return -p log p - (1 - p) log(1 - p)."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
