"""`gradstep run`, `report`, `export`, `gallery` and `kinds`."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gradstep.errors import ExpressionError, GradStepError
from gradstep.pluralize import pluralize
from gradstep.program.gallery import scenarios
from gradstep.program.schema import reference
from gradstep.program.suggestions import nearest
from gradstep_gui.command_line.terminal import (
    new_table,
    open_debugger,
    print_json,
    print_table,
    recorded,
    run,
    save,
)

if TYPE_CHECKING:
    import argparse

    from gradstep.debugger import Debugger, Watch
    from gradstep.history.records.finding import Finding

__all__ = ["export", "gallery", "kinds", "report", "run_program"]

_DONE, _FINDING, _FAILED, _BAD_CONDITION = 0, 1, 1, 2
_TESTED_ITERATIONS = 20


def run_program(options: argparse.Namespace) -> int:
    """Run a program, or continue a session."""
    debugger = open_debugger(options.file)
    count = debugger.program.spec.iterations if options.iterations is None else options.iterations
    if options.memory is not None:
        debugger.branches.memory_budget = options.memory * 2**20
    _set_up(debugger, options)
    before, start = debugger.program.iteration, time.perf_counter()
    reason = run(debugger, count)
    seconds = time.perf_counter() - start
    if options.save is not None:
        save(debugger, options.save)
    summary = _summary(debugger)
    summary["seconds"] = round(seconds, 3)
    summary["stopped"] = {"kind": reason.kind, "event": reason.event, "sentence": reason.sentence}
    summary["log"] = list(debugger.breakpoints.lines)
    summary["watches"] = {watch.expression: _value(watch) for watch in debugger.watches}
    if options.json:
        print_json(summary)
    else:
        done = debugger.program.iteration - before
        pace = f", {done / seconds:,.0f} a second" if done and seconds else ""
        _print_summary(summary, f"{pluralize(done, 'iteration')} in {seconds:.2f} s{pace}")
        if reason.kind == "breakpoint":
            sys.stdout.write(f"Stopped: {reason.sentence}\n")
        for line in debugger.breakpoints.lines:
            sys.stdout.write(f"Event {line.event:,}: {line.text}\n")
        for expression, value in summary["watches"].items():
            sys.stdout.write(f"{expression} = {value}\n")
        if options.save is not None:
            sys.stdout.write(f"Saved as {options.save}\n")
    return {"failed": _FAILED, "condition_error": _BAD_CONDITION}.get(reason.kind, _DONE)


def report(options: argparse.Namespace) -> int:
    """Print what happened in a session and what is wrong with it."""
    debugger = recorded(options.file, options.iterations)
    summary = _summary(debugger)
    if options.json:
        print_json(summary)
    else:
        _print_summary(summary, pluralize(summary["events"], "Event"))
        _print_findings(debugger.findings)
    if any(finding.severity == "fact" for finding in debugger.findings):
        return _FINDING
    last = debugger.event
    return _DONE if last is None or last.outcome.ok else _FAILED


def export(options: argparse.Namespace) -> int:
    """Write a program, or what a session recorded, as a PyTorch script or as a test."""
    debugger = open_debugger(options.file)
    if options.test and not len(debugger.events):
        debugger.iterate(min(_TESTED_ITERATIONS, debugger.program.spec.iterations))
    if options.out is None:
        sys.stdout.write(debugger.script(test=options.test))
    else:
        debugger.export(options.out, test=options.test)
    return _DONE


def gallery(options: argparse.Namespace) -> int:
    """List the included programs."""
    known = scenarios()
    if options.json:
        print_json(
            [
                {"id": item.id, "title": item.title, "summary": item.summary, "path": item.path}
                for item in known
            ]
        )
        return _DONE
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("file", no_wrap=True)
    table.add_column("description")
    for item in known:
        table.add_row(item.path.name, f"{item.title}. {item.summary}")
    print_table(table)
    sys.stdout.write(f"\nFolder: {known[0].path.parent}\n")
    return _DONE


def kinds(options: argparse.Namespace) -> int:
    """List what a program can contain, with the fields of each."""
    known = reference.kinds()
    if options.kind is not None:
        known = tuple(kind for kind in known if kind.name == options.kind)
        if not known:
            remedy = nearest(options.kind, [kind.name for kind in reference.kinds()])
            raise GradStepError(f"there is no kind {options.kind!r}", remedy)
    if options.json:
        print_json(known)
        return _DONE
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("part", "kind"):
        table.add_column(column, no_wrap=True)
    table.add_column("fields (required without a default)")
    table.add_column("description")
    for kind in known:
        fields = ", ".join(
            name if default is None else f"{name}={default}"
            for name, default in kind.fields.items()
        )
        table.add_row(kind.section, kind.name, Text(fields), Text(kind.summary))
    print_table(table)
    return _DONE


def _set_up(debugger: Debugger, options: argparse.Namespace) -> None:
    """Add the breakpoints and watches of the command line to those of the session."""
    for option, texts, add in (
        ("--break", options.breaks, debugger.break_when),
        ("--watch", options.watches, debugger.watch),
    ):
        for text in texts:
            try:
                add(text)
            except ExpressionError as error:
                message = f"{option} {text!r}: {error.message}"
                raise ExpressionError(message, error.remedy) from None


def _value(watch: Watch) -> object:
    """Return a watch's value for JSON, or the error when it cannot be computed."""
    try:
        value = watch.value
    except ExpressionError as error:
        return {"error": str(error)}
    return value.tolist() if isinstance(value, np.ndarray) else value


