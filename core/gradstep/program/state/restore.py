"""Restore the live objects to a captured state, in place and bit for bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.graph import walk
from gradstep.autograd.row_sparse import RowSparse, wrap_gradient
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import GradStepError, ProgramError
from gradstep.program.builder.loop_lines import loop_cursor
from gradstep.program.builder.optimizers import optimizer_of_kind
from gradstep.program.operation_effect import Batch
from gradstep.program.runtime.forward_record import ForwardRecord, ForwardSettings
from gradstep.program.state.program_state import unpack, unpack_state_entry
from gradstep.program.state.validation import (
    check_state,
    constructor_value,
    saved_groups,
    saved_lines,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from gradstep import nn
    from gradstep.program.runtime.live_objects import LiveObjects
    from gradstep.program.state.program_state import ProgramState

__all__ = ["load_scheduler", "restore"]


def restore(live: LiveObjects, state: ProgramState, changed: Collection[str] | None = None) -> None:
    """Restore a program to a captured state.

    Values are copied into the existing arrays, which keeps their memory order and therefore the
    bits of every sum. Graphs are rebuilt by running their Forwards again. If only values differ, as
    within an Operation, the name tables are not rebuilt.

    Args:
        live: The program.
        state: A state of this program.
        changed: The only addresses at which the program may differ from the state. The state is
            then not validated, and graphs at other addresses are kept. None for all addresses.

    Raises:
        ProgramError: If the state belongs to another program; nothing is changed then.
    """
    if changed is None:
        check_state(live, state)
    differs = _modules(live, state)
    differs |= _tensors(live, state)
    for name, saved in state.optimizers.items():
        differs |= _optimizer(live, name, saved)
    if differs:
        live.refresh()
    for name, saved in state.schedulers.items():
        load_scheduler(live.schedulers[name], saved)
    for name, place in state.feeds.items():
        live.batch_iterators[name].restore(place)
    intact = {} if changed is None else _intact(live, state, changed)
    live.loss_values = {
        name: live.loss_values[name] if name in intact else None for name in live.losses
    }
    live.forward_records = intact
    for name, saved in state.losses.items():
        if name not in intact:
            _loss(live, name, saved, state)
    live.random_stream.state = state.generator
    lines = saved_lines(state, live)
    if lines != live.cursor.lines:
        live.cursor = loop_cursor(lines, live)
    live.cursor.restore(state.cursor)
    live.running_totals = {name: (graphs, nodes) for name, (graphs, nodes) in state.totals.items()}


def _intact(
    live: LiveObjects, state: ProgramState, changed: Collection[str]
) -> dict[str, ForwardRecord]:
    """Return the records of losses whose graphs need not be rebuilt."""
    return {
        name: record
        for name, record in live.forward_records.items()
        if name in state.losses and f"{name}.graph" not in changed
    }


def load_scheduler(scheduler: Any, saved: Mapping[str, Any]) -> None:  # noqa: ANN401 - any class
    """Load a scheduler's saved state; lists of pairs become dictionaries again."""
    present = scheduler.state_dict()
    members = {name: present[name] for name in ("_schedulers",) if name in present}
    scheduler.load_state_dict(
        members
        | {
            name: type(present[name])(dict(value))
            if isinstance(present[name], dict) and isinstance(value, list)
            else value
            for name, value in saved.items()
        }
    )


def _modules(live: LiveObjects, state: ProgramState) -> bool:
    """Restore the modules, their generations and their modes.

    Returns:
        Whether anything has changed.
    """
    present = _generations(live)
    places = [(name, generation) for name, generation, _ in state.modules]
    current = len(places) - len(live.modules)
    if places[current:] == [*live.generations.items()] and set(places) == present.keys():
        differs = [_set_modes(present[name, at], modes) for name, at, modes in state.modules]
        return any(differs)  # a list, since all modes must be set
    live.replaced_modules = {}
    for index, (name, generation, modes) in enumerate(state.modules):
        module = present.get((name, generation))
        if module is None:
            live.random_stream.apply()
            module = live.make_module(name)
        _set_modes(module, modes)
        if index < current:
            live.replaced_modules[name, generation] = module
        else:
            live.modules[name] = module
            live.generations[name] = generation
    live.refresh()
    return True


def _set_modes(module: nn.Module, modes: list[bool] | tuple[bool, ...]) -> bool:
    """Set the modes of a module and its submodules; return whether any has changed."""
    differs = False
    for inner, training in zip(module.modules(), modes, strict=True):
        differs |= inner.training != training
        inner.training = training
    return differs


def _tensors(live: LiveObjects, state: ProgramState) -> bool:
    """Restore the tensors' values, gradients and flags; return whether a flag has changed."""
    differs = False
    for key, (data, grad, version, grad_version, requires_grad) in state.tensors.items():
        tensor = live.keys[key]
        np.copyto(tensor._array, unpack(data))
        tensor._version_counter[0] = version
        differs |= tensor._requires_grad != requires_grad
        tensor.requires_grad = requires_grad
        tensor._grad = _gradient(tensor._grad, grad, grad_version)
    return differs


def _gradient(present: Tensor | None, packed: Any, version: int) -> Tensor | None:  # noqa: ANN401
    if packed is None:
        return None
    wanted = unpack(packed)
    if isinstance(wanted, RowSparse):
        present = wrap_gradient(wanted.copy())
    elif (
        present is None
        or present._array.strides != wanted.strides
        or isinstance(present._array, RowSparse)
    ):
        present = wrap(wanted.copy(order="K"))
    else:
        np.copyto(present._array, wanted)
    present._version_counter[0] = version
    return present


