"""Weight normalization and spectral normalization as parametrizations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import ArgumentError
from gradstep.nn.module import Module
from gradstep_torch.missing_names import missing_from
from gradstep_torch.nn.utils.parametrize import register_parametrization
from gradstep_torch.nn.utils.spectral_norm import (
    default_dim,
    initial_vectors,
    largest_singular_value,
    matrix_of,
    power_step,
)
from gradstep_torch.nn.utils.weight_norm import combine, slice_lengths

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """Return g v / |v|."""
        return combine(weight_g, weight_v, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Return the length and the direction of a weight."""
        return slice_lengths(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Reparametrize a weight as a length g times a direction v / |v|.

    Args:
        module: The module of the weight.
        name: The weight's name.
        dim: The dimension along which each slice has its own length; -1 for one length in total.

    Example:
        >>> from gradstep_torch import nn
        >>> layer = weight_norm(nn.Linear(3, 2))
        >>> layer.parametrizations.weight.original0.shape
        gradstep.Size([2, 1])

    References:
        Salimans & Kingma, Weight Normalization, NeurIPS 2016 (arXiv 1602.07868).
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


_TO_BEGIN_WITH = 15
"""Iterations at the beginning, as torch has them."""


class _SpectralNorm(Module):
    def __init__(self, weight: Tensor, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        if n_power_iterations <= 0:
            raise ArgumentError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.n_power_iterations, self.dim, self.eps = n_power_iterations, dim, eps
        if weight.ndim > 1:
            matrix = matrix_of(weight, dim)
            u, v = initial_vectors(matrix, eps)
            self.register_buffer("_u", u)
            self.register_buffer("_v", v)
            self._iterate(matrix, _TO_BEGIN_WITH)

    def _iterate(self, matrix: Tensor, times: int) -> None:
        for _ in range(times):
            power_step(self._u, matrix, self._v, self.eps)
            power_step(self._v, matrix.t(), self._u, self.eps)

    def forward(self, weight: Tensor) -> Tensor:
        """Return the weight divided by its largest singular value."""
        if weight.ndim == 1:
            unit: Tensor = weight / weight.norm().clamp(min=self.eps)
            return unit
        matrix = matrix_of(weight, self.dim)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        normed: Tensor = weight / largest_singular_value(matrix, self._u, self._v)
        return normed

    def right_inverse(self, value: Tensor) -> Tensor:
        """Return the value unchanged."""
        return value


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value, found by power iteration.

    Args:
        module: The module of the weight.
        name: The weight's name.
        n_power_iterations: The iterations at each use in training mode.
        eps: The smallest length to divide by.
        dim: The dimension of the outputs; None is 1 for transposed convolutions, else 0.

    Raises:
        ArgumentError: There is no such weight, or `n_power_iterations` is not positive.

    Example:
        >>> from gradstep_torch import nn
        >>> layer = spectral_norm(nn.Linear(3, 2))
        >>> sorted(name for name, _ in layer.named_buffers())
        ['parametrizations.weight.0._u', 'parametrizations.weight.0._v']

    References:
        Miyato et al., Spectral Normalization for GANs, ICLR 2018 (arXiv 1802.05957).
    """
    if dim is None:
        dim = default_dim(module)
    weight = getattr(module, name, None)
    if weight is None:
        raise ArgumentError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    normed = _SpectralNorm(weight.detach(), n_power_iterations, dim, eps)
    return register_parametrization(module, name, normed)


if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)
