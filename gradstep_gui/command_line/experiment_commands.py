"""`gradstep what-if`, `compare` and `resume-check`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from gradstep.errors import GradStepError, OperationError
from gradstep.pluralize import pluralize
from gradstep.program.operation import Operation
from gradstep.program.suggestions import nearest
from gradstep.session.opening import is_session
from gradstep.short_number import short_number
from gradstep_gui.command_line.remedies import remedies
from gradstep_gui.command_line.terminal import (
    interruptible_progress,
    new_table,
    print_json,
    print_table,
    print_text,
    recorded,
    report_failure,
    save,
)

if TYPE_CHECKING:
    import argparse

    from gradstep.debugger import Debugger
    from gradstep.history.records.comparison import Comparison
    from gradstep.history.records.what_if import ResumeCheck

__all__ = ["compare", "resume_check", "what_if"]

_SAME, _DIFFERENT = 0, 1
_BRANCH = re.compile(r"(?P<file>.+)@(?P<branch>\d+)")


def what_if(options: argparse.Namespace) -> int:
    """Replay the rest of a run with changes."""
    if options.remedy is not None:
        return remedies(options)
    if not (options.skip or options.insert or options.move or options.set):
        raise GradStepError(
            "what-if needs at least one change", "give --set, --skip, --insert, --move or --remedy"
        )
    debugger = recorded(options.file, options.iterations)
    if options.branch is not None:
        debugger.checkout(options.branch)
    inserted = [(event, _operation(text)) for event, text in options.insert]
    at = options.at
    if at is None and not (options.skip or inserted or options.move):
        at = 1  # the whole run with other settings
    with interruptible_progress("Events") as (should_stop, progress):
        branch = debugger.what_if(
            at,
            skip=options.skip,
            insert=inserted,
            move=options.move,
            set=dict(options.set),
            progress=progress,
            should_stop=should_stop,
        )
        if should_stop():
            sys.stderr.write("gradstep: interrupted; the branch ends there\n")
    report_failure("the what-if", branch.history.events[-1] if branch.history.events else None)
    found = debugger.compare(branch)
    if options.save is not None:
        save(debugger, options.save)
    if options.json:
        print_json({"branch": branch.id, **_plain(found)})
    else:
        _print(found)
        if options.save is not None:
            sys.stdout.write(f"Saved {options.save} with the what-if as branch {branch.id}\n")
    return _SAME


def compare(options: argparse.Namespace) -> int:
    """Find where two sessions, or two branches of one, differ."""
    (file_a, branch_a), (file_b, branch_b) = _place(options.a), _place(options.b)
    one = recorded(file_a)
    two = one if file_a == file_b else recorded(file_b)
    if one is two:
        own = one.branches.current.id
        a, b = (own if branch is None else branch for branch in (branch_a, branch_b))
        found = one.compare(a, b, rows=options.rows)
    else:
        for debugger, branch in ((one, branch_a), (two, branch_b)):
            if branch is not None:
                debugger.checkout(branch)
        names = _name(options.a, file_a, one), _name(options.b, file_b, two)
        found = one.compare(one, two, rows=options.rows, names=names)
    if options.json:
        print_json(_plain(found))
    else:
        _print(found)
    return _SAME if found.is_same else _DIFFERENT


def resume_check(options: argparse.Namespace) -> int:
    """Check whether a run can be interrupted and resumed."""
    debugger = recorded(options.file, options.iterations)
    with interruptible_progress("Events") as (should_stop, progress):
        found = debugger.resume_check(options.at, progress=progress, should_stop=should_stop)
    if options.json:
        print_json(_plain_check(found))
    else:
        _print_check(found)
    return _SAME if found.full.is_same else _DIFFERENT


def _name(text: str, file: Path, debugger: Debugger) -> str:
    """Return the name of one side of a comparison: the file, and which of several branches."""
    if not is_session(file) or len(debugger.branches) == 1:
        return text
    branch = debugger.branches.current
    return f"{file}@{branch.id} ({branch.name})"


def _place(text: str) -> tuple[Path, int | None]:
    """Split FILE@N into file and branch, unless a file has that very name."""
    match = _BRANCH.fullmatch(text)
    if match is None or Path(text).exists():
        return Path(text), None
    return Path(match["file"]), int(match["branch"])


def _operation(text: str) -> Operation:
    """Read an Operation: a kind alone, or JSON."""
    kinds = [str(kind.__struct_config__.tag) for kind in get_args(Operation)]
    if not text.startswith("{") and text not in kinds:
        raise OperationError(f"there is no Operation {text!r}", nearest(text, kinds))
    written = text if text.startswith("{") else msgspec.json.encode({"op": text})
    try:
        operation: Operation = msgspec.json.decode(written, type=Operation)
    except msgspec.MsgspecError as error:
        raise OperationError(
            f"{text!r} is not an Operation: {error}", 'write JSON as {"op": "step"}'
        ) from None
    return operation


def _plain(found: Comparison) -> dict[str, Any]:
    """Return a comparison as plain values."""
    what = found.difference
    return {
        "names": found.names,
        "events": found.lengths,
        "same": found.is_same,
        "sentence": found.sentence,
        "notes": found.notes,
        "first_event": found.first_event,
        "first_events": found.events,
        "iteration": found.iteration,
        "operation": found.operation,
        "tensor": found.tensor,
        "element": found.element,
        "ulps": found.ulps,
        "values": None if what is None else (what.a, what.b),
        "elements_that_differ": 0 if what is None else what.count,
        "most_ulps": 0 if what is None else what.most_ulps,
        "rows": [
            {
                "iteration": row.iteration,
                "events": row.events,
                "distance": row.distance,
                "values": row.values,
            }
            for row in found.rows
        ],
    }


def _print(found: Comparison) -> None:
    for letter, name, count in zip("AB", found.names, found.lengths, strict=True):
        print_text(f"{letter}: {name}, {pluralize(count, 'Event')}")
    for text in (found.sentence, *found.details):
        print_text(text)
    if not found.rows:
        return
    losses = [name for name in found.rows[0].values if name.startswith("loss/")]
    heads = [f"{name.removeprefix('loss/')} {letter}" for name in losses for letter in "AB"]
    table = new_table("iteration", *heads, "distance")
    for row in found.rows:
        values = [_number(value) for name in losses for value in row.values[name]]
        table.add_row(f"{row.iteration:,}", *values, _number(row.distance))
    print_table(table)
    print_text("distance: Euclidean, between all tensors of A and B except gradients")


def _plain_check(found: ResumeCheck) -> dict[str, Any]:
    """Return a resume check as plain values."""
    return {
        "at": found.at,
        "iteration": found.iteration,
        "last": found.last,
        "same": found.full.is_same,
        "sentence": found.sentence,
        "lost_by_weights_only": found.lost,
        "not_in_a_checkpoint": found.unheld,
        "resumptions": [
            {
                "parts": run.parts,
                "same": run.is_same,
                "first_event": run.first_event,
                "tensor": None if run.difference is None else run.difference.address,
                "element": None if run.difference is None else run.difference.element,
                "ulps": run.ulps,
                "error": run.error,
            }
            for run in found.resumptions
        ],
        "losses": [
            {"iteration": row[0], "uninterrupted": row[1], "full": row[2], "weights_only": row[3]}
            for row in found.rows()
        ],
    }


def _print_check(found: ResumeCheck) -> None:
    for text in (found.heading, found.sentence):
        print_text(text)
    table = new_table("resumed with", "first difference", "ULPs apart")
    for run in found.resumptions:
        units = "" if run.ulps is None else f"{run.ulps:,}"
        table.add_row(found.title(run), run.place, units)
    print_table(table)
    rows = list(found.rows())
    if rows:
        table = new_table("iteration", "uninterrupted", "fully resumed", "weights only")
        for iteration, *losses in rows:
            table.add_row(f"{iteration:,}", *map(_number, losses))
        print_table(table)


def _number(value: float) -> str:
    return "none" if value != value else short_number(value, 6)  # noqa: PLR0124 - NaN
