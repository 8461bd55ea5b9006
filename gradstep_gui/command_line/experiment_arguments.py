"""The arguments of the commands that ask: what-if, compare, resume-check."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

__all__ = ["COMMANDS", "add_compare", "add_resume_check", "add_what_if"]

COMMANDS = {
    "what-if": "Replay the rest of a run with something done otherwise, and tell what comes of it. "
    "A program is run first.",
    "compare": "Tell where two sessions, or two branches of one, part: the Event, the tensor, the "
    "element, and by how many units in the last place. Exit 1 when they differ.",
    "resume-check": "Tell whether a run could have been broken off and resumed from a checkpoint, "
    "and what the weights alone lack. Exit 1 when a full resume differs.",
}
"""What each command does."""


def add_what_if(parser: argparse.ArgumentParser) -> None:
    """Add what `what-if` takes."""
    parser.add_argument(
        "--at", type=_event, metavar="N", help="the first Event to do anew; default: what is edited"
    )
    parser.add_argument(
        "--skip", type=_event, action="append", default=[], metavar="N", help="leave Event N out"
    )
    parser.add_argument(
        "--insert",
        type=_insertion,
        action="append",
        default=[],
        metavar="N:OP",
        help='do OP before Event N: a kind, as 13:zero_grad, or JSON, as 13:{"op": "step"}',
    )
    parser.add_argument(
        "--move",
        type=_move,
        action="append",
        default=[],
        metavar="N:M",
        help="do Event N before Event M",
    )
    parser.add_argument(
        "--set",
        type=_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="as optimizer.lr=0.1, optimizer.kind=Adam, or batch_size of a data set, "
        "as train.batch_size=32",
    )
    parser.add_argument("--branch", type=_event, metavar="N", help="of a session; default: its own")
    parser.add_argument(
        "--save", type=Path, metavar="OUT.gradstep", help="the session with both branches"
    )


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Add what `compare` takes."""
    for name in ("A", "B"):
        parser.add_argument(
            name.lower(), metavar=name, help="a session or a program; FILE@N for its branch N"
        )
    parser.add_argument(
        "--rows", type=_event, default=12, metavar="N", help="of the table, at most; default: 12"
    )


def add_resume_check(parser: argparse.ArgumentParser) -> None:
    """Add what `resume-check` takes."""
    parser.add_argument(
        "--at", type=_event, metavar="N", help="the Event after which it is broken off"
    )


def _event(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return int(text)


def _insertion(text: str) -> tuple[int, str]:
    event, colon, operation = text.partition(":")
    if not colon or not operation.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not an Event and an Operation: 13:zero_grad")
    return _event(event), operation.strip()


def _move(text: str) -> tuple[int, int]:
    event, colon, before = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text!r} is not two Events, as 14:12")
    return _event(event), _event(before)


def _setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not a name and a value: optimizer.lr=0.1")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value.strip()
