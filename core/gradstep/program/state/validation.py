"""Check that a state, possibly from a file, matches a program before anything is changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from gradstep.errors import GradStepError, ProgramError
from gradstep.program.builder.loop_lines import check_lines
from gradstep.program.builder.optimizers import copy_scheduler_options, optimizer_of_kind
from gradstep.program.operation import LoopLine
from gradstep.program.schema.optimizers import OPTIMIZERS
from gradstep.program.state.capture import scheduler_data
from gradstep.program.state.program_state import unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gradstep.autograd.tensor import Tensor
    from gradstep.program.runtime.live_objects import LiveObjects
    from gradstep.program.state.program_state import ProgramState

__all__ = ["check_state", "constructor_value", "saved_groups", "saved_lines"]

_GENERATION = re.compile(r"\A(\w+)~(\d+)\.")


_DAMAGE = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    RecursionError,
    msgspec.ValidationError,
)


class _MismatchError(Exception):
    """A part of the state does not match the program."""


def check_state(live: LiveObjects, state: ProgramState) -> None:
    """Reject a state that does not match a program.

    Raises:
        ProgramError: If a part of the state does not match; names the part.
    """
    try:
        _check_modules(live, state)
        tensors = _check_tensors(live, state)
        _require_names(state.optimizers, live.optimizers, "optimizers")
        for name, saved in state.optimizers.items():
            optimizer = live.optimizers[name]
            kind = saved.get("kind", live.kinds[name])
            if type(optimizer).__name__ != kind:
                _require(kind in OPTIMIZERS, f"the kind of {name}")
                present, optimizer = (
                    optimizer,
                    optimizer_of_kind(kind, saved_groups(saved, tensors)),
                )
                copy_scheduler_options(present, optimizer)
            _check_optimizer(optimizer, saved, tensors, name)
        _require_names(state.schedulers, live.schedulers, "schedulers")
        for name, saved in state.schedulers.items():
            _check_scheduler(scheduler_data(live.schedulers[name]), saved, name)
        _check_feeds(live, state)
        for name, saved in state.losses.items():
            _check_loss(live, name, saved, state)
        for name, counts in state.totals.items():
            _require(name in live.free_tensors and len(counts) == 2, f"the total {name}")  # noqa: PLR2004
            _require(min(counts) >= 0, f"the total {name}")
        iteration, position, *place = state.cursor
        loop = saved_lines(state, live)
        if loop is not live.initial_loop:
            check_lines(loop, live)
        lines = len(loop)
        _require(iteration >= 0 and (not position or 0 < position < lines), "the loop")
        _require(len(place) in {0, 2} and min(place, default=0) >= 0, "the loop")
        live.random_stream.check_state(state.generator)
    except _MismatchError as mismatch:
        message = f"the state does not match this program: {mismatch} differs"
        raise ProgramError("", message, "restore it in the program it was taken from") from None
    except (GradStepError, ArithmeticError, *_DAMAGE):
        raise ProgramError("", "the state is damaged", "restore another copy of it") from None


def saved_lines(state: ProgramState, live: LiveObjects) -> tuple[LoopLine, ...]:
    """Return the lines of the loop that a state has."""
    if state.loop is None:
        return live.initial_loop
    lines: tuple[LoopLine, ...] = msgspec.convert(state.loop, tuple[LoopLine, ...])
    return lines


def _require(fits: bool, what: str) -> None:
    if not fits:
        raise _MismatchError(what)


def _require_names(saved: Mapping[str, Any], present: Mapping[str, Any], what: str) -> None:
    _require(list(saved) == list(present), f"the list of {what}")


def _check_modules(live: LiveObjects, state: ProgramState) -> None:
    names = [name for name, _, _ in state.modules]
    _require(names[len(names) - len(live.modules) :] == list(live.modules), "the list of modules")
    for name, generation, modes in state.modules:
        _require(name in live.modules and type(generation) is int, f"module {name}")
        _require(len(modes) == len(live.training(live.modules[name])), f"module {name}")
        _require(all(type(mode) is bool for mode in modes), f"module {name}")


def _check_tensors(live: LiveObjects, state: ProgramState) -> dict[str, Tensor]:
    """Check the tensors, and return for each key a tensor of its shape and dtype."""
    generations = {(name, generation) for name, generation, _ in state.modules}
    current = {name: generation for name, generation, _ in state.modules}
    alike: dict[str, Tensor] = {}
    for key, (data, grad, version, grad_version, requires_grad) in state.tensors.items():
        found = _GENERATION.match(key)
        name = key
        if found is not None:
            old = (found[1], int(found[2]))
            _require(old in generations and old[1] != current[old[0]], f"tensor {key}")
            name = f"{found[1]}.{key[found.end() :]}"
        like = alike[key] = live.tensors[name]
        _check_array(data, like, key)
        if grad is not None:
            _check_array(grad, like, f"{key}.grad")
        _check_versions((version, grad_version), key)
        _require(type(requires_grad) is bool, f"requires_grad of {key}")
    wanted = list(live.tensors)
    for name, generation, _ in state.modules:
        if generation != current[name]:
            inner = [key[len(name) + 1 :] for key in live.tensors if key.startswith(f"{name}.")]
            wanted += [f"{name}~{generation}.{key}" for key in inner]
    _require(sorted(state.tensors) == sorted(wanted), "the list of tensors")
    return alike


def _check_versions(versions: Iterable[Any], what: str) -> None:
    """Check version counters; a negative one would mark an inference tensor."""
    fit = all(type(version) is int and version >= 0 for version in versions)
    _require(fit, f"the version of {what}")


def _check_array(packed: Any, like: Tensor, what: str) -> None:  # noqa: ANN401 - read from a file
    array = unpack(packed)
    fits = isinstance(array, np.ndarray) and array.shape == like._array.shape
    _require(fits and array.dtype == like._array.dtype, what)
    if isinstance(packed, dict):
        rows = packed["rows"]
        _require(rows.dtype.kind == "i" and rows.ndim == 1, f"the rows of {what}")
        _require(np.array_equal(rows, np.unique(rows)), f"the rows of {what}")
        _require(not rows.size or (rows[0] >= 0 and rows[-1] < len(array)), f"the rows of {what}")


def constructor_value(value: Any) -> Any:  # noqa: ANN401 - of any hyperparameter
    """Return a saved hyperparameter as the constructor expects it: a list becomes a tuple."""
    return tuple(value) if isinstance(value, list) else value


def saved_groups(saved: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> list[dict[str, Any]]:
    """Return the groups of a saved optimizer as the constructor expects them."""
    return [
        {
            option: [tensors[key] for key in value]
            if option == "params"
            else constructor_value(value)
            for option, value in options.items()
        }
        for options in saved["groups"]
    ]


def _check_optimizer(
    optimizer: Any,  # noqa: ANN401 - any optimizer
    saved: Mapping[str, Any],
    tensors: Mapping[str, Tensor],
    name: str,
) -> None:
    _require(len(saved["groups"]) == len(optimizer.param_groups), f"the groups of {name}")
    for group, options in zip(optimizer.param_groups, saved["groups"], strict=True):
        _require(set(options) == set(group), f"the hyperparameters of {name}")
        arrays = [value for value in options.values() if isinstance(value, np.ndarray)]
        _require(not arrays, f"the hyperparameters of {name}")
        _require(len(options["params"]) == len(group["params"]), f"the parameters of {name}")
        _require(all(key in tensors for key in options["params"]), f"the parameters of {name}")
        switches = [option for option, value in group.items() if isinstance(value, bool)]
        _require(
            all(isinstance(options[option], bool) for option in switches), f"a switch of {name}"
        )
        optimizer.check_options(
            {
                option: constructor_value(value)
                for option, value in options.items()
                if option in optimizer.defaults
            }
        )
    for key, entries in saved["state"].items():
        shape = tensors[key]._array.shape
        for entry, packed in entries.items():
            wanted = optimizer.state_shape(entry, shape)
            for item in packed["items"] if isinstance(packed, dict) else (packed,):
                _require(_is_state(item, wanted), f"{name}/{key}/{entry}")
        _require(optimizer.is_state(entries), f"{name}/{key}")
    _require(type(saved["stepped"]) is bool, name)


def _is_state(packed: Any, wanted: tuple[int, ...]) -> bool:  # noqa: ANN401 - read from a file
    if isinstance(packed, (np.ndarray, list)):
        array = unpack(packed)
        return array.dtype.kind == "f" and array.shape in ((), wanted)
    return isinstance(packed, (int, float, type(None)))


def _check_scheduler(present: Mapping[str, Any], saved: Mapping[str, Any], name: str) -> None:
    _require(set(saved) == set(present), name)
    for entry, value in saved.items():
        _require(_shape_of(value) == _shape_of(present[entry]), f"{name}.{entry}")


def _shape_of(value: Any) -> Any:  # noqa: ANN401 - nested data
    """Return the types of nested data; numbers and None count as the same type."""
    if isinstance(value, dict):
        return {key: _shape_of(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shape_of(item) for item in value]
    return str if isinstance(value, str) else isinstance(value, (int, float, type(None)))


def _check_feeds(live: LiveObjects, state: ProgramState) -> None:
    _require_names(state.feeds, live.batch_iterators, "data sets")
    for name, (epoch, position, order, *batch) in state.feeds.items():
        rows = live.batch_iterators[name].dataset.training
        _require(
            all(type(size) is int and 0 < size <= rows for size in batch), f"batches of {name}"
        )
        _require(len(batch) <= 1, f"batches of {name}")
        _require(type(epoch) is int and type(position) is int, f"the place in {name}")
        _require(epoch >= 0 and 0 <= position <= rows, f"the place in {name}")
        if order is not None:
            _require(
                order.dtype == np.int64 and np.array_equal(np.sort(order), np.arange(rows)),
                f"the order of {name}",
            )


class _LossState(msgspec.Struct, forbid_unknown_fields=True):
    """The saved state of a loss."""

    value: Any
    batch: tuple[str, list[int], int, int, int] | None
    touched: list[tuple[str, str]]
    versions: list[int]
    generator: Any
    freed: bool
    kept: dict[str, Any] | None
    settings: tuple[dict[str, bool], dict[str, list[bool]], dict[str, int]] | None
    stepped: bool = False
    added_to: list[str] = []


def _check_loss(live: LiveObjects, name: str, tree: Mapping[str, Any], state: ProgramState) -> None:
    loss = live.losses[name]
    saved = msgspec.convert(tree, _LossState)
    fits = isinstance(saved.value, np.ndarray) and saved.value.shape in {(), (1,), (1, 1)}
    _require(fits and saved.value.dtype.kind == "f", f"the value of {name}")
    _require((saved.batch is None) == (loss.batches is None), f"the batch of {name}")
    if saved.batch is not None and loss.batches is not None:
        data, rows, *_ = saved.batch
        total = len(loss.batches.dataset.inputs)
        _require(data == loss.batches.name, f"the batch of {name}")
        _require(0 < len(rows) <= total, f"the rows of {name}")
        _require(min(rows) >= 0 and max(rows) < total, f"the rows of {name}")
    _require(len(saved.touched) == len(saved.versions), f"the tensors of {name}")
    _check_versions(saved.versions, name)
    touched = {named: unpack(state.tensors[key][0]) for named, key in saved.touched}
    for key, array in (saved.kept or {}).items():
        like = touched[key]
        fits = isinstance(array, np.ndarray) and array.shape == like.shape
        _require(fits and array.dtype == like.dtype, f"{key} of {name}")
    if saved.generator is not None:
        live.random_stream.check_state(saved.generator)
    if saved.settings is not None:
        requires_grad, training, generations = saved.settings
        _require(set(requires_grad) == set(touched), f"the settings of {name}")
        places = {(part, generation) for part, generation, _ in state.modules}
        _require(set(generations) == set(training), f"the settings of {name}")
        for part, generation in generations.items():
            _require((part, generation) in places, f"the settings of {name}")
            _require(len(training[part]) == len(live.training(live.modules[part])), f"{part}")
