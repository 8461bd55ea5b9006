"""Load parts of an earlier state into a program, as a script loads a checkpoint."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import OperationError
from gradstep.program.operation_effect import OperationEffect
from gradstep.program.state.program_state import unpack, unpack_state_entry
from gradstep.program.state.restore import load_scheduler
from gradstep.program.state.validation import check_state, constructor_value
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.program.runtime.live_objects import LiveObjects
    from gradstep.program.state.program_state import ProgramState

__all__ = ["load_state"]


def load_state(live: LiveObjects, state: ProgramState, parts: tuple[str, ...]) -> OperationEffect:
    """Load parts of a state.

    Tensors are written in place and their versions increase, as with `load_state_dict`. The saved
    optimizer state of a replaced tensor is loaded for the tensor that replaced it.

    Raises:
        OperationError: If a part is unknown, or an optimizer has another kind in the state. Nothing
            is changed in that case.
        ProgramError: If the state is not one of this program.
    """
    for part in parts:
        if part not in _PARTS:
            raise OperationError(f"there is no part {part!r}", nearest(part, _PARTS))
    check_state(live, state)
    if "optimizers" in parts:
        _check_kinds(live, state)
    writes = [address for part in parts for address in _PARTS[part](live, state)]
    live.effect_cache.clear()
    return OperationEffect((), tuple(dict.fromkeys(writes)))


def _check_kinds(live: LiveObjects, state: ProgramState) -> None:
    for name, saved in state.optimizers.items():
        present, loaded = type(live.optimizers[name]).__name__, saved.get("kind", live.kinds[name])
        if present != loaded:
            raise OperationError(
                f"{name} is {present} now, but {loaded} in that state", "load only the other parts"
            )


def _modules(live: LiveObjects, state: ProgramState) -> list[str]:
    live.save_graph_values()
    for name, tensor in live.tensors.items():
        np.copyto(tensor._array, unpack(state.tensors[name][0]))
        tensor._version_counter[0] += 1
    return list(live.tensors)


def _optimizers(live: LiveObjects, state: ProgramState) -> list[str]:
    return [
        address
        for name, saved in state.optimizers.items()
        for address in _optimizer(live, name, saved)
    ]


def _schedulers(live: LiveObjects, state: ProgramState) -> list[str]:
    for name, saved in state.schedulers.items():
        load_scheduler(live.schedulers[name], saved)
    return list(state.schedulers)


def _generator(live: LiveObjects, state: ProgramState) -> list[str]:
    live.random_stream.state = state.generator
    return ["generator"]


def _data_order(live: LiveObjects, state: ProgramState) -> list[str]:
    for name, (epoch, position, order, *_) in state.feeds.items():
        batches = live.batch_iterators[name]
        batches.restore((epoch, position, order, batches.batch_size))
    return [f"data.{name}" for name in state.feeds]


def _optimizer(live: LiveObjects, name: str, saved: dict[str, Any]) -> list[str]:
    """Load hyperparameters and state; tensors are matched by their position in a group."""
    optimizer = live.optimizers[name]
    writes = []
    optimizer.state.clear()
    for group, options in zip(optimizer.param_groups, saved["groups"], strict=True):
        for option, value in options.items():
            if option != "params":
                group[option] = constructor_value(value)
        for key, tensor in zip(options["params"], group["params"], strict=True):
            for entry, packed in saved["state"].get(key, {}).items():
                optimizer.state[tensor][entry] = unpack_state_entry(packed)
                writes.append(f"{name}/{live.addresses[tensor]}/{entry}")
    writes += [f"{name}/{option}" for option in optimizer.defaults]
    return writes


_PARTS: Mapping[str, Callable[[LiveObjects, ProgramState], list[str]]] = MappingProxyType(
    {
        "modules": _modules,
        "optimizers": _optimizers,
        "schedulers": _schedulers,
        "generator": _generator,
        "data_order": _data_order,
    }
)
