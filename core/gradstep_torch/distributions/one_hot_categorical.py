"""The categorical distribution over one-hot vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.tensor import wrap
from gradstep_torch.distributions.categorical import Categorical
from gradstep_torch.distributions.constraint import ONE_HOT
from gradstep_torch.distributions.distribution import Distribution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep_torch.distributions.constraint import Constraint

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(Distribution):
    """`Categorical` with one-hot samples.

    Args:
        probs: Of shape (..., classes): how often each is drawn; they need not add up to 1.
        logits: Their logarithms, up to a constant; one of both is given.
        validate_args: Check parameters and values (None: yes).

    Raises:
        ArgumentError: A parameter is out of its range, or both are given.

    Example:
        >>> import gradstep_torch as torch
        >>> OneHotCategorical(torch.tensor([0.0, 1.0])).sample()
        tensor([0., 1.])
    """

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical = Categorical(probs, logits, validate_args)
        batch, classes = self._categorical.batch_shape, self._categorical.classes
        super().__init__({}, batch, (classes,), validate_args)

    @property
    def probs(self) -> Tensor:
        """The probability of each class."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The logarithm of the probability of each class."""
        return self._categorical.logits

    @property
    def support(self) -> Constraint:
        """One-hot vectors."""
        return ONE_HOT

    @property
    def mean(self) -> Tensor:
        """The probabilities."""
        return self.probs

    @property
    def variance(self) -> Tensor:
        """P (1 - p)."""
        return self.probs * (1 - self.probs)

    @property
    def mode(self) -> Tensor:
        """The most likely class."""
        return self._hot(self._categorical.mode)

    def _hot(self, classes: Tensor) -> Tensor:
        return wrap(
            np.eye(self._categorical.classes, dtype=self.probs._array.dtype)[classes._array]
        )

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw classes, as multinomial() does."""
        return self._hot(self._categorical.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of each class given."""
        self._check_value(value)
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self) -> Tensor:
        """Return the sum of -p log p."""
        return self._categorical.entropy()


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` with straight-through gradients: samples pass them to the probabilities.

    References:
        Bengio et al., Estimating or propagating gradients through stochastic neurons, 2013
        (arXiv 1308.3432).
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw classes; the gradient goes to the probabilities."""
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
