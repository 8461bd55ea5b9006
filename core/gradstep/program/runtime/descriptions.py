"""Descriptions of a program's modules, and of the tensors that its optimizers hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.autograd.tensor import Tensor
    from gradstep.nn import Module
    from gradstep.optim import Optimizer

__all__ = ["STALE", "ModuleDescription", "OptimizerTensor", "describe", "optimizer_tensors"]

STALE: Final = " (stale)"
"""The suffix of a tensor that an optimizer still holds after its module was rebuilt."""


@dataclass(frozen=True, slots=True)
class OptimizerTensor:
    """One tensor held by one group of one optimizer.

    Attributes:
        optimizer: The optimizer's name.
        group: The group's index.
        address: The tensor's name, followed by `STALE` if it was replaced.
        tensor: The tensor itself.
        stale: Whether its module was rebuilt, so that no loss uses it any more.
    """

    optimizer: str
    group: int
    address: str
    tensor: Tensor
    stale: bool


@dataclass(frozen=True, slots=True)
class ModuleDescription:
    """One module in the tree.

    Attributes:
        name: Its full name, such as "trunk.0".
        kind: Its class, such as "Linear".
        detail: The arguments in its repr.
        training: Its mode.
        parameters: Full names of its own parameters and buffers.
        children: Its child modules.
    """

    name: str
    kind: str
    detail: str
    training: bool
    parameters: tuple[str, ...]
    children: tuple[ModuleDescription, ...]


def optimizer_tensors(
    optimizers: Mapping[str, Optimizer],
    addresses: Mapping[Tensor, str],
    tensors: Mapping[str, Tensor],
) -> tuple[OptimizerTensor, ...]:
    """Return the tensors that every optimizer holds, in order.

    Args:
        optimizers: The optimizers by name.
        addresses: The addresses of all tensors, including replaced ones.
        tensors: The current tensors of the program, by address.
    """
    return tuple(
        OptimizerTensor(
            name, index, addresses[tensor], tensor, tensors.get(addresses[tensor]) is not tensor
        )
        for name, optimizer in optimizers.items()
        for index, group in enumerate(optimizer.param_groups)
        for tensor in group["params"]
    )


def describe(modules: Mapping[str, Module]) -> tuple[ModuleDescription, ...]:
    """Return the module trees."""
    return tuple(_describe(name, module) for name, module in modules.items())


def _describe(name: str, module: Module) -> ModuleDescription:
    own = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
    return ModuleDescription(
        name,
        type(module).__name__,
        module.extra_repr(),
        module.training,
        tuple(f"{name}.{inner}" for inner, _ in own),
        tuple(_describe(f"{name}.{inner}", child) for inner, child in module.named_children()),
    )
