"""Converts Histories to the records of a session, and back."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import GradStepError, ProgramError, SessionError
from gradstep.history.checkpoint import Checkpoint, CheckpointStore, tree_bytes
from gradstep.history.curves.series import Series
from gradstep.history.history import History
from gradstep.history.log.event_log import EventLog
from gradstep.history.log.vocabulary import Vocabulary
from gradstep.program.document.files import InMemoryFiles
from gradstep.program.operation import Backward, Forward, Step
from gradstep.program.program import Program
from gradstep.program.state.program_state import ProgramState
from gradstep.script.mirror import Mirror
from gradstep.session.event_chunk import CHUNK
from gradstep.session.record import Session, SessionBranch
from gradstep.session.series_rows import SeriesRows

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import Branch
    from gradstep.history.records.finding import BranchFindings
    from gradstep.history.records.landscape import StoredLandscape
    from gradstep.history.records.lesson import LessonState
    from gradstep.history.source import Source, SourceState
    from gradstep.program.operation import Operation

__all__ = [
    "histories_of",
    "release_events",
    "restored",
    "series_rows",
    "session_branch",
    "session_of",
    "state_tree",
]

_SAVED_CHECKPOINTS_BYTES = 64 * 2**20
"""Limit per branch: sessions are sent to others, and a replay computes what is omitted."""
_REMEDY = "the file is damaged; open a copy or an autosave of it"
# What building a state from a damaged tree may raise.
_MISFITS = (LookupError, TypeError, ValueError, AttributeError, OverflowError, struct.error)


def state_tree(work_s: float, state: SourceState) -> dict[str, Any]:
    """Return a Checkpoint as the tree that a session stores."""
    return {"work_s": work_s, "state": state.to_tree()}


def session_of(
    program: Debuggee,
    branches: Sequence[Branch],
    current: int,
    position: int,
    *,
    breakpoints: Sequence[str] = (),
    watches: Sequence[str] = (),
    findings: Sequence[BranchFindings] = (),
    layout: bytes = b"",
    landscapes: Sequence[StoredLandscape] = (),
    lesson: LessonState | None = None,
    altered: Sequence[str] = (),
) -> Session:
    """Return the session of a program and its branches.

    Args:
        program: The program, standing after Event `position` of the current branch.
        branches: Every branch, parents first.
        current: The id of the current branch.
        position: The index of the current Event.
        breakpoints: Their texts.
        watches: Their texts.
        findings: What the diagnostics found, by branch.
        layout: The window's arrangement.
        landscapes: Landscapes that are complete.
        lesson: How far the lesson is.
        altered: The tables that had been changed in the file from which the recording was opened.
    """
    here, ids = (position, program.capture()), {branch.id for branch in branches}
    return Session(
        spec=program.spec,
        files=dict(program.files),
        branches=tuple(
            session_branch(branch, here if branch.id == current else None) for branch in branches
        ),
        branch=current,
        position=position,
        breakpoints=tuple(breakpoints),
        watches=tuple(watches),
        findings=tuple(findings),
        layout=layout,
        landscapes=tuple(landscapes),
        lesson=lesson,
        altered=tuple(altered),
        tape=program.tape.copy_all(ids) if isinstance(program, Mirror) else None,
    )


def restored(
    session: Session, advance: Callable[[int], None] = lambda _read: None
) -> tuple[Debuggee, dict[int, History]]:
    """Return a session's program, at the Event where it was saved, and its Histories by branch.

    The state at that Event is exact on every machine. Other moments need a replay, which fails on a
    machine whose arithmetic gives other bits.

    Args:
        session: The contents of a file.
        advance: Called with the number of Events that were just put into a log.

    Raises:
        SessionError: The parts of the session are inconsistent.
    """
    try:
        program = _debuggee(session)
        histories = histories_of(session, program, ProgramState.from_tree, advance)
        history = histories[session.branch]
        history.ensure_resumed(program)
        history.goto(program, session.position)
    except ProgramError as error:
        raise SessionError(f"the session does not fit its program: {error}", _REMEDY) from error
    return program, histories


def _debuggee(session: Session) -> Debuggee:
    if session.tape is None:
        return Program.from_spec(session.spec, files=InMemoryFiles(session.files))
    tape = session.tape
    lengths = {branch.id: branch.forked_at + len(branch.events) for branch in session.branches}
    for line, item in tape.branches.items():
        item.recorded = lengths.get(line, max(lengths.values()))
        if lengths.get(line, 0) > len(item.rows):
            raise SessionError(f"the values of branch {line} end before its Events do", _REMEDY)
    return Mirror(tape)


def session_branch(branch: Branch, here: tuple[int, SourceState] | None = None) -> SessionBranch:
    """Return a branch as the record that a session stores.

    It shares the Events and states, which never change, so that another thread can write it to a
    file while the branch grows.

    Args:
        branch: The branch.
        here: The index of the current Event and the state after it, when it is on this branch: the
            session then opens there without a replay, on any machine.
    """
    history = branch.history
    kept = history.checkpoints.fork(len(history))
    kept.budget_bytes = min(kept.budget_bytes, _SAVED_CHECKPOINTS_BYTES)
    own = kept.since(-1 if branch.parent is None else branch.forked_at)
    trees = {item.index: state_tree(item.work_s, item.state) for item in own}
    if here is not None and here[0] not in trees:
        index, state = here
        trees[index] = state_tree(history.checkpoints.before(index).work_s, state)
    return SessionBranch(
        id=branch.id,
        parent=branch.parent,
        forked_at=branch.forked_at,
        name=branch.name,
        events=history.log.fork(len(history)).view(branch.forked_at),
        checkpoints=trees,
        series=series_rows(history),
    )


def series_rows(history: History, since: int = 0) -> SeriesRows:
    """Return the rows of a branch's Series from row `since` on."""
    return SeriesRows(history.series.names[1:], *history.series.to_arrays(since))


