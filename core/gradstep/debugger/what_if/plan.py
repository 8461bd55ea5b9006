"""ReplayPlan: recorded Operations with edits: some skipped, inserted or moved, and values set."""

from __future__ import annotations

import re
from bisect import bisect_right
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from gradstep.debugger.change_names import (
    kind_name,
    numbered_name,
    setting_name,
    skipped_name,
    value_name,
)
from gradstep.errors import OperationError
from gradstep.program.operation import (
    ClipGradNorm,
    ClipGradValue,
    ExecutableOperation,
    LoadState,
    Operation,
    ReplaceOptimizer,
    SetBatchSize,
    SetHyperparameter,
    Skip,
)
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.records.what_if import Edits
    from gradstep.program.program import Program

__all__ = ["Planned", "ReplayPlan", "numbered_operations", "settings"]

_LIMITS: Mapping[str, type[ClipGradNorm | ClipGradValue]] = MappingProxyType(
    {"max_norm": ClipGradNorm, "clip_value": ClipGradValue}
)
"""By the field that limits gradients, the clipping that has it."""

_MOST_NAMED = 2
"""Edits that the name of a branch lists."""

_PLACE = re.compile(r"(?P<name>.+?)(?:\[(?P<group>\d+)\])?\.(?P<field>\w+)")


class Planned(NamedTuple):
    """An Operation of the new branch, and the recorded Event that it repeats, if it does."""

    operation: Operation
    recorded: int | None


class ReplayPlan:
    """What a what-if replays, checked against what was recorded.

    Args:
        log: What was recorded.
        program: Its program.
        edits: The edits. In `set`, the limits of recorded clippings, as `optimizer.max_norm` and
            `optimizer.clip_value`, are replaced in each; see `settings` for the rest.
        present: The current Event, after which it starts without `at` and edits.

    Raises:
        OperationError: There is no such Event, it comes before `at`, or a value cannot be set.
    """

    def __init__(
        self,
        log: EventLog,
        program: Program,
        edits: Edits,
        present: int = 0,
    ) -> None:
        self._log = log
        self._skip = frozenset(edits.skip)
        self._moved = dict(edits.move)
        self._inserted: dict[int, list[Operation]] = {}
        for event, operation in edits.insert:
            self._inserted.setdefault(event, []).append(_out_of_loop(operation))
        for event in (*self._skip, *self._moved):
            _check_event(event, 1, len(log))
        for event, before in edits.move:
            self._inserted.setdefault(before, []).append(_out_of_loop(log.operation(event)))
        edited = [*self._skip, *self._inserted, *self._moved]
        first = min(edited, default=present + 1)
        self.at = first if edits.at is None else edits.at
        _check_event(self.at, 1, len(log) + 1)
        for event in (*self._skip, *self._moved):
            _check_event(event, self.at, len(log))
        for event in self._inserted:
            _check_event(event, self.at, len(log) + 1)
        wanted = dict(edits.set)
        self._limits = _limits(program, log, self.at, wanted)
        self.settings = settings(program, wanted)
        extra = [self.at] * len(self.settings)
        extra += [event for event, several in self._inserted.items() for _ in several]
        self._extra = sorted(extra)
        self.title = self._summary(edits.set)

    def __len__(self) -> int:
        """Return how many Operations are applied."""
        return len(self._log) - self.at + 1 + len(self._extra)

    def operations(self) -> Iterator[Planned]:
        """Yield the Operations to apply, from the moment before Event `at` on."""
        for operation in self.settings:
            yield Planned(operation, None)
        for event in range(self.at, len(self._log) + 2):
            for inserted in self._inserted.get(event, ()):
                yield Planned(inserted, None)
            if event <= len(self._log):
                yield Planned(self._repeated(event), event)

    def failed_before(self, recorded: int | None) -> bool:
        """Whether the Event that an Operation repeats failed too."""
        return recorded is not None and self._log.failed(recorded)

    def _repeated(self, event: int) -> Operation:
        operation = self._log.operation(event)
        if event in self._skip or event in self._moved:
            # A failed Operation was no line of the loop either.
            out_of_loop = operation.out_of_loop or self._log.failed(event)
            return (
                operation
                if isinstance(operation, Skip)
                else Skip(operation, out_of_loop=out_of_loop)
            )
        if isinstance(operation, LoadState) and operation.event >= self.at:
            there = operation.event + bisect_right(self._extra, operation.event)
            return msgspec.structs.replace(operation, event=there)
        if isinstance(operation, ClipGradNorm | ClipGradValue):
            changed = self._limits.get((type(operation), operation.optimizer), {})
            return msgspec.structs.replace(operation, **changed)
        return operation

    def _summary(self, set: Mapping[str, Any]) -> str:
        """Return a name for the branch, such as "lr 0.1 from #12"."""
        log = self._log
        parts = [f"{name} from #{self.at:,}" for name in _setting_names(set)]
        if self._skip:
            parts.append(skipped_name(log, sorted(self._skip)))
        parts += [
            f"{numbered_name(log.operation(event), event)} before #{before:,}"
            for event, before in self._moved.items()
        ]
        for event, several in self._inserted.items():
            moved = [log.operation(item) for item, to in self._moved.items() if to == event]
            inserted = [item for item in several if item not in map(_out_of_loop, moved)]
            parts += [self._inserted_name(item, event) for item in inserted]
        if len(parts) <= _MOST_NAMED:
            return ", ".join(parts) or f"again from #{self.at:,}"
        return f"{parts[0]} and {len(parts) - 1} more"

    def _inserted_name(self, operation: Operation, event: int) -> str:
        setting = setting_name(operation)
        if setting:
            return f"{setting} from #{event:,}"
        name = kind_name(operation)
        return f"with {name} {'at the end' if event > len(self._log) else f'before #{event:,}'}"


