"""What a user changes in a held script: options, values, what is trained; Operations aside."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from gradstep_agent.graphs import nodes_of
from gradstep_agent.operation import Operation, WrappedFunction
from gradstep_agent.tensor_reader import shard_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_agent.recorder import Recorder
    from gradstep_agent.registry import Registry
    from gradstep_agent.sites import Site

SKIPPED_KINDS = frozenset(("zero_grad", "backward", "step", "scheduler_step", "clip_grad_value"))
"""Kinds that can be skipped: a script needs nothing of what they return."""


class Refused(Exception):  # noqa: N818 - an answer, not a failure
    """What was asked for cannot be done; the message says why."""


class Edits:
    """Carries out `do` commands, each reported as an Event with `aside` in its detail.

    Args:
        recorder: Where they are recorded.
        torch: The script's own torch.
        note: Called after a change, so that it is not found again as one by hand.
    """

    def __init__(self, recorder: Recorder, torch: Any, note: Callable[[], None]) -> None:
        self._recorder = recorder
        self._torch = torch
        self._note = note
        self._actions = {
            "set_option": self._set_option,
            "set_values": self._set_values,
            "freeze": self._freeze,
            "train": self._train,
            "zero_grad": self._zero_grad,
            "step": self._step,
        }

    @property
    def _registry(self) -> Registry:
        assert self._recorder.registry is not None, "the script has imported torch"
        return self._recorder.registry

    def do(self, command: dict[str, Any], held: Operation | None, site: Site) -> None:
        """Carry out one command.

        Args:
            command: What to do.
            held: The Operation that the script is held before.
            site: Where the script is.

        Raises:
            Refused: It cannot be done.
        """
        action = self._actions.get(str(command.get("action")))
        if action is None:
            raise Refused(f"unknown action {command.get('action')!r}")
        action(command, held, site)

    def _record(
        self,
        kind: str,
        target: str,
        site: Site,
        arrays: list[tuple[str, Any]],
        **detail: object,
    ) -> None:
        operation = Operation(WrappedFunction(kind, writes=lambda _: arrays), site)
        operation.target = target
        operation.detail = (("aside", True), *detail.items())
        self._recorder.record(operation, 0, 0.0)
        self._note()

    def _optimizer(self, command: dict[str, Any]) -> Any:
        optimizer = self._registry.optimizer_named(str(command.get("target")))
        if optimizer is None:
            raise Refused(f"there is no optimizer named {command.get('target')!r}")
        return optimizer

    def _tensor(self, command: dict[str, Any]) -> Any:
        tensor = self._registry.named(str(command.get("target")))
        if tensor is None:
            raise Refused(f"there is no tensor named {command.get('target')!r}")
        return tensor

    def _set_option(self, command: dict[str, Any], _: Operation | None, site: Site) -> None:
        optimizer = self._optimizer(command)
        number, option, value = command.get("group", 0), command.get("option"), command.get("value")
        groups = optimizer.param_groups
        if not isinstance(number, int) or not 0 <= number < len(groups):
            raise Refused(f"{command['target']} has {len(groups)} parameter groups")
        group = groups[number]
        if option not in group or option == "params":
            raise Refused(f"{command['target']} has no option {option!r}")
        group[option] = _like(group[option], value, str(option))
        known = self._registry.optimizer(optimizer, None)
        self._registry.check_options(known, optimizer, None)
        detail = {"group": number, "option": option, "value": repr(group[option])}
        self._record("set_option", known.name, site, [], **detail)

    def _set_values(self, command: dict[str, Any], held: Operation | None, site: Site) -> None:
        torch, tensor, name = self._torch, self._tensor(command), str(command["target"])
        if held is not None and held.function.kind == "backward" and _is_in_graph(tensor, held):
            raise Refused(
                f"the graph that Backward is about to follow was made with {name} as it is: "
                "change it before the next Forward"
            )
        with torch.no_grad():
            shard = shard_of(tensor)
            shard.copy_(self._new_values(command, shard))
        self._record("set_values", name, site, [(name, tensor)])

    def _new_values(self, command: dict[str, Any], tensor: Any) -> Any:
        torch = self._torch
        if "index" in command:
            values = tensor.detach().clone().contiguous()
            index, value = command["index"], command.get("value")
            if not isinstance(index, int) or not 0 <= index < values.numel():
                raise Refused(f"{command['target']} has {values.numel()} elements")
            values.view(-1)[index] = _number(value)
            return values
        body = command.get("body", b"")
        values = torch.empty(tensor.shape, dtype=tensor.dtype)
        size = values.numel() * values.element_size()
        if len(body) != size:
            raise Refused(f"{command['target']} takes {size} bytes, and {len(body)} came")
        if size:
            ctypes.memmove(values.data_ptr(), body, size)
        return values

    def _freeze(self, command: dict[str, Any], _: Operation | None, site: Site) -> None:
        tensor, frozen = self._tensor(command), bool(command.get("frozen", True))
        if not tensor.is_leaf or not (tensor.is_floating_point() or tensor.is_complex()):
            raise Refused(f"{command['target']} is not a leaf with floating-point values")
        tensor.requires_grad_(not frozen)
        self._record("freeze", str(command["target"]), site, [], frozen=frozen)

    def _train(self, command: dict[str, Any], _: Operation | None, site: Site) -> None:
        module, training = self._module(command), bool(command.get("training", True))
        module.train(training)
        self._record("train_mode", str(command["target"]), site, [], training=training)

    def _module(self, command: dict[str, Any]) -> Any:
        module = self._registry.module_named(str(command.get("target")))
        if module is None:
            raise Refused(f"there is no module named {command.get('target')!r}")
        return module

    def _zero_grad(self, command: dict[str, Any], _: Operation | None, __: Site) -> None:
        target = str(command.get("target"))
        found = self._registry.optimizer_named(target) or self._registry.module_named(target)
        if found is None:
            raise Refused(f"there is no optimizer or module named {target!r}")
        found.zero_grad()

    def _step(self, command: dict[str, Any], _: Operation | None, __: Site) -> None:
        optimizer = self._optimizer(command)
        if type(optimizer).__name__ == "LBFGS":
            raise Refused("L-BFGS steps with a function of the script's: it cannot be done aside")
        optimizer.step()


def _like(before: object, value: object, option: str) -> object:
    """Return a value in the type that an option has."""
    if isinstance(before, bool) or before is None:
        if isinstance(value, (bool, int, float, type(None))):
            return value
    elif isinstance(before, (int, float)):
        number = _number(value)
        return int(number) if isinstance(before, int) and number == int(number) else number
    elif isinstance(before, (tuple, list)) and isinstance(value, list):
        if len(value) == len(before):
            return type(before)([_number(item) for item in value])
    elif isinstance(before, str) and isinstance(value, str):
        return value
    raise Refused(f"{option} is {before!r}; it cannot be set to {value!r}")


def _number(value: object) -> float:
    if isinstance(value, str) and value in {"nan", "inf", "-inf"}:
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Refused(f"{value!r} is not a number")
    return value


def _is_in_graph(tensor: Any, held: Operation) -> bool:
    losses = held.args[0] if held.args else ()
    losses = losses if isinstance(losses, (tuple, list)) else [losses]
    return any(
        getattr(node, "variable", None) is tensor for loss in losses for node in nodes_of(loss)
    )
