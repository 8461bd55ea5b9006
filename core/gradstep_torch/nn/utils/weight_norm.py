"""weight_norm as a hook before each forward."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from gradstep.nn.parameter import Parameter
from gradstep_torch.nn.utils.weight_hook import WeightHook

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor
    from gradstep.nn.module import Module

__all__ = ["combine", "remove_weight_norm", "slice_lengths", "weight_norm"]


def slice_lengths(weight: Tensor, dim: int) -> Tensor:
    """Return the length of each slice along `dim`, keeping dimensions; -1 for one in total."""
    if dim == -1:
        return weight.norm()
    others = tuple(place for place in range(weight.ndim) if place != dim)
    return (weight * weight).sum(others, keepdim=True).sqrt()


def combine(length: Tensor, direction: Tensor, dim: int) -> Tensor:
    """Return the weight with a length and a direction."""
    return direction * (length / slice_lengths(direction, dim))


class WeightNorm(WeightHook):
    """Computes a weight from a length and a direction."""

    title = "weight_norm"

    def __init__(self, name: str, dim: int) -> None:
        super().__init__(name)
        self.dim = dim

    def parts(self) -> tuple[str, ...]:
        """Return the names of length and direction."""
        return (f"{self.name}_g", f"{self.name}_v")

    def register_parts(self, module: Module, weight: Parameter) -> None:
        """Register length and direction, and set the weight as a plain tensor."""
        plain = weight.detach()
        for name, part in zip(self.parts(), (slice_lengths(plain, self.dim), plain), strict=True):
            module.register_parameter(name, Parameter(part))
        setattr(module, self.name, self.compute(module, again=False))

    def compute(self, module: Module, *, again: bool) -> Tensor:  # noqa: ARG002 - always
        """Return the weight."""
        length, direction = (getattr(module, name) for name in self.parts())
        return combine(length, direction, self.dim)


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Compute a weight from a length and a direction before each forward.

    `parametrizations.weight_norm` does the same at each use.

    Args:
        module: The module of the weight.
        name: The weight's name; its parts are `name_g` and `name_v`.
        dim: The dimension along which each slice has its own length; None for one length in total.

    Raises:
        TensorError: The weight is normalized already.

    Example:
        >>> import warnings
        >>> from gradstep_torch import nn
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     [name for name, _ in weight_norm(nn.Linear(2, 1)).named_parameters()]
        ['bias', 'weight_g', 'weight_v']

    References:
        Salimans & Kingma, Weight Normalization, NeurIPS 2016 (arXiv 1602.07868).
    """
    warnings.warn(
        "`gradstep_torch.nn.utils.weight_norm` is deprecated in favor of "
        "`gradstep_torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    WeightNorm(name, -1 if dim is None else dim).install(module)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Make a weight with `weight_norm` an ordinary parameter again.

    Raises:
        ArgumentError: There is no such weight.
    """
    WeightNorm.uninstall(module, name)
    return module