def numbered_operations(log: EventLog, first: int = 1) -> Iterator[tuple[int, Operation]]:
    """Yield the Events of a log from one on, each by its number, and its Operation."""
    return ((event, log.operation(event)) for event in range(first, len(log) + 1))


def _setting_names(set: Mapping[str, Any]) -> list[str]:
    """Return what is set as names, such as "lr 0.1", or "lr 0.1 of optimizer_d"."""
    names = []
    for key, value in set.items():
        holder, _, field = key.rpartition(".")
        of = "" if holder in {"", "optimizer", "data"} else f" of {holder.removeprefix('data.')}"
        names.append(
            f"{value}{of}" if field == "kind" else f"{_spaced(field)} {value_name(value)}{of}"
        )
    return names


def _spaced(field: str) -> str:
    return "batch size" if field == "batch_size" else field


def settings(program: Program, wanted: Mapping[str, Any]) -> tuple[ExecutableOperation, ...]:
    """Return the Operations that set values; they are not part of the loop.

    Args:
        program: The program.
        wanted: Values by `optimizer.lr` (of every group), `optimizer[1].lr`, `optimizer.kind`
            (with the other values of that optimizer as its options), or `a.batch_size` of data
            set `a`.

    Raises:
        OperationError: There is no such setting, or it does not accept the value.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> from gradstep.program.program import Program
        >>> program = Program.from_spec(decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": 1, "requires_grad": true}},
        ...     "optimizers": {"sgd": {"kind": "SGD", "params": ["x"]}}}'''))
        >>> settings(program, {"sgd.lr": 0.1})
        (SetHyperparameter(name='lr', value=0.1, optimizer='sgd', group=0, out_of_loop=True),)
        >>> settings(program, {"sgd.kind": "Adam", "sgd.lr": 0.1})
        (ReplaceOptimizer(kind='Adam', optimizer='sgd', options={'lr': 0.1}, out_of_loop=True),)
    """
    found: list[ExecutableOperation] = []
    replaced = {key.rpartition(".")[0] for key in wanted if key.endswith(".kind")}
    for key, value in wanted.items():
        name, group, field = _place(program, key)
        if field == "batch_size" and name in program.spec.data:
            if not isinstance(value, int | None) or isinstance(value, bool):
                raise OperationError(f"{key} cannot be {value!r}", "give a whole number, or None")
            found.append(SetBatchSize(name, value, out_of_loop=True))
        elif field == "kind":
            options = {
                other.rpartition(".")[2]: _plain(item)
                for other, item in wanted.items()
                if other.rpartition(".")[0] == name and other != key
            }
            if not isinstance(value, str):
                raise OperationError(f"{key} cannot be {value!r}", "name a kind, such as 'Adam'")
            found.insert(0, ReplaceOptimizer(value, name, options, out_of_loop=True))
        elif name not in replaced or group is not None:
            groups = range(len(program.optimizers[name].param_groups))
            found += [
                SetHyperparameter(field, _number(key, value), name, at, out_of_loop=True)
                for at in (groups if group is None else (group,))
            ]
    return tuple(found)


