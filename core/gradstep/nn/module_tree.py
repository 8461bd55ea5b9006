"""Walking the tree of modules, and doing something to all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.autograd import dtypes
from gradstep.autograd.clearing import clear_gradients
from gradstep.autograd.devices import device, require_cpu
from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentError, ArgumentTypeError, MissingNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from gradstep.autograd.devices import DeviceLike
    from gradstep.nn.module import Module
    from gradstep.nn.parameter import Parameter

__all__ = ["ModuleTree"]


class ModuleTree:
    """The part of a module that knows the modules, parameters and buffers below it."""

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]

    # -- walking -------------------------------------------------------------------------------

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
        yield prefix, self  # type: ignore[misc]  # a tree is only ever part of a module
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
        modules: Any = (
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

    # -- finding -------------------------------------------------------------------------------

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

    # -- doing something to all ----------------------------------------------------------------

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

    def apply(self, fn: Callable[[Any], object]) -> Self:
        """Call `fn` with every module below, and at last with this one."""
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
        """Return the module itself: this is where it is."""
        return self

    def cuda(self, device: DeviceLike = None) -> Self:
        """Refuse: there is only the CPU."""
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
                    tensor._array = _cast(tensor._array, kind)
        return self


def _cast(array: NDArray[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    return array.astype(kind, copy=False)
