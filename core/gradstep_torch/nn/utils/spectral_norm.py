"""spectral_norm as a hook before each forward, and its power iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd import grad_mode
from gradstep.autograd.sampling import randn
from gradstep.errors import ArgumentError
from gradstep.nn.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from gradstep_torch.nn.functional import normalize
from gradstep_torch.nn.utils.weight_hook import WeightHook

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor
    from gradstep.nn.module import Module
    from gradstep.nn.parameter import Parameter

__all__ = [
    "default_dim",
    "initial_vectors",
    "largest_singular_value",
    "matrix_of",
    "power_step",
    "remove_spectral_norm",
    "spectral_norm",
]


def default_dim(module: Module) -> int:
    """Return the dimension of the outputs in a module's weight."""
    transposed = isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d))
    return 1 if transposed else 0


def matrix_of(weight: Tensor, dim: int) -> Tensor:
    """Return a weight as a matrix with a row for each slice along `dim`."""
    if dim:
        weight = weight.permute(dim, *(place for place in range(weight.ndim) if place != dim))
    return weight.flatten(1)


def initial_vectors(matrix: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Return the initial vectors of the power iteration."""
    height, width = matrix.shape
    u = normalize(randn(height, dtype=matrix.dtype), dim=0, eps=eps)
    return u, normalize(randn(width, dtype=matrix.dtype), dim=0, eps=eps)


def power_step(vector: Tensor, matrix: Tensor, other: Tensor, eps: float) -> None:
    """Set a vector to a normalized matrix product, in place: half a step of the iteration."""
    with grad_mode.no_grad():
        vector.copy_(normalize(matrix.mv(other), dim=0, eps=eps))


def largest_singular_value(matrix: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """Return u W v; u and v are copied, since the next forward changes them."""
    value: Tensor = u.clone().dot(matrix.mv(v.clone()))
    return value


class SpectralNorm(WeightHook):
    """Computes a weight divided by its largest singular value."""

    title = "spectral_norm"

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__(name)
        self.n_power_iterations, self.dim, self.eps = n_power_iterations, dim, eps

    def parts(self) -> tuple[str, ...]:
        """Return the names of the original weight and of the singular vectors."""
        return (f"{self.name}_orig", f"{self.name}_u", f"{self.name}_v")

    def register_parts(self, module: Module, weight: Parameter) -> None:
        """Register the original weight and the vectors."""
        orig, *vectors = self.parts()
        module.register_parameter(orig, weight)  # an optimizer may hold it
        setattr(module, self.name, weight.detach())
        found = initial_vectors(matrix_of(weight.detach(), self.dim), self.eps)
        for name, vector in zip(vectors, found, strict=True):
            module.register_buffer(name, vector)

    def compute(self, module: Module, *, again: bool) -> Tensor:
        """Return the weight; in training mode after a step of the power iteration."""
        weight, u, v = (getattr(module, name) for name in self.parts())
        matrix = matrix_of(weight, self.dim)
        for _ in range(self.n_power_iterations if again else 0):
            power_step(v, matrix.t(), u, self.eps)
            power_step(u, matrix, v, self.eps)
        normed: Tensor = weight / largest_singular_value(matrix, u, v)
        return normed


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value before each forward.

    `parametrizations.spectral_norm` does the same at each use.

    Args:
        module: The module of the weight.
        name: The weight's name; `name_orig`, `name_u` and `name_v` are added.
        n_power_iterations: The iterations before each forward in training mode.
        eps: The smallest length to divide by.
        dim: The dimension of the outputs; None is 1 for transposed convolutions, else 0.

    Raises:
        ArgumentError: `n_power_iterations` is not positive.
        TensorError: The weight is normalized already.

    Example:
        >>> from gradstep_torch import nn
        >>> sorted(spectral_norm(nn.Linear(2, 1)).state_dict())
        ['bias', 'weight_orig', 'weight_u', 'weight_v']

    References:
        Miyato et al., Spectral Normalization for GANs, ICLR 2018 (arXiv 1802.05957).
    """
    if n_power_iterations <= 0:
        raise ArgumentError(
            "Expected n_power_iterations to be positive, but got "
            f"n_power_iterations={n_power_iterations}"
        )
    dim = default_dim(module) if dim is None else dim
    SpectralNorm(name, n_power_iterations, dim, eps).install(module)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Make a weight with `spectral_norm` an ordinary parameter again.

    Raises:
        ArgumentError: There is no such weight.
    """
    SpectralNorm.uninstall(module, name)
    return module
