"""The Kullback-Leibler divergence of two distributions of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gradstep.autograd.ops.rectifiers import softplus
from gradstep.autograd.ops.select import where
from gradstep.distributions.bernoulli import Bernoulli
from gradstep.distributions.categorical import Categorical
from gradstep.distributions.normal import Normal
from gradstep.distributions.uniform import Uniform
from gradstep.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.autograd.tensor import Tensor
    from gradstep.distributions.distribution import Distribution

__all__ = ["kl_divergence"]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return the divergence of q from p, in nats.

    Raises:
        UnsupportedError: There is no formula for the two kinds.

    Example:
        >>> from gradstep.distributions import Normal
        >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
        tensor(0.5000)
    """
    formula = _FORMULAS.get(type(p)) if type(p) is type(q) else None
    if formula is None:
        raise UnsupportedError(
            f"no KL divergence of {type(q).__name__} from {type(p).__name__} is implemented",
            "both must be Bernoulli, Categorical, Normal or Uniform; else average "
            "p.log_prob(x) - q.log_prob(x) over samples of p",
        )
    return formula(p, q)


def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - ratio.log())


def _categorical(p: Categorical, q: Categorical) -> Tensor:
    found = p.probs * (p.logits - q.logits)
    return _where_possible(p.probs, q.probs == 0, found).sum(-1)


def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return _where_possible(p.probs, q.probs == 0, ones) + _where_possible(
        1 - p.probs, q.probs == 1, zeros
    )


def _where_possible(share: Tensor, impossible: Tensor, terms: Tensor) -> Tensor:
    """Return terms, 0 where p has no share of them, else infinite where q makes them impossible."""
    found: Tensor = where(share == 0, 0.0, where(impossible, float("inf"), terms))
    return found


def _uniform(p: Uniform, q: Uniform) -> Tensor:
    outside = (q.low > p.low) | (q.high < p.high)
    found = ((q.high - q.low) / (p.high - p.low)).log()
    infinite: Tensor = where(outside, float("inf"), found)
    return infinite


_FORMULAS: Final[dict[type[Distribution], Callable[[Any, Any], Tensor]]] = {
    Normal: _normal,
    Categorical: _categorical,
    Bernoulli: _bernoulli,
    Uniform: _uniform,
}