def _summary(debugger: Debugger) -> dict[str, Any]:
    """Return the summary of a session as plain values."""
    program = debugger.program
    values: dict[str, list[float]] = {name: [] for name in program.losses}
    failed = 0
    for event in debugger.events:
        failed += not event.outcome.ok
        computed = debugger.history.log.reads_writes(event.index).written_losses
        if event.loss is not None and len(computed) == 1:
            seen = values[computed[0]]
            seen[1:] = [event.loss]
            if len(seen) == 1:
                seen.append(event.loss)
    return {
        "program": program.spec.name,
        "iterations": program.iteration,
        "events": len(debugger.events),
        "failed_events": failed,
        "losses": {
            name: {"first": seen[0], "last": seen[-1]} for name, seen in values.items() if seen
        },
        "metrics": [name for name in program.spec.metrics if values[name]],
        "findings": list(debugger.findings),
    }


def _print_summary(summary: dict[str, Any], headline: str) -> None:
    console = Console(file=sys.stdout, highlight=False)
    console.print(f"{summary['program'] or 'a program'}: {headline}", soft_wrap=True, markup=False)
    metrics = summary["metrics"]
    table = new_table("loss or metric" if metrics else "loss", "first", "last")
    for name, ends in summary["losses"].items():
        table.add_row(name, f"{ends['first']:.6g}", f"{ends['last']:.6g}")
    if summary["losses"]:
        print_table(table)
    if summary["failed_events"]:
        console.print(f"{pluralize(summary['failed_events'], 'Event')} ended with an error")
    counts = [
        pluralize(sum(1 for f in summary["findings"] if f.severity == kind), kind)
        for kind in ("fact", "suspicion")
    ]
    console.print(f"findings: {', '.join(counts)}")


def _print_findings(findings: tuple[Finding, ...]) -> None:
    console = Console(file=sys.stdout, highlight=False)
    for finding in findings:
        shown = ", ".join(f"{index:,}" for index in finding.events[:5])
        more = " ..." if len(finding.events) > len(finding.events[:5]) else ""
        times = f"; {finding.count:,} times, last at {finding.last:,}" if finding.count > 1 else ""
        where = f" (Events {shown}{more}{times})" if finding.events else ""
        lines = [f"\n{finding.severity}: {finding.title} [{finding.id}]{where}", finding.detail]
        if finding.value is not None:
            source = f" (source: {finding.source})" if finding.source else ""
            lines.append(f"measured {finding.value:.3g}, threshold {finding.threshold}{source}")
        elif finding.source:
            lines.append(f"source: {finding.source}")
        for line in filter(None, (*lines, finding.remedy)):
            console.print(line, soft_wrap=True, markup=False)
