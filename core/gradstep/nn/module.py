"""Module: a node in the tree of layers, which owns parameters, buffers and other modules."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from gradstep.autograd import dtypes
from gradstep.autograd.devices import device, require_cpu
from gradstep.autograd.tensor import Tensor
from gradstep.autograd.zero_grad import clear_gradients
from gradstep.errors import (
    TENSOR_REMEDY,
    ArgumentError,
    ArgumentTypeError,
    MissingNameError,
    NamingError,
    UnsupportedError,
)
from gradstep.nn import module_hooks
from gradstep.nn.module_hooks import ModuleHooks
from gradstep.nn.parameter import Parameter, UninitializedParameter
from gradstep.nn.state_dict import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Self

    import numpy as np

    from gradstep.autograd.devices import DeviceLike
    from gradstep.nn.module_hooks import HookHandle
    from gradstep.nn.state_dict import IncompatibleKeys

__all__ = ["Module", "not_a_module"]

_OWN = ("_parameters", "_buffers", "_modules")


class Module:
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
    _unsaved_buffers: set[str]
    _modules: dict[str, Module | None]
    _hooks: ModuleHooks | None = None

    def __init__(self) -> None:
        set_plainly = super().__setattr__
        set_plainly("training", True)
        set_plainly("_parameters", {})
        set_plainly("_buffers", {})
        set_plainly("_unsaved_buffers", set())
        set_plainly("_modules", {})

    def forward(self, *_: Any, **__: Any) -> Any:
        """Compute the output; subclasses define it."""
        raise UnsupportedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function',
            "define forward(self, input)",
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call `forward` and any hooks around it."""
        try:
            if self._hooks is None and module_hooks.global_hooks is None:
                return self.forward(*args, **kwargs)
            return module_hooks.call(self, args, kwargs)
        except AttributeError as error:
            if error.name != "_array":
                raise
            raise ArgumentTypeError(
                f"{self._get_name()}(): argument must be Tensor, not {type(error.obj).__name__}",
                TENSOR_REMEDY,
            ) from None

    # -- attributes -------------------------------------------------------------------------------

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
        """Remove `name` from every table but one, in which a new value keeps its position."""
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
        """Register a parameter under `name`; None declares an absent one.

        Raises:
            ArgumentError: The parameter was computed from other tensors.
            ArgumentTypeError: `param` is not a Parameter.
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
        """Register a tensor that belongs to the module but is not trained, such as a running mean.

        Args:
            name: The attribute under which it is found.
            tensor: The buffer; None declares an absent one.
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
        """Register a child module under `name`; None declares an absent one."""
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

    # -- the tree below ---------------------------------------------------------------------------

    def named_modules(
        self,
        memo: set[Any] | None = None,
        prefix: str = "",
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Module]]:
        """Yield this module and all below it with their dotted names, each once.

        Example:
            >>> from gradstep import nn
            >>> [name for name, _ in nn.Sequential(nn.Linear(1, 1)).named_modules()]
            ['', '0']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                below = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, below, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """Yield this module and all below it, each once."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the modules directly below with their names, each once."""
        seen: set[Any] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """Yield the modules directly below, each once."""
        for _, module in self.named_children():
            yield module

    def _named_members(
        self, table: str, prefix: str, *, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[Any] = set()
        modules: Iterable[tuple[str, Module]] = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for owner, module in modules:
            for name, member in getattr(module, table).items():
                if member is None or member in seen:
                    continue
                if remove_duplicate:
                    seen.add(member)
                yield f"{owner}.{name}" if owner else name, member

    def named_parameters(
        self,
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield the parameters with their dotted names, a shared one once.

        Args:
            prefix: Put before every name.
            recurse: Whether to include those of the modules below.
            remove_duplicate: False yields a shared parameter under each of its names.

        Example:
            >>> from gradstep import nn
            >>> [name for name, _ in nn.Sequential(nn.Linear(1, 1)).named_parameters()]
            ['0.weight', '0.bias']
        """
        return self._named_members(
            "_parameters", prefix, recurse=recurse, remove_duplicate=remove_duplicate
        )

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters, a shared one once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self,
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield the buffers with their dotted names, a shared one once."""
        return self._named_members(
            "_buffers", prefix, recurse=recurse, remove_duplicate=remove_duplicate
        )

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers, a shared one once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        """Return the module below with this dotted name; "" is this module itself."""
        found: Any = self
        for name in target.split(".") if target else ():
            if name not in found._modules or found._modules[name] is None:
                raise MissingNameError(f"{type(found).__name__} has no attribute `{name}`")
            found = found._modules[name]
        return found  # type: ignore[no-any-return]  # only modules are in the tables

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter with this dotted name."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        parameter = owner._parameters.get(name)
        if parameter is None:
            raise MissingNameError(f"{type(owner).__name__} has no parameter `{name}`")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer with this dotted name."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        buffer = owner._buffers.get(name)
        if buffer is None:
            raise MissingNameError(f"{type(owner).__name__} has no buffer `{name}`")
        return buffer

    # -- modes and element types ------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Put this module and all below it in training mode, or in evaluation mode."""
        if not isinstance(mode, bool):
            raise ArgumentError("training mode is expected to be boolean", "pass True or False")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Put this module and all below it in evaluation mode: dropout does nothing."""
        return self.train(mode=False)

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Call `fn` with every module below, then with this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` of every parameter: False freezes the module."""
        for parameter in self.parameters():
            parameter.requires_grad = requires_grad
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set every parameter's `.grad` to None, or to zeros where it is not None."""
        clear_gradients(self.parameters(), set_to_none)

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating-point parameters and buffers; there is one device, the CPU.

        Args:
            *args: A dtype, a device, a device and a dtype, or a tensor whose dtype to take.
            **kwargs: The same by the names `dtype` and `device`.

        Raises:
            ArgumentTypeError: The dtype is not a floating-point one.
        """
        wanted = [*args, kwargs.get("device"), kwargs.get("dtype")]
        for value in wanted:
            if value is None or isinstance(value, bool):
                continue
            if isinstance(value, device) or (isinstance(value, str) and value not in dtypes.NAMES):
                require_cpu(value)
            else:
                self._convert(
                    dtypes.numpy_dtype(value.dtype if isinstance(value, Tensor) else value)
                )
        return self

    def float(self) -> Self:
        """Convert floating-point parameters and buffers to float32."""
        return self._convert(dtypes.numpy_dtype("float32"))

    def double(self) -> Self:
        """Convert floating-point parameters and buffers to float64."""
        return self._convert(dtypes.numpy_dtype("float64"))

    def half(self) -> Self:
        """Convert floating-point parameters and buffers to float16."""
        return self._convert(dtypes.numpy_dtype("float16"))

    def cpu(self) -> Self:
        """Return the module itself: there is only the CPU."""
        return self

    def cuda(self, device: DeviceLike = None) -> Self:
        """Raise DeviceError: there is only the CPU."""
        require_cpu("cuda" if device is None else device)
        return self

    def type(self, dst_type: dtypes.DTypeLike) -> Self:
        """Convert floating-point parameters and buffers to `dst_type`."""
        return self._convert(dtypes.numpy_dtype(dst_type))

    def _convert(self, kind: np.dtype[Any]) -> Self:
        if kind.kind != "f":
            raise ArgumentTypeError(
                f"nn.Module.to only accepts floating point dtypes, but got desired dtype={kind}",
                "convert single buffers instead",
            )
        for member in (*self.parameters(), *self.buffers()):
            for tensor in (member, member._grad):
                if tensor is not None and tensor._array.dtype.kind == "f":
                    tensor._array = tensor._array.astype(kind, copy=False)
        return self

    # -- saving and loading -----------------------------------------------------------------------

    def state_dict(self, *, prefix: str = "", keep_vars: bool = False) -> OrderedDict[str, Tensor]:
        """Return all parameters and saved buffers by dotted name.

        Args:
            prefix: Put before every name.
            keep_vars: Return the parameters themselves, not tensors detached from them.

        Returns:
            Tensors that share memory with the module, so training changes them. Copy them to keep
            the current values.

        Example:
            >>> from gradstep import nn
            >>> list(nn.Linear(2, 1).state_dict())
            ['weight', 'bias']
        """
        return OrderedDict(
            (
                prefix + name,
                tensor
                if keep_vars or isinstance(tensor, UninitializedParameter)
                else tensor.detach(),
            )
            for name, tensor in self._saved_tensors("")
        )

    def _saved_tensors(self, prefix: str) -> Iterator[tuple[str, Tensor]]:
        for name, parameter in self._parameters.items():
            if parameter is not None:
                yield prefix + name, parameter
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._unsaved_buffers:
                yield prefix + name, buffer
        for name, module in self._modules.items():
            if module is not None:
                yield from module._saved_tensors(f"{prefix}{name}.")

    def load_state_dict(
        self,
        state_dict: Mapping[str, Any],
        strict: bool = True,
        assign: bool = False,
    ) -> IncompatibleKeys:
        """Copy values by name into the parameters and buffers.

        Args:
            state_dict: Tensors or arrays by name, as `state_dict()` gives them.
            strict: Whether names must match exactly.
            assign: Share the given tensors' memory instead of copying.

        Returns:
            The names that did not match; empty lists when strict.

        Raises:
            TensorError: Names (when strict) or shapes do not match; nothing is loaded.

        Example:
            >>> from gradstep import nn
            >>> nn.Linear(2, 1).load_state_dict(nn.Linear(2, 1).state_dict())
            <All keys matched successfully>
        """
        if not hasattr(state_dict, "items"):
            raise ArgumentTypeError(
                f"Expected state_dict to be dict-like, got {type(state_dict).__name__}"
            )
        return load(type(self).__name__, dict(self._saved_tensors("")), state_dict, strict, assign)

    # -- hooks ------------------------------------------------------------------------------------

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """Call `hook(module, args)` before each forward; what it returns replaces the arguments.

        Args:
            hook: The function.
            prepend: Call it before the hooks that are there already.
            with_kwargs: Call `hook(module, args, kwargs)`; it may return `(args, kwargs)`.
        """
        return self._own_hooks().forward_pre.add(hook, with_kwargs=with_kwargs, prepend=prepend)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookHandle:
        """Call `hook(module, args, output)` after each forward; it may return another output.

        Args:
            hook: The function.
            prepend: Call it before the hooks that are there already.
            with_kwargs: Call `hook(module, args, kwargs, output)`.
            always_call: Call it, with output None, even when forward raises.

        Example:
            >>> import gradstep
            >>> from gradstep import nn
            >>> layer = nn.ReLU()
            >>> handle = layer.register_forward_hook(lambda module, args, output: output + 1)
            >>> layer(gradstep.zeros(1))
            tensor([1.])
            >>> handle.remove()
        """
        return self._own_hooks().forward.add(
            hook, with_kwargs=with_kwargs, always=always_call, prepend=prepend
        )

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> HookHandle:
        """Call `hook(module, grad_output)` when the gradients of the outputs are known.

        Args:
            hook: May return gradients that replace those of the outputs.
            prepend: Call it before the hooks that are there already.
        """
        return self._own_hooks().backward_pre.add(hook, prepend=prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> HookHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of both are known.

        Args:
            hook: May return gradients that replace those of the inputs.
            prepend: Call it before the hooks that are there already.
        """
        return self._own_hooks().backward.add(hook, prepend=prepend)

    def _own_hooks(self) -> ModuleHooks:
        if self._hooks is None:
            self._hooks = ModuleHooks()
        return self._hooks

    @property
    def _forward_pre_hooks(self) -> dict[int, Callable[..., Any]]:
        """The functions called before forward, under torch's name for them."""
        return {} if self._hooks is None else self._hooks.forward_pre.calls()

    # -- printing ---------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """Return the module's own part of the repr, such as its sizes."""
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
    """Return the error for a value that is not a module, with a remedy."""
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
