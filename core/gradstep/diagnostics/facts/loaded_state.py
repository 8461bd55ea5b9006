"""The fact about a resume that loads some parts of a state and not others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.program.operation import LoadState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gradstep.history.debuggee import Debuggee
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.state.program_state import ProgramState

__all__ = ["resume_facts"]


def resume_facts(
    seen: AppliedEvent, program: Debuggee, then: ProgramState
) -> Iterator[Observation]:
    """Yield the fact that a LoadState omitted a part of the state.

    A part counts only if what it holds now differs from what it held then, and if something in the
    program uses it.

    Args:
        seen: A successful LoadState.
        program: The program right after it.
        then: The state after the Event that it names.
    """
    operation = seen.operation
    assert isinstance(operation, LoadState)
    if "modules" not in operation.parts:
        return
    now = program.capture()
    missing = tuple(
        part
        for part in _WORDS
        if part not in operation.parts and _part(part, program, now) != _part(part, program, then)
    )
    if missing:
        events = (operation.event, seen.index) if operation.event else (seen.index,)
        place = f"#{operation.event:,}" if operation.event else "the start"
        behind = joined_names(tuple(_WORDS[part] for part in missing))
        note = f"Load State #{seen.index:,} took the modules back to {place}, but not {behind}"
        yield Observation("resume-incomplete", missing, events, note)


_WORDS = {
    "optimizers": "the state of the optimizers",
    "schedulers": "the schedulers",
    "generator": "the random generator",
    "data_order": "the place in the data",
}


def _part(part: str, program: Debuggee, state: ProgramState) -> Any:  # noqa: ANN401 - nested data
    """Return what a part of a state does to the run that follows, as comparable data."""
    if part == "optimizers":
        return {name: _optimizer(saved) for name, saved in state.optimizers.items()}
    if part == "schedulers":
        return _plain(state.schedulers)
    if part == "generator":
        return _plain(state.generator) if _draws(program) else None
    return {name: _plain(program.next_rows(name, place)) for name, place in state.feeds.items()}


def _optimizer(saved: Mapping[str, Any]) -> list[Any]:
    """Return hyperparameters and state; tensors stand for each other by their place in a group."""
    return [
        [
            {option: _plain(value) for option, value in group.items() if option != "params"},
            [_plain(saved["state"].get(key, {})) for key in group["params"]],
        ]
        for group in saved["groups"]
    ]


def _draws(program: Debuggee) -> bool:
    """Whether a Forward of the program may draw random numbers."""
    spec = program.spec
    shuffles = any(data.shuffle for data in spec.data.values())
    return shuffles or any(map(spec.is_random, spec.losses))


def _plain(value: Any) -> Any:  # noqa: ANN401 - nested data
    """Return nested data with arrays as bytes, so that NaN equals itself and -0 is not 0."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return repr(value)
