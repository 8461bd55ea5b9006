"""Sequential."""

from __future__ import annotations

from itertools import islice
from operator import index as as_index
from typing import TYPE_CHECKING, Any, overload

from gradstep.errors import ArgumentTypeError, TensorIndexError
from gradstep.nn.module import Module, not_a_module

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

__all__ = ["Sequential"]


class NumberedModules(Module):
    """Children under the names "0", "1", ..."""

    def _key(self, index: int) -> str:
        size = len(self._modules)
        place = as_index(index)
        if not -size <= place < size:
            raise TensorIndexError(f"index {place} is out of range of {size} modules")
        return next(islice(self._modules, place % size, None))

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            chosen = type(self)()
            chosen._modules.update(list(self._modules.items())[index])
            return chosen
        return self._modules[self._key(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: int | slice) -> None:
        modules = list(self._modules.values())
        if isinstance(index, int):
            self._key(index)
        del modules[index]
        self._renumber(modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __contains__(self, module: object) -> bool:
        return any(child is module for child in self._modules.values())

    def _renumber(self, modules: Iterable[Any]) -> None:
        self._modules.clear()
        self._modules.update({str(number): module for number, module in enumerate(modules)})

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Insert a module before the one at `index`."""
        if not isinstance(module, Module):
            raise not_a_module(module)
        modules = list(self._modules.values())
        if not -len(modules) <= index <= len(modules):
            raise TensorIndexError(f"index {index} is out of range of {len(modules)} modules")
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        if not hasattr(modules, "__iter__"):
            raise ArgumentTypeError(f"extend needs an iterable, got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, index: int) -> Any:
        """Remove the module at `index` and return it."""
        module = self[index]
        del self[index]
        return module


class Sequential(NumberedModules):
    """Calls its modules in order, each with the output of the one before.

    Args:
        *args: Modules, or one dict of named modules.

    Example:
        >>> from gradstep import nn
        >>> Sequential(nn.Linear(2, 1), nn.ReLU())
        Sequential(
          (0): Linear(in_features=2, out_features=1, bias=True)
          (1): ReLU()
        )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0] if len(args) == 1 and isinstance(args[0], dict) else None
        pairs = named.items() if named is not None else enumerate(args)
        for name, module in pairs:
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        """Return the last module's output."""
        for module in self._modules.values():
            input = module(input)  # type: ignore[misc]  # None is not called in torch either
        return input

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ArgumentTypeError(
                f"add operator supports only Sequential, got {type(other).__name__}"
            )
        return Sequential(*self, *other)
