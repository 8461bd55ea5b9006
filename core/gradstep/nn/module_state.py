"""Saving and loading a module's parameters and buffers by name."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd.size import Size
from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentTypeError, TensorError
from gradstep.nn.parameter import Parameter, UninitializedParameter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["IncompatibleKeys", "StatefulModule"]


class IncompatibleKeys(NamedTuple):
    """What did not match when a state dict was loaded.

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


class StatefulModule:
    """The part of a module that saves and loads."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _unsaved_buffers: set[str]
    _modules: dict[str, Any]

    def state_dict(self, *, prefix: str = "", keep_vars: bool = False) -> OrderedDict[str, Tensor]:
        """Return all parameters and saved buffers by dotted name.

        Args:
            prefix: Put before every name.
            keep_vars: Return the parameters themselves, not tensors detached from them.

        Returns:
            Tensors that share memory with the module: they follow its training. Copy them to keep
            a moment.

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
            assign: Let the module share the tensors' memory instead of copying.

        Returns:
            The names that did not match; empty lists when strict.

        Raises:
            TensorError: Names (when strict) or shapes do not match; nothing was loaded then.

        Example:
            >>> from gradstep import nn
            >>> nn.Linear(2, 1).load_state_dict(nn.Linear(2, 1).state_dict())
            <All keys matched successfully>
        """
        if not hasattr(state_dict, "items"):
            raise ArgumentTypeError(
                f"Expected state_dict to be dict-like, got {type(state_dict).__name__}"
            )
        own = dict(self._saved_tensors(""))
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
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t"
                + "\n\t".join(complaints)
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
