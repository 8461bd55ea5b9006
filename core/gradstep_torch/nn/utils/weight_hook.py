"""Weights that are computed from other parameters before each forward."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from gradstep.errors import ArgumentError, TensorError
from gradstep.nn.parameter import Parameter, UninitializedParameter

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor
    from gradstep.nn.module import Module
    from gradstep.nn.module_hooks import HookHandle

__all__ = ["WeightHook"]


class WeightHook(ABC):
    """Computes one weight of a module before each of its forwards.

    Args:
        name: The weight's name.
    """

    title: ClassVar[str]
    """What the function is called that puts it on."""
    handle: HookHandle

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def parts(self) -> tuple[str, ...]:
        """Return the names of the parameters and buffers that replace the weight."""

    @abstractmethod
    def register_parts(self, module: Module, weight: Parameter) -> None:
        """Register the parts of a weight, and set it as a plain tensor."""

    @abstractmethod
    def compute(self, module: Module, *, again: bool) -> Tensor:
        """Return the weight; `again` is True for a forward in training mode."""

    def __call__(self, module: Module, _: Any) -> None:
        """Compute the weight for the next forward."""
        setattr(module, self.name, self.compute(module, again=module.training))

    def install(self, module: Module) -> None:
        """Install the hook.

        Raises:
            ArgumentError: There is no such parameter, or its shape is not known yet.
            TensorError: It is installed already.
        """
        if self.installed(module, self.name) is not None:
            raise TensorError(
                f"Cannot register two {self.title} hooks on the same parameter {self.name}"
            )
        weight = module._parameters.get(self.name)
        if weight is None:
            raise ArgumentError(
                f"{self.title} cannot be applied, as {type(module).__name__} has no parameter "
                f"'{self.name}'"
            )
        if isinstance(weight, UninitializedParameter):
            raise ArgumentError(
                f"The module passed to {self.title} can't have uninitialized parameters",
                "run the model forward once before",
            )
        delattr(module, self.name)
        self.register_parts(module, weight)
        self.handle = module.register_forward_pre_hook(self)

    @classmethod
    def installed(cls, module: Module, name: str) -> Self | None:
        """Return the installed hook of this kind for a weight, or None."""
        calls = module._forward_pre_hooks.values()
        return next((call for call in calls if isinstance(call, cls) and call.name == name), None)

    @classmethod
    def uninstall(cls, module: Module, name: str) -> None:
        """Remove the hook: make the weight a parameter again.

        Raises:
            ArgumentError: The weight has no such hook.
        """
        hook = cls.installed(module, name)
        if hook is None:
            raise ArgumentError(f"{cls.title} of '{name}' not found in {module}")
        weight = hook.compute(module, again=False).detach()
        for part in (name, *hook.parts()):
            delattr(module, part)
        module.register_parameter(name, Parameter(weight))
        hook.handle.remove()
