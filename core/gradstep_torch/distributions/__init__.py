"""torch.distributions: sampling, densities, entropies and divergences."""

from typing import TYPE_CHECKING

from gradstep_torch.distributions.bernoulli import Bernoulli
from gradstep_torch.distributions.categorical import Categorical
from gradstep_torch.distributions.distribution import Distribution
from gradstep_torch.distributions.divergence import kl_divergence
from gradstep_torch.distributions.exponential import Exponential
from gradstep_torch.distributions.independent import Independent
from gradstep_torch.distributions.laplace import Laplace
from gradstep_torch.distributions.log_normal import LogNormal
from gradstep_torch.distributions.mixture import MixtureSameFamily
from gradstep_torch.distributions.multivariate_normal import MultivariateNormal
from gradstep_torch.distributions.normal import Normal
from gradstep_torch.distributions.one_hot_categorical import (
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from gradstep_torch.distributions.uniform import Uniform
from gradstep_torch.missing_names import missing_from

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

if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)
