"""Parametrizations: parameters that are computed from others."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gradstep.autograd import grad_mode
from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentError, TensorError
from gradstep.nn.parameter import Parameter
from gradstep_torch.missing_names import missing_from
from gradstep_torch.nn.container import ModuleDict, ModuleList

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.nn.module import Module

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "type_before_parametrizations",
]

_cache: dict[tuple[int, str], Tensor] | None = None


@contextmanager
def cached() -> Iterator[None]:
    """Cache every parametrized tensor within a `with` block."""
    global _cache  # noqa: PLW0603 - the one cache
    outer = _cache
    _cache = {} if outer is None else outer
    try:
        yield
    finally:
        _cache = outer


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, with the parameters they compute it from.

    These are `original`, or `original0`, `original1` ... where `right_inverse` returns several.

    Args:
        modules: The parametrizations, in order.
        original: The original tensor.

    Raises:
        ArgumentError: A `right_inverse` returns something other than tensors.
    """

    def __init__(self, modules: list[Module], original: Tensor) -> None:
        super().__init__(modules)
        was_parameter = isinstance(original, Parameter)
        requires_grad = original.requires_grad
        value: Any = original
        with grad_mode.no_grad():
            for module in reversed(modules):
                if hasattr(module, "right_inverse"):
                    value = module.right_inverse(value)
        self.is_tensor = isinstance(value, Tensor)
        if not self.is_tensor and not isinstance(value, (list, tuple)):
            raise ArgumentError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(value).__name__}"
            )
        values = [value] if self.is_tensor else list(value)
        self._names = (
            ["original"] if self.is_tensor else [f"original{n}" for n in range(len(values))]
        )
        for name, tensor in zip(self._names, values, strict=True):
            if was_parameter:
                kept = original if tensor is original else Parameter(tensor, requires_grad)
                self.register_parameter(name, kept)
            else:
                self.register_buffer(name, tensor)

    def forward(self) -> Tensor:
        """Return the computed tensor."""
        first, *others = list(self)
        value = first(*(getattr(self, name) for name in self._names))
        for module in others:
            value = module(value)
        tensor: Tensor = value
        return tensor

    def right_inverse(self, value: Tensor) -> None:
        """Set the parameters so that the computed tensor is `value`.

        Raises:
            TensorError: A parametrization has no `right_inverse`.
        """
        found: Any = value
        with grad_mode.no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise TensorError(
                        f"parametrization {type(module).__name__} does not implement right_inverse",
                        "define right_inverse(self, value), or assign to the originals",
                    )
                found = module.right_inverse(found)
            parts = [found] if self.is_tensor else list(found)
            for name, part in zip(self._names, parts, strict=True):
                getattr(self, name).copy_(part)


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Compute a parameter or buffer of a module by another module at each use.

    Args:
        module: The module of the tensor; its class is replaced by a subclass.
        tensor_name: The name of the parameter or buffer.
        parametrization: Computes the tensor from the original; several are applied in order.
            With `right_inverse` the tensor keeps its value, and can be assigned to.
        unsafe: Whether the shape or type of the tensor may change.

    Returns:
        The module.

    Raises:
        ArgumentError: There is no such tensor, or its shape or type would change.

    Example:
        >>> import gradstep_torch as torch
        >>> class Doubled(torch.nn.Module):
        ...     def forward(self, value):
        ...         return 2 * value
        >>> layer = torch.nn.Linear(1, 1, bias=False)
        >>> layer = register_parametrization(layer, "weight", Doubled())
        >>> [name for name, _ in layer.named_parameters()]
        ['parametrizations.weight.original']
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        chain = module.parametrizations[tensor_name]
        if hasattr(parametrization, "right_inverse"):
            value = getattr(module, tensor_name).detach()
            chain.append(parametrization)
            chain.right_inverse(value)
        else:
            chain.append(parametrization)
        return module
    tables: tuple[dict[str, Any], ...] = (module._parameters, module._buffers)
    if not any(tensor_name in table for table in tables):
        raise ArgumentError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    original = getattr(module, tensor_name)
    chain = ParametrizationList([parametrization], original)
    if not unsafe:
        with grad_mode.no_grad():
            _check(original, chain(), parametrization)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        kind = type(module)
        module.__class__ = type(f"Parametrized{kind.__name__}", (kind,), {})
        module.parametrizations = ModuleDict()
    module.parametrizations[tensor_name] = chain
    setattr(type(module), tensor_name, property(_getter(tensor_name), _setter(tensor_name)))
    return module


def _check(before: Tensor, after: Any, parametrization: Module) -> None:
    name = type(parametrization).__name__
    remedy = "pass unsafe=True if that is meant"
    if not isinstance(after, Tensor):
        raise ArgumentError(f"{name} must return a tensor, got {type(after).__name__}")
    if after.shape != before.shape:
        raise ArgumentError(
            "Registering a parametrization may not change the shape of the tensor: "
            f"{before.shape} becomes {after.shape} by {name}",
            remedy,
        )
    if after.dtype != before.dtype:
        raise ArgumentError(
            "Registering a parametrization may not change the dtype of the tensor: "
            f"{before.dtype} becomes {after.dtype} by {name}",
            remedy,
        )


def _getter(tensor_name: str) -> Any:
    def get(module: Module) -> Tensor:
        chain: ParametrizationList = module.parametrizations[tensor_name]
        if _cache is None:
            return chain.forward()
        key = (id(module), tensor_name)
        if key not in _cache:
            _cache[key] = chain.forward()
        return _cache[key]

    return get


def _setter(tensor_name: str) -> Any:
    def put(module: Module, value: Tensor) -> None:
        module.parametrizations[tensor_name].right_inverse(value)

    return put


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Return whether a module has parametrized tensors, or whether the named one is."""
    chains = module._modules.get("parametrizations")
    if not isinstance(chains, ModuleDict):
        return False
    return len(chains) > 0 if tensor_name is None else tensor_name in chains


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Make a parametrized tensor an ordinary parameter (or buffer) again.

    Args:
        module: The module of the tensor.
        tensor_name: Its name.
        leave_parametrized: Whether to keep the computed value, not the original one.

    Raises:
        ArgumentError: The tensor is not parametrized, or was computed from several.
    """
    if not is_parametrized(module, tensor_name):
        raise ArgumentError(f"Module {module} does not have a parametrization on {tensor_name}")
    chain = module.parametrizations[tensor_name]
    if not chain.is_tensor and not leave_parametrized:
        raise ArgumentError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors"
        )
    first = getattr(chain, "original" if chain.is_tensor else "original0")
    if leave_parametrized:
        with grad_mode.no_grad():
            value = chain.forward()
        if chain.is_tensor:
            first.data = value.detach()  # an optimizer may hold it
            kept = first
        else:
            kept = Parameter(value, first.requires_grad) if isinstance(first, Parameter) else value
    else:
        kept = first
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if isinstance(kept, Parameter):
        module.register_parameter(tensor_name, kept)
    else:
        module.register_buffer(tensor_name, kept)
    if not len(module.parametrizations):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """Return the class that a module had before its tensors were parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)
