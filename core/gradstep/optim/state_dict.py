"""Saving and loading what an optimizer knows, in torch's own layout."""

from __future__ import annotations

from collections import defaultdict
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.hooks import HookList, RemovableHandle
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["StateDict"]


class StateDict:
    """The part of an optimizer that saves and loads its state.

    A state dict numbers the parameters over all groups:
    `{"state": {0: {"step": ..., "exp_avg": ...}}, "param_groups": [{"lr": 0.1, "params": [0]}]}`.
    """

    defaults: dict[str, Any]
    param_groups: list[dict[str, Any]]
    state: defaultdict[Tensor, dict[str, Any]]

    def __init__(self) -> None:
        super().__init__()
        self._save_pre_hooks = HookList()
        self._save_post_hooks = HookList()
        self._load_pre_hooks = HookList()
        self._load_post_hooks = HookList()

    def state_dict(self) -> dict[str, Any]:
        """Return the state and the groups' options; its tensors are the optimizer's own.

        Example:
            >>> import gradstep
            >>> x = gradstep.ones(1, requires_grad=True)
            >>> gradstep.optim.SGD([x], lr=0.5).state_dict()["param_groups"][0]["params"]
            [0]
        """
        for hook in self._save_pre_hooks:
            hook(self)
        numbers: dict[Tensor, int] = {}
        groups = []
        for group in self.param_groups:
            start = len(numbers)
            for offset, parameter in enumerate(group["params"], start):
                numbers.setdefault(parameter, offset)
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[parameter] for parameter in group["params"]]
            groups.append(packed)
        saved: dict[str, Any] = {
            "state": {
                numbers[key] if isinstance(key, Tensor) else key: dict(value)
                for key, value in self.state.items()
            },
            "param_groups": groups,
        }
        for hook in self._save_post_hooks:
            changed = hook(self, saved)
            saved = saved if changed is None else changed
        return saved

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over state and options; arrays are copied, so the two never share memory.

        Args:
            state_dict: What `state_dict()` returned, of this or of another optimizer over
                parameters of the same shapes; also torch's own, with arrays or tensors.

        Raises:
            ArgumentError: Its groups are not as many, or not of the sizes, that are held here.

        Example:
            >>> import gradstep
            >>> x = gradstep.ones(1, requires_grad=True)
            >>> saved = gradstep.optim.SGD([x], lr=0.5).state_dict()
            >>> optimizer = gradstep.optim.SGD([x], lr=0.1)
            >>> optimizer.load_state_dict(saved)
            >>> optimizer.param_groups[0]["lr"]
            0.5
        """
        state_dict = dict(state_dict)
        for hook in self._load_pre_hooks:
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups = [dict(group) for group in state_dict["param_groups"]]
        self._check_sizes(groups)
        by_number = {
            number: parameter
            for saved, group in zip(groups, self.param_groups, strict=True)
            for number, parameter in zip(saved["params"], group["params"], strict=True)
        }
        state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            parameter = by_number.get(key)
            state[key if parameter is None else parameter] = _copied(value, parameter, "")
        for saved, group in zip(groups, self.param_groups, strict=True):
            names = group.get("param_names")
            saved.update({key: deepcopy(value) for key, value in saved.items() if key != "params"})
            saved["params"] = group["params"]
            if names is not None:
                saved.setdefault("param_names", names)
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in self._load_post_hooks:
            hook(self)

    def _check_sizes(self, groups: list[dict[str, Any]]) -> None:
        if len(groups) != len(self.param_groups):
            raise ArgumentError(
                "loaded state dict has a different number of parameter groups: "
                f"{len(groups)}, here are {len(self.param_groups)}",
                "load it into an optimizer that was built in the same way",
            )
        for index, (saved, group) in enumerate(zip(groups, self.param_groups, strict=True)):
            if len(saved["params"]) != len(group["params"]):
                raise ArgumentError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    f"optimizer's group: group {index} has {len(saved['params'])} parameters, "
                    f"here it has {len(group['params'])}",
                    "load it into an optimizer that was built in the same way",
                )

    def register_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(optimizer)` before each `state_dict()`."""
        return self._save_pre_hooks.add(hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` after each `state_dict()`; it may return another."""
        return self._save_post_hooks.add(hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before each load; it may return another."""
        return self._load_pre_hooks.add(hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(optimizer)` after each load."""
        return self._load_post_hooks.add(hook)

    # -- copying and pickling ------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_save_pre_hooks" not in self.__dict__:  # a copy, which no constructor has seen
            StateDict.__init__(self)
        self.__dict__.update(state)
        for group in self.param_groups:
            for name, default in self.defaults.items():
                group.setdefault(name, default)
        self._forget_plans()

    def _forget_plans(self) -> None:
        """Let go of everything that was derived from groups and state."""


def _copied(value: Any, parameter: Tensor | None, name: str) -> Any:  # noqa: ANN401 - any state
    """Return a copy of a state entry; arrays of floats get the parameter's dtype, but `step`."""
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
