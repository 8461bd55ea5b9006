"""torch.distributions: what policies and generative models draw from, with densities."""

from gradstep.distributions.bernoulli import Bernoulli
from gradstep.distributions.categorical import Categorical
from gradstep.distributions.distribution import Distribution
from gradstep.distributions.divergence import kl_divergence
from gradstep.distributions.multivariate_normal import MultivariateNormal
from gradstep.distributions.normal import Normal
from gradstep.distributions.uniform import Uniform

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "MultivariateNormal",
    "Normal",
    "Uniform",
    "kl_divergence",
]
