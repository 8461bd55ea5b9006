"""EventDescriber: gathers the values for the sentence on the current moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.event_sentences import (
    MOST_NAMED,
    TINY,
    EventFacts,
    event_sentence,
    inside_sentence,
)
from gradstep.debugger.shadow_program import ShadowProgram
from gradstep.errors import GradStepError
from gradstep.history.live_values import read
from gradstep.history.reads_writes import Address
from gradstep.program.operation import Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gradstep.debugger.cursor import Cursor
    from gradstep.debugger.event_sentences import Value
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.reads_writes import ReadsWrites

__all__ = ["EventDescriber"]

MOST_ELEMENTS = 1_000_000
"""Larger tensors are named without their norm: it would take milliseconds."""

REPLAYED_ELEMENTS = 100_000
"""The past of larger programs is not replayed for a sentence."""

REPLAYED_BYTES = 1_000_000
"""Nor is that of programs with larger data files: the replay needs a second copy of these."""


class EventDescriber:
    """Says what the last Event, or the last micro-step, did.

    The values before an Event are those of the previous sentence, if it was on the moment before;
    else they are replayed on a second program, if that is quick. The live program is not moved.

    Args:
        cursor: The live program's place in time.
    """

    __slots__ = ("_cursor", "_described", "_names", "_remembered", "_shadow")

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._described: tuple[object, str] | None = None
        self._remembered: tuple[History, int, Mapping[str, Value]] | None = None
        self._shadow: ShadowProgram | None = None
        self._names: tuple[object, tuple[str, ...], tuple[str, ...]] | None = None

    def sentence(self, *, compare: bool) -> str:
        """Return the sentence of the current moment.

        Args:
            compare: Also give values before the Event; it may take a replay.
        """
        cursor = self._cursor
        walk = cursor.walk
        if walk is not None and walk.step is not None:
            return inside_sentence(walk.operation, walk.step)
        key = cursor.history, cursor.position, compare
        if self._described is None or self._described[0] != key:
            self._described = key, event_sentence(self._facts(compare=compare))
            if compare:
                self._remember()
        return self._described[1]

    def _facts(self, *, compare: bool) -> EventFacts:
        cursor = self._cursor
        program, position = cursor.program, cursor.position
        metrics = program.spec.metrics
        trainable, _ = self._known_names()
        common: dict[str, Any] = {
            "trainable": trainable,
            "buffers": program.buffers,
            "losses": sum(name not in metrics for name in program.losses),
            "optimizers": len(program.optimizers),
        }
        if not position:
            return EventFacts(after=_values(program, trainable[:MOST_NAMED]), **common)
        log = cursor.history.log
        wrote = log.reads_writes(position)
        names = _named(wrote)
        after = _values(program, names)
        writes_tiny = any(array is not None and array.size <= TINY for array in after.values())
        replaces = bool(wrote.written_tensors or set(wrote.read_gradients) & {*names})
        return EventFacts(
            log.event(position),
            wrote,
            after,
            self._before(names) if compare and writes_tiny and replaces else {},
            state=_state(program, log.operation(position), wrote),
            **common,
        )

    def _before(self, names: Iterable[str]) -> Mapping[str, Value]:
        """Return the values of tensors before the last Event; nothing where that takes long."""
        history, index = self._cursor.history, self._cursor.position - 1
        if self._remembered is not None and self._remembered[:2] == (history, index):
            return self._remembered[2]
        program = self._cursor.program
        elements = sum(tensor.numel() for tensor in program.tensors.values())
        if elements > REPLAYED_ELEMENTS or sum(map(len, program.files.values())) > REPLAYED_BYTES:
            return {}
        try:
            if self._shadow is None:
                self._shadow = ShadowProgram(program)
            self._shadow.go(history, index)
        except GradStepError:  # it cannot be reproduced, which a seek there reports
            self._shadow = None
            return {}
        return _values(self._shadow.program, names)

    def _remember(self) -> None:
        """Keep the values of small tensors, for the sentence of the next Event."""
        cursor = self._cursor
        _, tiny = self._known_names()
        values = {
            address: None if value is None else value.copy()
            for address, value in _values(cursor.program, tiny).items()
        }
        self._remembered = cursor.history, cursor.position, values

    def _known_names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names of the tensors that autograd tracks, and of those that are tiny."""
        program = self._cursor.program
        unmet, key = program.unmet, (program.structure, program.unmet)
        if self._names is None or self._names[0] != key:
            met = [(name, item) for name, item in program.tensors.items() if name not in unmet]
            trainable = tuple(name for name, tensor in met if tensor.requires_grad)
            tiny = tuple(name for name, tensor in met if tensor.numel() <= TINY)
            self._names = key, trainable, tiny
        return self._names[1:]


def _named(wrote: ReadsWrites) -> tuple[str, ...]:
    """Return the names of the tensors whose values the sentence gives."""
    groups = (wrote.written_tensors, wrote.written_gradients)
    few = (group for group in groups if len(group) <= MOST_NAMED)
    return tuple(dict.fromkeys(name for group in few for name in group))


def _values(program: Debuggee, names: Iterable[str]) -> dict[str, Value]:
    """Return the data and gradients of tensors, not copied; without those that are not recorded."""
    found: dict[str, Value] = {}
    for name in names:
        for address in (Address("data", name), Address("grad", name)):
            if str(address) in program.unrecorded:
                continue
            value = read(program, address)
            if value is None or np.size(value) <= MOST_ELEMENTS:
                found[str(address)] = None if value is None else np.asarray(value)
    return found


def _state(program: Debuggee, operation: object, wrote: ReadsWrites) -> tuple[str, ...]:
    """Return what an optimizer's Step stored for the first tensor that it moved."""
    if not isinstance(operation, Step) or not wrote.written_states:
        return ()
    name = wrote.written_states[0][1][0]
    optimizer, tensor = program.optimizers.get(operation.optimizer), program.tensors.get(name)
    return () if optimizer is None or tensor is None else tuple(optimizer.state.get(tensor, ()))