def _limits(
    program: Program, log: EventLog, at: int, wanted: dict[str, Any]
) -> dict[tuple[type[Operation], str], dict[str, float]]:
    """Remove the limits of clippings from what is wanted, and return them by kind and optimizer.

    Raises:
        OperationError: No such clipping is recorded from Event `at` on, or it takes no such limit.
    """
    found: dict[tuple[type[Operation], str], dict[str, float]] = {}
    for key in list(wanted):
        name, _, field = key.rpartition(".")
        kind = _LIMITS.get(field)
        if kind is None or name not in program.optimizers:
            continue
        value = _number(key, wanted.pop(key))
        if isinstance(value, (bool, list)) or not value >= 0:
            raise OperationError(f"{key} cannot be {value!r}", "give 0 or more")

        def clips(done: Operation, kind: type[Operation] = kind, name: str = name) -> bool:
            return isinstance(done, kind) and getattr(done, "optimizer", "") == name

        if not len(log.find(at - 1, len(log), operation=clips)):
            raise OperationError(
                f"no clipping of {name} with a {field} is recorded from Event {at:,} on",
                "replay from an earlier Event, or insert a clipping",
            )
        found[kind, name] = {field: float(value)}
    return found


def _place(program: Program, key: str) -> tuple[str, int | None, str]:
    match = _PLACE.fullmatch(key)
    if match is not None:
        name, group, field = match["name"], match["group"], match["field"]
        inner = name.removeprefix("data.")
        if field == "batch_size" and inner in program.spec.data:
            return inner, None, field
        if name in program.optimizers:
            return name, None if group is None else int(group), field
    known = [f"{name}.{option}" for name in program.optimizers for option in ("lr", "kind")]
    known += [f"{name}.{field}" for name in program.optimizers for field in _LIMITS]
    known += [f"{name}.batch_size" for name in program.spec.data]
    raise OperationError(f"there is nothing to set at {key!r}", nearest(key, known))


def _number(key: str, value: Any) -> Any:  # noqa: ANN401 - as SetHyperparameter takes it
    plain = _plain(value)
    numbers = plain if isinstance(plain, list) else [plain]
    if not all(isinstance(item, (int, float)) for item in numbers):
        raise OperationError(f"{key} cannot be {value!r}", "give a number")
    return plain


def _plain(value: Any) -> Any:  # noqa: ANN401 - a value of a hyperparameter
    return list(value) if isinstance(value, (list, tuple)) else value


def _out_of_loop(operation: Operation) -> Operation:
    return msgspec.structs.replace(operation, out_of_loop=True)


def _check_event(event: int, first: int, last: int) -> None:
    if not first <= event <= last:
        there = f"this what-if has Events {first:,} to {last:,}"
        raise OperationError(f"there is no Event {event:,} to edit", there)
