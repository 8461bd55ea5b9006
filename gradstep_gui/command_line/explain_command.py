"""`gradstep explain`: why a parameter moved, or did not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.history.records.snapshot import STALE
from gradstep.short_number import short_number
from gradstep_gui.command_line.terminal import (
    new_table,
    print_json,
    print_table,
    print_text,
    recorded,
)

if TYPE_CHECKING:
    import argparse

    from gradstep.history.records.explanation import (
        Binding,
        Contribution,
        Explanation,
        MomentumPart,
    )

__all__ = ["explain"]

_MOST_VALUES = 4096
"""Larger arrays are omitted from the JSON; their norm is there."""


def explain(options: argparse.Namespace) -> int:
    """Explain why a parameter moved, what its gradient consists of, and who holds it."""
    debugger = recorded(options.file, options.iterations)
    if options.at is not None:
        debugger.seek(options.at)
    why = debugger.explain(options.parameter)
    parts = debugger.provenance(options.parameter)
    stale = f"{options.parameter}{STALE}"
    held = [item for item in debugger.bindings() if item.tensor in (options.parameter, stale)]
    if options.json:
        print_json(_plain(why, parts, held))
    else:
        _print(why, parts, held)
    return 0


def _plain(
    why: Explanation, parts: tuple[Contribution, ...], held: list[Binding]
) -> dict[str, Any]:
    """Return an explanation as plain values."""
    return {
        "parameter": why.parameter,
        "event": why.event,
        "operation": why.operation,
        "optimizer": why.optimizer,
        "sentence": why.sentence,
        "norm": why.norm,
        "total": _values(why.total),
        "terms": [
            {
                "name": term.name,
                "formula": term.formula,
                "norm": term.norm,
                "share": term.share,
                "value": _values(term.value),
                "parts": [
                    {
                        "kind": part.kind,
                        "step": part.step,
                        "event": part.event,
                        **_plain_part(part),
                    }
                    for part in term.parts
                ],
            }
            for term in why.terms
        ],
        "factors": [
            {"name": factor.name, "formula": factor.formula, "value": factor.value}
            for factor in why.factors
        ],
        "gradient": [
            {"event": part.event, "kind": part.kind, **_plain_part(part)} for part in parts
        ],
        "bindings": [
            {
                "tensor": item.tensor,
                "optimizer": item.optimizer,
                "group": item.group,
                "status": item.status,
            }
            for item in held
        ],
    }


def _plain_part(part: Contribution | MomentumPart) -> dict[str, Any]:
    return {
        "loss": part.loss,
        "rows": None if part.batch is None else part.batch.rows,
        "norm": part.norm,
        "share": part.share,
        "value": _values(part.value),
    }


def _values(array: Any) -> Any:  # noqa: ANN401 - an array, as nested lists
    return array.tolist() if array.size <= _MOST_VALUES else None


def _print(why: Explanation, parts: tuple[Contribution, ...], held: list[Binding]) -> None:
    print_text(why.sentence)
    if why.terms:
        table = new_table("part of the change", "norm", "share")
        for term in why.terms:
            table.add_row(term.name, short_number(term.norm, 6), _percent(term.share))
        table.add_row("total change", short_number(why.norm, 6), "")
        print_table(table)
    for factor in why.factors:
        print_text(f"{factor.name}: {short_number(factor.value, 6)} = {factor.formula}")
    if parts:
        table = new_table("part of the gradient", "norm", "share", "batch")
        for part in parts:
            rows = "" if part.batch is None else f"{part.batch.number:,} of {part.batch.count:,}"
            table.add_row(_origin(part), short_number(part.norm, 6), _percent(part.share), rows)
        print_table(table)
    else:
        print_text("gradient: empty; no Backward has written it since it was cleared")
    for item in held:
        place = f"{item.optimizer}, group {item.group}" if item.optimizer else "no optimizer"
        print_text(f"{item.tensor}: {place} ({item.status})")


def _percent(share: float | None) -> str:
    return "" if share is None else f"{round(100 * share, 1) + 0.0:.1f} %"


def _origin(part: Contribution) -> str:
    match part.kind:
        case "backward":
            return f"Event {part.event:,}, backward from {part.loss}"
        case "step":
            return f"Event {part.event:,}, {part.loss} evaluated by the step"
        case "clip":
            return f"Event {part.event:,}, clipping"
    return f"Event {part.event:,} and earlier"
