"""`gradstep what-if --remedy`: lists the remedies of findings, and tries one."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.errors import GradStepError
from gradstep.pluralize import pluralize
from gradstep.program.suggestions import nearest
from gradstep.short_number import short_number
from gradstep_gui.command_line.terminal import (
    interruptible_progress,
    print_json,
    print_text,
    recorded,
    report_failure,
    save,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from gradstep.debugger import Debugger
    from gradstep.history.records.finding import Finding
    from gradstep.history.records.what_if import Edits, Remedy
    from gradstep.program.operation import Operation

__all__ = ["remedies"]

_CLEARED, _NOT_CLEARED = 0, 1

_SHOWN = 12
"""Edits of one remedy that are listed."""


def remedies(options: argparse.Namespace) -> int:
    """List the remedies of a program's or session's findings, or try one."""
    for name in ("skip", "insert", "move", "set"):
        if getattr(options, name):
            raise GradStepError(
                f"--remedy cannot be combined with --{name}", "give one or the other"
            )
    if options.at is not None:
        raise GradStepError("--remedy chooses its own Events", "omit --at")
    debugger = recorded(options.file, options.iterations)
    if options.branch is not None:
        debugger.checkout(options.branch)
    if options.remedy:
        return _try(debugger, options)
    if options.save is not None:
        raise GradStepError("--remedy alone lists; there is nothing to save", "name a finding")
    return _list(debugger, as_json=options.json)


# --- listing --------------------------------------------------------------------------------


def _list(debugger: Debugger, *, as_json: bool) -> int:
    """Print every finding with the remedies that clear it."""
    found = debugger.findings
    listed = [(finding, *_remedies(debugger, finding)) for finding in found]
    if as_json:
        print_json([_plain_finding(debugger, *item) for item in listed])
        return _CLEARED
    for finding, offered, reason in listed:
        name = _name(finding, found)
        print_text(f"\n{finding.severity}: {finding.title} [{name}]")
        print_text(finding.detail)
        if reason:
            print_text(reason)
        for number, remedy in enumerate(offered, 1):
            choice = name if number == 1 else f"{name}#{number}"
            print_text(f"--remedy {choice}: {remedy.title}")
            for line in _changes(remedy):
                print_text(f"    {line}")
            outcome = "" if remedy.outcome is None else remedy.outcome.sentence
            print_text(f"    {outcome}")
    print_text(f"{pluralize(len(found), 'finding')}")
    return _CLEARED


def _remedies(debugger: Debugger, finding: Finding) -> tuple[tuple[Remedy, ...], str]:
    """Return the remedies that clear a finding, or why there is none."""
    with interruptible_progress("Events") as (should_stop, progress):
        try:
            return debugger.remedies(finding, progress=progress, should_stop=should_stop), ""
        except GradStepError as error:
            if should_stop():
                raise KeyboardInterrupt from None
            return (), error.message


def _changes(remedy: Remedy) -> Iterator[str]:
    """Yield what a remedy changes: lines of the document, or arguments of what-if."""
    if remedy.edits is None:
        yield from remedy.difference.splitlines()
        return
    lines = list(_arguments(remedy.edits))
    yield from lines[:_SHOWN]
    if len(lines) > _SHOWN:
        yield f"and {pluralize(len(lines) - _SHOWN, 'more change')}"


def _arguments(edits: Edits) -> Iterator[str]:
    """Yield edits as the arguments of what-if that make them, in the order of the Events."""
    for key, value in edits.set.items():
        yield f"--set {shlex.quote(f'{key}={value:g}')}"
    lines = [(event, 1, f"--skip {event}") for event in edits.skip]
    lines += [(event, 1, f"--move {event}:{before}") for event, before in edits.move]
    for event, operation in edits.insert:
        lines.append((event, 0, f"--insert {shlex.quote(f'{event}:{_written(operation)}')}"))
    for _, _, text in sorted(lines):
        yield text


def _written(operation: Operation) -> str:
    """Return an Operation as --insert takes it: its kind alone, or JSON without its defaults."""
    plain = msgspec.to_builtins(operation)
    kept = {
        field.encode_name: plain[field.encode_name]
        for field in msgspec.structs.fields(operation)
        if field.encode_name in plain
        and field.name != "out_of_loop"
        and getattr(operation, field.name) != field.default
    }
    if not kept:
        return str(plain["op"])
    return msgspec.json.encode({"op": plain["op"], **kept}).decode()


# --- trying ---------------------------------------------------------------------------------


def _try(debugger: Debugger, options: argparse.Namespace) -> int:
    """Carry out one remedy, and print the findings and losses before and after."""
    finding, number = _chosen(debugger.findings, options.remedy)
    offered, reason = _remedies(debugger, finding)
    if reason:
        raise GradStepError(reason, finding.remedy)
    if number > len(offered):
        raise GradStepError(
            f"{finding.id} has {pluralize(len(offered), 'remedy', 'remedies')}, not {number}",
            "omit the ID after --remedy to list them",
        )
    remedy = offered[number - 1]
    before, losses = debugger.findings, _losses(debugger)
    tried = _applied(debugger, remedy)
    report_failure("the what-if", tried.event)
    after = tried.findings
    is_cleared = remedy.outcome is not None and remedy.outcome.is_cleared
    if options.save is not None:
        save(tried, options.save)
    if options.json:
        print_json(
            {
                **_plain_remedy(remedy),
                "finding": finding.id,
                "cleared": is_cleared,
                "before": {"findings": [item.id for item in before], "losses": losses},
                "after": {"findings": [item.id for item in after], "losses": _losses(tried)},
            }
        )
        return _CLEARED if is_cleared else _NOT_CLEARED
    name = _name(finding, before)
    print_text(f"{name}, {remedy.title}:")
    for line in _changes(remedy):
        print_text(f"    {line}")
    for when, items, values in (
        ("before", before, losses),
        ("after", after, _losses(tried)),
    ):
        names = ", ".join(dict.fromkeys(item.id for item in items)) or "none"
        ends = "; ".join(
            f"{name} ends at {short_number(value, 6)}" for name, value in values.items()
        )
        print_text(f"{when}: findings: {names}; {ends or 'no loss'}")
    words = "is cleared" if is_cleared else "occurs again"
    print_text(f"{name} {words}")
    if options.save is not None:
        sys.stdout.write(f"Saved {options.save} with the remedy\n")
    return _CLEARED if is_cleared else _NOT_CLEARED


def _applied(debugger: Debugger, remedy: Remedy) -> Debugger:
    """Carry out a remedy: on a new branch, or on the edited program."""
    with interruptible_progress("Events") as (should_stop, progress):
        if remedy.document is not None:
            tried = debugger.with_document(
                remedy.document[1], progress=progress, should_stop=should_stop
            )
        else:
            tried = debugger
            edits = remedy.edits
            if edits is not None:
                branch = debugger.what_if(
                    **edits.arguments(),
                    progress=progress,
                    should_stop=should_stop,
                )
                debugger.checkout(branch)
        if should_stop():
            sys.stderr.write("gradstep: interrupted; the remedy is applied up to there\n")
    return tried


def _chosen(found: tuple[Finding, ...], text: str) -> tuple[Finding, int]:
    """Return the finding that ID, ID:SUBJECT or ID#N names, and the number of its remedy."""
    name, _, number = text.partition("#")
    if number and (not number.isdecimal() or int(number) < 1):
        raise GradStepError(f"{number!r} is not the number of a remedy", f"write {name}#2")
    id_, _, subject = name.partition(":")
    same = [item for item in found if item.id == id_]
    if not same:
        known = list(dict.fromkeys(item.id for item in found))
        hint = nearest(id_, known) if known else "run more iterations, or run without a remedy"
        raise GradStepError(f"there is no finding {id_!r} here", hint)
    if subject:
        matching = [item for item in same if subject in item.subjects]
        if not matching:
            subjects = [name for item in same for name in item.subjects]
            raise GradStepError(f"{id_} is not about {subject!r}", nearest(subject, subjects))
        same = matching
    if len(same) > 1:
        names = ", ".join(_name(item, found) for item in same)
        raise GradStepError(f"{id_} was found {len(same)} times", f"name one: {names}")
    return same[0], int(number or 1)


