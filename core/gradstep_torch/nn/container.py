"""Lists and dictionaries of modules and of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentTypeError, TensorIndexError
from gradstep.nn.container import NumberedModules
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter
from gradstep_torch.ops.casts import type_of

if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
    from typing import Self


__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList"]


class _Holder(Module):
    """Holds parameters; a plain tensor becomes one."""

    def _put(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        self.register_parameter(name, value)

    def __len__(self) -> int:
        return len(self._parameters)

    def _kind(self, value: Parameter) -> object:
        """Return the name of a parameter's type for the repr."""
        return value.dtype

    def extra_repr(self) -> str:
        """Return a line for each parameter."""
        return "\n".join(
            f"  ({name}): Parameter containing: [{self._kind(value)} of size "
            f"{'x'.join(map(str, value._array.shape))}]"
            for name, value in self._parameters.items()
            if value is not None
        )


class ParameterList(_Holder):
    """Holds parameters in a list.

    Args:
        values: Parameters, or tensors to convert.

    Example:
        >>> import gradstep_torch as torch
        >>> weights = ParameterList([torch.ones(2), torch.ones(3)])
        >>> len(weights), [name for name, _ in weights.named_parameters()]
        (2, ['0', '1'])
    """

    def __init__(self, values: Iterable[Tensor] | None = None) -> None:
        super().__init__()
        self.extend(() if values is None else values)

    def append(self, value: Tensor) -> Self:
        """Add a parameter at the end."""
        self._put(str(len(self)), value)
        return self

    def extend(self, values: Iterable[Tensor]) -> Self:
        """Add parameters at the end."""
        for value in values:
            self.append(value)
        return self

    def _name(self, index: int) -> str:
        if not -len(self) <= index < len(self):
            raise TensorIndexError(f"index {index} is out of range of {len(self)} parameters")
        return str(index % len(self))

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._parameters[self._name(index)]

    def __setitem__(self, index: int, value: Tensor) -> None:
        self._put(self._name(index), value)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._parameters.values()))

    def __iadd__(self, values: Iterable[Tensor]) -> Self:
        return self.extend(values)


class ParameterDict(_Holder):
    """Holds parameters by name.

    Args:
        values: Parameters, or tensors to convert.

    Example:
        >>> import gradstep_torch as torch
        >>> weights = ParameterDict({"scale": torch.ones(2)})
        >>> "scale" in weights, list(weights.keys())
        (True, ['scale'])
    """

    def __init__(self, values: Mapping[str, Tensor] | None = None) -> None:
        super().__init__()
        self.update({} if values is None else values)

    def update(self, values: Mapping[str, Tensor]) -> None:
        """Add parameters; those under names that exist are replaced."""
        for name, value in values.items():
            self[name] = value

    def _kind(self, value: Parameter) -> object:
        return type_of(value)  # as torch has it

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, value: Tensor) -> None:
        self._put(key, value)

    def __delitem__(self, key: str) -> None:
        del self._parameters[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __contains__(self, key: object) -> bool:
        return key in self._parameters

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._parameters.keys()

    def values(self) -> Iterable[Any]:
        """Return the parameters."""
        return self._parameters.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return the names with the parameters."""
        return self._parameters.items()


class ModuleList(NumberedModules):
    """Holds modules in a list, for a `forward` of your own to call.

    Args:
        modules: The initial modules.

    Example:
        >>> from gradstep_torch import nn
        >>> layers = ModuleList(nn.Linear(2, 2) for _ in range(3))
        >>> len(layers), layers[-1]
        (3, Linear(in_features=2, out_features=2, bias=True))
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            chosen: list[Any] = list(self._modules.values())[index]
            return type(self)(chosen)
        return super().__getitem__(index)

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __repr__(self) -> str:
        runs: list[tuple[int, int, str]] = []
        for place, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1] = (runs[-1][0], place, text)
            else:
                runs.append((place, place, text))
        lines = [
            f"({first}): {text}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in runs
        ]
        inside = "".join("\n  " + line.replace("\n", "\n  ") for line in lines)
        return f"{self._get_name()}({inside}\n)" if inside else f"{self._get_name()}()"

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])


class ModuleDict(Module):
    """Holds modules by name, for a `forward` of your own to call.

    Args:
        modules: The initial modules: a mapping, or pairs.

    Example:
        >>> from gradstep_torch import nn
        >>> heads = ModuleDict({"a": nn.Linear(2, 1)})
        >>> list(heads), heads["a"]
        (['a'], Linear(in_features=2, out_features=1, bias=True))
    """

    def __init__(
        self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None
    ) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove the module under `key` and return it."""
        return self._modules.pop(key)

    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Any]:
        """Return the names with the modules."""
        return self._modules.items()

    def values(self) -> ValuesView[Any]:
        """Return the modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add modules; those under names that exist are replaced.

        Raises:
            ArgumentTypeError: The argument holds no pairs.
        """
        if not hasattr(modules, "__iter__"):
            raise ArgumentTypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(modules).__name__}"
            )
        for name, module in dict(modules).items():
            self[name] = module
