"""Module: a node in the tree of layers, which owns parameters, buffers and other modules."""

from __future__ import annotations

from typing import Any

from gradstep.argument_errors import REMEDY
from gradstep.autograd.tensor import Tensor
from gradstep.errors import (
    ArgumentError,
    ArgumentTypeError,
    MissingNameError,
    NamingError,
    UnsupportedError,
)
from gradstep.nn import module_hooks
from gradstep.nn.module_hooks import HookedModule
from gradstep.nn.module_state import StatefulModule
from gradstep.nn.module_tree import ModuleTree
from gradstep.nn.parameter import Parameter

__all__ = ["Module", "not_a_module"]

_OWN = ("_parameters", "_buffers", "_modules")


class Module(ModuleTree, StatefulModule, HookedModule):
    """The base of all layers and models.

    Parameters, buffers and modules that are assigned to attributes become part of it. Subclasses
    call `super().__init__()` first and define `forward`.

    Attributes:
        training: Whether it is in training mode; see `train` and `eval`.

    Example:
        >>> import gradstep
        >>> class Scale(Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = Parameter(gradstep.tensor(2.0))
        ...
        ...     def forward(self, input):
        ...         return self.factor * input
        >>> Scale()(gradstep.tensor(3.0)).item()
        6.0
        >>> [name for name, _ in Scale().named_parameters()]
        ['factor']
    """

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]

    def __init__(self) -> None:
        set_plainly = super().__setattr__
        set_plainly("training", True)
        set_plainly("_parameters", {})
        set_plainly("_buffers", {})
        set_plainly("_unsaved_buffers", set())
        set_plainly("_modules", {})

    def forward(self, *_: Any, **__: Any) -> Any:
        """Compute the output; every subclass defines it."""
        raise UnsupportedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function',
            "define forward(self, input)",
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call `forward`, and the hooks around it where there are any."""
        try:
            if self._hooks is None and module_hooks.everywhere is None:
                return self.forward(*args, **kwargs)
            return self._call_with_hooks(args, kwargs)
        except AttributeError as error:
            if error.name != "_array":
                raise
            raise ArgumentTypeError(
                f"{self._get_name()}(): argument must be Tensor, not {type(error.obj).__name__}",
                REMEDY,
            ) from None

    # -- attributes ----------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for table in _OWN:
            if table in own and name in own[table]:
                return own[table][name]
        raise MissingNameError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            self._need_init("parameters")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._need_init("module")
            self._forget(name, "_modules")
            own["_modules"][name] = value
        elif name in own.get("_parameters", ()):
            if value is not None:
                raise ArgumentTypeError(
                    f"cannot assign '{_kind(value)}' as parameter '{name}' "
                    "(gradstep.nn.Parameter or None expected)",
                    "assign to its .data, or wrap it in nn.Parameter",
                )
            own["_parameters"][name] = None
        elif name in own.get("_modules", ()):
            if value is not None:
                raise ArgumentTypeError(
                    f"cannot assign '{_kind(value)}' as child module '{name}' "
                    "(gradstep.nn.Module or None expected)"
                )
            own["_modules"][name] = None
        elif name in own.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise ArgumentTypeError(
                    f"cannot assign '{_kind(value)}' as buffer '{name}' "
                    "(gradstep.Tensor or None expected)"
                )
            own["_buffers"][name] = value
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        for table in _OWN:
            if name in self.__dict__.get(table, ()):
                del self.__dict__[table][name]
                self._unsaved_buffers.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = [*super().__dir__(), *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if name.isidentifier())

    def _forget(self, name: str, kept: str) -> None:
        """Take `name` out of every table but one, where a new value is to take the same place."""
        for table in _OWN:
            if table != kept:
                self.__dict__[table].pop(name, None)
        self.__dict__.pop(name, None)
        self._unsaved_buffers.discard(name)

    def _need_init(self, what: str) -> None:
        if "_parameters" not in self.__dict__:
            raise MissingNameError(
                f"cannot assign {what} before Module.__init__() call",
                "call super().__init__() first",
            )

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under `name`; None declares one that is absent.

        Raises:
            ArgumentError: It was computed from other tensors.
            ArgumentTypeError: It is not a Parameter.
        """
        self._need_init("parameter")
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise ArgumentTypeError(
                f"cannot assign '{_kind(param)}' object to parameter '{name}' "
                "(gradstep.nn.Parameter or None required)",
                "wrap it in nn.Parameter",
            )
        if param is not None and param.grad_fn is not None:
            raise ArgumentError(
                f"Cannot assign non-leaf Tensor to parameter '{name}': model parameters must be "
                "created explicitly",
                "compute the value in forward() instead",
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the module but is not trained, such as a running mean.

        Args:
            name: The attribute under which it is found.
            tensor: The buffer; None declares one that is absent.
            persistent: Whether it is part of `state_dict`.
        """
        self._need_init("buffer")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"cannot assign '{_kind(tensor)}' object to buffer '{name}' "
                "(gradstep.Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._unsaved_buffers.discard(name)
        else:
            self._unsaved_buffers.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child module under `name`; None declares one that is absent."""
        self._need_init("module")
        if module is not None and not isinstance(module, Module):
            raise not_a_module(module)
        self._check_name("module", name, self._modules)
        self._modules[name] = module

    register_module = add_module

    def _check_name(self, what: str, name: str, table: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"{what} name should be a string, got {_kind(name)}")
        if "." in name:
            raise NamingError(f'{what} name can\'t contain ".", got: {name}')
        if not name:
            raise NamingError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in table:
            raise NamingError(f"attribute '{name}' already exists", "choose another name")

    # -- printing ------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """Return what the repr says about this module itself, such as its sizes."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [
            f"({name}): " + repr(module).replace("\n", "\n  ")
            for name, module in self._modules.items()
        ]
        inside = lines + children
        if not inside:
            return f"{self._get_name()}()"
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join(inside) + "\n)"


def not_a_module(value: object) -> ArgumentTypeError:
    """Return the error that says that a value is no module, and what to write instead."""
    if isinstance(value, list | tuple):
        remedy = "unpack it with a star: nn.Sequential(*layers)"
    elif isinstance(value, type):
        remedy = f"make one, with parentheses: {value.__name__}(...)"
    elif callable(value):
        remedy = "use the layer of that name, such as nn.ReLU() for F.relu, or call it in forward()"
    else:
        remedy = "layers are subclasses of nn.Module"
    name = _kind(value)
    if callable(value):
        name = f"{value.__module__}.{getattr(value, '__name__', name)}"
    return ArgumentTypeError(f"{name} is not a Module subclass", remedy)


def _kind(value: object) -> str:
    return type(value).__name__
