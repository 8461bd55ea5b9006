"""torch.distributions: what policies and generative models draw from, with densities."""

from typing import TYPE_CHECKING

from gradstep.distributions.bernoulli import Bernoulli
from gradstep.distributions.categorical import Categorical
from gradstep.distributions.distribution import Distribution
from gradstep.distributions.divergence import kl_divergence
from gradstep.distributions.exponential import Exponential
from gradstep.distributions.independent import Independent
from gradstep.distributions.laplace import Laplace
from gradstep.distributions.log_normal import LogNormal
from gradstep.distributions.mixture import MixtureSameFamily
from gradstep.distributions.multivariate_normal import MultivariateNormal
from gradstep.distributions.normal import Normal
from gradstep.distributions.one_hot_categorical import (
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from gradstep.distributions.uniform import Uniform
from gradstep.missing_names import missing_from

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Exponential",
    "Independent",
    "Laplace",
    "LogNormal",
    "MixtureSameFamily",
    "MultivariateNormal",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Uniform",
    "kl_divergence",
]

if not TYPE_CHECKING:  # else every name would seem to be there
    __getattr__ = missing_from(__name__)
