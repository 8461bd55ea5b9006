"""Mixture distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd.grad_mode import no_grad
from gradstep.autograd.ops.gather import gather
from gradstep.errors import ArgumentError
from gradstep_torch.distributions.categorical import Categorical
from gradstep_torch.distributions.constraint import Constraint
from gradstep_torch.distributions.distribution import Distribution
from gradstep_torch.ops.reductions import logsumexp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture of distributions of the same family, such as Gaussians.

    Args:
        mixture_distribution: How often each component is drawn.
        component_distribution: The components, along its last batch dimension.
        validate_args: Check values (None: yes).

    Raises:
        ArgumentError: Both do not have as many components.

    Example:
        >>> import gradstep_torch as torch
        >>> from gradstep_torch.distributions import Normal
        >>> humps = Normal(torch.tensor([-1.0, 1.0]), torch.ones(2))
        >>> MixtureSameFamily(Categorical(torch.ones(2)), humps).mean
        tensor(0.)
    """

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ArgumentError(
                "The Mixture distribution needs to be an instance of Categorical, got "
                f"{type(mixture_distribution).__name__}"
            )
        if not isinstance(component_distribution, Distribution):
            raise ArgumentError(
                "The Component distribution needs to be an instance of Distribution, got "
                f"{type(component_distribution).__name__}"
            )
        count, batch = mixture_distribution.classes, component_distribution.batch_shape
        if not batch or batch[-1] != count:
            raise ArgumentError(
                f"`mixture_distribution component` ({count}) does not equal "
                f"`component_distribution.batch_shape[-1]`; the batch has the shape {list(batch)}"
            )
        self.mixture_distribution = mixture_distribution
        self.component_distribution = component_distribution
        super().__init__({}, batch[:-1], component_distribution.event_shape, validate_args)

    @property
    def support(self) -> Constraint:
        """The support of the components."""
        base = self.component_distribution.support
        place = -1 - len(self.event_shape)
        return Constraint(
            repr(base),
            lambda x: base.holds(x.reshape((*x.shape[: x.ndim + place + 1], 1, *self.event_shape))),
            base.event_dim,
        )

    def _shares(self) -> Tensor:
        """Return the probabilities of the components, shaped to broadcast with their moments."""
        probs = self.mixture_distribution.probs
        return probs.reshape(*probs.shape, *(1,) * len(self.event_shape))

    def _apart(self, value: Tensor) -> Tensor:
        return value.unsqueeze(-1 - len(self.event_shape))

    @property
    def mean(self) -> Tensor:
        """The mean of the components' means."""
        return (self._shares() * self.component_distribution.mean).sum(-1 - len(self.event_shape))

    @property
    def variance(self) -> Tensor:
        """The mean of the components' variances, plus the variance of their means."""
        parts, place = self.component_distribution, -1 - len(self.event_shape)
        between = (parts.mean - self._apart(self.mean)) ** 2
        return (self._shares() * (parts.variance + between)).sum(place)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw a sample of every component, and select one at random per mixture."""
        with no_grad():
            shape = self._extended(sample_shape)
            event = len(self.event_shape)
            place = len(shape) - event
            which = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            which = which.reshape(*which.shape, *(1,) * (event + 1))
            chosen = which.expand(*shape[:place], 1, *shape[place:])
            return gather(drawn, place, chosen).squeeze(place)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the weighted sum of the components' densities."""
        self._check_value(value)
        each = self.component_distribution.log_prob(self._apart(value))
        return logsumexp(each + self.mixture_distribution.logits.log_softmax(-1), -1)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of a smaller value."""
        below: Tensor = self.component_distribution.cdf(self._apart(value))  # type: ignore[attr-defined]  # of those that have one
        return (below * self.mixture_distribution.probs).sum(-1)

    def __repr__(self) -> str:
        return (
            f"MixtureSameFamily(\n  {self.mixture_distribution!r},\n"
            f"  {self.component_distribution!r})"
        )