def _name(finding: Finding, found: tuple[Finding, ...]) -> str:
    """Return how --remedy names a finding: by its id, and a subject where several have it."""
    several = sum(item.id == finding.id for item in found) > 1
    return f"{finding.id}:{finding.subjects[0]}" if several and finding.subjects else finding.id


def _losses(debugger: Debugger) -> dict[str, float]:
    """Return the last recorded value of each loss."""
    series = debugger.history.series
    found = {}
    for name in series.losses:
        values = series.column(f"loss/{name}")[1]
        known = values[values == values]  # noqa: PLR0124 - NaN: not computed
        if len(known):
            found[name] = float(known[-1])
    return found


# --- JSON -----------------------------------------------------------------------------------


def _plain_finding(
    debugger: Debugger, finding: Finding, offered: tuple[Remedy, ...], reason: str
) -> dict[str, Any]:
    return {
        "finding": finding.id,
        "name": _name(finding, debugger.findings),
        "severity": finding.severity,
        "subjects": finding.subjects,
        "remedies": [_plain_remedy(remedy) for remedy in offered],
        "no_remedy": reason,
    }


def _plain_remedy(remedy: Remedy) -> dict[str, Any]:
    outcome = remedy.outcome
    return {
        "title": remedy.title,
        "arguments": [] if remedy.edits is None else list(_arguments(remedy.edits)),
        "document": None if remedy.document is None else remedy.document[1],
        "difference": remedy.difference,
        "cleared": outcome is not None and outcome.is_cleared,
        "found_instead": [] if outcome is None else [item.id for item in outcome.added],
    }
