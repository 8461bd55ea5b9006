"""Parameters in a list or by name, for a `forward` of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.autograd.ops.convert import type_of
from gradstep.autograd.tensor import Tensor
from gradstep.errors import TensorIndexError
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Self

__all__ = ["ParameterDict", "ParameterList"]


class _Holder(Module):
    """Holds parameters; a plain tensor becomes one."""

    def _put(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        self.register_parameter(name, value)

    def __len__(self) -> int:
        return len(self._parameters)

    def _kind(self, value: Parameter) -> object:
        """Return how the repr names the type of a parameter."""
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
        values: The parameters, or tensors to make them of.

    Example:
        >>> import gradstep
        >>> weights = ParameterList([gradstep.ones(2), gradstep.ones(3)])
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
        values: The parameters, or tensors to make them of.

    Example:
        >>> import gradstep
        >>> weights = ParameterDict({"scale": gradstep.ones(2)})
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