def histories_of(
    session: Session,
    source: Source,
    load_state: Callable[[Mapping[str, Any]], Any],
    advance: Callable[[int], None] = lambda _read: None,
) -> dict[int, History]:
    """Return the Histories of a session by branch id, none of them resumed yet.

    Args:
        session: The contents of a file.
        source: The session's program, newly built.
        load_state: Builds a state of the program from its tree.
        advance: Called with the number of Events that were just put into a log.

    Raises:
        SessionError: The session belongs to another program.
    """
    found: dict[int, History] = {}
    try:
        for branch in session.branches:
            parent = None if branch.parent is None else found[branch.parent]
            found[branch.id] = _history(branch, parent, source, load_state, advance)
    except SessionError:
        raise
    except (GradStepError, *_MISFITS) as error:
        reason = error.message if isinstance(error, GradStepError) else type(error).__name__
        raise SessionError(f"the session does not fit its program: {reason}", _REMEDY) from error
    return found


def release_events(session: Session) -> None:
    """Empty the lists of Events of a session that was read and is not needed any more.

    They are freed bit by bit: freeing a million of them at once would stop every other thread.
    """
    for branch in session.branches:
        events = branch.events
        while isinstance(events, list) and events:
            del events[-CHUNK:]


def _check_target(operation: Operation, source: Source) -> None:
    """Check that the target of an Operation exists: a file may say anything.

    Raises:
        SessionError: There is no such optimizer or loss.
    """
    match operation:
        case Step(optimizer=target):
            known: Container[str] = source.optimizers
        case Forward(loss=target) | Backward(loss=target):
            known = source.losses
        case _:
            return
    if target not in known:
        raise SessionError(f"an Event in the file is of the unknown {target}", _REMEDY)


def _history(
    branch: SessionBranch,
    parent: History | None,
    source: Source,
    load_state: Callable[[Mapping[str, Any]], Any],
    advance: Callable[[int], None],
) -> History:
    if parent is None:
        log, checkpoints = EventLog(Vocabulary(tuple(source.losses))), CheckpointStore()
    else:
        log = parent.log.fork(branch.forked_at)
        checkpoints = parent.checkpoints.fork(branch.forked_at)
    checked: dict[int, Operation] = {}  # by id: as long as they are here, no other has it
    for start in range(0, len(branch.events), CHUNK):
        events = branch.events[start : start + CHUNK]
        for event in events:
            operation = event.operation
            if event.outcome.ok and id(operation) not in checked:
                _check_target(operation, source)
                checked[id(operation)] = operation
        log.extend(map(log.vocabulary.numbers, events))
        advance(len(events))
    for index, tree in sorted(branch.checkpoints.items()):
        state = tree["state"]
        checkpoints.add(
            Checkpoint(index, float(tree["work_s"]), tree_bytes(state), load_state(state))
        )
    if not len(checkpoints) or checkpoints.indices[0] != 0:
        raise SessionError("the session lacks its initial state", _REMEDY)
    series = Series(source, prime=branch.series is None)
    if branch.series is not None:
        ends = branch.series.moments[:, 0]
        if not len(ends) or ends[0] != 0 or ends[-1] > len(log) or (np.diff(ends) < 0).any():
            raise SessionError("the series in the file do not fit its Events", _REMEDY)
        series.load(branch.series.names, branch.series.moments, branch.series.values)
    return History(log, checkpoints, series, branch.id)
