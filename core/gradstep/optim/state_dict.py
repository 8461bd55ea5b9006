"""State dicts: an optimizer's options and state in torch's layout, packed and unpacked.

A state dict numbers the parameters over all groups:
`{"state": {0: {"step": ..., "exp_avg": ...}}, "param_groups": [{"lr": 0.1, "params": [0]}]}`.
"""

from __future__ import annotations

from collections import defaultdict
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.hooks import HookList
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["StateDictHooks", "pack_state", "unpack_state"]


class StateDictHooks:
    """The hooks around one optimizer's `state_dict` and `load_state_dict`."""

    __slots__ = ("after_load", "after_save", "before_load", "before_save")

    def __init__(self) -> None:
        self.before_save = HookList()
        self.after_save = HookList()
        self.before_load = HookList()
        self.after_load = HookList()


def pack_state(
    groups: Sequence[dict[str, Any]], state: Mapping[Tensor, dict[str, Any]]
) -> dict[str, Any]:
    """Return groups and state as a state dict; its tensors are those of the state."""
    numbers: dict[Tensor, int] = {}
    packed = []
    for group in groups:
        for number, parameter in enumerate(group["params"], len(numbers)):
            numbers.setdefault(parameter, number)
        options = {key: value for key, value in group.items() if key != "params"}
        packed.append({**options, "params": [numbers[member] for member in group["params"]]})
    return {
        "state": {
            numbers[key] if isinstance(key, Tensor) else key: dict(value)
            for key, value in state.items()
        },
        "param_groups": packed,
    }


def unpack_state(
    state_dict: Mapping[str, Any], groups: Sequence[dict[str, Any]]
) -> tuple[list[dict[str, Any]], defaultdict[Any, dict[str, Any]]]:
    """Return the groups and the state that a state dict describes; arrays are copied.

    Args:
        state_dict: As `pack_state` returns it; also torch's own, with arrays or tensors.
        groups: The groups that hold the parameters.

    Raises:
        ArgumentError: It has another number of groups, or groups of other sizes.
    """
    loaded = [dict(group) for group in state_dict["param_groups"]]
    _check_sizes(loaded, groups)
    by_number = {
        number: parameter
        for new, group in zip(loaded, groups, strict=True)
        for number, parameter in zip(new["params"], group["params"], strict=True)
    }
    state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
    for key, value in state_dict["state"].items():
        parameter = by_number.get(key)
        state[key if parameter is None else parameter] = _copied(value, parameter, "")
    for new, group in zip(loaded, groups, strict=True):
        names = group.get("param_names")
        new.update({key: deepcopy(value) for key, value in new.items() if key != "params"})
        new["params"] = group["params"]
        if names is not None:
            new.setdefault("param_names", names)
    return loaded, state


def _check_sizes(loaded: list[dict[str, Any]], groups: Sequence[dict[str, Any]]) -> None:
    if len(loaded) != len(groups):
        raise ArgumentError(
            "loaded state dict has a different number of parameter groups: "
            f"it has {len(loaded)}, and the optimizer {len(groups)}",
            "load it into an optimizer that was built in the same way",
        )
    for index, (new, group) in enumerate(zip(loaded, groups, strict=True)):
        if len(new["params"]) != len(group["params"]):
            raise ArgumentError(
                "loaded state dict contains a parameter group that doesn't match the size of "
                f"optimizer's group: its group {index} has {len(new['params'])} parameters, and "
                f"the optimizer's {len(group['params'])}",
                "load it into an optimizer that was built in the same way",
            )


def _copied(value: Any, parameter: Tensor | None, name: str) -> Any:  # noqa: ANN401 - any state
    """Return a copy of a state entry; float arrays but `step` get the parameter's dtype."""
    if isinstance(value, dict):
        return {key: _copied(item, parameter, key) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_copied(item, parameter, name) for item in value)
    if not isinstance(value, Tensor) and not hasattr(value, "__array__"):
        return deepcopy(value)
    array = np.asarray(value._array if isinstance(value, Tensor) else value).copy()
    if parameter is not None and name != "step" and parameter._array.dtype.kind == "f":
        array = array.astype(parameter._array.dtype, copy=False)
    return wrap(array)
