"""The multivariate normal distribution."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.sampling import randn
from gradstep.autograd.tensor import wrap
from gradstep.errors import ArgumentError
from gradstep_torch.distributions.constraint import LOWER_CHOLESKY, POSITIVE_DEFINITE, REAL_VECTOR
from gradstep_torch.distributions.distribution import Distribution, broadcast_shapes, need_tensor
from gradstep_torch.ops.solve import cholesky, inv, solve_triangular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep_torch.distributions.constraint import Constraint

__all__ = ["MultivariateNormal"]

_MATRIX = 2  # dimensions


class MultivariateNormal(Distribution):
    """The multivariate normal distribution with a given mean and covariance.

    Args:
        loc: The mean, of shape (..., size).
        covariance_matrix: Of shape (..., size, size).
        precision_matrix: Its inverse.
        scale_tril: Its Cholesky factor; one of the three is given.
        validate_args: Check parameters and values (None: yes).

    Raises:
        ArgumentError: A parameter is out of its range or of a wrong shape, or not one is given.

    Example:
        >>> import gradstep_torch as torch
        >>> standard = MultivariateNormal(torch.zeros(2), torch.eye(2))
        >>> standard.log_prob(torch.zeros(2))
        tensor(-1.8379)
    """

    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if need_tensor("loc", loc)._array.ndim < 1:
            raise ArgumentError("loc must be at least one-dimensional.")
        given = {
            "covariance_matrix": (covariance_matrix, POSITIVE_DEFINITE),
            "precision_matrix": (precision_matrix, POSITIVE_DEFINITE),
            "scale_tril": (scale_tril, LOWER_CHOLESKY),
        }
        chosen = [(name, m, how) for name, (m, how) in given.items() if m is not None]
        if len(chosen) != 1:
            raise ArgumentError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                "specified."
            )
        ((name, matrix, constraint),) = chosen
        if need_tensor(name, matrix)._array.ndim < _MATRIX:
            raise ArgumentError(
                f"{name} must be at least two-dimensional, with optional leading batch dimensions"
            )
        size = loc._array.shape[-1]
        batch = broadcast_shapes(matrix._array.shape[:-2], loc._array.shape[:-1])
        self.loc = loc.expand(*batch, size)
        matrix = matrix.expand(*batch, *matrix._array.shape[-2:])
        setattr(self, name, matrix)
        parameters = {"loc": (self.loc, REAL_VECTOR), name: (matrix, constraint)}
        super().__init__(parameters, batch, (size,), validate_args)

    @cached_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return cholesky(self.covariance_matrix)

    @cached_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        if "precision_matrix" in self._parameters:
            return inv(self.precision_matrix)
        covariance: Tensor = self.scale_tril @ self.scale_tril.mT
        return covariance

    @cached_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return inv(self.covariance_matrix)

    @property
    def support(self) -> Constraint:
        """The vectors of real numbers."""
        return REAL_VECTOR

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The most likely vector."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The diagonal of the covariance."""
        return (self.scale_tril**2).sum(-1)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw standard normal vectors, and transform them by the Cholesky factor."""
        drawn = randn(self._extended(sample_shape), dtype=self.loc.dtype)
        return self.loc + (self.scale_tril @ drawn.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density: a constant minus half the Mahalanobis distance."""
        self._check_value(value)
        difference = (value - self.loc).unsqueeze(-1)
        whitened = solve_triangular(self.scale_tril, difference, upper=False).squeeze(-1)
        size = self.event_shape[0]
        distance = (whitened**2).sum(-1)
        return -0.5 * (size * math.log(2 * math.pi) + distance) - self._half_log_det()

    def entropy(self) -> Tensor:
        """Return size (1 + log(2 pi)) / 2 + log(det(covariance)) / 2."""
        return 0.5 * self.event_shape[0] * (1 + math.log(2 * math.pi)) + self._half_log_det()

    def _half_log_det(self) -> Tensor:
        size = self.event_shape[0]
        diagonal = self.scale_tril * wrap(np.eye(size, dtype=self.loc._array.dtype))
        return diagonal.sum(-1).log().sum(-1)
