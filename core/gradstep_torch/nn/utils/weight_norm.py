"""weight_norm by a hook before each forward, as it was before parametrizations."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from gradstep.nn.parameter import Parameter
from gradstep_torch.nn.utils.weight_hook import WeightHook

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor
    from gradstep.nn.module import Module

__all__ = ["length_except", "recombined", "remove_weight_norm", "weight_norm"]


def length_except(weight: Tensor, dim: int) -> Tensor:
    """Return the length of each slice along `dim`, with the others kept as 1; -1 for all in all."""
    if dim == -1:
        return weight.norm()
    others = tuple(place for place in range(weight.ndim) if place != dim)
    return (weight * weight).sum(others, keepdim=True).sqrt()


def recombined(length: Tensor, direction: Tensor, dim: int) -> Tensor:
    """Return the weight of a length and a direction."""
    return direction * (length / length_except(direction, dim))


class WeightNorm(WeightHook):
    """Computes a weight from a length and a direction."""

    title = "weight_norm"

    def __init__(self, name: str, dim: int) -> None:
        super().__init__(name)
        self.dim = dim

    def parts(self) -> tuple[str, ...]:
        """Return the names of length and direction."""
        return (f"{self.name}_g", f"{self.name}_v")

    def take_apart(self, module: Module, weight: Parameter) -> None:
        """Register length and direction, and set the weight as a plain tensor."""
        plain = weight.detach()
        for name, part in zip(self.parts(), (length_except(plain, self.dim), plain), strict=True):
            module.register_parameter(name, Parameter(part))
        setattr(module, self.name, self.compute(module, again=False))

    def compute(self, module: Module, *, again: bool) -> Tensor:  # noqa: ARG002 - always
        """Return the weight."""
        length, direction = (getattr(module, name) for name in self.parts())
        return recombined(length, direction, self.dim)


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Let a weight be computed from a length and a direction before each forward.

    `parametrizations.weight_norm` does the same at each use.

    Args:
        module: Whose weight.
        name: The weight's name; its parts are `name_g` and `name_v`.
        dim: Each slice along this dimension has a length of its own; None for one of all.

    Raises:
        TensorError: The weight has it already.

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
    WeightNorm(name, -1 if dim is None else dim).put_on(module)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Make a weight that `weight_norm` has taken apart a parameter again.

    Raises:
        ArgumentError: There is none.
    """
    WeightNorm.take_off(module, name)
    return module
