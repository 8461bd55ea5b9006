"""The categorical distribution."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.grad_mode import no_grad
from gradstep.autograd.ops.gather import gather
from gradstep.autograd.tensor import wrap
from gradstep.errors import ArgumentError
from gradstep_torch.distributions.constraint import REAL_VECTOR, SIMPLEX, integers_below
from gradstep_torch.distributions.distribution import (
    Distribution,
    broadcast_shapes,
    check_one_given,
    clamp_probs,
    need_tensor,
)
from gradstep_torch.ops.reductions import logsumexp
from gradstep_torch.ops.sampling import multinomial

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep_torch.distributions.constraint import Constraint

__all__ = ["Categorical"]


class Categorical(Distribution):
    """The categorical distribution over class indices.

    Args:
        probs: Of shape (..., classes): how often each is drawn; they need not add up to 1.
        logits: Their logarithms, up to a constant; one of both is given.
        validate_args: Check parameters and values (None: yes).

    Raises:
        ArgumentError: A parameter is out of its range, or both are given.

    Example:
        >>> import gradstep_torch as torch
        >>> Categorical(torch.tensor([1.0, 3.0])).log_prob(torch.tensor(1)).exp()
        tensor(0.7500)
    """

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        check_one_given(probs, logits)
        if probs is not None:
            own = self.probs = _vectors("probs", probs) / probs.sum(-1, keepdim=True)
            named = {"probs": (own, SIMPLEX)}
        elif logits is not None:
            own = self.logits = _vectors("logits", logits) - logsumexp(logits, -1, keepdim=True)
            named = {"logits": (own, REAL_VECTOR)}
        super().__init__(named, own.shape[:-1], validate_args=validate_args)

    @cached_property
    def probs(self) -> Tensor:
        """The probability of each class."""
        return self.logits.softmax(-1)

    @cached_property
    def logits(self) -> Tensor:
        """The logarithm of the probability of each class."""
        return clamp_probs(self.probs).log()

    @property
    def classes(self) -> int:
        """The number of classes."""
        (own,) = self._parameters.values()
        return own.shape[-1]

    @property
    def support(self) -> Constraint:
        """The class indices."""
        return integers_below(self.classes)

    @property
    def mean(self) -> Tensor:
        """NaN: class indices have no mean."""
        return wrap(np.full(self.batch_shape, np.nan, self.probs._array.dtype))

    @property
    def variance(self) -> Tensor:
        """NaN: class indices have no variance."""
        return self.mean

    @property
    def mode(self) -> Tensor:
        """The most likely class."""
        return self.probs.argmax(-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw class indices, as multinomial() does."""
        with no_grad():
            shape = self._extended(sample_shape)
            rows = self.probs.reshape(-1, self.classes)
            drawn = multinomial(rows, prod(sample_shape), replacement=True)
            turned: Tensor = drawn.T.reshape(shape)
            return turned

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the log-probability of each given class."""
        self._check_value(value)
        shape = broadcast_shapes(value._array.shape, tuple(self.batch_shape))
        chosen = value.to(np.dtype(np.int64)).expand(shape).unsqueeze(-1)
        return gather(self.logits.expand(*shape, self.classes), -1, chosen).squeeze(-1)

    def entropy(self) -> Tensor:
        """Return the sum of -p log p; impossible classes count for 0."""
        least = float(np.finfo(self.logits._array.dtype).min)
        return -(self.logits.clamp(min=least) * self.probs).sum(-1)


def _vectors(name: str, given: Tensor) -> Tensor:
    if need_tensor(name, given)._array.ndim < 1:
        raise ArgumentError(f"`{name}` parameter must be at least one-dimensional.")
    return given
