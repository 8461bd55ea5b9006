"""Capture the whole state of the live objects as cheaply as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from gradstep.autograd.tensor import Tensor
from gradstep.program.state.program_state import ProgramState, pack

if TYPE_CHECKING:
    from gradstep.program.runtime.forward_record import ForwardRecord
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["capture", "plain_data", "scheduler_data"]


def capture(live: LiveObjects) -> ProgramState:
    """Return the whole state of a program; later changes do not affect it."""
    return ProgramState(
        {key: _tensor(tensor) for key, tensor in live.keys.items()},
        _modules(live),
        {name: _optimizer(live, name) for name in live.optimizers},
        {name: scheduler_data(scheduler) for name, scheduler in live.schedulers.items()},
        live.random_stream.state,
        {name: list(batches.state()) for name, batches in live.batch_iterators.items()},
        {name: _loss(live, name, record) for name, record in live.forward_records.items()},
        live.cursor.state(),
        {name: list(total) for name, total in live.running_totals.items()},
        _loop(live),
    )


def _loop(live: LiveObjects) -> list[Any] | None:
    lines = live.cursor.lines
    if lines == live.initial_loop:
        return None
    found: list[Any] = msgspec.json.decode(msgspec.json.encode(lines))
    return found


def _tensor(tensor: Tensor) -> list[Any]:
    array, grad = tensor._array, tensor._grad
    data = array.copy() if array.flags.c_contiguous else pack(array)
    if grad is None:
        return [data, None, tensor._version, 0, tensor._requires_grad]
    return [data, pack(grad._array), tensor._version, grad._version, tensor._requires_grad]


def _modules(live: LiveObjects) -> list[list[Any]]:
    replaced = [
        [name, generation, list(live.training(module))]
        for (name, generation), module in live.replaced_modules.items()
    ]
    return replaced + [
        [name, live.generations[name], list(live.training(module))]
        for name, module in live.modules.items()
    ]


def _optimizer(live: LiveObjects, name: str) -> dict[str, Any]:
    optimizer = live.optimizers[name]
    key_of = live.key_of
    return {
        "groups": [
            {
                option: [key_of[tensor] for tensor in value] if option == "params" else value
                for option, value in group.items()
            }
            for group in optimizer.param_groups
        ],
        "state": {
            key_of[tensor]: {entry: _entry(value) for entry, value in state.items()}
            for tensor, state in optimizer.state.items()
        },
        "stepped": optimizer.has_stepped,
        "kind": type(optimizer).__name__,
    }


def _entry(value: Any) -> Any:  # noqa: ANN401 - a tensor, a number, or a list of them
    """Return an entry of an optimizer's state; read-only arrays are shared, not copied."""
    if isinstance(value, list):
        return {"items": [_entry(item) for item in value]}
    if not isinstance(value, Tensor):
        return plain_data(value)
    array = value._array
    return pack(array) if array.flags.writeable else array


def scheduler_data(scheduler: Any) -> dict[str, Any]:  # noqa: ANN401 - of any class
    """Return the state of a scheduler as plain data, without those that it is composed of.

    They have names of their own in a program, and are captured under these.
    """
    state = scheduler.state_dict()
    state.pop("_schedulers", None)
    found: dict[str, Any] = plain_data(state)
    return found


def plain_data(value: Any) -> Any:  # noqa: ANN401 - nested
    """Return a copy of nested data in types that a file can store.

    Dictionaries with keys that are not strings become lists of pairs.
    """
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            return [[key, plain_data(item)] for key, item in value.items()]
        return {key: plain_data(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_data(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    return value.copy() if isinstance(value, np.ndarray) else value


def _loss(live: LiveObjects, name: str, record: ForwardRecord) -> dict[str, Any]:
    value, batch, settings = live.loss_values[name], record.batch, record.settings
    return {
        "value": None if value is None else value._array.copy(),
        "batch": None
        if batch is None
        else [batch.data, batch.rows, batch.epoch, batch.number, batch.count],
        "touched": [[name, live.key_of[tensor]] for name, tensor in record.tensors],
        "versions": list(record.versions),
        "generator": record.generator,
        "freed": record.freed,
        "stepped": record.stepped,
        "added_to": list(record.added_to),
        "kept": record.original_values or None,
        "settings": None
        if settings is None
        else [dict(settings.requires_grad), dict(settings.training), dict(settings.generations)],
    }
