"""Copying the values of a state dict into tensors of the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd.size import Size
from gradstep.autograd.tensor import Tensor
from gradstep.errors import TensorError
from gradstep.nn.parameter import UninitializedParameter

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["IncompatibleKeys", "load"]


class IncompatibleKeys(NamedTuple):
    """The names that did not match when a state dict was loaded.

    Attributes:
        missing_keys: Names of the module that the state dict lacks.
        unexpected_keys: Names in the state dict that the module does not know.
    """

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


def load(
    owner: str, own: Mapping[str, Tensor], state_dict: Mapping[str, Any], strict: bool, assign: bool
) -> IncompatibleKeys:
    """Copy values into tensors by name, all of them or none.

    Args:
        owner: The name of the module's class, for the error.
        own: The tensors of the module.
        state_dict: Tensors or arrays by name.
        strict: Whether names must match exactly.
        assign: Let the tensors share the given memory instead of copying.

    Returns:
        The names that did not match.

    Raises:
        TensorError: Names (when strict) or shapes do not match.
    """
    missing = [name for name in own if name not in state_dict]
    unexpected = [name for name in state_dict if name not in own]
    complaints = [] if not strict else _complaints(missing, unexpected)
    given = {name: state_dict[name] for name in own if name in state_dict}
    complaints += [
        f'While copying the parameter named "{name}", expected a Tensor or an array, got '
        f"{type(value).__name__}"
        for name, value in given.items()
        if not hasattr(value, "__array__")
    ]
    arrays = {
        name: value._array if isinstance(value, Tensor) else np.asarray(value)
        for name, value in given.items()
        if hasattr(value, "__array__")
    }
    complaints += [
        f"size mismatch for {name}: copying a param with shape {Size(array.shape)} from "
        f"checkpoint, the shape in current model is {own[name].shape}."
        for name, array in arrays.items()
        if array.shape != own[name]._array.shape
        and not isinstance(own[name], UninitializedParameter)
    ]
    if complaints:
        raise TensorError(
            f"Error(s) in loading state_dict for {owner}:\n\t" + "\n\t".join(complaints)
        )
    for name, array in arrays.items():
        tensor = own[name]
        if isinstance(tensor, UninitializedParameter):
            tensor.materialize(array.shape)
        if assign:
            tensor._array = array
        else:
            tensor._array[...] = array
        tensor._version_counter[0] += 1
    return IncompatibleKeys(missing, unexpected)


def _complaints(missing: list[str], unexpected: list[str]) -> list[str]:
    return [
        f"{what} key(s) in state_dict: " + ", ".join(f'"{name}"' for name in names) + ". "
        for what, names in (("Missing", missing), ("Unexpected", unexpected))
        if names
    ]