def _optimizer(live: LiveObjects, name: str, saved: Mapping[str, Any]) -> bool:
    """Restore an optimizer; return whether its tensors or the entries of its state have changed."""
    optimizer, differs = live.optimizers[name], False
    if type(optimizer).__name__ != (kind := saved.get("kind", live.kinds[name])):
        optimizer = optimizer_of_kind(kind, saved_groups(saved, live.keys))
        live.replace_optimizer(name, optimizer)
        differs = True
    for group, options in zip(optimizer.param_groups, saved["groups"], strict=True):
        params = [live.keys[key] for key in options["params"]]
        if any(one is not two for one, two in zip(params, group["params"], strict=True)):
            group["params"] = params
            differs = True
        for option, value in options.items():
            if option != "params":
                taken = constructor_value(value)
                differs |= bool(group.get(option)) != bool(taken)  # decides whether a Step reads it
                group[option] = taken
    wanted = {live.keys[key]: entries for key, entries in saved["state"].items()}
    removed = [tensor for tensor in optimizer.state if tensor not in wanted]
    for tensor in removed:
        del optimizer.state[tensor]
    if removed:
        optimizer._forget_batches()  # its batches assume that their state exists
    for tensor, entries in wanted.items():
        differs |= _entries(optimizer.state[tensor], entries)
    optimizer.has_stepped = saved["stepped"]
    return differs or bool(removed)


def _entries(present: dict[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Restore the optimizer state of one tensor, in place where an entry exists.

    The entries keep the order in which they were created, which Events show.

    Returns:
        Whether the entries or their order have changed.
    """
    before = dict(present)
    present.clear()
    for entry, packed in wanted.items():
        held = before.get(entry)
        array = unpack(packed) if isinstance(packed, (np.ndarray, list)) else None
        if (
            array is not None
            and isinstance(held, Tensor)
            and held._array.flags.writeable
            and held._array.shape == array.shape
        ):
            np.copyto(held._array, array)
            present[entry] = held
        else:
            present[entry] = unpack_state_entry(packed)
    return list(before) != list(wanted)


def _loss(live: LiveObjects, name: str, saved: Mapping[str, Any], state: ProgramState) -> None:
    """Rebuild the graph of a loss as its Forward recorded it, and free it again if it was freed."""
    loss = live.losses[name]
    batch = None if saved["batch"] is None else Batch(*saved["batch"])
    if batch is not None:
        batch = Batch(batch.data, tuple(batch.rows), batch.epoch, batch.number, batch.count)
    inputs, targets = loss.tensors(batch)
    touched = tuple((named, live.keys[key]) for named, key in saved["touched"])
    settings = None if saved["settings"] is None else ForwardSettings(*saved["settings"])
    record = ForwardRecord(
        batch,
        inputs,
        targets,
        touched,
        tuple(saved["versions"]),
        # A graph of other settings differs from those that the current settings record.
        live.structure_version if settings is None else -1,
        saved["generator"],
        saved["freed"],
        dict(saved["kept"] or {}),
        settings,
        saved.get("stepped", False),
        tuple(saved.get("added_to", ())),
    )
    if loss.held_out:
        value = wrap(saved["value"].copy())
    else:
        value = _recomputed(live, name, record, state)
        np.copyto(value._array, saved["value"])
    live.forward_records[name] = record
    live.loss_values[name] = value


def _recomputed(live: LiveObjects, name: str, record: ForwardRecord, state: ProgramState) -> Tensor:
    """Run a Forward again with its original values and settings, then restore the current ones."""
    modules = _rewind_to_forward(live, record)
    try:
        value = live.compute(live.losses[name], record.inputs, record.targets, record, modules)
    except GradStepError as error:
        raise ProgramError("", f"the graph of {name} cannot be rebuilt: {error}") from None
    finally:
        for _, tensor in record.tensors:
            data, _, version, _, requires_grad = state.tensors[live.key_of[tensor]]
            np.copyto(tensor._array, unpack(data))
            tensor._version_counter[0] = version
            tensor.requires_grad = requires_grad
        if record.settings is not None:
            _restore_modes(live, state)
    if record.freed:
        for node in walk(value.grad_fn):
            node.release()
    return value


def _rewind_to_forward(live: LiveObjects, record: ForwardRecord) -> dict[str, nn.Module]:
    """Set the values, versions and settings of a Forward; return the modules that it used."""
    for (name, tensor), version in zip(record.tensors, record.versions, strict=True):
        if name in record.original_values:
            np.copyto(tensor._array, record.original_values[name])
        tensor._version_counter[0] = version
    if record.generator is not None:
        live.random_stream.set_default_state(record.generator)
    modules, settings = dict(live.modules), record.settings
    if settings is not None:
        for name, tensor in record.tensors:
            tensor.requires_grad = settings.requires_grad[name]
        present = _generations(live)
        for part, generation in settings.generations.items():
            modules[part] = present[part, generation]
            _set_modes(modules[part], settings.training[part])
    return modules


def _restore_modes(live: LiveObjects, state: ProgramState) -> None:
    present = _generations(live)
    for name, generation, modes in state.modules:
        _set_modes(present[name, generation], modes)


def _generations(live: LiveObjects) -> dict[tuple[str, int], nn.Module]:
    """Return all modules by name and generation, including replaced ones."""
    current = {(name, live.generations[name]): module for name, module in live.modules.items()}
    return {**live.replaced_modules, **current}
