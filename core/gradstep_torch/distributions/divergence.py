"""The Kullback-Leibler divergence between distributions of the same family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gradstep.autograd.ops.activations import softplus
from gradstep.autograd.ops.select import where
from gradstep.errors import UnsupportedError
from gradstep_torch.distributions.bernoulli import Bernoulli
from gradstep_torch.distributions.categorical import Categorical
from gradstep_torch.distributions.distribution import broadcast_shapes
from gradstep_torch.distributions.exponential import Exponential
from gradstep_torch.distributions.independent import Independent
from gradstep_torch.distributions.laplace import Laplace
from gradstep_torch.distributions.log_normal import LogNormal
from gradstep_torch.distributions.multivariate_normal import MultivariateNormal
from gradstep_torch.distributions.normal import Normal
from gradstep_torch.distributions.one_hot_categorical import OneHotCategorical
from gradstep_torch.distributions.uniform import Uniform
from gradstep_torch.ops.composed import diagonal
from gradstep_torch.ops.solve import solve_triangular

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.autograd.tensor import Tensor
    from gradstep_torch.distributions.distribution import Distribution

__all__ = ["kl_divergence"]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return the divergence of q from p, in nats.

    Raises:
        UnsupportedError: There is no formula for the two kinds.

    Example:
        >>> from gradstep_torch.distributions import Normal
        >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
        tensor(0.5000)
    """
    formula = _FORMULAS.get(type(p)) if type(p) is type(q) else None
    if formula is None:
        raise UnsupportedError(
            f"no KL divergence of {type(q).__name__} from {type(p).__name__} is implemented",
            f"both must be one of {', '.join(kind.__name__ for kind in _FORMULAS)}; else average "
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
    """Return terms: 0 where p is 0, else infinite where q is 0."""
    found: Tensor = where(share == 0, 0.0, where(impossible, float("inf"), terms))
    return found


def _uniform(p: Uniform, q: Uniform) -> Tensor:
    outside = (q.low > p.low) | (q.high < p.high)
    found = ((q.high - q.low) / (p.high - p.low)).log()
    infinite: Tensor = where(outside, float("inf"), found)
    return infinite


def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, apart = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + apart / q.scale + ratio * (-apart / p.scale).exp() - 1


def _multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    own, other = p.scale_tril, q.scale_tril
    shape = broadcast_shapes(own._array.shape, other._array.shape)
    factor = other.expand(shape)
    logarithms = diagonal(other, 0, -2, -1).log().sum(-1) - diagonal(own, 0, -2, -1).log().sum(-1)
    spread = solve_triangular(factor, own.expand(shape), upper=False)
    apart = (q.loc - p.loc).unsqueeze(-1)
    shift = solve_triangular(factor, apart.expand(*shape[:-1], 1), upper=False)
    squares = (spread**2).sum((-2, -1)) + (shift**2).sum((-2, -1))
    return logarithms + 0.5 * (squares - p.event_shape[0])


def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise UnsupportedError(
            "no KL divergence of Independents of different dimensions is implemented",
            "give both the same reinterpreted_batch_ndims",
        )
    return p.summed(kl_divergence(p.base_dist, q.base_dist))


_FORMULAS: Final[dict[type[Distribution], Callable[[Any, Any], Tensor]]] = {
    Normal: _normal,
    Categorical: _categorical,
    Bernoulli: _bernoulli,
    Uniform: _uniform,
    Exponential: _exponential,
    Laplace: _laplace,
    LogNormal: lambda p, q: _normal(p.base_dist, q.base_dist),
    MultivariateNormal: _multivariate_normal,
    OneHotCategorical: _categorical,
    Independent: _independent,
}
