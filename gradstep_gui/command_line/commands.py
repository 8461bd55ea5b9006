"""`gradstep run`, `report`, `export`, `gallery` and `kinds`."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table
from rich.text import Text

from gradstep.errors import ExpressionError, GradStepError
from gradstep.lessons.codec import questions_in
from gradstep.pluralize import pluralize
from gradstep.program.gallery import scenarios
from gradstep.program.schema import reference
from gradstep.program.suggestions import nearest
from gradstep_gui.command_line.summaries import (
    print_findings,
    print_predictions,
    print_summary,
    summary_of,
)
from gradstep_gui.command_line.terminal import (
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
    summary = summary_of(debugger)
    summary["seconds"] = round(seconds, 3)
    summary["stopped"] = {"kind": reason.kind, "event": reason.event, "sentence": reason.sentence}
    summary["log"] = list(debugger.breakpoints.lines)
    summary["watches"] = {watch.expression: _value(watch) for watch in debugger.watches}
    if options.json:
        print_json(summary)
    else:
        done = debugger.program.iteration - before
        pace = f", {done / seconds:,.0f} a second" if done and seconds else ""
        print_summary(summary, f"{pluralize(done, 'iteration')} in {seconds:.2f} s{pace}")
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
    summary = summary_of(debugger)
    lesson = debugger.lesson
    summary["predictions"] = () if lesson is None else lesson.predictions
    summary["alteration"] = debugger.alteration
    if options.json:
        print_json(summary)
    else:
        print_summary(summary, pluralize(summary["events"], "Event"))
        print_findings(debugger.findings)
        if lesson is not None:
            print_predictions(lesson.predictions, questions_in(lesson))
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
