"""What commands print of a run: its losses, and the findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from gradstep.pluralize import pluralize
from gradstep.short_number import short_number
from gradstep_gui.command_line.terminal import new_table, print_table, print_text

if TYPE_CHECKING:
    from gradstep.debugger import Debugger
    from gradstep.history.records.finding import Finding
    from gradstep.history.records.lesson import Prediction

__all__ = ["print_findings", "print_predictions", "print_summary", "summary_of"]


def summary_of(debugger: Debugger) -> dict[str, Any]:
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


def print_summary(summary: dict[str, Any], headline: str) -> None:
    """Print the first and last values of the losses, and how many findings there are."""
    print_text(f"{summary['program'] or 'a program'}: {headline}")
    metrics = summary["metrics"]
    table = new_table("loss or metric" if metrics else "loss", "first", "last")
    for name, ends in summary["losses"].items():
        table.add_row(name, short_number(ends["first"], 6), short_number(ends["last"], 6))
    if summary["losses"]:
        print_table(table)
    if summary["failed_events"]:
        print_text(f"{pluralize(summary['failed_events'], 'Event')} ended with an error")
    severities = [finding.severity for finding in summary["findings"]]
    kinds = ("fact", "suspicion", *({"question"} & set(severities)))
    counts = [pluralize(severities.count(kind), kind) for kind in kinds]
    print_text(f"findings: {', '.join(counts)}")


def print_findings(findings: tuple[Finding, ...], file: TextIO | None = None) -> None:
    """Print findings with their Events, evidence and remedy, on standard output by default."""
    for finding in findings:
        shown = ", ".join(f"{index:,}" for index in finding.events[:5])
        more = " ..." if len(finding.events) > len(finding.events[:5]) else ""
        times = f"; {finding.count:,} times, last at {finding.last:,}" if finding.count > 1 else ""
        where = f" (Events {shown}{more}{times})" if finding.events else ""
        lines = [f"\n{finding.severity}: {finding.title} [{finding.id}]{where}", finding.detail]
        if finding.value is not None:
            source = f" (source: {finding.source})" if finding.source else ""
            lines.append(
                f"measured {short_number(finding.value, 3)}, threshold {finding.threshold}{source}"
            )
        elif finding.source:
            lines.append(f"source: {finding.source}")
        for line in filter(None, (*lines, finding.remedy, finding.edit, *_answers(finding))):
            print_text(line, file)


def print_predictions(predictions: tuple[Prediction, ...], questions: int) -> None:
    """Print the answers of a lesson, whether each is right, and how many are missing.

    Args:
        predictions: The answers.
        questions: How many questions the lesson has.
    """
    if not predictions:
        return
    right = sum(item.right for item in predictions)
    print_text(f"\npredictions of {predictions[0].lesson}: {right} of {len(predictions)} right")
    for item in predictions:
        verdict = "right" if item.right else "wrong"
        question = " ".join(item.question.split())
        line = f"step {item.step}, {verdict}: {question} {item.answer}"
        print_text(line)
    missing = questions - len(predictions)
    if missing > 0:
        print_text(f"not predicted: {pluralize(missing, 'question')}")


def _answers(finding: Finding) -> list[str]:
    """Return a question, what its answers mean, and the comments of the script that give them."""
    question = finding.question
    if question is None or finding.severity != "question":
        return []
    return [
        question.text,
        f"Yes ({question.yes_comment}): {question.yes}",
        f"No ({question.no_comment}): {question.no}",
    ]
