"""What a user can do to a script that is held, besides letting it go on."""

from __future__ import annotations

import math
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import OperationError
from gradstep.program import operation as ops

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim import Optimizer
    from gradstep.program.operation import Operation

__all__ = ["EDITS", "SKIPPED", "edit_of"]

EDITS = (ops.SetHyperparameter, ops.SetValue, ops.Freeze, ops.SetMode, ops.ZeroGrad, ops.Step)
"""The Operations that a held script carries out although they do not come next in it."""

SKIPPED = (ops.ZeroGrad, ops.Backward, ops.Step, ops.SchedulerStep, ops.ClipGradValue)
"""The Operations that can be skipped: a script needs nothing of what they return."""


def edit_of(
    operation: Operation, tensors: Mapping[str, Tensor], optimizers: Mapping[str, Optimizer]
) -> tuple[dict[str, Any], str]:
    """Return the command that has a script carry out an Operation, and the message of its Event.

    Args:
        operation: One of `EDITS`.
        tensors: The script's tensors, as they are now.
        optimizers: Its optimizers, likewise.

    Raises:
        OperationError: It cannot be asked of a script.
    """
    match operation:
        case ops.SetHyperparameter(name=name, value=value, optimizer=optimizer, group=group):
            command = {"action": "set_option", "target": optimizer, "group": group, "option": name}
            before = _option(optimizers, optimizer, group, name)
            return {**command, "value": _plain(value)}, f"{name} {before} -> {value}"
        case ops.SetValue():
            return _set_value(operation, tensors)
        case ops.Freeze(pattern=pattern, frozen=frozen):
            name = _only_one(pattern, tensors)
            verb = "frozen" if frozen else "unfrozen"
            return {"action": "freeze", "target": name, "frozen": frozen}, f"{verb}: {name}"
        case ops.SetMode(training=training, module=module):
            return {"action": "train", "target": module or "", "training": training}, ""
        case ops.ZeroGrad(optimizer=optimizer):
            return {"action": "zero_grad", "target": optimizer}, ""
        case ops.Step(optimizer=optimizer):
            return {"action": "step", "target": optimizer}, ""
    raise OperationError(f"a script cannot be asked for {operation!r}", "change its code")


def _set_value(
    operation: ops.SetValue, tensors: Mapping[str, Tensor]
) -> tuple[dict[str, Any], str]:
    name, index, value = operation.tensor, operation.index, operation.value
    tensor = tensors.get(name)
    if tensor is None:
        raise OperationError(f"the script has no tensor {name!r}", "choose one that it has")
    shape = tensor._array.shape
    place = index if index is not None else (0,) * len(shape)
    if isinstance(value, list) or (index is None and tensor._array.size != 1):
        raise OperationError("a script's tensor is set element by element", "name one element")
    if len(place) != len(shape) or not all(0 <= i < n for i, n in zip(place, shape, strict=True)):
        raise OperationError(f"{name} has no element {list(place)}", f"its shape is {list(shape)}")
    before = tensor._array[place].item()
    spot = f"[{', '.join(map(str, place))}]" if place else ""
    flat = int(np.ravel_multi_index(place, shape)) if place else 0
    command = {"action": "set_values", "target": name, "index": flat, "value": _plain(value)}
    return command, f"{name}{spot} {before:.6g} -> {value:.6g}"


def _only_one(pattern: str, tensors: Mapping[str, Tensor]) -> str:
    found = [name for name in tensors if name == pattern]  # "weights[0]" is no pattern
    found = found or [name for name in tensors if fnmatchcase(name, pattern)]
    if len(found) != 1:
        raise OperationError(
            f"{len(found)} tensors match {pattern!r}", "freeze a script's tensors one by one"
        )
    return found[0]


def _option(optimizers: Mapping[str, Optimizer], name: str, group: int, option: str) -> object:
    optimizer = optimizers.get(name)
    groups = [] if optimizer is None else optimizer.param_groups
    return groups[group].get(option) if 0 <= group < len(groups) else None


def _plain(value: object) -> object:
    """Return a value as JSON can express it; NaN and infinities as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
